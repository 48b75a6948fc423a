"""Who has what at the end of an evening: balances, what lies on the table, what is due, scores."""

from collections.abc import Iterator

from api.state import bets
from api.words import Names, Speaker
from engine.points import Sheet
from ledger.session import Session


def scores(kept: Sheet, speak: Speaker, names: Names) -> Iterator[tuple[str, str]]:
    """Of everybody, or of every side; and who has won."""
    for side, points in kept.scores.items():
        won = f" · {speak('statement.won')}" if side in kept.winners else ""
        yield f"{speak.people(side.split('+'), names)}{won}", speak.number(points)
        if kept.overtricks:
            yield speak("statement.overtricks"), speak.number(kept.overtricks[side])


def balances(session: Session, speak: Speaker, names: Names) -> Iterator[tuple[str, str]]:
    """With the pot and the bets they add up to zero; what is due comes last."""
    currency = session.opening.currency
    for player, balance in session.balances.items():
        yield speak.name(player, names), speak.money(balance, currency, sign=True)
    if not session.sheet:
        yield speak("statement.pot"), speak.money(session.pot, currency)
    for bet in bets(session) or ():
        laid = speak("accounts.bet", number=bet["id"][1:]).capitalize()
        yield f"{laid} ({speak.people(bet['by'], names)})", speak.money(bet["amount"], currency)
    for leg in session.payments.values():
        if leg.status == "due":
            pair = f"{speak.name(leg.payer, names)} → {speak.name(leg.payee, names)}"
            yield f"{speak('statement.due')}: {pair}", speak.money(leg.amount, currency)
