"""Given these facts, when a player does this, then these facts follow, or it is refused.

The rules as examples. In all of them five people play, clockwise from Ada.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any

import msgspec
import pytest

from engine.commands import Command
from engine.errors import RuleViolation
from engine.events import Event, Events
from engine.games.game import Game
from engine.games.polskt_pass import decider as polskt_pass
from engine.games.polskt_pass.decider import Options
from engine.session import correction
from engine.session import session as sessions
from engine.session.fold import evolve
from engine.session.legal import legal_actions
from engine.session.table_state import TableState
from engine.table_view import LegalAction
from engine.values import Amount, Player, Seats
from tests.support.player_names import FIVE_NAMES

FIVE_PLAYERS: Seats = ("p1", "p2", "p3", "p4", "p5")
ADA, BO, CILLA, DISA, EMIL = FIVE_PLAYERS
NAMES = dict(zip(FIVE_PLAYERS, FIVE_NAMES, strict=True))


def each_refusal(cases: list[tuple[Given, Command, str, dict[str, Any]]]) -> pytest.MarkDecorator:
    """Return the mark that runs a test for each case: setup, command, refusal and operands."""
    return pytest.mark.parametrize(
        ("setup", "command", "refusal", "operands"),
        cases,
        ids=[f"{refusal}-{command.__struct_config__.tag}" for _, command, refusal, _ in cases],
    )


@dataclass(frozen=True)
class Given:
    """A session to which something has happened."""

    players: int = 4
    away: int = 0  # players without a seat
    options: Any = field(default_factory=Options)
    dealer: Player = ADA
    history: Events = ()
    funds: Mapping[Player, Amount] = field(default_factory=dict)
    game: Game[Any, Any] = polskt_pass.GAME

    def agreed(self, **options: Any) -> Given:
        """Return the session whose table agreed on these options before the first deal."""
        return replace(self, options=msgspec.structs.replace(self.options, **options))

    def given(self, *facts: Event) -> Given:
        after = replace(self, history=self.history + facts)
        if "table_state" in self.__dict__:  # already folded, so only the rest is left to fold
            after.__dict__["table_state"] = after._fold(self.table_state, facts)
        return after

    def after(self, *commands: Command) -> Given:
        """Return the session after these commands, all of which must be allowed."""
        return reduce(lambda given, command: given.given(*given.decide(command)), commands, self)

    def when(self, command: Command) -> When:
        return When(self, lambda: self.decide(command))

    def when_misdealt(self, number: int) -> When:
        return When(self, lambda: (sessions.void_open_deal(self.table_state, number),))

    def when_corrected(self, deal: int, *actions: Command, later: Any = "refuse") -> When:
        """Correct a closed deal to these actions."""
        return When(self, lambda: (correction.correct(self.table_state, deal, actions, later),))

    def when_closed(self, policy: Any = None) -> When:
        return When(self, lambda: sessions.close(self.table_state, policy))

    def when_reopened(self) -> When:
        """Undo the closing."""
        return When(self, lambda: (sessions.reopen(self.table_state),))

    def decide(self, command: Command) -> Events:
        return sessions.decide(self.table_state, command, self.fund)

    def fund(self, player: Player) -> Amount:
        return self.funds.get(player, 0)

    @cached_property
    def table_state(self) -> TableState[Any]:
        start = sessions.begin(self.game, self.options, FIVE_PLAYERS[: self.players], self.dealer)
        away = FIVE_PLAYERS[self.players : self.players + self.away]
        return self._fold(reduce(sessions.add_player, away, start), self.history)

    def _fold(self, table: TableState[Any], facts: Events) -> TableState[Any]:
        return reduce(evolve, facts, table)

    @property
    def legal(self) -> tuple[LegalAction, ...]:
        return legal_actions(self.table_state, self.fund)

    def legal_types(self) -> set[str]:
        return {action.type for action in self.legal}

    @property
    def pot_and_bets(self) -> tuple[int, str]:
        """Return the pot, and the bets in playing order with their owners: `Bo 10, Cilla+Disa
        40`."""
        bets = self.game.bets(self.table_state.game_state)
        named = (f"{'+'.join(NAMES[p] for p in bet.by)} {bet.amount}" for bet in bets)
        return self.table_state.game_state.pot, ", ".join(named)


@dataclass(frozen=True)
class When:
    """An action that is decided only when its result is checked, since the result may be a
    refusal."""

    before: Given
    decide: Callable[[], Events]

    def then(self, *expected: Event) -> Given:
        assert self.decide() == expected
        return self.before.given(*expected)

    def refused(self, refusal_type: type[RuleViolation], **operands: object) -> None:
        with pytest.raises(RuleViolation) as refusal:
            self.decide()
        assert type(refusal.value) is refusal_type, refusal.value
        assert refusal.value.operands == operands
        assert str(refusal.value) == (refusal_type.__doc__ or "").format(**operands)


def without_history(at):
    """Return the table without the undo history, and without numbers that misdeals used up."""
    return (
        *(at.game_state, at.seats, at.dealer, at.deal_number, at.deal_is_open),
        *(at.last_deal, at.closed),
    )
