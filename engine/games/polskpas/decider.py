"""Danish Polskpas: which events an action makes; one soloist plays for the whole pot.

There are no bets: who fails doubles the pot. Source: docs/rules.md §2.
"""

import msgspec

from engine import commands, errors, events
from engine.events import Events
from engine.games.agreements import check_amount, check_credit
from engine.games.game import Game
from engine.games.polskpas.legal import legal_actions
from engine.games.polskpas.options import Options
from engine.games.polskpas.state import State, Waiting, evolve, pack_for, soloist_of
from engine.games.polskpas.view import cards_in_play, view
from engine.scoring.leftovers import distribute_leftovers
from engine.scoring.rule_references import reference_rules
from engine.tricks import declarer_play as playing
from engine.tricks.bidding import Bidding, Opened, decide_bid
from engine.tricks.deal import DealOpening
from engine.tricks.declarer_play import DeclarerPlay
from engine.tricks.five_tricks import TRICKS, winner_of_five
from engine.values import Player, Seats, clockwise_from

SOMEBODY_WINS = "four players cannot take one trick each of five"


def open_deal(options: Options, state: State, opening: DealOpening) -> Events:
    check_credit(options, opening)
    played_for = state.pot + options.stake
    check_amount(2 * played_for)  # a lost game doubles it
    return (
        events.DealOpened(
            number=opening.number,
            dealer=opening.dealer,
            seats=opening.seats,
            stake=options.stake,
            played_for=played_for,
        ),
    )


def decide(options: Options, state: State, command: commands.Command) -> Events:
    """List what is legal; everything else is refused."""
    match state.phase, command:
        case Waiting(), _:
            raise errors.NoOpenDeal
        case Opened(deal=deal), commands.Declare(players=players, trump=trump):
            for player in players:
                deal.check_seated(player)
            if len(players) != 1:
                raise errors.OneSoloist
            return (events.Declared(players=players, trump=trump),)
        case (Opened() | Bidding()) as phase, commands.AllPass():
            return (events.AllPassed(), phase.deal.close("all_pass"))
        case Opened(deal=deal), commands.TurnUp(card=card):
            deal.check_in_pack(card)
            return (events.CardTurnedUp(card=card),)
        case Bidding() as bidding, commands.Bid():
            return decide_bid(bidding, command)
        case DeclarerPlay(), commands.Declare() | commands.AllPass():
            raise errors.DeclarerAlreadyKnown
        case DeclarerPlay() as at, _:
            return _play(options, at, command)
        case (
            _,
            commands.Trick()
            | commands.Result()
            | commands.Vole()
            | commands.Finish()
            | commands.Play(),
        ):
            raise errors.NobodyHasDeclared
        case phase, _:
            raise errors.NotNow(action=command.__struct_config__.tag, phase=phase.name)


def _play(options: Options, at: DeclarerPlay, command: commands.Command) -> Events:
    match command:
        case commands.Vole(player=player):
            at.deal.check_seated(player)
            _check_vole(at, player)
            return (events.VoleAnnounced(player=player),)
        case commands.Finish():
            certain = playing.finish(at, allowed=options.allow_early_end)
            assert certain is not None, SOMEBODY_WINS
            ended = _close_vole_lost if at.la_vola else _close_without_vole
            return (events.PlayFinished(), *ended(options, at, certain, at.tricks.winners))
        case commands.Result(la_vola=commands.Vola()):
            raise errors.NotInThisGame(field="la_vola")
        case commands.Result(winner=winner, vole=vole):
            assert winner is not msgspec.UNSET, "the shape asks for it"
            return _result(options, at, winner, vole)
        case commands.Trick() | commands.Discard() | commands.Hand() | commands.Play():
            facts, trick_winners = playing.decide(at, command, "trump")
            return (*facts, *(_after_trick(options, at, trick_winners) if trick_winners else ()))
        case _:
            raise errors.NotNow(action=command.__struct_config__.tag, phase=at.name)


def _check_vole(at: DeclarerPlay, player: Player) -> None:
    """Only the soloist, on lead to the third trick with both tricks taken (A-DK-6)."""
    soloist = soloist_of(at)
    if at.la_vola:
        raise errors.VoleAlreadyAnnounced(player=at.la_vola)
    if player != soloist:
        raise errors.VoleIsTheSoloists(soloist=soloist, player=player)
    if at.tricks.winners != (soloist, soloist) or at.tricks.on_table:
        raise errors.VoleNeedsFirstTwoTricks(soloist=soloist)


def _result(
    options: Options,
    at: DeclarerPlay,
    winner: Player | None,
    vole: commands.Vola | msgspec.UnsetType,
) -> Events:
    soloist = soloist_of(at)
    if at.tricks.winners or at.tricks.on_table or at.la_vola:
        raise errors.TricksAlreadyRecorded
    if winner is None:
        raise errors.NobodyWinsNeedsFive
    at.deal.check_seated(winner)
    recorded = events.ResultRecorded(winner=winner, vole=vole)
    if vole is msgspec.UNSET:
        return (recorded, *_close_without_vole(options, at, winner, ()))
    at.deal.check_seated(vole.player)
    if vole.player != soloist:
        raise errors.VoleIsTheSoloists(soloist=soloist, player=vole.player)
    if vole.won:
        if winner != soloist:
            raise errors.VoleDoesNotFit(soloist=soloist, winner=winner)
        return (recorded, *_close_vole_won(options, at, ()))
    return (recorded, *_close_vole_lost(options, at, winner, ()))


