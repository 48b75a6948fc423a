"""The interface of a game: its name, how many play it, and how it decides.

Shared code never asks which game it has; it calls the functions here.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from engine.commands import Command
from engine.events import DealOpened, Event, Events, LeftoverPolicy
from engine.scoring.bet_stack import Bet
from engine.scoring.score_sheet import Scoring
from engine.table_view import LegalAction
from engine.tricks.deal import LastDeal, Phase
from engine.tricks.trick_state import CardsInPlay
from engine.values import Amount, Seats


class GameState(Protocol):
    """What the next decision needs."""

    @property
    def options(self) -> Any: ...
    @property
    def phase(self) -> Phase: ...


O = TypeVar("O")  # noqa: E741  # options
S = TypeVar("S", bound=GameState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[O, S]):
    """A decider: the state is what the next decision needs, and only events change it."""

    key: str  # stored with every session, so never renamed
    name: str
    player_counts: range
    options_type: type[O]
    commands: frozenset[type[Command]]
    hand_size: int
    # the paragraph behind each reason of a posting: engine/scoring/rule_references.py
    rule_references: Callable[[O], Mapping[str, str]]
    scoring: Scoring | None = None  # a sheet of points; without one there are a pot and balances
    initial_state: Callable[[O, Seats], S]
    # of the opening without amounts, and the dealer's balance, everything owed counted as paid
    open_deal: Callable[[S, DealOpened, Amount], Events]
    decide: Callable[[S, Command], Events]
    evolve: Callable[[S, Any], S]  # the events of this game only
    legal_actions: Callable[[S], Iterable[LegalAction]]
    cards_in_play: Callable[[S], CardsInPlay | None]  # none while no card can be played
    bets: Callable[[S], tuple[Bet, ...]] = lambda state: ()  # in playing order
    settle_up: Callable[[S, LeftoverPolicy, LastDeal], Iterable[Event]]  # when a session closes
    leftover_policy: Callable[[O], LeftoverPolicy] = lambda options: "carry"
