"""What an evening leaves open is where another one begins: the pot, the bets, and who owes whom.

Everything goes over or nothing does, so that both evenings add up to nothing at every version. The
earlier one is settled no more: it says where it went on. Source: rules.md §5 (`carry`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import RuleViolation
from engine.events import Brought, BroughtForward
from engine.game import BetView, Game
from engine.values import Amount, Player
from ledger.handling import AlreadyCarriedForward
from ledger.projections.payments import outstanding
from ledger.session import Session


class EveningIsOpen(RuleViolation):
    """The earlier evening ({session}) is not over yet; close it first."""


class PaymentsAreDue(RuleViolation):
    """{count} la vola payments of the earlier evening are just being settled; try again."""


class AnotherGame(RuleViolation):
    """What lies in the pot and on bets is played for in {needed}, and cannot go into {game}."""


class AnotherCurrency(RuleViolation):
    """The earlier evening was played in {needed}, and this one would be in {currency}."""


class BroughtIntoPoints(RuleViolation):
    """A game for points has no money to begin with; settle the earlier evening first."""


def anything_open(session: Session) -> bool:
    """Whether the evening left something that another one could go on with."""
    return session.for_money and bool(session.pot or session.bets or any(session.balances.values()))


def check(earlier: Session, into: Game[Any, Any], currency: str) -> None:
    """Whether this evening can be carried forward into such a one.

    EveningIsOpen, AlreadyCarriedForward, PaymentsAreDue, BroughtIntoPoints, AnotherCurrency,
    AnotherGame.
    """
    if earlier.status != "closed":
        raise EveningIsOpen(session=str(earlier.id))
    if earlier.carried_to:
        raise AlreadyCarriedForward(to=earlier.carried_to)
    if due := outstanding(earlier.payments):
        raise PaymentsAreDue(count=len(due))
    if into.scoring:
        raise BroughtIntoPoints
    if earlier.opening.currency != currency:
        raise AnotherCurrency(currency=currency, needed=earlier.opening.currency)
    if (earlier.pot or earlier.bets) and earlier.game is not into:
        raise AnotherGame(game=into.key, needed=earlier.game.key)


def brought(earlier: Session, now: Mapping[Player, Player]) -> BroughtForward:
    """Where the evening that `earlier` was carried forward to begins.

    `now` says for everybody who has something open which player of the new evening he is.
    """
    assert earlier.carried_to, "the earlier evening says first where it goes on"
    balances = {now[who]: amount for who, amount in earlier.balances.items() if amount}
    return BroughtForward(
        session=str(earlier.id),
        version=earlier.version,
        hash=earlier.hash.hex(),
        pot=earlier.pot,
        bets=tuple(
            Brought(bet=number, by=tuple(now[p] for p in bet.by), each=bet.each, paid=bet.paid)
            for number, bet in enumerate(_in_playing_order(earlier), start=1)
        ),
        balances=balances,
    )


def concerned(earlier: Session) -> tuple[Player, ...]:
    """Everybody who has a balance or a bet that goes over."""
    owners = {player for bet in earlier.bets for player in bet.by}
    return tuple(p for p in earlier.table.players if earlier.balances[p] or p in owners)


def on_bets(session: Session) -> Amount:
    """What lies on bets, paid or claimed."""
    return sum(bet.amount for bet in session.bets)


def _in_playing_order(session: Session) -> Sequence[BetView]:
    """Smallest first, as agreed among equals: in the new evening none is older than another."""
    return session.game.bets(session.options, session.table.table)