def _after_trick(options: Options, at: DeclarerPlay, trick_winners: Seats) -> Events:
    """What follows from a trick: nothing yet, or the end of the deal."""
    if at.la_vola and trick_winners[-1] != at.la_vola and options.vole_stop_at_loss:
        return _close_vole_lost(options, at, None, trick_winners)
    if len(trick_winners) < TRICKS:
        return ()
    winner = winner_of_five(trick_winners)
    assert winner is not None, SOMEBODY_WINS
    if not at.la_vola:
        return _close_without_vole(options, at, winner, trick_winners)
    if trick_winners == (at.la_vola,) * TRICKS:
        return _close_vole_won(options, at, trick_winners)
    return _close_vole_lost(options, at, winner, trick_winners)


def _close_without_vole(
    options: Options, at: DeclarerPlay, winner: Player, trick_winners: Seats
) -> Events:
    """Without a vole: the soloist takes the pot, or pays as much into it."""
    if winner == soloist_of(at):
        took = events.PotTaken(deal=at.deal.number, player=winner, amount=at.deal.played_for)
        closed = at.deal.close("won", declarers=at.declarers, winner=winner, tricks=trick_winners)
        return (took, closed)
    closed = at.deal.close("lost", declarers=at.declarers, winner=winner, tricks=trick_winners)
    return (*_penalty_events(options, at, winner), closed)


def _penalty_events(options: Options, at: DeclarerPlay, winner: Player) -> Events:
    """The soloist pays what was played for into the pot; A-DK-1 gives the old one away first."""
    deal, amount = at.deal.number, at.deal.played_for
    paid = events.PenaltyPaid(deal=deal, player=soloist_of(at), amount=amount)
    if options.opponent_win == "pot_doubled":
        return (paid,)
    return (events.PotTaken(deal=deal, player=winner, amount=amount), paid)


def _close_vole_won(options: Options, at: DeclarerPlay, trick_winners: Seats) -> Events:
    """Every opponent owes the soloist, who sweeps the pot as well (A-DK-2, A-DK-3)."""
    deal, soloist = at.deal, soloist_of(at)
    swept = events.PotTaken(deal=deal.number, player=soloist, amount=deal.played_for)
    amount = deal.played_for if options.vole_amount == "pot" else deal.stake
    payers = tuple(p for p in clockwise_from(soloist, deal.seats) if p != soloist)
    return (
        *((swept,) if options.vole_sweeps_pot else ()),
        events.LaVolaWon(deal=deal.number, player=soloist, amount=amount, payers=payers),
        deal.close(
            "la_vola_won",
            declarers=at.declarers,
            winner=soloist,
            la_vola=soloist,
            tricks=trick_winners,
        ),
    )


def _close_vole_lost(
    options: Options, at: DeclarerPlay, winner: Player | None, trick_winners: Seats
) -> Events:
    """Won, but not every trick: nothing is paid. Lost outright: as any lost game (A-DK-4, -5)."""
    soloist = soloist_of(at)
    outright = winner not in (None, soloist) and not options.vole_stop_at_loss
    paid = outright and options.vole_lost_outright == "double_pot"
    assert winner is not None or not outright
    closed = at.deal.close(
        "lost" if paid else "la_vola_lost" if outright else "vole_not_all",
        declarers=at.declarers,
        winner=None if options.vole_stop_at_loss else winner,
        la_vola=soloist,
        tricks=trick_winners,
    )
    return (*(_penalty_events(options, at, winner) if paid and winner else ()), closed)


GAME = Game(
    key="polskpas",
    name="Polskpas",
    player_counts=range(3, 5),
    options_type=Options,
    commands=frozenset(
        (
            *(
                commands.Declare,
                commands.AllPass,
                commands.Trick,
                commands.Vole,
                commands.Finish,
                commands.Result,
            ),
            *(commands.TurnUp, commands.Bid, commands.Discard, commands.Play, commands.Hand),
        )
    ),
    pack=lambda options, seats: pack_for(len(seats), options.removed_ten),
    hand_size=TRICKS,
    rule_references=reference_rules(
        {
            "ante": "§2.1",
            "pot_taken": "§2.3",
            "penalty_paid": "§2.3",
            "vole_paid": "§2.3",
            "vole_paid_back": "§2.3",
            "vole_corrected": "§2.3",
        },
        {
            "pot_taken": {"opponent_win": "A-DK-1"},
            "penalty_paid": {"opponent_win": "A-DK-1"},
            "vole_paid": {"vole_amount": "A-DK-2"},
            "vole_paid_back": {"vole_amount": "A-DK-2"},
            "vole_corrected": {"vole_amount": "A-DK-2"},
        },
    ),
    initial_state=lambda options, seats: State(removed_ten=options.removed_ten),
    open_deal=open_deal,
    decide=decide,
    evolve=evolve,
    legal_actions=legal_actions,
    view=view,
    cards_in_play=cards_in_play,
    settle_up=lambda options, state, policy, last: distribute_leftovers(
        policy, state.pot, (), last
    ),
    leftover_policy=lambda options: options.leftover_policy,
)
