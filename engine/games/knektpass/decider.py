"""Knektpass, from stay or pass to a score of 0: what is legal, and which events an action makes.

There is no pot: everybody has a score, usually 12 to begin with. Source: docs/rules.md §4.
"""

from collections.abc import Iterable
from typing import assert_never

from engine import commands, errors, events
from engine.events import Events
from engine.games.game import Game
from engine.games.knektpass import declaring, exchange_and_play, scoring
from engine.games.knektpass.declaring import Declaring
from engine.games.knektpass.exchange_and_play import KnektpassPlay, TrickResult, must_beat_rule
from engine.games.knektpass.options import Options
from engine.games.knektpass.state import State, evolve
from engine.scoring.rule_references import reference_rules
from engine.scoring.score_sheet import Scoring
from engine.table_view import LegalAction
from engine.tricks.deal import Deal, Waiting
from engine.tricks.five_tricks import TRICKS
from engine.tricks.trick_state import CardsInPlay
from engine.values import Player, Seats

QUOTA = "turn_up_counts exchange_quota min_trick_floor"
"""The options that change how many tricks somebody has to take."""


def decide(state: State, command: commands.Command) -> Events:
    """Return the events of a legal command; raise a RuleViolation for any other."""
    options = state.options
    match state.phase:
        case Waiting():
            raise errors.NoOpenDeal
        case Declaring() as phase:
            declaration = declaring.decide(phase, command, commits=options.turn_up_commits)
            return (declaration, *_after_declaration(state, phase, declaration))
        case KnektpassPlay() as phase:
            must_trump = options.must_trump_when_void
            facts, result = exchange_and_play.decide(phase, command, must_trump=must_trump)
            return (*facts, *(_close_scored(state, phase, result) if result else ()))
    assert_never(state.phase)


def _after_declaration(state: State, phase: Declaring, declaration: events.UndoableEvent) -> Events:
    """Return what follows from a declaration: nothing, or the end of a deal in which fewer than
    two stay."""
    match declaration:
        case events.Stayed() | events.Passed():
            phase = declaring.evolve(phase, declaration)
            if phase.turn is not None or len(phase.staying) > 1:
                return ()
            if phase.staying:
                return _close_played_alone(state, phase.deal, phase.staying[0])
        case events.AllPassed():
            pass
        case _:
            return ()
    same_dealer = state.options.all_pass_dealer == "same"  # noqa: S105
    return (phase.deal.close("all_pass", next_dealer=phase.deal.dealer if same_dealer else None),)


def _close_played_alone(state: State, deal: Deal, player: Player) -> Events:
    """The only player to stay wins at once: no exchange, no tricks (docs/rules.md §4.2 DECLARE)."""
    points = -state.options.solo_deduction
    line = events.Scored(deal=deal.number, to=player, points=points, rule="played_alone")
    return (*_score_events(state, deal, (line,)), deal.close("played_alone"))


def _close_scored(state: State, phase: KnektpassPlay, result: TrickResult) -> Events:
    """A line for everybody who stayed, forehand first (docs/rules.md §4.3)."""
    lines = tuple(
        scoring.score_player(
            state.options, phase.deal.number, player, phase.exchanged(player), count
        )
        for player, count in result.counts.items()
    )
    return (
        *_score_events(state, phase.deal, lines, result.winners),
        phase.deal.close("scored", tricks=result.winners, taken=result.counts),
    )


def _score_events(
    state: State, deal: Deal, lines: tuple[events.Scored, ...], trick_winners: Seats = ()
) -> Events:
    """Return the lines for the sheet, and the end of the game if they end it."""
    options, scores = state.options, state.sheet.scores
    lines = scoring.limit_lines(options, scores, lines)
    return (*lines, *scoring.decide_winners(options, deal.number, scores, lines, trick_winners))


def legal_actions(state: State) -> Iterable[LegalAction]:
    """Return the legal actions inside the deal; `engine.session.legal` adds those between deals."""
    match state.phase:
        case Waiting():
            return ()
        case Declaring() as phase:
            return declaring.legal(phase, commits=state.options.turn_up_commits)
        case KnektpassPlay() as phase:
            return exchange_and_play.legal(phase, must_trump=state.options.must_trump_when_void)
    assert_never(state.phase)


def cards_in_play(state: State) -> CardsInPlay | None:
    """The cards on the table; none unless a card can be played now."""
    match state.phase:
        case KnektpassPlay(trump=str(trump), tricks=tricks):
            rule = must_beat_rule(trump, must_trump=state.options.must_trump_when_void)
            return CardsInPlay(tricks=tricks, rule=rule)
    return None


SCORING = Scoring(
    contestants=lambda seats: seats,
    starting_score=lambda options: options.start,
    goal=lambda options: 0,
    lowest_wins=True,
)

GAME = Game(
    key="knektpass",
    name="Knektpass",
    player_counts=range(2, 11),
    options_type=Options,
    commands=frozenset(
        {
            *(commands.TurnUp, commands.Exchange, commands.Stay, commands.Pass, commands.AllPass),
            *(commands.Hand, commands.Play, commands.Trick, commands.Tricks),
        }
    ),
    hand_size=TRICKS,
    rule_references=reference_rules(
        {
            "score_begun": "§4.1",
            "score_played_alone": "§4.2 finish",
            "score_quota_made": f"§4.3 {QUOTA} finish",
            "score_quota_missed": f"§4.3 {QUOTA}",
            "points_paid": "§4.4",
        },
        {
            "turn_up_counts": "A-KP-1",
            "exchange_quota": "A-KP-2",
            "min_trick_floor": "A-KP-3",
            "finish": "A-KP-4",
        },
    ),
    scoring=SCORING,
    initial_state=lambda options, seats: State(
        options=options, sheet=SCORING.new_sheet(options, seats)
    ),
    open_deal=lambda state, opening, funds: state.sheet.open_deal(opening),
    decide=decide,
    evolve=evolve,
    legal_actions=legal_actions,
    cards_in_play=cards_in_play,
    settle_up=lambda state, policy, last: SCORING.settle(state.sheet, state.options.point_value),
)
