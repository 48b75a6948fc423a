"""An evening at one table: deal after deal, people coming and going, and taking a word back.

The same for every game: it asks the game for everything inside a deal. Does not know accounts,
clocks or versions. Source: rules.md §1.4 and A-PP-12, contract.md §3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine import events as e
from engine.errors import (
    CreditLimitReached,
    DealIsOpen,
    DealNotNext,
    DealNotOpen,
    DealTaken,
    NoOpenDeal,
    NothingToUndo,
    NotNow,
    NotSeated,
    RosterIsFixed,
    RuleViolation,
    SeatedTwice,
    SessionClosed,
    UnknownPlayer,
    WrongNumberOfPlayers,
)
from engine.game import Facts, Game, Last, Legal, Opening, one_of
from engine.trail import Trail
from engine.values import Amount, Player, Seats, clockwise_from, right_of

S = TypeVar("S")
Funds = Callable[[Player], Amount]


class Evening(msgspec.Struct, Generic[S], frozen=True, kw_only=True, eq=False):
    """Who sits, who deals, how far the deals have come, and the game's own table."""

    players: Seats  # everybody who has ever been given an id
    seats: Seats
    dealer: Player  # of the open deal, or of the next one
    table: S
    number: int = 0  # of the open deal, or of the last one
    voided: int = 0  # the highest number that a voided deal has used up
    open: bool = False
    last: Last | None = None
    closed: bool = False
    trail: Trail | None = None

    @property
    def next_number(self) -> int:
        return max(self.number, self.voided) + 1


def begin(game: Game[Any, S], options: Any, players: Seats, first_dealer: Player) -> Evening[S]:
    """The empty table. Refused unless the game is played by so many, and the dealer sits."""
    _count(game, players)
    if first_dealer not in players:
        raise UnknownPlayer(player=first_dealer)
    table = game.start(options, players)
    return Evening(players=players, seats=players, dealer=first_dealer, table=table)


def decide(
    game: Game[Any, S], options: Any, evening: Evening[S], command: c.Command, funds: Funds
) -> Facts:
    """The facts that this action makes, or the reason why not.

    `funds` tells a player's balance with everything owed counted as paid.
    """
    if evening.closed:
        raise SessionClosed
    match command:
        case c.OpenDeal(number=number):
            _slot(evening, number)
            return game.open(options, evening.table, _opening(evening, funds))
        case c.Undo():
            return (_undo(evening),)
        case c.Reseat(players=players, dealer=dealer):
            return (_reseat(game, evening, players, dealer),)
    if type(command) not in game.commands:
        phase = "playing" if evening.open else "waiting"
        raise NotNow(action=command.__struct_config__.tag, phase=phase)
    facts = game.decide(options, evening.table, command)
    assert isinstance(facts[0], e.Spoken), "an action begins with what was said"
    return facts


def _opening(evening: Evening[S], funds: Funds) -> Opening:
    return Opening(
        number=evening.next_number,
        dealer=evening.dealer,
        seats=evening.seats,
        funds=funds(evening.dealer),
    )


def _slot(evening: Evening[S], number: int | None) -> None:
    following = evening.next_number
    if number is not None and number < following:
        raise DealTaken(deal=number)
    if evening.open:
        raise DealIsOpen(deal=evening.number)
    if number is not None and number > following:
        raise DealNotNext(deal=number, next=following)


def _undo(evening: Evening[S]) -> e.ActionUndone:
    if evening.trail is None:
        raise NothingToUndo
    return e.ActionUndone(deal=evening.trail.deal, took_back=evening.trail.facts)


def _reseat(
    game: Game[Any, S], evening: Evening[S], players: Seats, dealer: Player | None
) -> e.Reseated:
    if game.scoring:
        raise RosterIsFixed
    if evening.open:
        raise DealIsOpen(deal=evening.number)
    for player in players:
        if player not in evening.players:
            raise UnknownPlayer(player=player)
        if players.count(player) > 1:
            raise SeatedTwice(player=player)
    _count(game, players)
    if dealer is None:
        stayed = (p for p in clockwise_from(evening.dealer, evening.seats) if p in players)
        dealer = next(stayed, players[0])
    elif dealer not in players:
        raise NotSeated(player=dealer)
    return e.Reseated(seats=players, dealer=dealer)


