"""A person at the prompt: sees his hand and the table, and chooses by a number or by the card.

Offers only what is legal. Knows no rules; what may be chosen comes with the question.
"""

from collections.abc import Callable, Sequence
from typing import Any

from api.play.memory import TakeBack
from api.play.seat import Purpose, Seat
from api.play.voice import Voice, in_order, read_card
from engine import commands as c
from engine.cards import Card

MANY = 12
"""More choices than this are asked for in two steps."""


class Leaves(Exception):
    """The person gets up; the evening is kept."""


class Person:
    """Decides for himself. `read` asks a line, `show` prints one."""

    def __init__(
        self,
        voice: Voice,
        agreed: Any,
        *,
        read: Callable[[str], str] = input,
        show: Callable[[str], None] = print,
    ) -> None:
        self.voice = voice
        self.agreed = agreed
        self.read = read
        self.show = show
        self.picked: tuple[Card, ...] = ()  # for the exchange that was just chosen

    def chooses(self, seat: Seat, choices: list[c.Command | None]) -> c.Command | None:
        self._see(seat)
        said = [choice for choice in choices if choice is not None]
        counts = {x.cards: x for x in said if isinstance(x, c.Exchange) and x.cards}
        if counts:
            most = max(counts)
            self.picked = self._cards(seat, 0, most, self.voice("ask_exchange", most=most))
            return counts.get(len(self.picked))
        if len(choices) > MANY:
            return self._in_two_steps(choices, said)
        if None not in choices:
            choices = [*self._in_hand_order(said)]
        return choices[self._one_of([self._label(choice) for choice in choices], choices)]

    def lays(self, seat: Seat, count: int, purpose: Purpose) -> tuple[Card, ...]:
        if purpose == "exchange":
            return self.picked
        up = seat.view.turn_up
        card = self.voice.card(up) if up else ""
        self.show(self._hand(seat))
        ask = self.voice(f"ask_{purpose}", count=count, card=card)
        return self._cards(seat, count, count, ask)

    def looks(self, seat: Seat) -> bool:
        self._see(seat)
        return not self._one_of([self.voice("look"), self.voice("do_not_look")])

    def counts(self, seat: Seat) -> int:
        raise AssertionError("a person bids for his side himself")

    def waits(self) -> None:
        """Between two deals."""
        while self._line(self.voice("next")):
            self.show(self.voice("not_a_choice"))

    def _in_hand_order(self, said: list[c.Command]) -> list[c.Command]:
        """Words first, then cards as he holds them."""
        cards = {card: x for x in said if (card := getattr(x, "card", None))}
        words = [choice for choice in said if choice not in cards.values()]
        return [*words, *(cards[card] for card in in_order(cards))]

    def _in_two_steps(
        self, choices: list[c.Command | None], said: list[c.Command]
    ) -> c.Command | None:
        """First what kind of bid, then the number."""
        forms: dict[Any, list[c.Command]] = {}
        for choice in said:
            forms.setdefault(self.voice.form(choice), []).append(choice)
        kinds: list[list[Any]] = [*([[None]] if None in choices else []), *forms.values()]
        labels = [self._form(kind) for kind in kinds]
        kind = kinds[self._one_of(labels)]
        if len(kind) == 1:
            found: c.Command | None = kind[0]
            return found
        numbers = [self._number(choice) for choice in kind]
        ask = self.voice("ask_count", least=numbers[0], most=numbers[-1])
        while True:
            line = self._line(ask)
            if _number_in(line) in numbers:
                chosen: c.Command = kind[numbers.index(_number_in(line))]
                return chosen
            self.show(self.voice("not_a_choice"))

    def _form(self, kind: list[Any]) -> str:
        """A kind of bid, its number still open."""
        label = self._label(kind[0])
        if len(kind) == 1:
            return label
        first, last = self._number(kind[0]), self._number(kind[-1])
        return label.replace(f": {first}", f": {first}–{last}", 1)

    def _number(self, choice: Any) -> int:
        return int(choice.tricks)

    def _label(self, choice: c.Command | None) -> str:
        return self.voice("nothing") if choice is None else self.voice.label(choice)

    def _see(self, seat: Seat) -> None:
        """The table as it lies, and his own hand."""
        voice, view = self.voice, seat.view
        seen = []
        if view.trump:
            seen.append(voice("trump", suit=voice.suit(view.trump)))
        if view.turn_up:
            seen.append(voice("turned_up", card=voice.card(view.turn_up)))
        if view.declarers:
            seen.append(voice("declares", who=voice.who(*view.declarers)))
        if view.played_for:
            seen.append(voice("played_for", amount=voice.money(view.played_for)))
        if view.tricks:
            told = [f"{voice.who(p)} {view.tricks.count(p)}" for p in dict.fromkeys(view.tricks)]
            seen.append(voice("tricks", tricks=", ".join(told)))
        if any(view.exchanged.values()):
            told = [f"{voice.who(p)} {count}" for p, count in view.exchanged.items()]
            seen.append(voice("exchanged", counts=", ".join(told)))
        self.show("")
        if seen:
            self.show(f"{', '.join(seen)}.")
        if view.bids:
            self.show(voice("bids", bids="; ".join(map(self._bid, view.bids))))
        if view.cards:
            told = [f"{voice.who(player)} {voice.card(card)}" for player, card in view.cards]
            self.show(voice("on_table", cards="  ".join(told)))
        elif view.turn == seat.player and view.phase == "playing":
            self.show(voice("you_lead"))
        if view.phase != "waiting":
            self.show(self._hand(seat))
        if seat.partner and view.phase == "bidding":
            self.show(self._partner(seat))

    def _bid(self, bid: dict[str, Any]) -> str:
        keeper = self.voice.keeper(bid["side"])
        return f"{keeper} {self.voice.details(c.SideBid(**bid))}"

    def _partner(self, seat: Seat) -> str:
        who = self.voice.who(str(seat.partner))
        if seat.partner_counts is None:
            return self.voice("partner_unseen", who=who)
        return self.voice("partner_counts", who=who, count=seat.partner_counts)

    def _hand(self, seat: Seat) -> str:
        if seat.hand is None:
            return self.voice("unseen")
        return self.voice("hand", cards=self.voice.cards(in_order(seat.hand)))

    def _one_of(
        self, labels: Sequence[str], choices: Sequence[c.Command | None] | None = None
    ) -> int:
        """The place of the chosen label."""
        width = len(str(len(labels)))
        self.show("  ".join(f"{n:>{width}} {label}" for n, label in enumerate(labels, start=1)))
        cards = [getattr(choice, "card", None) for choice in choices or ()]
        while True:
            line = self._line(self.voice("ask"))
            if not line and choices and choices[0] is None:
                return 0
            if 1 <= _number_in(line) <= len(labels):
                return int(line) - 1
            if line and read_card(line) in cards:
                return cards.index(read_card(line))
            self.show(self.voice("not_a_choice"))

    def _cards(self, seat: Seat, least: int, most: int, ask: str) -> tuple[Card, ...]:
        """So many different cards of his hand."""
        hand = seat.hand or ()
        while True:
            cards = tuple(read_card(word) for word in self._line(ask).split())
            different = set(cards) <= set(hand) and len(set(cards)) == len(cards)
            if different and least <= len(cards) <= most:
                return cards
            self.show(self.voice("wrong_cards"))

    def _line(self, ask: str) -> str:
        """One line that is not for the terminal itself."""
        while True:
            try:
                line = self.read(ask).strip()
            except EOFError:
                raise Leaves from None
            match line.lower():
                case "?":
                    self._help()
                case "u":
                    raise TakeBack
                case "q":
                    raise Leaves
                case _:
                    return line

    def _help(self) -> None:
        self.show(self.voice("help"))
        self.show(self.voice("agreed"))
        for line in self.voice.agreed(self.agreed):
            self.show(f"  {line}")


def _number_in(line: str) -> int:
    """The number that was typed; nought, which is never a choice, if it was none."""
    return int(line) if line.isascii() and line.isdecimal() and len(line) < 5 else 0
