"""Spader, from the bids of two sides to their score: what is legal, and what an action makes.

Source: docs/rules.md §3.
"""

from collections.abc import Iterator, Mapping
from functools import reduce

from engine import commands, errors, events
from engine.commands import Contestant
from engine.games.game import Game
from engine.games.spader.bids_and_scoring import (
    RULES,
    TRICKS,
    all_nil_bidders,
    blind_nil_bidders,
    check_bid,
    legal_bids,
    score,
    sides,
    winners,
)
from engine.games.spader.options import Options
from engine.games.spader.state import SideBidding, SpaderPlay, State, Swapping, evolve
from engine.games.spader.trick_rules import CourtCards, play_rule, redeal_reasons, winner_of
from engine.scoring.score_sheet import Scoring, apply_score
from engine.table_view import LegalAction, one_of
from engine.tricks.deal import Waiting
from engine.tricks.declarer_play import legal_cards, legal_hands
from engine.tricks.trick_state import CardsInPlay
from engine.values import Seats

TrickPhase = Swapping | SpaderPlay
"""Both sides have bid, so tricks can be recorded."""

SCORING = Scoring(
    contestants=sides,
    starting_score=lambda options: 0,
    goal=lambda options: options.target,
    counts_overtricks=True,
)


def decide(state: State, command: commands.Command) -> events.Events:
    """Return the events of a legal command; raise a RuleViolation for any other."""
    options = state.options
    match state.phase, command:
        case Waiting(), _:
            raise errors.NoOpenDeal
        case (SideBidding() | Swapping() | SpaderPlay()) as phase, commands.Hand(
            player=player, cards=cards
        ):
            return (phase.tricks.decide_hand(player, cards),)
        case SideBidding() as phase, commands.SideBid():
            looked = phase.players_who_looked
            return (check_bid(options, state.sheet, command, phase.turn, looked),)
        case SideBidding(bids=()) as phase, commands.Redeal(player=player, reason=reason):
            phase.deal.check_seated(player)
            if reason not in redeal_reasons(phase.tricks.known_hand(player), options.court_cards):
                raise errors.RedealNotDue(player=player)
            passes_on = (phase.deal.close("redealt"),) if options.redeal_dealer == "next" else ()
            return (events.RedealClaimed(player=player, reason=reason), *passes_on)
        case SideBidding(), commands.Trick() | commands.Tricks() | commands.Play():
            raise errors.BidsFirst
        case Swapping() | SpaderPlay(), commands.SideBid():
            raise errors.BidsAreMade
        case Swapping(sides=(side, *_)), commands.Swap():
            return (events.CardsSwapped(side=side),)
        case Swapping(sides=(side, *_)), commands.NoSwap():
            return (events.SwapDeclined(side=side),)
        case SpaderPlay(bids=bids), commands.Swap() | commands.NoSwap() if not any(
            map(blind_nil_bidders, bids)
        ):
            raise errors.NoBlindNil
        case Swapping(sides=(side, *_)), commands.Play():
            raise errors.SwapFirst(side=side)
        case (Swapping() | SpaderPlay()) as phase, commands.Trick(winner=winner):
            phase.deal.check_seated(winner)
            phase.tricks.check_between_tricks()
            trick_winners = (*phase.tricks.winners, winner)
            return (events.TrickRecorded(winner=winner), *_after_trick(state, phase, trick_winners))
        case (Swapping() | SpaderPlay()) as phase, commands.Tricks(taken=counted):
            trick_counts = _counted_tricks(phase, counted)
            return (
                events.TricksCounted(taken=trick_counts),
                *_score_deal(state, phase, trick_counts),
            )
        case SpaderPlay() as phase, commands.Play(player=player, card=card):
            facts, tricks = phase.tricks.decide_card(
                player, card, play_rule(phase.broken), winner_of
            )
            return (*facts, *_after_trick(state, phase, tricks or ()))
        case phase, _:
            raise errors.NotNow(action=command.__struct_config__.tag, phase=phase.name)


