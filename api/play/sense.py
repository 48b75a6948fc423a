"""A little card sense: which card is higher, how many tricks a hand promises, what to say to that.

Good for any game of tricks, because it only ever chooses among what is legal. Guesses, where no
trump suit is ever named, that spades are trumps and jacks ordinary; a wrong guess plays badly, and
is never against the rules.
"""

from collections.abc import Callable, Sequence
from typing import Any

from api.play.seat import Seat
from engine import commands as c
from engine.cards import JACKS, RANKS, SUITS, Card, Suit, rank, suit, trick_winner
from engine.values import Player

ALWAYS: Suit = "S"
"""Trumps where nobody ever names any."""

Trump = tuple[Suit, bool]
"""The trump suit, and whether the four jacks stand above it."""

ACCEPTS = 7  # what a hand of five should be worth to declare; see `worth`


def trump_of(seat: Seat) -> Trump:
    return (ALWAYS, False) if seat.trump is None else (seat.trump, True)


def is_trump(card: Card, trump: Trump) -> bool:
    return suit(card) == trump[0] or (trump[1] and card in JACKS)


def height(card: Card, trump: Trump) -> int:
    """Higher is better: plain suits by rank, then trumps, then standing jacks."""
    if trump[1] and card in JACKS:
        return 40 - JACKS.index(card)
    return (20 if is_trump(card, trump) else 0) + len(RANKS) - RANKS.index(rank(card))


def weakest_first(cards: Sequence[Card], trump: Trump) -> list[Card]:
    return sorted(cards, key=lambda card: height(card, trump))


def worth(cards: Sequence[Card], trump: Trump) -> int:
    """Points for what usually takes a trick: three for a jack on top, two for a high card."""
    total = 0
    for card in cards:
        if trump[1] and card in JACKS:
            total += 3
        elif is_trump(card, trump):
            total += 2 if rank(card) in ("A", "K") else 1
        elif rank(card) == "A":
            total += 2
    return total


def tricks(cards: Sequence[Card], trump: Trump) -> int:
    """How many tricks a hand may take: aces, kings that are guarded, long or high trumps."""
    sure = sum(rank(card) == "A" or (trump[1] and card in JACKS) for card in cards)
    for of in SUITS:
        held = [card for card in cards if suit(card) == of]
        guarded = len(held) > 1 and any(rank(card) == "K" for card in held)
        sure += guarded
        if of == trump[0]:
            sure += max(0, len(held) - 3)
    return sure


def wants_tricks(seat: Seat) -> bool:
    """Whoever bid nil does not; a side that has what it bid neither; everybody else does."""
    for bid in seat.view.bids:
        sides = str(bid["side"]).split("+")
        if seat.player not in sides:
            continue
        nil = (bid.get("nil"), bid.get("blind_nil"))
        if seat.player in _named(nil) or bid.get("joint_nil"):
            return False
        return sum(seat.view.tricks.count(player) for player in sides) < int(bid["tricks"])
    return True


def _named(nils: tuple[object, ...]) -> list[object]:
    return [one for nil in nils for one in (nil if isinstance(nil, list | tuple) else [nil])]


def _plays(seat: Seat, choices: list[c.Play]) -> c.Command:
    trump, wants = trump_of(seat), wants_tricks(seat)
    by_card = {choice.card: choice for choice in choices}
    low_first = weakest_first(list(by_card), trump)
    table = seat.view.cards
    if not table:
        return by_card[low_first[-1] if wants else low_first[0]]
    takes = [card for card in low_first if _would_take(table, card, trump)]
    below = [card for card in low_first if card not in takes]
    if not wants:
        return by_card[(below or low_first)[-1]]
    if not takes or _winning(table, trump) == seat.partner:
        return by_card[low_first[0]]
    last = len(table) + 1 == len(seat.view.staying or seat.seats)
    return by_card[takes[0] if last else takes[-1]]


def _winning(table: Sequence[tuple[Player, Card]], trump: Trump) -> Player:
    """Who has the trick as it lies."""
    if trump[1]:
        return trick_winner(table, trump[0])
    led = suit(table[0][1])
    of_weight = [play for play in table if suit(play[1]) == trump[0]]
    of_weight = of_weight or [play for play in table if suit(play[1]) == led]
    return max(of_weight, key=lambda play: height(play[1], trump))[0]


def _would_take(table: Sequence[tuple[Player, Card]], card: Card, trump: Trump) -> bool:
    return _winning((*table, ("me", card)), trump) == "me"


