"""An evening at one table: deal after deal, until so many are played or somebody has won.

Does not know the rules of any game; how one deal is played is for `deal` and `short` to say.
"""

from __future__ import annotations

from collections.abc import Callable

from api.play import choices
from api.play.book import Book
from api.play.deal import Dealing
from api.play.memory import TakeBack
from api.play.seat import Mind
from api.play.told import Silent, Told
from engine import commands as c
from engine.errors import LeftoversToPlayFor
from engine.values import Player, left_of
from ledger.session import Session

USUAL = 12
MOST_UNTIL_WON = 100
"""Deals of a game for points, if nobody says how many: it might go on for ever."""

MOST_LEFTOVERS = 500
"""Deals more to empty a table that has agreed to play on for what is left."""

WholeDeal = Callable[[Session], list[c.Command]]
"""Makes up a deal from its opening to its last action."""


class Table:
    """One evening in play. `person`: who decides himself; `between`: what he does between deals."""

    def __init__(
        self,
        book: Book,
        minds: dict[Player, Mind],
        *,
        seed: str,
        deals: int | None = None,
        hidden: bool = False,
        person: Player | None = None,
        between: Callable[[], None] = lambda: None,
        told: Told | None = None,
        whole_deal: WholeDeal | None = None,
    ) -> None:
        self.book = book
        self.told = told or Silent()
        self.between = between
        self.whole_deal = whole_deal
        self.dealing = Dealing(book, minds, self.told, seed=seed, hidden=hidden, person=person)
        until_won = deals is None and book.session.game.scoring is not None
        self.deals = MOST_UNTIL_WON if until_won else deals or USUAL
        self.passed_over = 0  # dealers in a row who may not put in the stake
        self.leftovers = 0  # deals that were only played for what was left

    @property
    def session(self) -> Session:
        return self.book.session

    def play(self) -> None:
        """To the end of the evening: closed, unless its table would have to play on for ever."""
        while True:
            try:
                if self.session.table.open:
                    self.dealing.step()
                elif not self._next_deal():
                    return
            except TakeBack:
                self.dealing.take_back()

    def _next_deal(self) -> bool:
        """Open one, or end the evening; whether it goes on."""
        played, sheet = self.session.table.number, self.session.sheet
        if played and not self.whole_deal:
            self._after_deal(played)
        if played >= self.deals or (sheet and sheet.winners):
            return self._end()
        if "open_deal" in self._legal():
            self.passed_over = 0
            self._open()
            return True
        return self._somebody_else_deals() or self._end()

    def _legal(self) -> set[str]:
        return {entry.type for entry in self.book.legal()}

    def _open(self) -> None:
        if self.whole_deal is None:
            self.dealing.begin()
        else:
            happened = self.book.say(*self.whole_deal(self.session))
            self.told.happened(self.session, happened)

    def _after_deal(self, number: int) -> None:
        """Bets just laid may be put together; then a person says when to go on."""
        dealing, asked = self.dealing, self.dealing.memory.asked
        merge = [entry for entry in self.book.legal() if entry.type == "merge"]
        if merge and ("merge", number) not in asked:
            player = dealing.person or self.session.table.dealer
            offered = [None, *choices.written_out(merge[0])]
            seat = dealing.seat(player)
            chosen = dealing.answer(player, lambda mind: mind.chooses(seat, offered))
            asked.add(("merge", number))
            if chosen is not None:
                dealing.say(chosen)
        if dealing.person and ("pause", number) not in asked:
            self.between()
            asked.add(("pause", number))

    def _somebody_else_deals(self) -> bool:
        """A dealer who may not put in the stake is passed over, until all have been."""
        evening = self.session.table
        instead = any("dealer" in entry.fields for entry in self.book.legal())
        if not instead or self.passed_over >= len(evening.seats):
            return False
        self.passed_over += 1
        dealer = left_of(evening.dealer, evening.seats)
        self.dealing.say(c.Reseat(players=evening.seats, dealer=dealer))
        return True

    def _end(self) -> bool:
        """Close the evening; a table that plays on for what is left does so for a long while."""
        try:
            self.told.happened(self.session, self.book.close())
        except LeftoversToPlayFor:
            playing_on = self.leftovers < MOST_LEFTOVERS and "open_deal" in self._legal()
            self.told.left(self.session, playing_on)
            self.leftovers += 1
            if playing_on:
                self._open()
            return playing_on
        return False
