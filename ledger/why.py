"""For every movement of money the rule that moved it, and the numbers of that rule.

Says it in a code with operands; putting it into somebody's language is not known here.
Source: rules.md §1.6, §1.7 and §5.
"""

from collections.abc import Iterator
from typing import Any, assert_never

import msgspec

from engine import events as e
from engine.values import Player
from ledger.entries import PaymentSettled, TransferRecorded
from ledger.envelope import Recorded
from ledger.postings import Posting, postings
from ledger.postings import player as account
from ledger.projections.deals import Deal
from ledger.projections.payments import Payment


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """One posting and why it was made. Operands: players as ids, amounts in minor units."""

    version: int
    posting: Posting
    code: str
    rule: str  # the paragraph of the rules
    players: dict[str, Player | tuple[Player, ...]] = {}
    amounts: dict[str, int] = {}
    numbers: dict[str, int] = {}


def of_deal(deal: Deal) -> tuple[Reason, ...]:
    """Every posting of a deal as it stands, in order."""
    if deal.voided:
        return ()
    return tuple(reason for recorded in deal.facts for reason in of_event(recorded))


def of_event(recorded: Recorded) -> Iterator[Reason]:
    """Every posting of one event."""
    for posting in postings(recorded.event):
        yield Reason(version=recorded.version, posting=posting, **_why(recorded.event, posting))


def of_payment(payment: Payment) -> Reason:
    """A settled leg of a la vola, at the version that made it due."""
    code = "la_vola_paid_back" if payment.reverses else "la_vola_paid"
    posting = Posting(account(payment.payer), account(payment.payee), payment.amount)
    who = {"payer": payment.payer, "payee": payment.payee}
    version = int(payment.id.partition("-")[0])
    because = _because(code, "§1.7", who, deal=payment.deal)
    return Reason(version=version, posting=posting, **because)


def _why(event: Any, posting: Posting) -> dict[str, Any]:
    paying, getting = _player(posting.source), _player(posting.target)
    match event:
        case e.DealOpened(dealer=dealer, number=number):
            return _because("ante", "§1.1", {"dealer": dealer}, deal=number)
        case e.PotTaken(player=winner, deal=number):
            return _because("pot_taken", "§1.6", {"winner": winner}, deal=number)
        case e.BetTaken(player=winner, by=by, laid_in=laid_in, paid=paid):
            who = {"winner": winner, "by": by, "payer": paying}
            return _because("bet_taken" if paid else "claim_taken", "§1.6", who, deal=laid_in)
        case e.BetLaid(played_for=played_for, multiplier=multiplier):
            code = "bet_laid" if multiplier == 1 else "bet_laid_double"
            return _because(
                code, "§1.6", {"loser": paying}, {"played_for": played_for}, times=multiplier
            )
        case e.BetsMerged() | e.BetsParted():
            code = "bets_merged" if isinstance(event, e.BetsMerged) else "bets_parted"
            return _because(code, "A-PP-2", {"by": event.by}, deal=event.deal)
        case PaymentSettled(payer=payer, payee=payee, deal=number, reverses=reverses):
            code = "la_vola_paid_back" if reverses else "la_vola_paid"
            return _because(code, "§1.7", {"payer": payer, "payee": payee}, deal=number)
        case TransferRecorded(payer=payer, payee=payee):
            return _because("transfer", "§5", {"payer": payer, "payee": payee})
        case e.PotShared():
            return _because("leftover_pot", "§5", {"winner": getting})
        case e.BetShared(bet=number):
            return _because("leftover_bet", "§5", {"winner": getting}, bet=number)
        case e.BetCollected(bet=number):
            return _because("claim_collected", "§5", {"payer": paying}, bet=number)
        case e.ActionUndone() | e.DealVoided():
            code = "undone" if isinstance(event, e.ActionUndone) else "voided"
            return _because(code, "A-PP-16", deal=event.deal or 0)
    raise AssertionError(f"{type(event).__name__} moves no money")


def _because(
    code: str,
    rule: str,
    players: dict[str, Any] | None = None,
    amounts: dict[str, int] | None = None,
    **numbers: int,
) -> dict[str, Any]:
    return {
        "code": code,
        "rule": rule,
        "players": players or {},
        "amounts": amounts or {},
        "numbers": numbers,
    }


def _player(account: str) -> Player:
    kind, _, player = account.partition(":")
    return player if kind == "player" else account


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """How a deal ended, as a code with operands."""

    code: str
    players: dict[str, Player | tuple[Player, ...]] = {}
    amounts: dict[str, int] = {}
    numbers: dict[str, int] = {}


def outcome(deal: Deal) -> Told:
    """One sentence's worth: who won what, who failed."""
    played_for = {"played_for": deal.opening.played_for}
    end = deal.closing
    if deal.voided:
        return Told(code="voided", players={"dealer": deal.dealer})
    if end is None:
        return Told(code="open", players={"dealer": deal.dealer}, amounts=played_for)
    players: dict[str, Player | tuple[Player, ...]] = {
        "winner": end.winner or "",
        "declarers": end.declarers,
        "failed": tuple(p for p in end.declarers if p != end.winner),
        "announcer": end.la_vola or "",
        "next": end.next_dealer,
    }
    match end.outcome:
        case "won":
            laid = any(isinstance(r.event, e.BetLaid) for r in deal.facts)
            code = "won_by_other" if laid else "won_by_declarer"
            if laid and end.winner in end.declarers:
                code = "won_by_one_of_two"
        case "nobody" | "all_pass" | "la_vola_won" | "la_vola_lost":
            code = end.outcome
        case _:
            assert_never(end.outcome)
    return Told(code=code, players=players, amounts=played_for)
