"""What has happened, in table words: one vocabulary for all games, and for ever.

Two kinds. A `Spoken` fact is what somebody recorded, and begins an action; every other fact
follows from the spoken one before it. A name once written is never reused for another meaning
(tests/golden holds a line of each). Events carry ids and amounts, never names of people.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeGuard, get_args

import msgspec

from engine.cards import Card, Suit
from engine.commands import Side, Vola
from engine.values import Amount, Player, Seats


def in_table_words(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=in_table_words):
    """Something that is true from here on."""


class Spoken(Fact, frozen=True, kw_only=True, omit_defaults=True, tag=in_table_words):
    """A fact that somebody recorded; what follows from it comes right after it."""


class DealOpened(Spoken, frozen=True, kw_only=True):
    number: int
    dealer: Player
    seats: Seats
    stake: Amount = 0  # none in a game for points
    played_for: Amount = 0  # fixed here: the pot and the smallest bet (rules.md §1.6)


class Reseated(Spoken, frozen=True, kw_only=True):
    seats: Seats
    dealer: Player  # of the next deal


class Declared(Spoken, frozen=True, kw_only=True):
    players: tuple[Player, ...]
    trump: Suit | None = None


class AllPassed(Spoken, frozen=True, kw_only=True): ...


class TrickRecorded(Spoken, frozen=True, kw_only=True):
    winner: Player


class LaVolaAnnounced(Spoken, frozen=True, kw_only=True):
    player: Player


class VoleAnnounced(Spoken, frozen=True, kw_only=True):
    player: Player


class PlayFinished(Spoken, frozen=True, kw_only=True): ...


class ResultRecorded(Spoken, frozen=True, kw_only=True):
    winner: Player | msgspec.UnsetType | None = msgspec.UNSET
    la_vola: Vola | msgspec.UnsetType = msgspec.UNSET
    vole: Vola | msgspec.UnsetType = msgspec.UNSET


class BetsMerged(Spoken, frozen=True, kw_only=True):
    """Two bets of the same deal are put together: the second on top of the first."""

    deal: int
    bet: int
    added: int
    by: tuple[Player, ...]
    each: Amount
    paid: bool = True


class BetsParted(Spoken, frozen=True, kw_only=True):
    """A merged bet is taken apart again: the second one's part lies by itself."""

    deal: int
    bet: int
    parted: int
    by: tuple[Player, ...]
    each: Amount
    paid: bool = True


class CutShown(Spoken, frozen=True, kw_only=True):
    card: Card


class CardTurnedUp(Spoken, frozen=True, kw_only=True):
    card: Card


class TurnUpTaken(Spoken, frozen=True, kw_only=True): ...


class TurnUpDeclined(Spoken, frozen=True, kw_only=True): ...


class BidMade(Spoken, frozen=True, kw_only=True):
    player: Player
    call: str


class CardDiscarded(Spoken, frozen=True, kw_only=True):
    player: Player
    card: Card | None = None


class CardPlayed(Spoken, frozen=True, kw_only=True):
    player: Player
    card: Card


class HandShown(Spoken, frozen=True, kw_only=True):
    player: Player
    cards: tuple[Card, ...]


class SideBidMade(Spoken, frozen=True, kw_only=True):
    side: Side
    tricks: int | None = None
    nil: Player | None = None
    blind_nil: Player | tuple[Player, Player] | None = None
    joint_nil: bool = False


class RedealClaimed(Spoken, frozen=True, kw_only=True):
    """The hands are thrown in: somebody had the right to ask for it (rules.md §3.2)."""

    player: Player
    reason: Literal["no_spade", "no_court", "long_suit"]


class CardsSwapped(Spoken, frozen=True, kw_only=True):
    """A blind nil and the partner passed each other two cards."""

    side: Side


class SwapDeclined(Spoken, frozen=True, kw_only=True):
    side: Side


class TricksCounted(Spoken, frozen=True, kw_only=True):
    taken: dict[Player, int]


