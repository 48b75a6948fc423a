"""Deal after deal at one table: which events an action between deals makes.

The same for every game; the game decides what happens inside a deal. Source: docs/rules.md §1.4 and
A-PP-12.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from engine import commands, errors, events
from engine.games.game import Game, S
from engine.session import undo
from engine.session.dealer_rotation import dealer_after_misdeal
from engine.session.table_state import TableState
from engine.tricks.deal import LastDeal
from engine.values import Amount, Player, Seats, clockwise_from, right_of

Funds = Callable[[Player], Amount]


def begin(game: Game[Any, S], options: Any, players: Seats, first_dealer: Player) -> TableState[S]:
    """Return the empty table. Raise WrongNumberOfPlayers for the game, or NoSuchPlayer for a dealer
    who does not sit."""
    _check_player_count(game, players)
    if first_dealer not in players:
        raise errors.NoSuchPlayer(player=first_dealer)
    game_state = game.initial_state(options, players)
    return TableState(
        game=game, players=players, seats=players, dealer=first_dealer, game_state=game_state
    )


def decide(table: TableState[S], command: commands.Command, funds: Funds) -> events.Events:
    """Return the events of an action; raise a RuleViolation if it is not legal. `funds` returns a
    player's balance with everything owed counted as paid."""
    game = table.game
    if table.closed:
        raise errors.SessionClosed
    match command:
        case commands.OpenDeal(number=number, late_entry=late_entry):
            _check_number(table, number)
            opening = next_opening(table, late_entry=late_entry)
            return game.open_deal(table.game_state, opening, funds(table.dealer))
        case commands.Undo():
            return (undo.undo_last(table),)
        case commands.Reseat(players=players, dealer=dealer):
            return (_reseat(table, players, dealer),)
    if type(command) not in game.commands:
        phase = "playing" if table.deal_is_open else "waiting"
        raise errors.NotNow(action=command.__struct_config__.tag, phase=phase)
    facts = game.decide(table.game_state, command)
    assert isinstance(facts[0], events.InputEvent), "the first event of an action is its input"
    return facts


def next_opening(table: TableState[S], *, late_entry: bool = False) -> events.DealOpened:
    """Return the opening of the next deal as far as the table knows it, without amounts."""
    return events.DealOpened(
        number=table.next_number, dealer=table.dealer, seats=table.seats, late_entry=late_entry
    )


def _check_number(table: TableState[S], number: int | None) -> None:
    following = table.next_number
    if number is not None and number < following:
        raise errors.DealTaken(number=number)
    if table.deal_is_open:
        raise errors.DealIsOpen(deal=table.deal_number)
    if number is not None and number > following:
        raise errors.DealNotNext(deal=number, next=following)


def _reseat(table: TableState[S], players: Seats, dealer: Player | None) -> events.Reseated:
    if table.game.scoring:
        raise errors.RosterIsFixed
    if table.deal_is_open:
        raise errors.DealIsOpen(deal=table.deal_number)
    for player in players:
        if player not in table.players:
            raise errors.NoSuchPlayer(player=player)
        if players.count(player) > 1:
            raise errors.SeatedTwice(player=player)
    _check_player_count(table.game, players)
    if dealer is None:
        remaining = (p for p in clockwise_from(table.dealer, table.seats) if p in players)
        dealer = next(remaining, players[0])
    elif dealer not in players:
        raise errors.NotSeated(player=dealer)
    return events.Reseated(seats=players, dealer=dealer)


def _check_player_count(game: Game[Any, S], players: Seats) -> None:
    if len(players) not in game.player_counts:
        raise errors.WrongNumberOfPlayers(
            count=len(players), least=game.player_counts[0], most=game.player_counts[-1]
        )


def void_open_deal(table: TableState[S], number: int) -> events.DealVoided:
    """Return a misdeal: the open deal never counted, and its number is not used again. Raise
    SessionClosed, NoOpenDeal or DealNotOpen."""
    if table.closed:
        raise errors.SessionClosed
    if not table.deal_is_open:
        raise errors.NoOpenDeal
    if number != table.deal_number:
        raise errors.DealNotOpen(deal=number)
    took_back = undo.events_by_deal_since(table, number)[number]
    after = dealer_after_misdeal(table.game_state.options.misdeal_policy, table.dealer, table.seats)
    return events.DealVoided(deal=number, took_back=took_back, next_dealer=after)


def close(table: TableState[S], policy: events.LeftoverPolicy | None) -> events.Events:
    """Return the events that end the session; `policy`, or else the agreed one, distributes the
    leftovers. Raise SessionClosed, DealIsOpen or LeftoversToPlayFor."""
    if table.closed:
        raise errors.SessionClosed
    if table.deal_is_open:
        raise errors.DealIsOpen(deal=table.deal_number)
    policy = policy or table.game.leftover_policy(table.game_state.options)
    # before the first deal, leftovers come from an earlier evening: the player to the right of the
    # next dealer counts as its last dealer
    last_dealer = right_of(table.dealer, table.seats)
    last_deal = table.last_deal or LastDeal(dealer=last_dealer, seats=table.seats)
    paid = table.game.settle_up(table.game_state, policy, last_deal)
    return (*paid, events.EveningClosed(policy=policy))


def reopen(table: TableState[S]) -> events.SessionReopened:
    """Return the event that takes the closing back with everything it paid. Raise
    SessionNotClosed."""
    if not table.closed:
        raise errors.SessionNotClosed
    assert table.closing is not None, "a closed session has its closing"
    return events.SessionReopened(took_back=table.closing.closing_events)


def add_player(table: TableState[S], player: Player) -> TableState[S]:
    """Return the table with one more player, who sits down with the next reseat."""
    return replace(table, players=(*table.players, player))