def _count(game: Game[Any, S], players: Seats) -> None:
    if len(players) not in game.seats:
        raise WrongNumberOfPlayers(count=len(players), least=game.seats[0], most=game.seats[-1])


def void_open_deal(
    game: Game[Any, S], options: Any, evening: Evening[S], number: int
) -> e.DealVoided:
    """A misdeal: the open deal never counted, and its number is not used again."""
    if evening.closed:
        raise SessionClosed
    if not evening.open:
        raise NoOpenDeal
    if number != evening.number:
        raise DealNotOpen(deal=number)
    took_back: tuple[e.Deed, ...] = ()
    for trail in _of_open_deal(evening):
        took_back = trail.facts + took_back
    after = game.void(options, evening.dealer, evening.seats)
    return e.DealVoided(deal=number, took_back=took_back, next_dealer=after)


def _of_open_deal(evening: Evening[S]) -> list[Trail]:
    """The actions of the open deal, the last one first."""
    actions, at = [], evening
    while at.open:
        assert at.trail is not None
        actions.append(at.trail)
        at = at.trail.before
    return actions


def close(game: Game[Any, S], options: Any, evening: Evening[S], policy: e.Policy | None) -> Facts:
    """End the evening; what is left over goes by this policy, or by the one agreed."""
    if evening.closed:
        raise SessionClosed
    if evening.open:
        raise DealIsOpen(deal=evening.number)
    return game.close(options, evening.table, policy or game.policy(options), _last(evening))


def _last(evening: Evening[S]) -> Last:
    """Who sat in the last deal, and who dealt it. Before the first they are those who sit, and what
    there is to share was brought: whoever sits before the next dealer was the last one."""
    seats = evening.seats
    return evening.last or Last(dealer=right_of(evening.dealer, seats), seats=seats)


def joined(evening: Evening[S], player: Player) -> Evening[S]:
    """Somebody new has an id; he sits after a reseat."""
    return replace(evening, players=(*evening.players, player))


def evolve(game: Game[Any, S], evening: Evening[S], fact: e.Event) -> Evening[S]:
    """The evening after this fact."""
    if not e.is_deed(fact):
        return _aside(game, evening, fact)
    table, trail = game.evolve(evening.table, fact), _trail(evening, fact)
    match fact:
        case e.DealOpened(number=number, dealer=dealer, seats=seats):
            last = Last(dealer=dealer, seats=seats)
            return replace(
                evening,
                table=table,
                number=number,
                dealer=dealer,
                seats=seats,
                open=True,
                last=last,
                trail=trail,
            )
        case e.DealClosed(next_dealer=dealer):
            return replace(evening, table=table, open=False, dealer=dealer, trail=trail)
        case e.Reseated(seats=seats, dealer=dealer):
            return replace(evening, table=table, seats=seats, dealer=dealer, trail=trail)
        case _:
            return replace(evening, table=table, trail=trail)


def after(game: Game[Any, S], evening: Evening[S], facts: Sequence[e.Event]) -> Evening[S]:
    """The evening after these facts, as `evolve` would have it, but sooner where they are of one
    deal: what only leads to its closing, or from one action to the next, is told when somebody goes
    back there."""
    if not (facts and e.are_of_a_deal(facts)):
        return _told(game, evening, facts)
    first, last, table = facts[0], facts[-1], evening.table
    opened = first if isinstance(first, e.DealOpened) else None
    closed = last if isinstance(last, e.DealClosed) else None
    for fact in facts:
        if closed is None or type(fact) in e.LASTING:
            table = game.evolve(table, fact)
    return replace(
        evening,
        table=table,
        number=opened.number if opened else evening.number,
        dealer=closed.next_dealer if closed else opened.dealer if opened else evening.dealer,
        seats=opened.seats if opened else evening.seats,
        open=not closed and (opened is not None or evening.open),
        last=Last(dealer=opened.dealer, seats=opened.seats) if opened else evening.last,
        trail=_trail_of(game, evening, facts, opened.number if opened else evening.number),
    )