class Stayed(Spoken, frozen=True, kw_only=True):
    player: Player


class Passed(Spoken, frozen=True, kw_only=True):
    player: Player


class CardsExchanged(Spoken, frozen=True, kw_only=True):
    """So many cards for as many of the talon."""

    player: Player
    cards: int


class TurnUpExchanged(Spoken, frozen=True, kw_only=True):
    """The dealer takes the card turned up for one of his own."""

    player: Player


class CutterTook(Fact, frozen=True, kw_only=True):
    player: Player
    card: Card


class DealerTook(Fact, frozen=True, kw_only=True):
    """Mandatory: a jack was turned up, or the cutter took one."""

    player: Player
    card: Card


class TrickWon(Fact, frozen=True, kw_only=True):
    """By the cards that were played to it."""

    winner: Player


class PotTaken(Fact, frozen=True, kw_only=True):
    deal: int
    player: Player
    amount: Amount


class BetTaken(Fact, frozen=True, kw_only=True):
    deal: int
    player: Player
    bet: int
    by: tuple[Player, ...]  # who laid it
    each: Amount
    laid_in: int
    paid: bool = True  # false: a claim, collected only now (rules.md A-PP-5)


class BetLaid(Fact, frozen=True, kw_only=True):
    deal: int
    bet: int
    by: tuple[Player, ...]
    each: Amount
    played_for: Amount
    multiplier: int
    paid: bool = True


class LaVolaWon(Fact, frozen=True, kw_only=True):
    """Every other player owes the amount; workers settle it, leg by leg."""

    deal: int
    player: Player
    amount: Amount
    payers: tuple[Player, ...]


class PenaltyPaid(Fact, frozen=True, kw_only=True):
    """Who played alone and failed pays into the pot (rules.md §2.3)."""

    deal: int
    player: Player
    amount: Amount


Rule = Literal[
    "bid_made", "bid_failed", "bags", "bag_points",
    "nil_made", "nil_failed", "blind_nil_made", "blind_nil_failed",
    "joint_nil_made", "joint_nil_failed", "joint_nil_bags",
    "quota_made", "quota_missed", "played_alone",
]  # fmt: skip


class Scored(Fact, frozen=True, kw_only=True):
    """Points for one reason, to a player or a side. Counts are those that the rule speaks of."""

    deal: int
    to: str  # `p1`, or a side `p1+p3`
    points: int
    rule: Rule
    player: Player | None = None  # who bid nil
    bid: int | None = None
    taken: int | None = None
    exchanged: int | None = None
    least: int | None = None  # tricks that had to be taken
    each: int | None = None  # points per trick, bag or missing trick
    overtricks: int = 0


class GameWon(Fact, frozen=True, kw_only=True):
    """The game for points is over; several who came in equal share it."""

    deal: int
    winners: tuple[str, ...]


Outcome = Literal[
    "won", "nobody", "all_pass", "la_vola_won", "la_vola_lost",
    "lost", "vole_not_all", "scored", "played_alone", "redealt",
]  # fmt: skip


class DealClosed(Fact, frozen=True, kw_only=True):
    deal: int
    outcome: Outcome
    next_dealer: Player
    declarers: tuple[Player, ...] = ()
    winner: Player | None = None
    la_vola: Player | None = None
    tricks: tuple[Player, ...] = ()  # who took them, in order, as far as recorded
    taken: dict[Player, int] = {}  # how many each took, in a game for points


class Share(msgspec.Struct, frozen=True, kw_only=True):
    player: Player
    amount: Amount


class PotShared(Fact, frozen=True, kw_only=True):
    """At the end of the evening the pot goes to the players."""

    shares: tuple[Share, ...]


class BetShared(Fact, frozen=True, kw_only=True):
    """At the end of the evening a bet goes back to who laid it, or to everybody."""

    bet: int
    shares: tuple[Share, ...]


class BetCollected(Fact, frozen=True, kw_only=True):
    """A claim is paid in, because the evening ends and the table shares what is left."""

    bet: int
    by: tuple[Player, ...]
    each: Amount


