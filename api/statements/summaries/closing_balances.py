"""The rows of a session's last tables: scores, balances, what lies on the table, what is due."""

from collections.abc import Iterator

from api.i18n.translator import Names, Translator
from api.representations.session import bets_view
from engine.scoring.score_sheet import ScoreSheet
from ledger.session.session_state import SessionState


def score_rows(
    sheet: ScoreSheet, translator: Translator, names: Names
) -> Iterator[tuple[str, str]]:
    """Yield the score of each player or side, the winners marked."""
    for side, points in sheet.scores.items():
        won = f" · {translator('statement.won')}" if side in sheet.winners else ""
        yield (
            f"{translator.player_names(side.split('+'), names)}{won}",
            translator.format_number(points),
        )
        if sheet.overtricks:
            yield (
                translator("statement.overtricks"),
                translator.format_number(sheet.overtricks[side]),
            )


def balance_rows(
    session: SessionState, translator: Translator, names: Names
) -> Iterator[tuple[str, str]]:
    """Yield balances, pot and bets, which add up to zero, and then the payments that are due."""
    currency = session.opening.currency
    for player, balance in session.balances.items():
        amount = translator.format_money(balance, currency, sign=True)
        yield translator.player_name(player, names), amount
    if not session.sheet:
        yield translator("statement.pot"), translator.format_money(session.pot, currency)
    for bet in bets_view(session) or ():
        label = translator("accounts.bet", number=bet["id"][1:]).capitalize()
        bettors = translator.player_names(bet["by"], names)
        yield f"{label} ({bettors})", translator.format_money(bet["amount"], currency)
    for payment in session.payments.values():
        if payment.status == "due":
            payer, payee = (
                translator.player_name(x, names) for x in (payment.payer, payment.payee)
            )
            label = f"{translator('statement.due')}: {payer} → {payee}"
            yield label, translator.format_money(payment.amount, currency)