def _trail_of(game: Game[Any, S], evening: Evening[S], facts: Sequence[e.Deed], deal: int) -> Trail:
    """The way back after these facts, the last action alone being among them or begun before."""
    for place in reversed(range(len(facts))):
        if isinstance(facts[place], e.Spoken):
            before = partial(_told, game, evening, facts[:place]) if place else evening
            return Trail(before, deal, tuple(facts[place:]))
    assert evening.trail is not None, "somebody has said what they follow from"
    return evening.trail.and_then(*facts)


def _told(game: Game[Any, S], evening: Evening[S], facts: Sequence[e.Event]) -> Evening[S]:
    for fact in facts:
        evening = evolve(game, evening, fact)
    return evening


def _aside(game: Game[Any, S], evening: Evening[S], fact: e.Event) -> Evening[S]:
    """What belongs to no action: a word taken back, the beginning and the end."""
    match fact:
        case e.ActionUndone():
            assert evening.trail is not None
            return _back_to(evening.trail.before, evening)
        case e.DealVoided(deal=deal, next_dealer=dealer):
            before = _of_open_deal(evening)[-1].before
            used = max(deal, evening.voided)
            return replace(_back_to(before, evening), dealer=dealer, voided=used)
    assert not isinstance(fact, e.DealCorrected), "engine.correcting tells it again"
    table = game.evolve(evening.table, fact)
    return replace(evening, table=table, closed=isinstance(fact, e.EveningClosed))


def _trail(evening: Evening[S], fact: e.Deed) -> Trail:
    """A spoken fact begins an action; any other belongs to the one before it."""
    if not isinstance(fact, e.Spoken):
        assert evening.trail is not None
        return evening.trail.and_then(fact)
    match fact:
        case e.DealOpened(number=number):
            return Trail(evening, number, (fact,))
        case e.Reseated():
            return Trail(evening, None, (fact,))
        case _:
            return Trail(evening, evening.number, (fact,))


def _back_to(before: Evening[S], now: Evening[S]) -> Evening[S]:
    """An earlier table. Who has joined since stays known; a used-up number stays used up."""
    return replace(before, players=now.players, voided=now.voided)


def legal(game: Game[Any, S], options: Any, evening: Evening[S], funds: Funds) -> tuple[Legal, ...]:
    """Everything that may be done now, each with the values allowed for its fields.

    For `reseat` these are the changes by one person: one leaves, one comes, one takes over a
    seat. Any other order of known players is accepted too.
    """
    if evening.closed:
        return ()
    actions = []
    if not evening.open:
        try:
            game.open(options, evening.table, _opening(evening, funds))
        except CreditLimitReached:
            actions += _another_dealer(game, evening)
        except RuleViolation:
            pass  # whoever deals, it is refused: the game is won, or the pot too large
        else:
            number = {"number": one_of(evening.next_number)}
            actions.append(Legal(type="open_deal", fields=number, optional=("number",)))
    actions += game.legal(options, evening.table)
    if not evening.open and (changes := _changes_by_one(game, evening)):
        actions.append(Legal(type="reseat", fields={"players": one_of(*changes)}))
    if evening.trail is not None:
        actions.append(Legal(type="undo"))
    return tuple(actions)


def _another_dealer(game: Game[Any, S], evening: Evening[S]) -> list[Legal]:
    """Whoever was to deal may not; the same people sit on, and somebody else deals."""
    if game.scoring:
        return []
    others = [player for player in evening.seats if player != evening.dealer]
    fields = {"players": one_of(list(evening.seats)), "dealer": one_of(*others)}
    return [Legal(type="reseat", fields=fields)]


def _changes_by_one(game: Game[Any, S], evening: Evening[S]) -> list[list[Player]]:
    if game.scoring:
        return []
    seats = list(evening.seats)
    away = [player for player in evening.players if player not in seats]
    leaves = [[p for p in seats if p != player] for player in seats]
    comes = [[*seats, player] for player in away]
    takes_over = [[player if p == seat else p for p in seats] for player in away for seat in seats]
    return [c for c in (*leaves, *comes, *takes_over) if len(c) in game.seats]
