"""A croupier with real cards: what is cut, turned up, taken, laid away and exchanged really moves.

The croupier has every hand, and plays a deal card by card by the reference rules of the cards
(reference_card_rules.py), choosing among the legal actions. It follows the recorded facts and never
reads the engine's state. Each player shows the hand or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from engine import commands as c
from engine import events as e
from engine.table_view import LegalAction
from tests.support.engine.nonsense_commands import CARDS
from tests.support.engine.random_player import RandomPlayer
from tests.support.engine.random_walk import command
from tests.support.engine.reference_card_rules import HIGH_TO_LOW, Heading, Spades, StandingJacks
from tests.support.ledger.memory_store import Book

NOT_BY_CARDS = ("trick", "tricks", "result", "declare", "undo", "reseat", "merge", "open_deal")
OFTEN = {"play": 30, "turn_up": 30, "cut": 30, "hand": 6, "la_vola": 20, "vole": 20, "finish": 3}
SELDOM = {"all_pass": 0.3, "redeal": 3}
LOWEST = {"polskt_pass": {5: "8"}, "knektpass": {2: "6", 3: "6"}}
USUAL = {"polskt_pass": "9", "polskpas": "9", "spader": "2", "knektpass": "2"}


def make_pack(game: str, seats: int, agreed: dict[str, Any]) -> list[str]:
    """Return the pack of a game: docs/rules.md §1.1, §2.1, §3.1, §4.1."""
    lowest = LOWEST.get(game, {}).get(seats, USUAL[game])
    ranks = HIGH_TO_LOW[: HIGH_TO_LOW.index(lowest) + 1]
    cards = [card for card in CARDS if card[:-1] in ranks]
    if game == "polskpas" and seats == 3:
        removed_ten = "10" + agreed["removed_ten"]
        cards = [card for card in cards if card[:-1] != "9" and card != removed_ten]
    return cards


class Croupier:
    """A dealer that deals and plays every hand at one table."""

    def __init__(self, book: Book, agreed: dict[str, Any], die: Random) -> None:
        self.book = book
        self.game = book.session.opening.game
        self.agreed = agreed
        self.die = die
        self.random_player = RandomPlayer(die)
        self.commands: list[c.Command] = []
        self.checked = 0  # lists of playable cards compared with the reference rules

    def deal(self) -> None:
        """Play one deal, from its opening to its end."""
        self.begin_deal()
        self.act(c.OpenDeal())
        while self.book.session.table.deal_is_open:
            self.act(self.choose_command())

    def begin_deal(self) -> None:
        table = self.book.session.table
        self.seats, self.dealer = table.seats, table.dealer
        self.hiding_players = {
            p for p in self.seats if self.die.random() < 0.5
        }  # players who hide a hand
        self.shuffle()

    def shuffle(self) -> None:
        pack = make_pack(self.game, len(self.seats), self.agreed)
        self.die.shuffle(pack)
        self.hands: dict[str, set[str]] = {}
        self.talon = pack
        self.laid_away: list[str] = []
        self.turn_up: str | None = None
        self.trump: str | None = None
        self.tricks: Any = Spades() if self.game == "spader" else None
        self.players_shown: set[str] = set()  # players whose hand is recorded and true
        self.passed: set[str] = set()
        self.public_cards: set[str] = set()  # cards that everybody saw leave a hand
        if self.game != "polskt_pass":  # in polskt_pass the cutter cuts first
            self.hand_out()

    def hand_out(self) -> None:
        hand_size = 13 if self.game == "spader" else 5
        for player in self.seats:
            had = self.hands.get(player, set())
            self.hands[player] = had | {self.talon.pop() for _ in range(hand_size)}

    # --- choosing ----------------------------------------------------------------------------

    def choose_command(self) -> c.Command:
        ways = [
            (way, self.true_commands(way))
            for way in self.book.legal
            if way.type not in NOT_BY_CARDS
        ]
        commands = [action for _, options in ways for action in options]
        kinds = sorted({action.__struct_config__.tag for action in commands})
        first = [kind for kind in kinds if kind in ("turn_up", "cut") and self.die.random() < 0.9]
        weights = [OFTEN.get(kind, SELDOM.get(kind, 4)) for kind in kinds]
        kind = first[0] if first else self.die.choices(kinds, weights)[0]
        return self.die.choice([s for s in commands if s.__struct_config__.tag == kind])

    def true_commands(self, way: LegalAction) -> Sequence[c.Command]:
        """Return the actions of this entry that are true of the cards."""
        fields = way.fields
        (player,) = fields["player"]["values"] if len(_people(fields)) == 1 else (None,)
        match way.type:
            case "cut":
                return [command("cut", {"card": card}) for card in self.talon[:1]]
            case "turn_up":
                if self.game == "polskt_pass" and len(self.hands) < len(self.seats):
                    self.hand_out()
                return [command("turn_up", {"card": self.talon[-1]})]
            case "play":
                return self.legal_plays(player, fields["card"]["values"])
            case "hand":
                if player in self.hiding_players:
                    return []
                return [command("hand", {"player": player, "cards": sorted(self.hands[player])})]
            case "discard":
                cards = self.discardable_cards(player)
                assert set(fields["card"]["values"]) >= set(cards)
                known_cards = [{"card": card} for card in cards]
                return [
                    command("discard", {"player": player, **card}) for card in (*known_cards, {})
                ]
            case "redeal":
                return [
                    command("redeal", {"player": player, "reason": reason})
                    for reason in fields["reason"]["values"]
                    if self.is_due(reason, self.hands[player])
                ]
            case "stay" | "pass" if self.turn_up is None:
                return []  # without trumps no card could be played
            case "exchange" if "turn_up" in fields and self.turn_up is None:
                return []
        return [self.random_player.say(way)]

    def legal_plays(self, player: str, listed: list[str]) -> Sequence[c.Command]:
        """Return the plays that the reference rules allow, which must be those in `listed` if the
        hand is known."""
        may = self.tricks.may(self.hands[player])
        if player in self.players_shown:
            assert set(listed) == may, (player, listed, may)
            self.checked += 1
        else:
            assert may <= set(listed), (player, listed, may)
            assert not self.public_cards & set(listed), (player, listed, self.public_cards)
        return [command("play", {"player": player, "card": card}) for card in sorted(may)]

    def discardable_cards(self, player: str) -> list[str]:
        """Return the cards that may be laid away: in Polskpas not the one taken (§2.2), else any
        (A-PP-11)."""
        cards_to_keep = {self.turn_up} if self.game == "polskpas" else set()
        return sorted(self.hands[player] - cards_to_keep)

    def is_due(self, reason: str, hand: set[str]) -> bool:
        """Return whether a redeal is due: docs/rules.md §3.2: no spade, no court card, seven of a
        suit."""
        if reason == "no_spade":
            return all(card[-1] != "S" for card in hand)
        if reason == "no_court":
            return all(card[:-1] not in self.agreed["court_cards"] for card in hand)
        return any(sum(card[-1] == suit for card in hand) > 6 for suit in "CSHD")

    # --- what happened -----------------------------------------------------------------------

    def act(self, action: c.Command) -> None:
        self.commands.append(action)
        for recorded in self.book.act(action):
            self.move_cards(recorded.event)
        if isinstance(action, c.Play) and len(self.tricks.cards) == len(self.staying_players):
            taker = self.tricks.take_trick()
            winners = [r.event.winner for r in self.book.history if isinstance(r.event, e.TrickWon)]
            assert winners[-1] == taker

    @property
    def staying_players(self) -> tuple[str, ...]:
        return tuple(p for p in self.seats if p not in self.passed)

    def move_cards(self, fact: object) -> None:
        """Move the cards as the fact says."""
        match fact:
            case e.CutterTook(player=player, card=card):
                self.talon.remove(card)
                self.hands[player] = {card}
            case e.CardTurnedUp(card=card):
                self.talon.remove(card)
                self.turn_up = card
                self.set_trump(card[-1])
            case e.DealerTook(card=card):
                self.hands[self.dealer].add(card)
            case e.TurnUpTaken():
                assert self.turn_up is not None
                self.hands[self.dealer].add(self.turn_up)
            case e.BidMade(player=player, call=call):
                if call in "CSHD":
                    self.set_trump(call)
                elif call == "accept" and self.game == "polskpas":
                    assert self.turn_up is not None
                    self.hands[player].add(self.turn_up)
            case e.CardDiscarded(player=player, card=card):
                if card is None:  # unseen
                    self.players_shown.discard(player)
                    card = self.die.choice(self.discardable_cards(player))
                else:
                    self.public_cards.add(card)
                self.hands[player].remove(card)
            case e.TurnUpExchanged(player=player):
                assert self.turn_up is not None
                discard = self.die.choice(sorted(self.hands[player]))
                self.hands[player] = self.hands[player] - {discard} | {self.turn_up}
                self.players_shown.discard(player)
            case e.CardsExchanged(player=player, cards=cards):
                self.exchange(player, cards)
            case e.Passed(player=player):
                self.passed.add(player)
            case e.RedealClaimed():
                self.shuffle()
            case e.CardsSwapped(side=side):
                self.swap(*side.split("+"))
            case e.HandShown(player=player, cards=cards):
                assert set(cards) == self.hands[player]
                self.players_shown.add(player)
            case e.CardPlayed(player=player, card=card):
                self.hands[player].remove(card)
                self.public_cards.add(card)
                self.tricks.put(player, card)

    def set_trump(self, suit: str) -> None:
        if self.game == "knektpass":
            self.tricks = Heading(suit, self.agreed["must_trump_when_void"])
        else:
            self.tricks = StandingJacks(suit, self.agreed.get("jack_suit") == "natural")

    def exchange(self, player: str, count: int) -> None:
        """Replace `count` cards of a player from the talon; the laid-away cards return to it if
        agreed."""
        if count > len(self.talon):
            assert self.agreed["reshuffle_discards"]
            self.die.shuffle(self.laid_away)
            self.talon = self.laid_away + self.talon
            self.laid_away = []
        discards = self.die.sample(sorted(self.hands[player]), count)
        self.hands[player] -= set(discards)
        self.hands[player] |= {self.talon.pop() for _ in range(count)}
        self.laid_away += discards
        self.players_shown.discard(player)

    def swap(self, partner: str, other_partner: str) -> None:
        """Swap two cards of each partner, face down."""
        for giver, taker in ((partner, other_partner), (other_partner, partner)):
            two = self.die.sample(sorted(self.hands[giver]), 2)
            self.hands[giver] -= set(two)
            self.hands[taker] |= set(two)
        self.players_shown -= {partner, other_partner}


def _people(fields: dict[str, Any]) -> list[Any]:
    return list(fields["player"]["values"]) if "player" in fields else []
