"""Polskt pass: five tricks, a pot, and a stack of bets played for smallest first.

Pure. `decide` says what happens, `evolve` says what is then true, `legal` what may be done.
None of them knows that money has accounts, or who pays a won la vola and when. Source: rules.md §1.
"""

from collections.abc import Iterator
from typing import ClassVar, Literal, assert_never

import msgspec
from msgspec.structs import replace

from engine import bets as stack
from engine import commands as c
from engine import errors, playing
from engine import events as e
from engine.bidding import Bidding
from engine.cards import SUITS, Card, JackSuit, pack, rank, suit
from engine.cited import cited
from engine.deal import Deal
from engine.game import CardsNow, Facts, Game, Last, Legal, OpenDealView, Opening, one_of
from engine.leftovers import leftovers
from engine.playing import Playing
from engine.terms import (
    CreditLimit,
    MisdealPolicy,
    Stake,
    after_void,
    check_credit,
    kept_exactly,
)
from engine.tricks import TRICKS, winner_of_five
from engine.values import Amount, Player, Seats, clockwise_from

PACK, PACK_FOR_FIVE = pack("9"), pack("8")


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the table agrees before the first deal (rules.md §1.3 and §7)."""

    stake: Stake = 10
    bet_multiplier: Literal[1, 2] = 1
    merge_double_bets: bool = False
    amount_basis: Literal["pot", "ante_only"] = "pot"
    all_one_two_declarers: Literal["both", "none"] = "both"
    bet_payment: Literal["immediate", "on_collection"] = "immediate"
    bet_tie: Literal["oldest", "newest"] = "oldest"
    allow_early_end: bool = True
    failed_vola_declarer_bet: Literal["none", "bet"] = "none"
    jack_suit: JackSuit = "trump"
    leftover_policy: e.Policy = "carry"
    credit_limit: CreditLimit = None
    misdeal_policy: MisdealPolicy = "same_dealer"


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    name: ClassVar[str] = "waiting"
    just_laid: tuple[int, ...] = ()  # by two losing declarers, so that a merge can follow


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    name: ClassVar[str] = "opened"
    deal: Deal


class HasCut(msgspec.Struct, frozen=True, kw_only=True):
    name: ClassVar[str] = "cut"
    deal: Deal
    jack: Card | None = None  # the cutter had to take it


class Choosing(msgspec.Struct, frozen=True, kw_only=True):
    name: ClassVar[str] = "choosing"
    deal: Deal
    turn_up: Card


class Talking(msgspec.Struct, frozen=True, kw_only=True):
    name: ClassVar[str] = "bidding"
    deal: Deal
    bidding: Bidding


Phase = Waiting | Opened | HasCut | Choosing | Talking | Playing


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """What the next decision needs: the pot, the bets and the point that the deal has come to."""

    pot: Amount = 0
    bets: stack.Bets = ()  # as they were laid
    laid: int = 0  # bets so far, so that a number is never used again
    phase: Phase = Waiting()


def open_deal(options: Options, table: Table, opening: Opening) -> Facts:
    check_credit(options, opening)
    stake = options.stake
    pot = stake if options.amount_basis == "ante_only" else table.pot + stake
    played_for = pot + sum(bet.amount for bet in _smallest(options, table))
    kept_exactly(options.bet_multiplier * played_for)
    return (
        e.DealOpened(
            number=opening.number,
            dealer=opening.dealer,
            seats=opening.seats,
            stake=stake,
            played_for=played_for,
        ),
    )


def decide(options: Options, table: Table, command: c.Command) -> Facts:
    """List what is legal; everything else is refused."""
    match table.phase, command:
        case Waiting(just_laid=just_laid), c.Merge(together=together):
            bets = tuple(bet for bet in table.bets if bet.number in just_laid)
            return (stack.merge(bets, together, table.laid + 1),)
        case Waiting(), _:
            raise errors.NoOpenDeal
        case _, c.Merge():
            raise errors.NothingToMerge
        case Opened(deal=deal), c.Declare(players=players, trump=trump):
            return (e.Declared(players=_declarers(deal, players), trump=trump),)
        case (Opened() | HasCut(jack=None) | Talking()) as phase, c.AllPass():
            return (e.AllPassed(), phase.deal.closed("all_pass"))
        case HasCut(), c.AllPass():
            raise errors.MustTake
        case Opened(deal=deal), c.Cut(card=card):
            deal.check_in_pack(card)
            took = (e.CutterTook(player=deal.cutter, card=card),) if rank(card) == "J" else ()
            return (e.CutShown(card=card), *took)
        case HasCut(deal=deal, jack=jack), c.TurnUp(card=card):
            return _turned_up(deal, jack, card)
        case Choosing(), c.Take():
            return (e.TurnUpTaken(),)
        case Choosing(), c.Decline():
            return (e.TurnUpDeclined(),)
        case Talking(deal=deal, bidding=bidding), c.Bid(player=player, call=call):
            deal.check_seated(player)
            bidding.check(player, call)
            said = e.BidMade(player=player, call=call)
            ends = call == "pass" and bidding.passed() is None
            return (said, deal.closed("all_pass")) if ends else (said,)
        case Playing(), c.Declare() | c.AllPass():
            raise errors.DeclarerAlreadyKnown
        case Playing() as playing, _:
            return _play(options, table, playing, command)
        case _, c.Trick() | c.Result() | c.LaVola() | c.Finish() | c.Play():
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


def _turned_up(deal: Deal, jack: Card | None, card: Card) -> Facts:
    deal.check_in_pack(card)
    if card == jack:
        raise errors.CardAlreadyGone(card=card)
    forced = jack is not None or rank(card) == "J"
    took = (e.DealerTook(player=deal.dealer, card=card),) if forced else ()
    return (e.CardTurnedUp(card=card), *took)


def _play(options: Options, table: Table, at: Playing, command: c.Command) -> Facts:
    match command:
        case c.LaVola(player=player):
            at.deal.check_seated(player)
            _may_announce(at, player)
            return (e.LaVolaAnnounced(player=player),)
        case c.Finish():
            winner = playing.finish(at, allowed=options.allow_early_end)
            return (e.PlayFinished(), *_won(options, table, at, winner, at.play.taken))
        case c.Result(vole=c.Vola()):
            raise errors.NotInThisGame(field="vole")
        case c.Result(winner=winner, la_vola=vola):
            return _result(options, table, at, winner, vola)
        case c.Trick() | c.Discard() | c.Hand() | c.Play():
            facts, taken = playing.decide(at, command, options.jack_suit)
            return (*facts, *(_after_trick(options, table, at, taken) if taken else ()))
        case _:
            raise errors.NotNow(action=command.__struct_config__.tag, phase=at.name)


def _may_announce(at: Playing, player: Player) -> None:
    if at.la_vola:
        raise errors.LaVolaAlreadyAnnounced(player=at.la_vola)
    if at.play.taken != (player, player) or at.play.table:
        raise errors.LaVolaNeedsFirstTwoTricks


def _result(
    options: Options,
    table: Table,
    at: Playing,
    winner: Player | msgspec.UnsetType | None,
    vola: c.Vola | msgspec.UnsetType,
) -> Facts:
    if at.play.taken or at.play.table or at.la_vola:
        raise errors.TricksAlreadyRecorded
    said = e.ResultRecorded(winner=winner, la_vola=vola)
    if vola is not msgspec.UNSET:
        at.deal.check_seated(vola.player)
        ends = _la_vola_won if vola.won else _la_vola_lost
        return (said, *ends(options, table, at, vola.player, ()))
    assert winner is not msgspec.UNSET, "the shape asks for one of the two"
    if winner is None:
        if len(at.deal.seats) != TRICKS:
            raise errors.NobodyWinsNeedsFive
    else:
        at.deal.check_seated(winner)
    return (said, *_won(options, table, at, winner, ()))


def _after_trick(options: Options, table: Table, at: Playing, taken: Seats) -> Facts:
    """What follows from a trick: nothing yet, or the end of the deal."""
    if at.la_vola and taken[-1] != at.la_vola:
        return _la_vola_lost(options, table, at, at.la_vola, taken)
    if len(taken) < TRICKS:
        return ()
    if at.la_vola:
        return _la_vola_won(options, table, at, at.la_vola, taken)
    return _won(options, table, at, winner_of_five(taken), taken)


def _won(options: Options, table: Table, at: Playing, winner: Player | None, taken: Seats) -> Facts:
    """An ordinary deal: the winner takes what is played for, who declared and failed lays a bet."""
    deal = at.deal
    failed = tuple(player for player in at.declarers if player != winner)
    if winner is None and len(failed) == 2 and options.all_one_two_declarers == "none":
        failed = ()
    return (
        *(_sweep(options, table, deal, winner) if winner else ()),
        *_bets(options, table, deal, failed),
        deal.closed(
            "won" if winner else "nobody", declarers=at.declarers, winner=winner, tricks=taken
        ),
    )


def _la_vola_won(options: Options, table: Table, at: Playing, who: Player, taken: Seats) -> Facts:
    """The announcer takes what is played for, and is owed as much by every other player."""
    deal = at.deal
    payers = tuple(player for player in clockwise_from(who, deal.seats) if player != who)
    won = e.LaVolaWon(deal=deal.number, player=who, amount=deal.played_for, payers=payers)
    closed = deal.closed(
        "la_vola_won", declarers=at.declarers, winner=who, la_vola=who, tricks=taken
    )
    return (*_sweep(options, table, deal, who), won, closed)


def _la_vola_lost(options: Options, table: Table, at: Playing, who: Player, taken: Seats) -> Facts:
    """As if everybody had passed; only A-PP-8 lets a declarer pay for it."""
    deal = at.deal
    pays = who in at.declarers and options.failed_vola_declarer_bet == "bet"
    return (
        *_bets(options, table, deal, (who,) if pays else ()),
        deal.closed("la_vola_lost", declarers=at.declarers, la_vola=who, tricks=taken),
    )


def _sweep(options: Options, table: Table, deal: Deal, winner: Player) -> Iterator[e.Event]:
    pot = deal.stake if options.amount_basis == "ante_only" else table.pot
    yield e.PotTaken(deal=deal.number, player=winner, amount=pot)
    for bet in _smallest(options, table):
        yield e.BetTaken(
            deal=deal.number,
            player=winner,
            bet=bet.number,
            by=bet.by,
            each=bet.each,
            laid_in=bet.deal,
            paid=bet.paid,
        )


def _bets(
    options: Options, table: Table, deal: Deal, failed: tuple[Player, ...]
) -> Iterator[e.Event]:
    penalty = options.bet_multiplier * deal.played_for
    together = len(failed) == 2 and options.merge_double_bets
    owners = (failed,) if together else tuple((player,) for player in failed)
    for number, by in enumerate(owners, start=table.laid + 1):
        yield e.BetLaid(
            deal=deal.number,
            bet=number,
            by=by,
            each=penalty,
            played_for=deal.played_for,
            multiplier=options.bet_multiplier,
            paid=options.bet_payment == "immediate",
        )


def _smallest(options: Options, table: Table) -> stack.Bets:
    """The one bet that is played for, if there is any."""
    return stack.in_playing_order(table.bets, options.bet_tie)[:1]


Fact = (
    e.DealOpened | e.Reseated | e.CutShown | e.CutterTook | e.CardTurnedUp | e.DealerTook
    | e.TurnUpTaken | e.TurnUpDeclined | e.BidMade | e.Declared | e.AllPassed | e.PlayFinished
    | e.ResultRecorded | e.CardDiscarded | e.HandShown | e.CardPlayed | e.TrickWon
    | e.TrickRecorded | e.LaVolaAnnounced | e.PotTaken | e.BetTaken | e.BetLaid | e.BetsMerged
    | e.BetsParted | e.LaVolaWon | e.DealClosed | e.PotShared | e.BetShared | e.BetCollected
    | e.BetWaived | e.BroughtForward | e.EveningClosed
)  # fmt: skip
"""What can happen in this game."""


def evolve(table: Table, fact: Fact) -> Table:
    """Every fact has a line here; mypy counts them. First comes what lasts (`LASTING`)."""
    phase = table.phase
    match fact:
        case e.DealOpened(number=number, dealer=dealer, seats=seats, stake=stake):
            deal = Deal(
                number=number,
                dealer=dealer,
                seats=seats,
                pack=PACK_FOR_FIVE if len(seats) == 5 else PACK,
                stake=stake,
                played_for=fact.played_for,
            )
            return replace(table, pot=table.pot + stake, phase=Opened(deal=deal))
        case e.PotTaken(amount=amount):
            return replace(table, pot=table.pot - amount)
        case e.BetTaken(bet=number) | e.BetWaived(bet=number) | e.BetShared(bet=number):
            return replace(table, bets=stack.without(table.bets, number))
        case e.BetLaid(deal=number, bet=bet, by=by, each=each, paid=paid):
            new = stack.Bet(number=bet, deal=number, by=by, each=each, paid=paid)
            return replace(table, bets=(*table.bets, new), laid=bet)
        case e.DealClosed(deal=number, declarers=declarers, outcome=outcome):
            laid: tuple[int, ...] = ()
            lost = len(declarers) == 2 and outcome in ("won", "nobody")
            if lost and fact.winner not in declarers:
                laid = tuple(b.number for b in table.bets if b.deal == number)
            return replace(table, phase=Waiting(just_laid=laid))
        case e.BetsMerged(bet=first):
            bets = stack.merged(table.bets, fact)
            return replace(table, bets=bets, phase=Waiting(just_laid=(first,)))
        case e.BetsParted(bet=first, parted=second):
            bets = stack.parted(table.bets, fact)
            phase = Waiting(just_laid=(first, second))
            return replace(table, bets=bets, laid=second, phase=phase)
        case (
            e.CardPlayed()
            | e.TrickRecorded()
            | e.TrickWon()
            | e.CardDiscarded()
            | e.HandShown()
            | e.LaVolaAnnounced()
        ):
            assert isinstance(phase, Playing)
            return replace(table, phase=playing.evolve(phase, fact))
        case e.Declared(players=players, trump=trump):
            return replace(table, phase=playing.start(_deal(phase), players, trump))
        case e.AllPassed() | e.PlayFinished() | e.ResultRecorded():
            return table  # what follows from it says the rest
        case e.Reseated():
            return table
        case e.CutShown():
            return replace(table, phase=HasCut(deal=_deal(phase)))
        case e.CutterTook(card=card):
            return replace(table, phase=HasCut(deal=_deal(phase), jack=card))
        case e.CardTurnedUp(card=card):
            assert isinstance(phase, HasCut)
            return replace(table, phase=_after_turn_up(phase.deal, phase.jack, card))
        case e.DealerTook():
            return table  # the card turned up had already decided it
        case e.TurnUpTaken():
            assert isinstance(phase, Choosing)
            return replace(table, phase=_dealer_has(phase.deal, None, phase.turn_up))
        case e.TurnUpDeclined():
            assert isinstance(phase, Choosing)
            bidding = Bidding(order=phase.deal.order, turn_up=phase.turn_up)
            return replace(table, phase=Talking(deal=phase.deal, bidding=bidding))
        case e.BidMade(player=player, call=call):
            assert isinstance(phase, Talking)
            return replace(table, phase=_after_bid(phase, player, call))
        case e.LaVolaWon():
            return table
        case e.PotShared(shares=shares):
            return replace(table, pot=table.pot - sum(share.amount for share in shares))
        case e.BetCollected(bet=number):
            return replace(table, bets=stack.collected(table.bets, number))
        case e.BroughtForward(pot=pot, bets=bets):
            return replace(table, pot=pot, bets=stack.brought(bets), laid=len(bets))
        case e.EveningClosed():
            return replace(table, phase=Waiting())
    assert_never(fact)


def _deal(phase: Phase) -> Deal:
    assert not isinstance(phase, Waiting), "only an open deal goes on"
    return phase.deal


def _after_turn_up(deal: Deal, jack: Card | None, card: Card) -> Phase:
    if jack is not None or rank(card) == "J":
        return _dealer_has(deal, jack, card)
    if rank(card) == "A":
        return Choosing(deal=deal, turn_up=card)
    return Talking(deal=deal, bidding=Bidding(order=deal.order, turn_up=card))


def _dealer_has(deal: Deal, jack: Card | None, card: Card) -> Playing:
    """Who took a card declares and holds six; the suit turned up is trumps (A-PP-10)."""
    held = ((deal.dealer, card),)
    if jack is None:
        return playing.start(deal, (deal.dealer,), suit(card), held=held)
    both = (deal.cutter, deal.dealer)
    return playing.start(deal, both, suit(card), held=((deal.cutter, jack), *held))


def _after_bid(at: Talking, player: Player, call: str) -> Phase:
    if call != "pass":
        trump = at.bidding.trump(call)
        return playing.start(at.deal, (player,), trump, on_table=at.bidding.turn_up)
    bidding = at.bidding.passed()
    return at if bidding is None else replace(at, bidding=bidding)


def legal(options: Options, table: Table) -> tuple[Legal, ...]:
    """What may be done inside the deal, or with the bets just laid; the evening adds the rest."""
    return tuple(_legal(options, table))


def _legal(options: Options, table: Table) -> Iterator[Legal]:
    match table.phase:
        case Waiting(just_laid=(_, _)):
            yield Legal(type="merge", fields={"together": one_of(True)}, optional=("together",))
        case Waiting(just_laid=(_,)):
            yield Legal(type="merge", fields={"together": one_of(False)})
        case Waiting():
            return
        case Opened(deal=deal):
            players = [[p] for p in deal.order] + [[deal.cutter, deal.dealer]]
            yield Legal(
                type="declare",
                fields={"players": one_of(*players), "trump": one_of(*SUITS)},
                optional=("trump",),
            )
            yield Legal(type="all_pass")
            yield Legal(type="cut", fields={"card": one_of(*deal.pack)})
        case HasCut(deal=deal, jack=jack):
            cards = (card for card in deal.pack if card != jack)
            yield Legal(type="turn_up", fields={"card": one_of(*cards)})
            if jack is None:
                yield Legal(type="all_pass")
        case Choosing():
            yield Legal(type="take")
            yield Legal(type="decline")
        case Talking(bidding=bidding):
            yield Legal(
                type="bid",
                fields={"player": one_of(bidding.turn), "call": one_of(*bidding.calls)},
            )
            yield Legal(type="all_pass")
        case Playing() as at:
            yield from _legal_play(options, at)
        case _:
            assert_never(table.phase)


def _legal_play(options: Options, at: Playing) -> Iterator[Legal]:
    play, seats = at.play, at.deal.seats
    if not play.table:
        if len(play.taken) == 2 and play.taken[0] == play.taken[1] and not at.la_vola:
            yield Legal(type="la_vola", fields={"player": one_of(play.taken[0])})
        if not play.taken:
            nobody = (None,) if len(seats) == TRICKS else ()
            yield Legal(type="result", fields={"winner": one_of(*seats, *nobody)})
            volas = [{"player": p, "won": won} for p in seats for won in (True, False)]
            yield Legal(type="result", fields={"la_vola": one_of(*volas)})
    yield from playing.legal(at, options.jack_suit, early_end=options.allow_early_end)


def cards_now(options: Options, table: Table) -> CardsNow | None:
    match table.phase:
        case Playing(trump=str(trump), play=play):
            return CardsNow(play=play, rule=playing.follow_suit(trump, options.jack_suit))
    return None


def view(table: Table) -> OpenDealView | None:
    match table.phase:
        case Waiting():
            return None
        case Playing() as at:
            return playing.view(at)
        case Talking(deal=deal, bidding=bidding):
            return OpenDealView(
                phase="bidding",
                played_for=deal.played_for,
                turn=bidding.turn,
                turn_up=bidding.turn_up,
            )
        case Choosing(deal=deal, turn_up=card):
            return OpenDealView(phase="choosing", played_for=deal.played_for, turn_up=card)
        case phase:
            return OpenDealView(phase=phase.name, played_for=phase.deal.played_for)


def close(options: Options, table: Table, policy: e.Policy, last: Last) -> Facts:
    """The evening ends: what is left in the pot and on bets goes by the policy (rules.md §5)."""
    return (*leftovers(policy, table.pot, table.bets, last), e.EveningClosed(policy=policy))


GAME = Game(
    key="polskt_pass",
    name="Polskt pass",
    seats=range(3, 6),
    options=Options,
    commands=frozenset(
        (
            *(c.Declare, c.AllPass, c.Trick, c.LaVola, c.Finish, c.Result, c.Merge),
            *(c.Cut, c.TurnUp, c.Take, c.Decline, c.Bid, c.Discard, c.Play, c.Hand),
        )
    ),
    pack=lambda options, seats: PACK_FOR_FIVE if len(seats) == 5 else PACK,
    hand_size=TRICKS,
    rules=cited(
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
        only={"stake_taken": "amount_basis"},
    ),
    scoring=None,
    start=lambda options, seats: Table(),
    open=open_deal,
    decide=decide,
    evolve=evolve,
    legal=legal,
    view=view,
    sheet=lambda table: None,
    cards=cards_now,
    bets=lambda options, table: stack.in_playing_order(table.bets, options.bet_tie),
    void=after_void,
    close=close,
    policy=lambda options: options.leftover_policy,
)
