"""Polskt pass: what the end of a deal pays, and to whom (docs/rules.md §1.6 and §1.7)."""

from collections.abc import Iterator

from engine import events
from engine.events import Events
from engine.games.polskt_pass.options import Options
from engine.games.polskt_pass.state import State
from engine.scoring import bet_stack as stack
from engine.tricks.deal import Deal
from engine.tricks.declarer_play import DeclarerPlay
from engine.values import Player, Seats, clockwise_from


def close_won(
    options: Options, state: State, at: DeclarerPlay, winner: Player | None, trick_winners: Seats
) -> Events:
    """An ordinary deal: the winner takes what is played for, who declared and failed lays a bet."""
    deal = at.deal
    failed = tuple(player for player in at.declarers if player != winner)
    if winner is None and len(failed) == 2 and options.all_one_two_declarers == "none":
        failed = ()
    return (
        *(_sweep_events(options, state, deal, winner) if winner else ()),
        *_bet_events(options, state, deal, failed),
        deal.close(
            "won" if winner else "nobody",
            declarers=at.declarers,
            winner=winner,
            tricks=trick_winners,
        ),
    )


def close_la_vola_won(
    options: Options, state: State, at: DeclarerPlay, announcer: Player, trick_winners: Seats
) -> Events:
    """The announcer takes what is played for, and is owed as much by every other player."""
    deal = at.deal
    payers = tuple(
        player for player in clockwise_from(announcer, deal.seats) if player != announcer
    )
    won = events.LaVolaWon(
        deal=deal.number, player=announcer, amount=deal.played_for, payers=payers
    )
    closed = deal.close(
        "la_vola_won",
        declarers=at.declarers,
        winner=announcer,
        la_vola=announcer,
        tricks=trick_winners,
    )
    return (*_sweep_events(options, state, deal, announcer), won, closed)


def close_la_vola_lost(
    options: Options, state: State, at: DeclarerPlay, announcer: Player, trick_winners: Seats
) -> Events:
    """As if everybody had passed; only A-PP-8 lets a declarer pay for it."""
    deal = at.deal
    pays = announcer in at.declarers and options.failed_vola_declarer_bet == "bet"
    return (
        *_bet_events(options, state, deal, (announcer,) if pays else ()),
        deal.close("la_vola_lost", declarers=at.declarers, la_vola=announcer, tricks=trick_winners),
    )


def _sweep_events(
    options: Options, state: State, deal: Deal, winner: Player
) -> Iterator[events.Event]:
    pot = deal.stake if options.amount_basis == "ante_only" else state.pot
    yield events.PotTaken(deal=deal.number, player=winner, amount=pot)
    for bet in smallest_bet(options, state):
        yield events.BetTaken(
            deal=deal.number,
            player=winner,
            bet=bet.number,
            by=bet.by,
            each=bet.each,
            laid_in=bet.deal,
            paid=bet.paid,
        )


def _bet_events(
    options: Options, state: State, deal: Deal, failed: tuple[Player, ...]
) -> Iterator[events.Event]:
    penalty = options.bet_multiplier * deal.played_for
    merged = len(failed) == 2 and options.merge_double_bets
    owners = (failed,) if merged else tuple((player,) for player in failed)
    for number, by in enumerate(owners, start=state.laid + 1):
        yield events.BetLaid(
            deal=deal.number,
            bet=number,
            by=by,
            each=penalty,
            played_for=deal.played_for,
            multiplier=options.bet_multiplier,
            paid=options.bet_payment == "immediate",
        )


def smallest_bet(options: Options, state: State) -> stack.Bets:
    """The one bet that is played for, if there is any."""
    return stack.in_playing_order(state.bets, options.bet_tie)[:1]
