"""Polskt pass: which events an action makes, from the cut to the last trick.

Source: docs/rules.md §1.
"""

import msgspec

from engine import commands, errors, events
from engine.cards import Card, rank
from engine.events import Events
from engine.games.agreements import check_amount, check_credit
from engine.games.game import Game
from engine.games.polskt_pass.deal_end import (
    close_la_vola_lost,
    close_la_vola_won,
    close_won,
    smallest_bet,
)
from engine.games.polskt_pass.legal import legal_actions
from engine.games.polskt_pass.options import Options
from engine.games.polskt_pass.state import Choosing, Cut, State, Waiting, evolve, pack_for
from engine.games.polskt_pass.view import cards_in_play, view
from engine.scoring import bet_stack as stack
from engine.scoring.leftovers import distribute_leftovers
from engine.scoring.rule_references import reference_rules
from engine.tricks import declarer_play as playing
from engine.tricks.bidding import Bidding, Opened, decide_bid
from engine.tricks.deal import Deal, DealOpening
from engine.tricks.declarer_play import DeclarerPlay
from engine.tricks.five_tricks import TRICKS, winner_of_five
from engine.values import Player, Seats


def open_deal(options: Options, state: State, opening: DealOpening) -> Events:
    check_credit(options, opening)
    stake = options.stake
    pot = stake if options.amount_basis == "ante_only" else state.pot + stake
    played_for = pot + sum(bet.amount for bet in smallest_bet(options, state))
    check_amount(options.bet_multiplier * played_for)
    return (
        events.DealOpened(
            number=opening.number,
            dealer=opening.dealer,
            seats=opening.seats,
            stake=stake,
            played_for=played_for,
        ),
    )


def decide(options: Options, state: State, command: commands.Command) -> Events:
    """List what is legal; everything else is refused."""
    match state.phase, command:
        case Waiting(just_laid=just_laid), commands.Merge(together=together):
            bets = tuple(bet for bet in state.bets if bet.number in just_laid)
            return (stack.decide_merge(bets, together, state.laid + 1),)
        case Waiting(), _:
            raise errors.NoOpenDeal
        case _, commands.Merge():
            raise errors.NothingToMerge
        case Opened(deal=deal), commands.Declare(players=players, trump=trump):
            return (events.Declared(players=_declarers(deal, players), trump=trump),)
        case (Opened() | Cut(jack=None) | Bidding()) as phase, commands.AllPass():
            return (events.AllPassed(), phase.deal.close("all_pass"))
        case Cut(), commands.AllPass():
            raise errors.MustTake
        case Opened(deal=deal), commands.Cut(card=card):
            deal.check_in_pack(card)
            took = (events.CutterTook(player=deal.cutter, card=card),) if rank(card) == "J" else ()
            return (events.CutShown(card=card), *took)
        case Cut(deal=deal, jack=jack), commands.TurnUp(card=card):
            return _turned_up(deal, jack, card)
        case Choosing(), commands.Take():
            return (events.TurnUpTaken(),)
        case Choosing(), commands.Decline():
            return (events.TurnUpDeclined(),)
        case Bidding() as bidding, commands.Bid():
            return decide_bid(bidding, command)
        case DeclarerPlay(), commands.Declare() | commands.AllPass():
            raise errors.DeclarerAlreadyKnown
        case DeclarerPlay() as playing, _:
            return _play(options, state, playing, command)
        case (
            _,
            commands.Trick()
            | commands.Result()
            | commands.LaVola()
            | commands.Finish()
            | commands.Play(),
        ):
            raise errors.NobodyHasDeclared
        case phase, _:
            raise errors.NotNow(action=command.__struct_config__.tag, phase=phase.name)


def _declarers(deal: Deal, players: tuple[Player, ...]) -> tuple[Player, ...]:
    """The cutter before the dealer, as they sit after the forehand."""
    for player in players:
        deal.check_seated(player)
    if len(players) == 1 or (len(players) == 2 and set(players) == {deal.dealer, deal.cutter}):
        return tuple(player for player in deal.order if player in players)
    raise errors.NotDeclarers(dealer=deal.dealer, cutter=deal.cutter)


def _turned_up(deal: Deal, jack: Card | None, card: Card) -> Events:
    deal.check_in_pack(card)
    if card == jack:
        raise errors.CardAlreadyGone(card=card)
    forced = jack is not None or rank(card) == "J"
    took = (events.DealerTook(player=deal.dealer, card=card),) if forced else ()
    return (events.CardTurnedUp(card=card), *took)


def _play(options: Options, state: State, at: DeclarerPlay, command: commands.Command) -> Events:
    match command:
        case commands.LaVola(player=player):
            at.deal.check_seated(player)
            _check_la_vola(at, player)
            return (events.LaVolaAnnounced(player=player),)
        case commands.Finish():
            winner = playing.finish(at, allowed=options.allow_early_end)
            return (
                events.PlayFinished(),
                *close_won(options, state, at, winner, at.tricks.winners),
            )
        case commands.Result(vole=commands.Vola()):
            raise errors.NotInThisGame(field="vole")
        case commands.Result(winner=winner, la_vola=vola):
            return _result(options, state, at, winner, vola)
        case commands.Trick() | commands.Discard() | commands.Hand() | commands.Play():
            facts, trick_winners = playing.decide(at, command, options.jack_suit)
            return (
                *facts,
                *(_after_trick(options, state, at, trick_winners) if trick_winners else ()),
            )
        case _:
            raise errors.NotNow(action=command.__struct_config__.tag, phase=at.name)