def _bids(seat: Seat, choices: list[c.Bid]) -> c.Command | None:
    """The best suit it may name, if it is good enough; else pass."""
    hand = seat.hand or ()
    by_call: dict[str, c.Bid] = {choice.call: choice for choice in choices}

    def value(call: str) -> int:
        up = seat.trump if call == "accept" else call
        return worth(hand, (up, True))  # type: ignore[arg-type]  # a call is a suit or accepts one

    calls = [call for call in by_call if call != "pass"]
    best = max(calls, key=value, default="pass")
    return by_call[best if calls and value(best) >= ACCEPTS else "pass"]


def _side_bids(seat: Seat, choices: list[c.SideBid]) -> c.Command | None:
    """What both count on together; or nil, if one of them holds nothing that could take a trick."""
    if seat.hand is None:
        unseen = [choice for choice in choices if choice.blind_nil and choice.tricks == 3]
        return unseen[0] if unseen else None
    own, other = tricks(seat.hand, trump_of(seat)), seat.partner_counts or 0
    bid = min(13, max(1, own + other))
    high = ("A", "K", "Q")
    harmless = not own and not any(rank(card) in high for card in seat.hand)
    for choice in choices:
        if harmless and choice.nil == seat.player and choice.tricks == max(1, other):
            return choice
    plain = (x for x in choices if x.tricks == bid and not (x.nil or x.blind_nil))
    return next(plain, None)


def _stays(seat: Seat, choices: list[c.Stay]) -> c.Command | None:
    return choices[0] if worth(seat.hand or (), trump_of(seat)) >= 3 else None


def _passes(seat: Seat, choices: list[c.Pass]) -> c.Command:
    return choices[0]


def _takes(seat: Seat, choices: list[c.Take]) -> c.Command | None:
    """The card turned up counts with the hand that it would be in."""
    up = seat.view.turn_up
    hand = (*(seat.hand or ()), *((up,) if up else ()))
    return choices[0] if worth(hand, trump_of(seat)) >= ACCEPTS else None


def _lays_away(seat: Seat, choices: list[c.Discard]) -> c.Command | None:
    low = weakest_first([x.card for x in choices if x.card], trump_of(seat))[0]
    return next(choice for choice in choices if choice.card == low)


def _exchanges(seat: Seat, choices: list[c.Exchange]) -> c.Command | None:
    """Weak cards, but no more than tricks that it hopes for; and nothing in a second round."""
    hand, trump = seat.hand or (), trump_of(seat)
    promised = (worth(hand, trump) + 1) // 3
    so_far = seat.view.exchanged.get(seat.player, 0)
    weak = sum(not is_trump(card, trump) and rank(card) != "A" for card in hand)
    most = min(weak, promised - so_far)
    if any(choice.turn_up for choice in choices):
        up = seat.view.turn_up
        good = up is not None and rank(up) in ("A", "K", "J")
        return choices[0] if good and weak and promised else None
    fitting = [choice for choice in choices if choice.cards and choice.cards <= most]
    return fitting[-1] if fitting and not so_far else None


def _announces(seat: Seat, choices: list[c.LaVola | c.Vole]) -> c.Command | None:
    """With three that hardly anybody can beat."""
    trump = trump_of(seat)
    sure = [card for card in seat.hand or () if height(card, trump) >= 30 or rank(card) == "A"]
    return choices[0] if len(sure) >= 3 else None


def _asks_anew(seat: Seat, choices: list[c.Redeal]) -> c.Command | None:
    return choices[0] if tricks(seat.hand or (), trump_of(seat)) < 2 else None


def _first(seat: Seat, choices: list[c.Command]) -> c.Command:
    return choices[0]


BY_KIND: tuple[tuple[type[c.Command] | tuple[type[c.Command], ...], Callable[..., Any]], ...] = (
    (c.Redeal, _asks_anew),
    (c.Finish, _first),
    ((c.LaVola, c.Vole), _announces),
    (c.Exchange, _exchanges),
    (c.Discard, _lays_away),
    (c.Take, _takes),
    (c.Decline, _first),
    (c.Bid, _bids),
    (c.SideBid, _side_bids),
    (c.Swap, _first),
    (c.Stay, _stays),
    (c.Pass, _passes),
    (c.Play, _plays),
)
"""What it would say, in this order; none: rather something else."""

ONLY_IF_WANTED = (c.Redeal, c.Exchange, c.LaVola, c.Vole, c.Finish, c.Merge)
"""Never said for want of anything better."""