class BetWaived(Fact, frozen=True, kw_only=True):
    """A claim is dropped: nobody had paid it, so there is nothing to give back."""

    bet: int


class PointsPaid(Fact, frozen=True, kw_only=True):
    """When a game for points ends, who is behind pays so much for each point (`point_value`)."""

    payer: Player
    payee: Player
    points: int
    value: Amount


Policy = Literal["carry", "refund_bets", "split_equal", "play_on"]


class EveningClosed(Fact, frozen=True, kw_only=True):
    policy: Policy


Deed = (
    DealOpened | Reseated | Declared | AllPassed | TrickRecorded | LaVolaAnnounced | VoleAnnounced
    | PlayFinished | ResultRecorded | BetsMerged | BetsParted | CutShown | CardTurnedUp
    | TurnUpTaken | TurnUpDeclined | BidMade | CardDiscarded | CardPlayed | HandShown
    | SideBidMade | RedealClaimed | CardsSwapped | SwapDeclined | TricksCounted
    | Stayed | Passed | CardsExchanged | TurnUpExchanged
    | CutterTook | DealerTook | TrickWon | PotTaken | BetTaken | BetLaid | LaVolaWon | PenaltyPaid
    | Scored | GameWon | DealClosed
)  # fmt: skip
"""What an action consists of, and what can therefore be taken back."""
DEEDS: frozenset[type] = frozenset(get_args(Deed))
OF_A_DEAL = DEEDS - {Reseated}
"""What happens in a deal, or to it."""


Lasting = (
    DealOpened | PotTaken | BetTaken | BetLaid | BetsMerged | BetsParted | PenaltyPaid | Scored
    | GameWon | DealClosed
)  # fmt: skip
"""What a deal leaves behind on the table. The rest of it, bids, cards and tricks, leads there."""
LASTING: frozenset[type] = frozenset(get_args(Lasting))


def is_deed(fact: object) -> TypeGuard[Deed]:
    """`isinstance` would go through all forty of them, at each event that is read back."""
    return type(fact) in DEEDS


def are_of_a_deal(facts: Sequence[object]) -> TypeGuard[Sequence[Deed]]:
    return OF_A_DEAL.issuperset(map(type, facts))


class ActionUndone(Fact, frozen=True, kw_only=True):
    """The last action is taken back, with everything that had followed from it."""

    took_back: tuple[Deed, ...]
    deal: int | None = None  # none: a reseating between deals


class DealVoided(Fact, frozen=True, kw_only=True):
    """A deal that never counted, its stake included (a misdeal); the number is not used again."""

    deal: int
    took_back: tuple[Deed, ...]
    next_dealer: Player


class Rescored(msgspec.Struct, frozen=True, kw_only=True):
    """What a deal had come to, and what it comes to now: nothing, if it does not count."""

    deal: int
    was: tuple[Deed, ...]
    facts: tuple[Deed, ...]


class DealCorrected(Fact, frozen=True, kw_only=True):
    """A deal was really played otherwise, or never counted; later deals are scored again."""

    deal: int
    rescored: tuple[Rescored, ...]  # in order; only those that come to something else now
    next_dealer: Player


class Brought(msgspec.Struct, frozen=True, kw_only=True):
    """A bet that an earlier evening left to be played for, under its number in this one."""

    bet: int
    by: tuple[Player, ...]
    each: Amount
    paid: bool


class BroughtForward(Fact, frozen=True, kw_only=True):
    """What an earlier evening left open is where this one begins: adds up to nothing, as there."""

    session: str  # the earlier evening, as it was sealed when it was carried forward
    version: int
    hash: str
    pot: Amount
    bets: tuple[Brought, ...]  # in the order in which they were to be played for
    balances: dict[Player, Amount]  # of this evening's players, none of them zero


Ending = PotShared | BetShared | BetCollected | BetWaived | PointsPaid | EveningClosed
Event = Deed | ActionUndone | DealVoided | DealCorrected | BroughtForward | Ending
