"""Spader: two against two, thirteen tricks, each side held to what it bid.

Pure. `decide` says what happens, `evolve` says what is then true, `legal` what may be done.
None of them knows what points are worth in money before the evening closes. Source: rules.md §3.
"""

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import ClassVar, Literal, assert_never

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine import errors, points, sides
from engine import events as e
from engine.cards import Card, pack
from engine.commands import Side
from engine.deal import Deal
from engine.game import CardsNow, Facts, Game, Last, Legal, OpenDealView, Opening, one_of
from engine.play import Play
from engine.playing import hands
from engine.points import Scoring, Sheet
from engine.sides import TRICKS
from engine.spade_tricks import (
    FIRST_LEAD,
    CourtCards,
    may_play,
    redeal_reasons,
    ruffs,
    trick_winner,
)
from engine.terms import MisdealPolicy, PointValue, after_void
from engine.values import Player, Seats

PACK = pack("2")
SCORING = Scoring(
    keepers=sides.sides,
    start=lambda options: 0,
    goal=lambda options: options.target,
    overtricks=True,
)


class Options(sides.Terms, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the table agrees before the first deal (rules.md §7, A-SP)."""

    court_cards: CourtCards = "JQK"
    redeal_dealer: Literal["same", "next"] = "same"
    misdeal_policy: MisdealPolicy = "same_dealer"
    point_value: PointValue = None


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    name: ClassVar[str] = "waiting"


class Bidding(msgspec.Struct, frozen=True, kw_only=True):
    """From the opening until both sides have bid."""

    name: ClassVar[str] = "bidding"
    deal: Deal
    play: Play
    bids: tuple[e.SideBidMade, ...] = ()

    @property
    def turn(self) -> Side:
        """The forehand's side, then the dealer's."""
        return sides.side_of(self.deal.order[len(self.bids)], self.deal.seats)


class Swapping(msgspec.Struct, frozen=True, kw_only=True):
    """A blind nil may pass two cards to the partner, and be given two back."""

    name: ClassVar[str] = "swapping"
    deal: Deal
    play: Play
    bids: tuple[e.SideBidMade, ...]
    sides: tuple[Side, ...]  # those that have not said whether they do, the forehand's first


class Playing(msgspec.Struct, frozen=True, kw_only=True):
    name: ClassVar[str] = "playing"
    deal: Deal
    play: Play
    bids: tuple[e.SideBidMade, ...]
    broken: bool | None = False  # unknown once a trick was recorded without its cards


Open = Bidding | Swapping | Playing
Phase = Waiting | Open


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """What the next decision needs: the score sheet, and the point that the deal has come to."""

    sheet: Sheet
    phase: Phase = Waiting()


def open_deal(options: Options, table: Table, opening: Opening) -> Facts:
    if table.sheet.winners:
        raise errors.GameIsWon(winners=list(table.sheet.winners))
    return (e.DealOpened(number=opening.number, dealer=opening.dealer, seats=opening.seats),)


def decide(options: Options, table: Table, command: c.Command) -> Facts:
    """List what is legal; everything else is refused."""
    match table.phase, command:
        case Waiting(), _:
            raise errors.NoOpenDeal
        case (Bidding() | Swapping() | Playing()) as at, c.Hand(player=player, cards=cards):
            at.play.check_hand(player, cards)
            return (e.HandShown(player=player, cards=cards),)
        case Bidding() as at, c.SideBid():
            return (sides.check_bid(options, table.sheet, command, at.turn, _looked(at.play)),)
        case Bidding(bids=()) as at, c.Redeal(player=player, reason=reason):
            at.deal.check_seated(player)
            if reason not in redeal_reasons(at.play.hand(player), options.court_cards):
                raise errors.RedealNotDue(player=player)
            passes_on = (at.deal.closed("redealt"),) if options.redeal_dealer == "next" else ()
            return (e.RedealClaimed(player=player, reason=reason), *passes_on)
        case Bidding(), c.Trick() | c.Tricks() | c.Play():
            raise errors.BidsFirst
        case Swapping() | Playing(), c.SideBid():
            raise errors.BidsAreMade
        case Swapping(sides=(side, *_)), c.Swap():
            return (e.CardsSwapped(side=side),)
        case Swapping(sides=(side, *_)), c.NoSwap():
            return (e.SwapDeclined(side=side),)
        case Playing(bids=bids), c.Swap() | c.NoSwap() if not any(map(sides.blind, bids)):
            raise errors.NoBlindNil
        case Swapping(sides=(side, *_)), c.Play():
            raise errors.SwapFirst(side=side)
        case (Swapping() | Playing()) as at, c.Trick(winner=winner):
            at.deal.check_seated(winner)
            at.play.check_between_tricks()
            taken = (*at.play.taken, winner)
            return (e.TrickRecorded(winner=winner), *_after_trick(options, table, at, taken))
        case (Swapping() | Playing()) as at, c.Tricks(taken=counted):
            told = _counted(at, counted)
            return (e.TricksCounted(taken=told), *_scored(options, table, at, told))
        case Playing() as at, c.Play(player=player, card=card):
            return _card(options, table, at, player, card)
        case phase, _:
            raise errors.NotNow(action=command.__struct_config__.tag, phase=phase.name)


def _looked(play: Play) -> frozenset[Player]:
    return frozenset(player for player, _ in play.hands)


def _counted(at: Swapping | Playing, counted: Mapping[Player, int]) -> dict[Player, int]:
    """Everybody's tricks in seat order; who was left out took none."""
    if at.play.taken or at.play.table:
        raise errors.TricksAlreadyRecorded
    for player in counted:
        if player not in at.deal.seats:
            raise errors.NotInThisDeal(player=player)
    if sum(counted.values()) != TRICKS:
        raise errors.TricksDoNotAddUp(counted=sum(counted.values()), played=TRICKS)
    return {player: counted.get(player, 0) for player in at.deal.seats}


def _card(options: Options, table: Table, at: Playing, player: Player, card: Card) -> Facts:
    at.play.check(player, card, may_play(at.broken))
    said = e.CardPlayed(player=player, card=card)
    after = at.play.played(player, card)
    if not after.complete:
        return (said,)
    winner = trick_winner(after)
    ended = _after_trick(options, table, at, (*at.play.taken, winner))
    return (said, e.TrickWon(winner=winner), *ended)


def _after_trick(options: Options, table: Table, at: Swapping | Playing, taken: Seats) -> Facts:
    """What follows from a trick: nothing yet, or the end of the deal."""
    if len(taken) < TRICKS:
        return ()
    counts = {player: taken.count(player) for player in at.deal.seats}
    return _scored(options, table, at, counts, taken)


def _scored(
    options: Options,
    table: Table,
    at: Swapping | Playing,
    taken: dict[Player, int],
    tricks: Seats = (),
) -> Facts:
    """Both sides' lines, whether somebody has won with them, and the deal passes on."""
    deal, sheet = at.deal, table.sheet
    bids = {bid.side: bid for bid in at.bids}
    rows = tuple(
        row
        for side in sides.sides(deal.seats)
        for row in sides.score(options, deal.number, bids[side], taken, sheet.overtricks[side])
    )
    won = sides.winners(options, reduce(points.scored, rows, sheet).scores)
    return (
        *rows,
        *((e.GameWon(deal=deal.number, winners=won),) if won else ()),
        deal.closed("scored", tricks=tricks, taken=taken),
    )


Fact = (
    e.DealOpened | e.HandShown | e.SideBidMade | e.RedealClaimed | e.CardsSwapped | e.SwapDeclined
    | e.CardPlayed | e.TrickWon | e.TrickRecorded | e.TricksCounted | e.Scored | e.GameWon
    | e.DealClosed | e.PointsPaid | e.EveningClosed
)  # fmt: skip
"""What can happen in this game."""


def evolve(table: Table, fact: Fact) -> Table:
    """Every fact has a line here; mypy counts them."""
    match fact:
        case e.DealOpened(number=number, dealer=dealer, seats=seats):
            deal = Deal(number=number, dealer=dealer, seats=seats, pack=PACK)
            return replace(table, phase=_dealt(deal))
        case e.Scored() | e.GameWon():
            return replace(table, sheet=points.scored(table.sheet, fact))
        case e.TricksCounted() | e.PointsPaid():
            return table  # what follows from it says the rest
        case e.DealClosed() | e.EveningClosed():
            return replace(table, phase=Waiting())
    phase = table.phase
    assert not isinstance(phase, Waiting), "only an open deal goes on"
    return replace(table, phase=_goes_on(phase, fact))


def _dealt(deal: Deal) -> Bidding:
    """Fresh cards, and nobody has looked. Who holds the two of clubs will lead."""
    play = Play(seats=deal.seats, leader=None, pack=deal.pack, hand_size=TRICKS)
    return Bidding(deal=deal, play=play)


def _goes_on(
    at: Open,
    fact: e.HandShown | e.SideBidMade | e.RedealClaimed | e.CardsSwapped | e.SwapDeclined
    | e.CardPlayed | e.TrickWon | e.TrickRecorded,
) -> Open:  # fmt: skip
    match fact:
        case e.HandShown(player=player, cards=cards):
            return replace(at, play=at.play.shown(player, cards))
        case e.RedealClaimed():
            return _dealt(at.deal)
        case e.SideBidMade():
            bids = (*at.bids, fact)
            if len(bids) == 1:
                return Bidding(deal=at.deal, play=at.play, bids=bids)
            unsaid = tuple(bid.side for bid in bids if sides.blind(bid))
            return _to_swap(at.deal, at.play, bids, unsaid)
        case e.CardsSwapped(side=side):
            assert isinstance(at, Swapping)
            known = tuple(h for h in at.play.hands if h[0] not in sides.partners(side))
            return _to_swap(at.deal, replace(at.play, hands=known), at.bids, at.sides[1:])
        case e.SwapDeclined():
            assert isinstance(at, Swapping)
            return _to_swap(at.deal, at.play, at.bids, at.sides[1:])
        case e.CardPlayed(player=player, card=card):
            assert isinstance(at, Playing)
            broken = True if ruffs(at.play, card) else at.broken
            return replace(at, play=at.play.played(player, card), broken=broken)
        case e.TrickWon(winner=winner):
            return replace(at, play=at.play.won(winner))
        case e.TrickRecorded(winner=winner):
            so_far = at.broken if isinstance(at, Playing) else False
            # the first trick never breaks spades; in any other an unseen card may have
            unseen = None if at.play.taken else so_far
            broken = True if so_far else unseen
            play = at.play.recorded(winner)
            return Playing(deal=at.deal, play=play, bids=at.bids, broken=broken)
    assert_never(fact)


def _to_swap(
    deal: Deal, play: Play, bids: tuple[e.SideBidMade, ...], unsaid: tuple[Side, ...]
) -> Swapping | Playing:
    if unsaid:
        return Swapping(deal=deal, play=play, bids=bids, sides=unsaid)
    return Playing(deal=deal, play=play, bids=bids)


def legal(options: Options, table: Table) -> tuple[Legal, ...]:
    """What may be done inside the deal; the evening adds the rest."""
    return tuple(_legal(options, table))


def _legal(options: Options, table: Table) -> Iterator[Legal]:
    at = table.phase
    if isinstance(at, Waiting):
        return
    if isinstance(at, Bidding):
        yield from sides.bids(options, table.sheet, at.turn, _looked(at.play))
        for player in () if at.bids else at.deal.seats:
            if reasons := list(redeal_reasons(at.play.hand(player), options.court_cards)):
                fields = {"player": one_of(player), "reason": one_of(*reasons)}
                yield Legal(type="redeal", fields=fields)
    else:
        yield from _legal_tricks(at)
    yield from hands(at.play)


def _legal_tricks(at: Swapping | Playing) -> Iterator[Legal]:
    play, seats = at.play, at.deal.seats
    if isinstance(at, Swapping):
        yield Legal(type="swap")
        yield Legal(type="no_swap")
    if not play.table:
        yield Legal(type="trick", fields={"winner": one_of(*seats)})
        if not play.taken:
            yield Legal(type="tricks", fields={"taken": {"sum": TRICKS, "keys": list(seats)}})
    if isinstance(at, Playing):
        for player, cards in play.playable(may_play(at.broken)):
            yield Legal(type="play", fields={"player": one_of(player), "card": one_of(*cards)})


def cards_now(options: Options, table: Table) -> CardsNow | None:
    match table.phase:
        case Playing(play=play, broken=broken):
            return CardsNow(play=play, rule=may_play(broken))
    return None


def view(table: Table) -> OpenDealView | None:
    at = table.phase
    if isinstance(at, Waiting):
        return None
    shown = OpenDealView(phase=at.name, bids=tuple(map(sides.as_said, at.bids)))
    match at:
        case Bidding():
            return replace(shown, bidding=at.turn)
        case Swapping(sides=(side, *_)):
            return replace(shown, swapping=side)
        case Playing(play=play, broken=broken):
            turn = play.turn or _leads(play)
            return replace(shown, turn=turn, tricks=play.taken, cards=play.table, broken=broken)
    raise AssertionError("somebody is still to swap")


def _leads(play: Play) -> Player | None:
    """Who will lead to the first trick, if somebody has shown the card that must be led."""
    return next((player for player, cards in play.hands if FIRST_LEAD in cards), None)


def close(options: Options, table: Table, policy: e.Policy, last: Last) -> Facts:
    """The evening ends: each point may have been agreed to be worth money (`point_value`)."""
    return (*SCORING.pay(table.sheet, options.point_value), e.EveningClosed(policy=policy))


GAME = Game(
    key="spader",
    name="Spader",
    seats=range(4, 5),
    options=Options,
    commands=frozenset(
        (c.SideBid, c.Redeal, c.Swap, c.NoSwap, c.Hand, c.Play, c.Trick, c.Tricks),
    ),
    pack=lambda options, seats: PACK,
    hand_size=TRICKS,
    rules=sides.RULES,
    scoring=SCORING,
    start=lambda options, seats: Table(sheet=SCORING.begin(options, seats)),
    open=open_deal,
    decide=decide,
    evolve=evolve,
    legal=legal,
    view=view,
    sheet=lambda table: table.sheet,
    cards=cards_now,
    bets=lambda options, table: (),
    void=after_void,
    close=close,
    policy=lambda options: "carry",
)
