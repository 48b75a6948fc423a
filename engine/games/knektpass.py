"""Knektpass: stay or pass, exchange cards, take as many tricks as cards, and come down to 0.

Pure. `decide` says what happens, `evolve` says what is then true, `legal` what may be done.
There is no pot: everybody has a score, usually 12 to begin with. Source: rules.md §4.
"""

from typing import Annotated, Literal, assert_never

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from engine import commands as c
from engine import errors, exchanging, points, quota, staying
from engine import events as e
from engine.cards import Card, pack
from engine.cited import cited
from engine.deal import Deal
from engine.exchanging import Playing, Taken
from engine.finish import Finish, FinishTie, kept, won
from engine.game import CardsNow, Facts, Game, Last, Legal, OpenDealView, Opening
from engine.heading import heading
from engine.play import Play
from engine.points import Scoring, Sheet
from engine.quota import ExchangeQuota
from engine.staying import Declaring
from engine.terms import MisdealPolicy, PointValue, after_void
from engine.tricks import TRICKS
from engine.values import Player, Seats

PACK, PACK_FOR_FEW = pack("2"), pack("6")
FEW = 3  # so many and fewer play with 36 cards; those seated count, whoever passes (A-KP-11)

QUOTA = {
    "turn_up_counts": "A-KP-1",
    "exchange_quota": "A-KP-2",
    "min_trick_floor": "A-KP-3",
}
"""The options that change how many tricks somebody has to take."""

