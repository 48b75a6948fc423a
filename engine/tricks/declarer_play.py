"""Five tricks with declarers: cards laid away, hands shown, cards played, tricks won.

Shared by the games that play five tricks for a pot. Does not know who is paid when the tricks are
taken, nor when a la vola may be announced. Source: rules.md §1.4 DISCARD and PLAY.
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine import errors
from engine import events as e
from engine.cards import Card, JackSuit, Suit, may_follow, trick_winner
from engine.deal import Deal
from engine.game import Legal, OpenDealView, one_of
from engine.play import Allowed, Play, Rule, without
from engine.tricks import TRICKS, certain_winner
from engine.values import Player, Seats

Held = tuple[tuple[Player, Card], ...]


class Playing(msgspec.Struct, frozen=True, kw_only=True):
    """From the moment that the declarers are known to the last trick."""

    deal: Deal
    declarers: tuple[Player, ...]  # the cutter before the dealer
    trump: Suit | None  # none: nobody recorded it, so that tricks can be recorded and cards not
    play: Play
    six: tuple[Player, ...] = ()  # who still holds a sixth card
    la_vola: Player | None = None
    kept: tuple[Card, ...] = ()  # taken cards that may not be the ones laid away

    @property
    def name(self) -> str:
        return "discarding" if self.six else "playing"


def start(
    deal: Deal,
    declarers: tuple[Player, ...],
    trump: Suit | None,
    *,
    held: Held = (),
    on_table: Card | None = None,
    keep: bool = False,
) -> Playing:
    """Before the first lead. `held`: cards taken, each making a sixth; `on_table`: in no hand.

    `keep`: another card than the one taken is laid away.
    """
    play = Play(
        seats=deal.seats,
        leader=deal.order[0],
        pack=deal.pack,
        hand_size=TRICKS,
        gone=frozenset(() if on_table is None else (on_table,)),
        held=held,
    )
    six = tuple(player for player, _ in held)
    kept = tuple(card for _, card in held) if keep else ()
    return Playing(deal=deal, declarers=declarers, trump=trump, play=play, six=six, kept=kept)


def decide(
    at: Playing, command: c.Trick | c.Discard | c.Hand | c.Play, jack_suit: JackSuit
) -> tuple[tuple[e.Deed, ...], Seats | None]:
    """The facts of one trick, card or hand, and all tricks taken if this ended one."""
    match command:
        case c.Trick(winner=winner):
            at.deal.check_seated(winner)
            at.play.check_between_tricks()
            return (e.TrickRecorded(winner=winner),), (*at.play.taken, winner)
        case c.Discard(player=player, card=card):
            _check_discard(at, player, card)
            return (e.CardDiscarded(player=player, card=card),), None
        case c.Hand(player=player, cards=cards):
            at.play.check_hand(player, cards, extra=player in at.six)
            return (e.HandShown(player=player, cards=cards),), None
        case c.Play(player=player, card=card):
            if at.trump is None:
                raise errors.TrumpUnknown
            if at.six:
                raise errors.DiscardFirst(players=list(at.six))
            at.play.check(player, card, follow_suit(at.trump, jack_suit))
            after = at.play.played(player, card)
            said = e.CardPlayed(player=player, card=card)
            if not after.complete:
                return (said,), None
            winner = trick_winner(after.table, at.trump)
            return (said, e.TrickWon(winner=winner)), (*at.play.taken, winner)


def finish(at: Playing, *, allowed: bool) -> Player | None:
    """The winner when the cards may be thrown in, because no trick can change him (A-PP-7)."""
    if not allowed:
        raise errors.EarlyEndNotAllowed
    at.play.check_between_tricks()
    certain, winner = _certain(at)
    if not certain:
        raise errors.WinnerNotCertain
    return winner


def _certain(at: Playing) -> tuple[bool, Player | None]:
    """Whether no trick to come changes how the deal ends, and who wins. While somebody who promised
    all five has every one of them, the next one does."""
    taken = at.play.taken
    if all(winner == at.la_vola for winner in taken):
        return False, None
    return certain_winner(taken, at.deal.seats)


def follow_suit(trump: Suit, jack_suit: JackSuit) -> Rule:
    """Follow suit if able, else play any card: no duty to trump or to head (rules.md §1.4)."""

    def rule(play: Play, hand: tuple[Card, ...]) -> Allowed:
        return may_follow(hand, play.led, trump, jack_suit), errors.MustFollowSuit

    return rule


def _check_discard(at: Playing, player: Player, card: Card | None) -> None:
    at.deal.check_seated(player)
    if player not in at.six:
        raise errors.NothingToDiscard(player=player)
    if card is None:
        return
    at.deal.check_in_pack(card)
    if card in at.kept:
        raise errors.TakenCardStays(card=card)
    hand = at.play.hand(player)
    if hand is not None and card not in hand:
        may = [held for held in hand if held not in at.kept]
        raise errors.CardNotInHand(card=card, player=player, legal=may)
    if card in at.play.seen_elsewhere(player):
        raise errors.CardAlreadyGone(card=card)


Fact = (
    e.CardDiscarded | e.HandShown | e.CardPlayed | e.TrickWon | e.TrickRecorded
    | e.LaVolaAnnounced | e.VoleAnnounced
)  # fmt: skip


def evolve(at: Playing, fact: Fact) -> Playing:
    """The play after this fact."""
    match fact:
        case e.CardPlayed(player=player, card=card):
            return replace(at, play=at.play.played(player, card))
        case e.TrickRecorded(winner=winner):
            return replace(at, play=at.play.recorded(winner), six=())
        case e.TrickWon(winner=winner):
            return replace(at, play=at.play.won(winner))
        case e.CardDiscarded(player=player, card=card):
            return _discarded(at, player, card)
        case e.HandShown(player=player, cards=cards):
            return replace(at, play=at.play.shown(player, cards))
        case e.LaVolaAnnounced(player=player) | e.VoleAnnounced(player=player):
            return replace(at, la_vola=player)


def _discarded(at: Playing, player: Player, card: Card | None) -> Playing:
    """A card laid away unseen makes the rest of that hand unknown."""
    play = at.play
    if card is None:
        hands = tuple(h for h in play.hands if h[0] != player)
        held = tuple(h for h in play.held if h[0] != player or h[1] in at.kept)
        after = replace(play, hands=hands, held=held)
    else:
        after = replace(
            play,
            hands=without(play.hands, player, card),
            held=tuple(h for h in play.held if h != (player, card)),
            gone=play.gone | {card},
        )
    return replace(at, play=after, six=tuple(p for p in at.six if p != player))


def view(at: Playing) -> OpenDealView:
    """What anybody at the table can see of it."""
    play = at.play
    return OpenDealView(
        phase=at.name,
        played_for=at.deal.played_for,
        declarers=at.declarers,
        trump=at.trump,
        turn=play.turn if at.trump and not at.six else None,
        tricks=play.taken,
        cards=play.table,
        la_vola=at.la_vola,
    )


def legal(at: Playing, jack_suit: JackSuit, *, early_end: bool) -> Iterator[Legal]:
    """Which trick may be recorded, and which cards laid away, played or shown now."""
    play = at.play
    if not play.table:
        yield Legal(type="trick", fields={"winner": one_of(*at.deal.seats)})
        if early_end and len(play.taken) >= 3 and _certain(at)[0]:
            yield Legal(type="finish")
    for player in at.six:
        held = play.hand(player) or _unseen(play, player)
        may_go = [card for card in held if card not in at.kept]
        yield Legal(
            type="discard",
            fields={"player": one_of(player), "card": one_of(*may_go)},
            optional=("card",),
        )
    if at.trump and not at.six:
        for player, cards in play.playable(follow_suit(at.trump, jack_suit)):
            yield Legal(type="play", fields={"player": one_of(player), "card": one_of(*cards)})
    yield from hands(play, at.six)


def hands(play: Play, six: tuple[Player, ...] = ()) -> Iterator[Legal]:
    """The hands that can be shown; `six` are those who still have a card to lay away."""
    for player in play.seats:
        size = play.size(player) + (player in six)
        if size and play.hand(player) is None:
            shown = {
                "min": size,
                "max": size,
                "keys": list(_unseen(play, player)),
                "including": play.holds(player),
            }
            yield Legal(type="hand", fields={"player": one_of(player), "cards": shown})


def _unseen(play: Play, player: Player) -> tuple[Card, ...]:
    """The cards that this player may hold, as far as anybody knows."""
    elsewhere = play.seen_elsewhere(player)
    return tuple(card for card in play.pack if card not in elsewhere)
