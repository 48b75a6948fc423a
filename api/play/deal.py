"""A deal in play, card by card: who is asked what, in which order, and the cards that follow.

Goes by the list of what is legal, with every hand as it truly is, and by the facts that come of it.
Does not know the rules of any game, nor how a person is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import TypeVar

from api.play import choices
from api.play.book import Book
from api.play.croupier import Croupier
from api.play.memory import Asked, Kept, Memory, Point
from api.play.seat import Mind, Seat
from api.play.told import Told
from engine import commands as c
from engine import events as e
from engine.cards import Card
from engine.game import Legal, OpenDealView
from engine.talon import ROUNDS
from engine.values import Player, clockwise_from, left_of
from ledger.session import Session

A = TypeVar("A")


class Dealing:
    """The cards, those who hold them, and the book that it all goes into."""

    def __init__(
        self,
        book: Book,
        minds: dict[Player, Mind],
        told: Told,
        *,
        seed: str,
        hidden: bool,
        person: Player | None,
    ) -> None:
        self.book = book
        self.minds = minds
        self.told = told
        self.hidden = hidden
        self.person = person
        self.croupier = Croupier(f"{seed} cards")
        self.memory = Memory()
        self.points: list[Point] = []
        self.said = 0  # actions that still stand

    @property
    def session(self) -> Session:
        return self.book.session

    @property
    def view(self) -> OpenDealView:
        """What lies open; between deals nothing does."""
        found = self.session.game.view(self.session.table.table)
        return found or OpenDealView(phase="waiting")

    def begin(self) -> None:
        """Shuffle, and open the next deal."""
        evening, game = self.session.table, self.session.game
        self.memory = Memory()
        pack = game.pack(self.session.options, evening.seats)
        order = clockwise_from(left_of(evening.dealer, evening.seats), evening.seats)
        self.croupier.take_up(pack, order, game.hand_size)
        self.say(c.OpenDeal(number=evening.next_number))

    def step(self) -> None:
        """The next word or card: of the croupier, or of whoever is asked."""
        legal = self.book.legal()
        kinds = {entry.type for entry in legal}
        if "cut" in kinds:
            self.say(c.Cut(card=self.croupier.lift()))
            return
        self.croupier.deal()
        if "turn_up" in kinds:
            self.say(c.TurnUp(card=self.croupier.turn()))
            return
        waiting = _could_show(legal)
        looking = [player for player in self.croupier.order if player in waiting]
        looking = [player for player in looking if self._looks(player, legal)]
        if looking and not self.hidden:
            player = looking[0]
            self.say(c.Hand(player=player, cards=self.croupier.hands[player]))
            return
        honest = choices.decisions(self.session.game, self._with_hands(legal, looking))
        self._decide(honest, face_down=waiting - set(looking))

    def _looks(self, player: Player, legal: tuple[Legal, ...]) -> bool:
        """Who could still bid without looking is asked, once before every bid."""
        if player not in self._unseen_bidders(legal):
            return True
        key = (player, len(self.view.bids))
        if key not in self.memory.looked:
            # nobody has said a word to his partner before he has looked himself
            seat = replace(self.seat(player), hand=None, partner=None, partner_counts=None)
            already = self.memory.looked_at(player)
            self.memory.looked[key] = already or self.answer(player, lambda mind: mind.looks(seat))
        return self.memory.looked[key]

    def _unseen_bidders(self, legal: tuple[Legal, ...]) -> set[Player]:
        """Now, or after the next bid."""
        found = choices.unseen_bidders(legal)
        game, options, at = self.session.game, self.session.options, self.session.table.table
        next_bid = [entry for entry in legal if entry.type == "side_bid"]
        if next_bid:
            said = next(choices.written_out(next_bid[0]))
            for fact in game.decide(options, at, said):
                at = game.evolve(at, fact)
            found |= choices.unseen_bidders(game.legal(options, at))
        return found

    def _with_hands(self, legal: tuple[Legal, ...], looking: list[Player]) -> tuple[Legal, ...]:
        """What would be legal if these hands lay open: nobody plays what he does not hold."""
        if not looking:
            return legal
        game, at = self.session.game, self.session.table.table
        for player in looking:
            at = game.evolve(at, e.HandShown(player=player, cards=self.croupier.hands[player]))
        return game.legal(self.session.options, at)

    def _decide(self, honest: list[Legal], *, face_down: set[Player]) -> None:
        """Ask whoever may say something that nobody waits for; then whose turn it is."""
        view, dealer = self.view, self.session.table.dealer
        for entry in honest:
            if entry.type not in choices.MAY_BE_LEFT_OUT:
                continue
            for player in choices.whose(entry, view, dealer):
                key = (player, entry.type, self.memory.round, *entry.fields)
                asks = player not in face_down and key not in self.memory.asked
                if asks and self._ask(player, [entry], key):
                    return
        if self._another_round(honest):
            return
        due = [entry for entry in honest if entry.type not in choices.MAY_BE_LEFT_OUT]
        who = choices.whose(due[0], view, dealer)
        player = self.person if self.person in who and self.person else who[0]
        own = [entry for entry in due if player in choices.whose(entry, view, dealer)]
        self._ask(player, own)

    def _another_round(self, honest: list[Legal]) -> bool:
        """Exchanging goes on as long as somebody does, and no longer than the rules say."""
        again = self.memory.spoke and self.memory.round < ROUNDS
        self.memory.spoke = False
        if again and any(entry.type == "exchange" for entry in honest):
            self.memory.round += 1
            return True
        return False

    def _ask(self, player: Player, entries: list[Legal], key: Asked | None = None) -> bool:
        """Whether anything was said. With a `key` it may be declined, and is not asked again."""
        seat = self.seat(player)
        open_to: list[c.Command | None] = [
            choice
            for entry in entries
            for choice in choices.written_out(entry)
            if getattr(choice, "player", player) == player
        ]
        offered = [*([None] if key else []), *open_to]
        if len(offered) == 1 and len(seat.hand or ()) <= 1:
            chosen = offered[0]  # the last card needs no thought
        else:
            chosen = self.answer(player, lambda mind: mind.chooses(seat, offered))
        if key:
            self.memory.asked.add(key)
        if chosen is None:
            return False
        self.say(chosen, self._laid(player, chosen))
        self.memory.spoke |= isinstance(chosen, c.Exchange) and not chosen.turn_up
        return True

    def answer(self, player: Player, ask: Callable[[Mind], A]) -> A:
        """A person's answers can be taken back, so it is kept how everything was before."""
        if player != self.person:
            return ask(self.minds[player])
        self.points.append(Point(said=self.said, kept=self._kept()))
        answer = ask(self.minds[player])
        self.points[-1].answered = True
        return answer

    def _laid(self, player: Player, chosen: c.Command) -> tuple[Card, ...]:
        """The cards that go with a word, and are not named with it."""
        mind, seat = self.minds[player], self.seat(player)
        match chosen:
            case c.Exchange(turn_up=True):
                return mind.lays(seat, 1, "turn_up")
            case c.Exchange(cards=int(count)):
                return mind.lays(seat, count, "exchange")
            case c.Discard(card=str(card)):
                return (card,)
            case c.Swap() if seat.partner:
                given = mind.lays(seat, 2, "give")
                self.croupier.pass_on(player, seat.partner, given)
                back = self.minds[seat.partner].lays(self.seat(seat.partner), 2, "give_back")
                self.croupier.pass_on(seat.partner, player, back)
        return ()

    def say(self, command: c.Command, cards: tuple[Card, ...] = ()) -> None:
        """Write it, move the cards, and tell."""
        aloud = command
        if self.hidden and isinstance(command, c.Discard):
            aloud = c.Discard(player=command.player)
        happened = self.book.say(aloud)
        self.said += 1
        self.croupier.follow(happened, cards)
        if any(isinstance(fact, e.RedealClaimed) for fact in happened):
            self.memory = Memory()
        now = self.session.game.cards(self.session.options, self.session.table.table)
        if now:
            self.croupier.taken_up(now.play.held)
        self.told.happened(self.session, happened)

    def seat(self, player: Player) -> Seat:
        """The table from this player's chair."""
        table, sheet, view = self.session.table, self.session.sheet, self.view
        sides = [keeper.split("+") for keeper in sheet.scores] if sheet else []
        partner = next((o for side in sides if player in side for o in side if o != player), None)
        seat = Seat(
            player=player,
            hand=self._hand(player),
            view=view,
            dealer=table.dealer,
            seats=table.seats,
            partner=partner,
        )
        if partner is None or partner == self.person or view.phase != "bidding":
            return seat
        there = replace(seat, player=partner, partner=player, hand=self._hand(partner))
        counts = None if there.hand is None else self.minds[partner].counts(there)
        return replace(seat, partner_counts=counts)

    def _hand(self, player: Player) -> tuple[Card, ...] | None:
        """His cards, once he has looked."""
        if self.view.phase == "bidding" and self.memory.face_down(player):
            return None
        return self.croupier.hands.get(player)

    def take_back(self) -> None:
        """To a person's last choice: what was said since is undone, the cards go back."""
        while self.points and not self.points[-1].answered:
            self.points.pop()
        if self.points:
            point = self.points.pop()
            while self.said > point.said:
                step = min(100, self.said - point.said)
                self.book.say(*[c.Undo()] * step)
                self.said -= step
            self.croupier, self.memory, machines = point.kept
            self.minds = {**self.minds, **machines}
            self.told.taken_back(self.session, True)
        else:
            self.told.taken_back(self.session, False)

    def _kept(self) -> Kept:
        machines = {player: mind for player, mind in self.minds.items() if player != self.person}
        return deepcopy((self.croupier, self.memory, machines))


def _could_show(legal: tuple[Legal, ...]) -> set[Player]:
    """Whose hand the rules would hear of now."""
    hands = (entry.fields["player"]["values"] for entry in legal if entry.type == "hand")
    return {player for players in hands for player in players}