Start = Annotated[int, Meta(ge=1, le=1000)]
Points = Annotated[int, Meta(ge=0, le=1000)]


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the table agrees before the first deal (rules.md §7 A-KP)."""

    start: Start = 12
    solo_deduction: Points = 5
    penalty_per_trick: Points = 5
    turn_up_counts: bool = True
    exchange_quota: ExchangeQuota = "sum"
    min_trick_floor: Literal[0, 1] = 0
    finish: Finish = "at_or_below"
    finish_tie: FinishTie = "lowest"
    must_trump_when_void: bool = True
    all_pass_dealer: Literal["next", "same"] = "next"  # noqa: S105  # a pass, not a password
    turn_up_commits: bool = False
    reshuffle_discards: bool = False
    misdeal_policy: MisdealPolicy = "same_dealer"
    point_value: PointValue = None


class Waiting(msgspec.Struct, frozen=True, kw_only=True): ...


Phase = Waiting | Declaring | Playing


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """What the next decision needs: the sheet and the point that the deal has come to."""

    sheet: Sheet
    shuffled_back: bool = False  # as agreed: everybody sees how many cards the talon has (A-KP-10)
    phase: Phase = Waiting()


def open_deal(options: Options, table: Table, opening: Opening) -> Facts:
    if table.sheet.winners:
        raise errors.GameIsWon(winners=list(table.sheet.winners))
    return (e.DealOpened(number=opening.number, dealer=opening.dealer, seats=opening.seats),)


def decide(options: Options, table: Table, command: c.Command) -> Facts:
    """List what is legal; everything else is refused."""
    match table.phase:
        case Waiting():
            raise errors.NoOpenDeal
        case Declaring() as at:
            said = staying.decide(at, command, commits=options.turn_up_commits)
            return (said, *_after_word(options, table, at, said))
        case Playing() as at:
            must_trump = options.must_trump_when_void
            facts, taken = exchanging.decide(at, command, must_trump=must_trump)
            return (*facts, *(_scored(options, table, at, taken) if taken else ()))
    assert_never(table.phase)


def _after_word(options: Options, table: Table, at: Declaring, said: e.Deed) -> Facts:
    """What follows from a word: nothing, or the end of the deal if fewer than two stay."""
    match said:
        case e.AllPassed():
            return (_all_passed(options, at.deal),)
        case e.Stayed() | e.Passed():
            after = staying.evolve(at, said)
            if after.turn is not None or len(after.staying) > 1:
                return ()
            if after.staying:
                return _alone(options, table, at.deal, after.staying[0])
            return (_all_passed(options, at.deal),)
    return ()


def _all_passed(options: Options, deal: Deal) -> e.DealClosed:
    same = options.all_pass_dealer == "same"  # noqa: S105
    return deal.closed("all_pass", next_dealer=deal.dealer if same else None)


def _alone(options: Options, table: Table, deal: Deal, player: Player) -> Facts:
    """He wins at once: no exchange and no tricks (rules.md §4.2 DECLARE)."""
    less = -options.solo_deduction
    line = e.Scored(deal=deal.number, to=player, points=less, rule="played_alone")
    return (*_written(options, table, deal, (line,)), deal.closed("played_alone"))


def _scored(options: Options, table: Table, at: Playing, taken: Taken) -> Facts:
    """A line for everybody who stayed, forehand first (rules.md §4.3)."""
    lines = tuple(
        quota.scored(options, at.deal.number, player, at.exchanged(player), count)
        for player, count in taken.counted.items()
    )
    return (
        *_written(options, table, at.deal, lines, taken.in_order),
        at.deal.closed("scored", tricks=taken.in_order, taken=taken.counted),
    )


def _written(
    options: Options,
    table: Table,
    deal: Deal,
    lines: tuple[e.Scored, ...],
    in_order: Seats = (),
) -> Facts:
    """What goes on the sheet, and the end of the game if that ends it."""
    scores = table.sheet.scores
    lines = kept(options, scores, lines)
    return (*lines, *won(options, deal.number, scores, lines, in_order))


Fact = (
    e.DealOpened | e.CardTurnedUp | e.TurnUpExchanged | e.Stayed | e.Passed | e.AllPassed
    | e.CardsExchanged | e.HandShown | e.CardPlayed | e.TrickWon | e.TrickRecorded
    | e.TricksCounted | e.Scored | e.GameWon | e.DealClosed | e.PointsPaid | e.EveningClosed
)  # fmt: skip
"""What can happen in this game."""


def evolve(table: Table, fact: Fact) -> Table:
    """Every fact has a line here; mypy counts them. First comes what lasts (`LASTING`)."""
    phase = table.phase
    match fact:
        case e.DealOpened(number=number, dealer=dealer, seats=seats):
            deal = Deal(number=number, dealer=dealer, seats=seats, pack=pack_for(seats))
            play = Play(seats=seats, leader=deal.order[0], pack=deal.pack, hand_size=TRICKS)
            return replace(table, phase=Declaring(deal=deal, play=play))
        case e.Scored() | e.GameWon():
            return replace(table, sheet=points.scored(table.sheet, fact))
        case e.DealClosed() | e.EveningClosed():
            return replace(table, phase=Waiting())
        case e.CardTurnedUp() | e.TurnUpExchanged() | e.Stayed() | e.Passed():
            assert isinstance(phase, Declaring)
            return replace(table, phase=_after_spoken(table, staying.evolve(phase, fact)))
        case e.HandShown() if isinstance(phase, Declaring):
            return replace(table, phase=staying.evolve(phase, fact))
        case e.HandShown() | e.CardsExchanged() | e.CardPlayed() | e.TrickWon() | e.TrickRecorded():
            assert isinstance(phase, Playing)
            return replace(table, phase=exchanging.evolve(phase, fact))
        case e.AllPassed() | e.TricksCounted() | e.PointsPaid():
            return table  # what follows from it says the rest
    assert_never(fact)


def _after_spoken(table: Table, at: Declaring) -> Phase:
    """On to the exchange once at least two stay; with fewer the deal is about to close."""
    if at.turn is None and len(at.staying) > 1:
        return exchanging.start(at, shuffled_back=table.shuffled_back)
    return at


def pack_for(seats: Seats) -> tuple[Card, ...]:
    """36 cards for two or three, 52 for more (rules.md §4.1)."""
    return PACK_FOR_FEW if len(seats) <= FEW else PACK


def legal(options: Options, table: Table) -> tuple[Legal, ...]:
    """What may be done inside the deal; the evening adds the rest."""
    match table.phase:
        case Waiting():
            return ()
        case Declaring() as at:
            return tuple(staying.legal(at, commits=options.turn_up_commits))
        case Playing() as at:
            return tuple(exchanging.legal(at, must_trump=options.must_trump_when_void))
    assert_never(table.phase)


def cards_now(options: Options, table: Table) -> CardsNow | None:
    match table.phase:
        case Playing(trump=str(trump), play=play):
            rule = heading(trump, must_trump=options.must_trump_when_void)
            return CardsNow(play=play, rule=rule)
    return None


def view(table: Table) -> OpenDealView | None:
    match table.phase:
        case Waiting():
            return None
        case Declaring() as at:
            return staying.view(at)
        case Playing() as at:
            return exchanging.view(at)
    assert_never(table.phase)


def close(options: Options, table: Table, policy: e.Policy, last: Last) -> Facts:
    """The evening ends; where a point is worth money, who is behind pays for it."""
    paid = SCORING.pay(table.sheet, options.point_value)
    return (*paid, e.EveningClosed(policy=policy))


SCORING = Scoring(
    keepers=lambda seats: seats,
    start=lambda options: options.start,
    goal=lambda options: 0,
    lowest_wins=True,
)

GAME = Game(
    key="knektpass",
    name="Knektpass",
    seats=range(2, 11),
    options=Options,
    commands=frozenset(
        (
            *(c.TurnUp, c.Exchange, c.Stay, c.Pass, c.AllPass),
            *(c.Hand, c.Play, c.Trick, c.Tricks),
        )
    ),
    pack=lambda options, seats: pack_for(seats),
    hand_size=TRICKS,
    rules=cited(
        {
            "score_begun": "§4.1",
            "score_played_alone": "§4.2",
            "score_quota_made": "§4.3",
            "score_quota_missed": "§4.3",
        },
        {
            "score_played_alone": {"finish": "A-KP-4"},
            "score_quota_made": {**QUOTA, "finish": "A-KP-4"},
            "score_quota_missed": QUOTA,
        },
    ),
    scoring=SCORING,
    start=lambda options, seats: Table(
        sheet=SCORING.begin(options, seats), shuffled_back=options.reshuffle_discards
    ),
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
