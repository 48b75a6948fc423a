"""Carry the pot, the bets and the balances of a closed session forward into a new one.

All of it is carried forward or none, so that both sessions add up to zero at every version. The
earlier session is settled in the new one. Source: docs/rules.md §5 (`carry`).
"""

from collections.abc import Mapping
from typing import Any

from engine.errors import RuleViolation
from engine.events import BroughtForward, CarriedBet
from engine.games.game import Game
from engine.values import Player
from ledger.projections.la_vola_payments import due_payments
from ledger.session.command_handlers import AlreadyCarriedForward
from ledger.session.session_state import SessionState


class SessionIsOpen(RuleViolation):
    """The earlier evening ({session}) is not over yet; close it first."""


class PaymentsAreDue(RuleViolation):
    """{count} la vola payments of the earlier evening are just being settled; try again."""


class AnotherGame(RuleViolation):
    """What lies in the pot and on bets is played for in {needed}, and cannot go into {game}."""


class AnotherCurrency(RuleViolation):
    """The earlier evening was played in {needed}, and this one would be in {currency}."""


class CarriedIntoPoints(RuleViolation):
    """A game for points has no money to begin with; settle the earlier evening first."""


def has_open_amounts(session: SessionState) -> bool:
    """Return whether the session left anything that another one could continue with."""
    # a pot is never open alone: with the balances and the paid bets it adds up to zero
    return bool(session.bets or any(session.balances.values()))


def check_carry_forward(earlier: SessionState, next_game: Game[Any, Any], currency: str) -> None:
    """Raise unless `earlier` can be carried forward into this game and currency. Raise
    SessionIsOpen, AlreadyCarriedForward, PaymentsAreDue, CarriedIntoPoints, AnotherCurrency,
    AnotherGame."""
    if earlier.status != "closed":
        raise SessionIsOpen(session=str(earlier.id))
    if earlier.carried_to:
        raise AlreadyCarriedForward(to=earlier.carried_to)
    if payments_due := due_payments(earlier.payments):
        raise PaymentsAreDue(count=len(payments_due))
    if next_game.scoring:
        raise CarriedIntoPoints
    if earlier.opening.currency != currency:
        raise AnotherCurrency(currency=currency, needed=earlier.opening.currency)
    if (earlier.pot or earlier.bets) and earlier.game is not next_game:
        raise AnotherGame(game=next_game.key, needed=earlier.game.key)


def bring_forward(earlier: SessionState, new_players: Mapping[Player, Player]) -> BroughtForward:
    """Return the event with which the session that `earlier` is carried into begins. `new_players`
    maps each player with an open balance or bet to a player of the new session."""
    assert earlier.carried_to, "the earlier session is marked first"
    balances = {new_players[p]: amount for p, amount in earlier.balances.items() if amount}
    # smallest first; in the new session none is older than another
    bets = earlier.game.bets(earlier.table.game_state)
    return BroughtForward(
        session=str(earlier.id),
        version=earlier.version,
        hash=earlier.hash.hex(),
        pot=earlier.pot,
        bets=tuple(
            CarriedBet(
                bet=number, by=tuple(new_players[p] for p in bet.by), each=bet.each, paid=bet.paid
            )
            for number, bet in enumerate(bets, start=1)
        ),
        balances=balances,
    )


def players_with_open_amounts(earlier: SessionState) -> tuple[Player, ...]:
    """Return the players who have a balance or a bet that is carried forward."""
    owners = {player for bet in earlier.bets for player in bet.by}
    return tuple(p for p in earlier.table.players if earlier.balances[p] or p in owners)