def _check_la_vola(at: DeclarerPlay, player: Player) -> None:
    if at.la_vola:
        raise errors.LaVolaAlreadyAnnounced(player=at.la_vola)
    if at.tricks.winners != (player, player) or at.tricks.on_table:
        raise errors.LaVolaNeedsFirstTwoTricks


def _result(
    options: Options,
    state: State,
    at: DeclarerPlay,
    winner: Player | msgspec.UnsetType | None,
    vola: commands.Vola | msgspec.UnsetType,
) -> Events:
    if at.tricks.winners or at.tricks.on_table or at.la_vola:
        raise errors.TricksAlreadyRecorded
    recorded = events.ResultRecorded(winner=winner, la_vola=vola)
    if vola is not msgspec.UNSET:
        at.deal.check_seated(vola.player)
        ends = close_la_vola_won if vola.won else close_la_vola_lost
        return (recorded, *ends(options, state, at, vola.player, ()))
    assert winner is not msgspec.UNSET, "the shape asks for one of the two"
    if winner is None:
        if len(at.deal.seats) != TRICKS:
            raise errors.NobodyWinsNeedsFive
    else:
        at.deal.check_seated(winner)
    return (recorded, *close_won(options, state, at, winner, ()))


def _after_trick(options: Options, state: State, at: DeclarerPlay, trick_winners: Seats) -> Events:
    """What follows from a trick: nothing yet, or the end of the deal."""
    if at.la_vola and trick_winners[-1] != at.la_vola:
        return close_la_vola_lost(options, state, at, at.la_vola, trick_winners)
    if len(trick_winners) < TRICKS:
        return ()
    if at.la_vola:
        return close_la_vola_won(options, state, at, at.la_vola, trick_winners)
    return close_won(options, state, at, winner_of_five(trick_winners), trick_winners)


GAME = Game(
    key="polskt_pass",
    name="Polskt pass",
    player_counts=range(3, 6),
    options_type=Options,
    commands=frozenset(
        (
            *(
                commands.Declare,
                commands.AllPass,
                commands.Trick,
                commands.LaVola,
                commands.Finish,
                commands.Result,
                commands.Merge,
            ),
            *(
                commands.Cut,
                commands.TurnUp,
                commands.Take,
                commands.Decline,
                commands.Bid,
                commands.Discard,
                commands.Play,
                commands.Hand,
            ),
        )
    ),
    pack=lambda options, seats: pack_for(seats),
    hand_size=TRICKS,
    rule_references=reference_rules(
        {
            "ante": "§1.1",
            "pot_taken": "§1.6",
            "stake_taken": "§1.6",
            "bet_taken": "§1.6",
            "claim_taken": "§1.6",
            "bet_taken_from_before": "§1.6",
            "claim_taken_from_before": "§1.6",
            "bet_laid": "§1.6",
            "bet_laid_double": "§1.6",
            "bets_merged": "A-PP-2",
            "bets_parted": "A-PP-2",
            "la_vola_paid": "§1.7",
            "la_vola_paid_back": "§1.7",
            "la_vola_corrected": "§1.7",
        },
        {
            "stake_taken": {"amount_basis": "A-PP-3"},
            "bet_taken": {"bet_tie": "A-PP-6"},
            "claim_taken": {"bet_payment": "A-PP-5"},
            "bet_taken_from_before": {"bet_tie": "A-PP-6"},
            "claim_taken_from_before": {"bet_payment": "A-PP-5"},
            "bet_laid": {"amount_basis": "A-PP-3", "failed_vola_declarer_bet": "A-PP-8"},
            "bet_laid_double": {
                "bet_multiplier": "A-PP-1",
                "amount_basis": "A-PP-3",
                "failed_vola_declarer_bet": "A-PP-8",
            },
            "la_vola_paid": {"amount_basis": "A-PP-3"},
            "la_vola_paid_back": {"amount_basis": "A-PP-3"},
            "la_vola_corrected": {"amount_basis": "A-PP-3"},
        },
        requires={"stake_taken": "amount_basis"},
    ),
    initial_state=lambda options, seats: State(),
    open_deal=open_deal,
    decide=decide,
    evolve=evolve,
    legal_actions=legal_actions,
    view=view,
    cards_in_play=cards_in_play,
    bets=lambda options, state: stack.in_playing_order(state.bets, options.bet_tie),
    settle_up=lambda options, state, policy, last: distribute_leftovers(
        policy, state.pot, state.bets, last
    ),
    leftover_policy=lambda options: options.leftover_policy,
)