def _counted_tricks(phase: TrickPhase, counted: Mapping[Contestant, int]) -> dict[Contestant, int]:
    """Return the tricks of every player or of both sides, in seat order; 0 for those left out. The
    tricks of the sides are enough where nobody bid nil: then the score depends on nothing else
    (docs/rules.md §3.3)."""
    if phase.tricks.has_begun:
        raise errors.TricksAlreadyRecorded
    both_sides = sides(phase.deal.seats)
    by_side = any(side in counted for side in both_sides)
    if by_side and (nil := all_nil_bidders(phase.bids)):
        raise errors.NilNeedsPlayersTricks(player=nil[0])
    contestants = both_sides if by_side else phase.deal.seats
    for contestant in counted:
        if contestant not in contestants:
            raise errors.NotInThisDeal(player=contestant)
    if sum(counted.values()) != TRICKS:
        raise errors.TricksDoNotAddUp(counted=sum(counted.values()), played=TRICKS)
    return {contestant: counted.get(contestant, 0) for contestant in contestants}


def _after_trick(state: State, phase: TrickPhase, trick_winners: Seats) -> events.Events:
    """Return what follows from a trick: nothing yet, or the end of the deal."""
    if len(trick_winners) < TRICKS:
        return ()
    counts = {player: trick_winners.count(player) for player in phase.deal.seats}
    return _score_deal(state, phase, counts, trick_winners)


def _score_deal(
    state: State, phase: TrickPhase, trick_counts: dict[Contestant, int], tricks: Seats = ()
) -> events.Events:
    """Return both sides' lines, the end of the game if they end it, and the closing of the deal."""
    options, deal, sheet = state.options, phase.deal, state.sheet
    bids = {bid.side: bid for bid in phase.bids}
    rows = tuple(
        row
        for side in sides(deal.seats)
        for row in score(options, deal.number, bids[side], trick_counts, sheet.overtricks[side])
    )
    won = winners(options, reduce(apply_score, rows, sheet).scores)
    return (
        *rows,
        *((events.GameWon(deal=deal.number, winners=won),) if won else ()),
        deal.close("scored", tricks=tricks, taken=trick_counts),
    )


def legal_actions(state: State) -> Iterator[LegalAction]:
    """Yield the legal actions inside the deal; `engine.session.legal` adds those between deals."""
    options, phase = state.options, state.phase
    if isinstance(phase, Waiting):
        return
    if isinstance(phase, SideBidding):
        yield from legal_bids(options, state.sheet, phase.turn, phase.players_who_looked)
        if not phase.bids:
            yield from _legal_redeals(phase, options.court_cards)
    else:
        yield from _legal_tricks(phase)
    yield from legal_hands(phase.tricks)


def _legal_redeals(phase: SideBidding, court_cards: CourtCards) -> Iterator[LegalAction]:
    for player in phase.deal.seats:
        if reasons := list(redeal_reasons(phase.tricks.known_hand(player), court_cards)):
            yield LegalAction.of("redeal", player=one_of(player), reason=one_of(*reasons))


def _legal_tricks(phase: TrickPhase) -> Iterator[LegalAction]:
    tricks, seats = phase.tricks, phase.deal.seats
    if isinstance(phase, Swapping):
        yield LegalAction.of("swap")
        yield LegalAction.of("no_swap")
    if not tricks.on_table:
        yield LegalAction.of("trick", winner=one_of(*seats))
        if not tricks.winners:
            by_side = [] if all_nil_bidders(phase.bids) else [sides(seats)]
            for contestants in (seats, *by_side):
                yield LegalAction.of("tricks", taken={"sum": TRICKS, "keys": list(contestants)})
    if isinstance(phase, SpaderPlay):
        yield from legal_cards(tricks, play_rule(phase.broken))


def cards_in_play(state: State) -> CardsInPlay | None:
    """The cards on the table; none unless a card can be played now."""
    match state.phase:
        case SpaderPlay(tricks=tricks, broken=broken):
            return CardsInPlay(tricks=tricks, rule=play_rule(broken))
    return None


GAME = Game(
    key="spader",
    name="Spader",
    player_counts=range(4, 5),
    options_type=Options,
    commands=frozenset(
        {
            *(commands.SideBid, commands.Redeal, commands.Swap, commands.NoSwap),
            *(commands.Hand, commands.Play, commands.Trick, commands.Tricks),
        }
    ),
    hand_size=TRICKS,
    rule_references=RULES,
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
