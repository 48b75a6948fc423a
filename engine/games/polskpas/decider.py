"""Danish Polskpas: one soloist plays for the whole pot, and doubles it when he fails.

There are no bets here. `decide` says what happens, `evolve` what is then true, `legal` what may be
done; none of them knows that money has accounts, or when a won vole is paid. Source: rules.md §2.
"""

from collections.abc import Iterator
from typing import ClassVar, Literal, assert_never

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine import errors, playing
from engine import events as e
from engine.bidding import Bidding
from engine.cards import SUITS, Card, Suit, pack
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

SOMEBODY_WINS = "four players cannot take one trick each of five"
PACK = pack("9")
PACK_FOR_THREE = pack("10")  # one ten goes out, too: four cards are left over, as with four players


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the table agrees before the first deal (rules.md §7, A-DK)."""

    stake: Stake = 10
    opponent_win: Literal["pot_doubled", "winner_takes"] = "pot_doubled"
    vole_amount: Literal["pot", "stake"] = "pot"
    vole_sweeps_pot: bool = True
    vole_lost_outright: Literal["double_pot", "void"] = "double_pot"
    vole_stop_at_loss: bool = False
    removed_ten: Suit = "D"
    allow_early_end: bool = True
    leftover_policy: e.Policy = "carry"
    credit_limit: CreditLimit = None
    misdeal_policy: MisdealPolicy = "same_dealer"


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    name: ClassVar[str] = "waiting"


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    name: ClassVar[str] = "opened"
    deal: Deal


class Talking(msgspec.Struct, frozen=True, kw_only=True):
    name: ClassVar[str] = "bidding"
    deal: Deal
    bidding: Bidding


Phase = Waiting | Opened | Talking | Playing


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """What the next decision needs: the pot, the pack and the point the deal has come to."""

    removed_ten: Suit
    pot: Amount = 0
    phase: Phase = Waiting()


def pack_for(players: int, removed_ten: Suit) -> tuple[Card, ...]:
    """24 cards for four; 19 for three, without nines and one ten (rules.md §2.1, A-DK-8)."""
    if players == 4:
        return PACK
    return tuple(card for card in PACK_FOR_THREE if card != f"10{removed_ten}")


def open_deal(options: Options, table: Table, opening: Opening) -> Facts:
    check_credit(options, opening)
    played_for = table.pot + options.stake
    kept_exactly(2 * played_for)  # a lost game doubles it
    return (
        e.DealOpened(
            number=opening.number,
            dealer=opening.dealer,
            seats=opening.seats,
            stake=options.stake,
            played_for=played_for,
        ),
    )


def decide(options: Options, table: Table, command: c.Command) -> Facts:
    """List what is legal; everything else is refused."""
    match table.phase, command:
        case Waiting(), _:
            raise errors.NoOpenDeal
        case Opened(deal=deal), c.Declare(players=players, trump=trump):
            for player in players:
                deal.check_seated(player)
            if len(players) != 1:
                raise errors.OneSoloist
            return (e.Declared(players=players, trump=trump),)
        case (Opened() | Talking()) as phase, c.AllPass():
            return (e.AllPassed(), phase.deal.closed("all_pass"))
        case Opened(deal=deal), c.TurnUp(card=card):
            deal.check_in_pack(card)
            return (e.CardTurnedUp(card=card),)
        case Talking(deal=deal, bidding=bidding), c.Bid(player=player, call=call):
            deal.check_seated(player)
            bidding.check(player, call)
            said = e.BidMade(player=player, call=call)
            ends = call == "pass" and bidding.passed() is None
            return (said, deal.closed("all_pass")) if ends else (said,)
        case Playing(), c.Declare() | c.AllPass():
            raise errors.DeclarerAlreadyKnown
        case Playing() as at, _:
            return _play(options, at, command)
        case _, c.Trick() | c.Result() | c.Vole() | c.Finish() | c.Play():
            raise errors.NobodyHasDeclared
        case phase, _:
            raise errors.NotNow(action=command.__struct_config__.tag, phase=phase.name)


def _play(options: Options, at: Playing, command: c.Command) -> Facts:
    match command:
        case c.Vole(player=player):
            at.deal.check_seated(player)
            _may_announce(at, player)
            return (e.VoleAnnounced(player=player),)
        case c.Finish():
            certain = playing.finish(at, allowed=options.allow_early_end)
            assert certain is not None, SOMEBODY_WINS
            ended = _vole_lost if at.la_vola else _ended
            return (e.PlayFinished(), *ended(options, at, certain, at.play.taken))
        case c.Result(la_vola=c.Vola()):
            raise errors.NotInThisGame(field="la_vola")
        case c.Result(winner=winner, vole=vole):
            assert winner is not msgspec.UNSET, "the shape asks for it"
            return _result(options, at, winner, vole)
        case c.Trick() | c.Discard() | c.Hand() | c.Play():
            facts, taken = playing.decide(at, command, "trump")
            return (*facts, *(_after_trick(options, at, taken) if taken else ()))
        case _:
            raise errors.NotNow(action=command.__struct_config__.tag, phase=at.name)


def _soloist(at: Playing) -> Player:
    return at.declarers[0]


def _may_announce(at: Playing, player: Player) -> None:
    """Only the soloist, on lead to the third trick with both tricks taken (A-DK-6)."""
    soloist = _soloist(at)
    if at.la_vola:
        raise errors.VoleAlreadyAnnounced(player=at.la_vola)
    if player != soloist:
        raise errors.VoleIsTheSoloists(soloist=soloist, player=player)
    if at.play.taken != (soloist, soloist) or at.play.table:
        raise errors.VoleNeedsFirstTwoTricks(soloist=soloist)


def _result(
    options: Options, at: Playing, winner: Player | None, vole: c.Vola | msgspec.UnsetType
) -> Facts:
    soloist = _soloist(at)
    if at.play.taken or at.play.table or at.la_vola:
        raise errors.TricksAlreadyRecorded
    if winner is None:
        raise errors.NobodyWinsNeedsFive
    at.deal.check_seated(winner)
    said = e.ResultRecorded(winner=winner, vole=vole)
    if vole is msgspec.UNSET:
        return (said, *_ended(options, at, winner, ()))
    at.deal.check_seated(vole.player)
    if vole.player != soloist:
        raise errors.VoleIsTheSoloists(soloist=soloist, player=vole.player)
    if vole.won:
        if winner != soloist:
            raise errors.VoleDoesNotFit(soloist=soloist, winner=winner)
        return (said, *_vole_won(options, at, ()))
    return (said, *_vole_lost(options, at, winner, ()))


def _after_trick(options: Options, at: Playing, taken: Seats) -> Facts:
    """What follows from a trick: nothing yet, or the end of the deal."""
    if at.la_vola and taken[-1] != at.la_vola and options.vole_stop_at_loss:
        return _vole_lost(options, at, None, taken)
    if len(taken) < TRICKS:
        return ()
    winner = winner_of_five(taken)
    assert winner is not None, SOMEBODY_WINS
    if not at.la_vola:
        return _ended(options, at, winner, taken)
    if taken == (at.la_vola,) * TRICKS:
        return _vole_won(options, at, taken)
    return _vole_lost(options, at, winner, taken)


def _ended(options: Options, at: Playing, winner: Player, taken: Seats) -> Facts:
    """Without a vole: the soloist takes the pot, or pays as much into it."""
    if winner == _soloist(at):
        took = e.PotTaken(deal=at.deal.number, player=winner, amount=at.deal.played_for)
        closed = at.deal.closed("won", declarers=at.declarers, winner=winner, tricks=taken)
        return (took, closed)
    closed = at.deal.closed("lost", declarers=at.declarers, winner=winner, tricks=taken)
    return (*_failed(options, at, winner), closed)


def _failed(options: Options, at: Playing, winner: Player) -> Facts:
    """The soloist pays what was played for into the pot; A-DK-1 gives the old one away first."""
    deal, amount = at.deal.number, at.deal.played_for
    paid = e.PenaltyPaid(deal=deal, player=_soloist(at), amount=amount)
    if options.opponent_win == "pot_doubled":
        return (paid,)
    return (e.PotTaken(deal=deal, player=winner, amount=amount), paid)


def _vole_won(options: Options, at: Playing, taken: Seats) -> Facts:
    """Every opponent owes the soloist, who sweeps the pot as well (A-DK-2, A-DK-3)."""
    deal, soloist = at.deal, _soloist(at)
    swept = e.PotTaken(deal=deal.number, player=soloist, amount=deal.played_for)
    each = deal.played_for if options.vole_amount == "pot" else deal.stake
    payers = tuple(p for p in clockwise_from(soloist, deal.seats) if p != soloist)
    return (
        *((swept,) if options.vole_sweeps_pot else ()),
        e.LaVolaWon(deal=deal.number, player=soloist, amount=each, payers=payers),
        deal.closed(
            "la_vola_won", declarers=at.declarers, winner=soloist, la_vola=soloist, tricks=taken
        ),
    )


def _vole_lost(options: Options, at: Playing, winner: Player | None, taken: Seats) -> Facts:
    """Won, but not every trick: nothing is paid. Lost outright: as any lost game (A-DK-4, -5)."""
    soloist = _soloist(at)
    outright = winner not in (None, soloist) and not options.vole_stop_at_loss
    paid = outright and options.vole_lost_outright == "double_pot"
    assert winner is not None or not outright
    closed = at.deal.closed(
        "lost" if paid else "la_vola_lost" if outright else "vole_not_all",
        declarers=at.declarers,
        winner=None if options.vole_stop_at_loss else winner,
        la_vola=soloist,
        tricks=taken,
    )
    return (*(_failed(options, at, winner) if paid and winner else ()), closed)


Fact = (
    e.DealOpened | e.Reseated | e.CardTurnedUp | e.BidMade | e.Declared | e.AllPassed
    | e.PlayFinished | e.ResultRecorded | e.CardDiscarded | e.HandShown | e.CardPlayed
    | e.TrickWon | e.TrickRecorded | e.VoleAnnounced | e.PotTaken | e.PenaltyPaid | e.LaVolaWon
    | e.DealClosed | e.PotShared | e.BroughtForward | e.EveningClosed
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
                pack=pack_for(len(seats), table.removed_ten),
                stake=stake,
                played_for=fact.played_for,
            )
            return replace(table, pot=table.pot + stake, phase=Opened(deal=deal))
        case e.PotTaken(amount=amount):
            return replace(table, pot=table.pot - amount)
        case e.PenaltyPaid(amount=amount):
            return replace(table, pot=table.pot + amount)
        case e.DealClosed() | e.EveningClosed():
            return replace(table, phase=Waiting())
        case (
            e.CardPlayed()
            | e.TrickRecorded()
            | e.TrickWon()
            | e.CardDiscarded()
            | e.HandShown()
            | e.VoleAnnounced()
        ):
            assert isinstance(phase, Playing)
            return replace(table, phase=playing.evolve(phase, fact))
        case e.Declared(players=players, trump=trump):
            assert isinstance(phase, Opened)
            return replace(table, phase=playing.start(phase.deal, players, trump))
        case e.Reseated() | e.AllPassed() | e.PlayFinished() | e.ResultRecorded() | e.LaVolaWon():
            return table  # what follows from it says the rest
        case e.CardTurnedUp(card=card):
            assert isinstance(phase, Opened)
            bidding = Bidding(order=phase.deal.order, turn_up=card)
            return replace(table, phase=Talking(deal=phase.deal, bidding=bidding))
        case e.BidMade(player=player, call=call):
            assert isinstance(phase, Talking)
            return replace(table, phase=_after_bid(phase, player, call))
        case e.PotShared(shares=shares):
            return replace(table, pot=table.pot - sum(share.amount for share in shares))
        case e.BroughtForward(pot=pot, bets=bets):
            assert not bets, "this game has none"
            return replace(table, pot=pot)
    assert_never(fact)


def _after_bid(at: Talking, player: Player, call: str) -> Phase:
    """Who accepts takes the turn-up and holds six cards; who names a suit leaves it lying."""
    turn_up = at.bidding.turn_up
    if call == "accept":
        trump = at.bidding.trump(call)
        return playing.start(at.deal, (player,), trump, held=((player, turn_up),), keep=True)
    if call != "pass":
        return playing.start(at.deal, (player,), at.bidding.trump(call), on_table=turn_up)
    bidding = at.bidding.passed()
    return at if bidding is None else replace(at, bidding=bidding)


def legal(options: Options, table: Table) -> tuple[Legal, ...]:
    """What may be done inside the deal; the evening adds the rest."""
    return tuple(_legal(options, table))


def _legal(options: Options, table: Table) -> Iterator[Legal]:
    match table.phase:
        case Waiting():
            return
        case Opened(deal=deal):
            yield Legal(
                type="declare",
                fields={"players": one_of(*([p] for p in deal.order)), "trump": one_of(*SUITS)},
                optional=("trump",),
            )
            yield Legal(type="all_pass")
            yield Legal(type="turn_up", fields={"card": one_of(*deal.pack)})
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
    play, seats, soloist = at.play, at.deal.seats, _soloist(at)
    if not play.table:
        if play.taken == (soloist, soloist) and not at.la_vola:
            yield Legal(type="vole", fields={"player": one_of(soloist)})
        if not play.taken:
            yield from _legal_results(seats, soloist)
    yield from playing.legal(at, "trump", early_end=options.allow_early_end)


def _legal_results(seats: Seats, soloist: Player) -> Iterator[Legal]:
    won, lost = ({"player": soloist, "won": how} for how in (True, False))
    others = (player for player in seats if player != soloist)
    yield Legal(type="result", fields={"winner": one_of(*seats)})
    yield Legal(type="result", fields={"winner": one_of(soloist), "vole": one_of(won, lost)})
    yield Legal(type="result", fields={"winner": one_of(*others), "vole": one_of(lost)})


def cards_now(options: Options, table: Table) -> CardsNow | None:
    match table.phase:
        case Playing(trump=str(trump), play=play):
            return CardsNow(play=play, rule=playing.follow_suit(trump, "trump"))
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
        case phase:
            return OpenDealView(phase=phase.name, played_for=phase.deal.played_for)


def close(options: Options, table: Table, policy: e.Policy, last: Last) -> Facts:
    """The evening ends: what is left in the pot goes by the policy (rules.md §5)."""
    return (*leftovers(policy, table.pot, (), last), e.EveningClosed(policy=policy))


GAME = Game(
    key="polskpas",
    name="Polskpas",
    seats=range(3, 5),
    options=Options,
    commands=frozenset(
        (
            *(c.Declare, c.AllPass, c.Trick, c.Vole, c.Finish, c.Result),
            *(c.TurnUp, c.Bid, c.Discard, c.Play, c.Hand),
        )
    ),
    pack=lambda options, seats: pack_for(len(seats), options.removed_ten),
    hand_size=TRICKS,
    rules=cited(
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
    scoring=None,
    start=lambda options, seats: Table(removed_ten=options.removed_ten),
    open=open_deal,
    decide=decide,
    evolve=evolve,
    legal=legal,
    view=view,
    sheet=lambda table: None,
    cards=cards_now,
    bets=lambda options, table: (),
    void=after_void,
    close=close,
    policy=lambda options: options.leftover_policy,
)
