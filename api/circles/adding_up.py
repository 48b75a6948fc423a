"""A circle's evenings are added up, the oldest first, one after the other.

Of each only its sums are kept; the lines are read when they are told.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from api.circles.of_circle import OfCircle, account_of, held, nameless
from api.circles.played import Played
from api.statements import places
from api.statements.asked import Asked
from api.statements.evening import Evening
from api.statements.fluent import Fluent
from api.statements.signs import legible
from api.statements.writing import decimals
from engine.values import Amount, Player
from ledger import movements
from ledger.cards import Cards
from ledger.circles import Circle, Member
from ledger.database import Pool
from ledger.movements import Sums, Wanted

NOBODY = ""
"""The account of a member on an evening that he did not come to: nothing moves on it."""


class AddingUp:
    """What everybody has come to, so far."""

    def __init__(self, circle: Circle, asked: Asked, pool: Pool, language: str) -> None:
        self.circle, self.asked, self.pool, self.here = circle, asked, pool, places.here()
        self.cards = Cards(pool)
        self.speak = Fluent(language, {})
        self.opened, self.closed = Counter[str](), Counter[str]()
        self.people = dict[str, str | None]()
        self.numbers = {str(one.session_id): one.number for one in circle.evenings}

    def told(self, evenings: Iterable[Played], currency: str) -> OfCircle:
        """The statement of evenings of one currency, the oldest first."""
        asked, circle, speak = self.asked, self.circle, self.speak
        summed = [(played, self._sums(played)) for played in evenings]
        mine = f"member:{asked.whose}" if asked.whose else None
        who = f"-{asked.whose}" if asked.whose else ""
        return OfCircle(
            asked=asked,
            pool=self.pool,
            speak=speak,
            currency=currency,
            title=legible(circle.name),
            what=legible(circle.name),
            whose=self._called(asked.whose) if asked.whose else speak("statement.circle"),
            mine=mine,
            file=f"vola-{str(circle.id)[:8]}{who}",
            evenings=tuple(self._running(summed, self.opened[mine or NOBODY])),
            opened=self.opened,
            closed=self.closed,
            columns=("evening", "session"),
            circle=circle.id,
            members=tuple(circle.members),
            attendance={one.number: one.members for one in circle.evenings},
            people=self.people,
            verify=f"{self.here}/verify",
        )

    def _sums(self, played: Played) -> tuple[Wanted, Sums]:
        """Add one evening's accounts to everybody's."""
        members, number = played.evening.members, played.evening.number
        wanted = self._wanted(played)
        sums = movements.sums(self.pool, wanted)
        for player, balance in played.balances.items():
            now = sums.now.get(f"player:{player}", 0)
            assert now == balance, (
                f"the lines of {player} in evening {number} add up to his balance"
            )
        for kept, totals in ((self.opened, sums.opening), (self.closed, sums.closing)):
            for account, amount in totals.items():
                kept[held(account_of(members, number, account))] += amount
        for player, name in self._players(played).items():
            self.people.setdefault(account_of(members, number, f"player:{player}"), name)
        return wanted, sums

    def _wanted(self, played: Played) -> Wanted:
        members, whose = played.evening.members, self.asked.whose
        seats = (f"player:{p}" for p in played.balances if members.get(p) == whose)
        return Wanted(
            session_id=played.evening.session_id,
            upto=played.version,
            unit="money",
            mine=next(seats, NOBODY) if whose else None,
            brought=False,
            coin=10 ** decimals(played.currency, "money"),
            first=self.asked.first,
            end=self.asked.end,
        )

    def _running(
        self, summed: list[tuple[Played, tuple[Wanted, Sums]]], opening: Amount
    ) -> Iterator[Evening]:
        """Those that began or moved something in the period, each with the balance so far."""
        for played, (wanted, sums) in summed:
            mine = wanted.mine or NOBODY
            closing = opening + sums.closing.get(mine, 0) - sums.opening.get(mine, 0)
            if sums.lines or played.begun >= self.asked.first:
                yield self._evening(played, wanted, sums, opening, closing)
            opening = closing

    def _evening(
        self, played: Played, wanted: Wanted, sums: Sums, opening: Amount, closing: Amount
    ) -> Evening:
        evening, members = played.evening, played.evening.members
        names = self._players(played)
        for player, member in members.items():
            names[player] = names.get(player) or self._called(member)
        return Evening(
            id=evening.session_id,
            title=legible(evening.title) if evening.title else None,
            key=played.key,
            game=played.game,
            begun=played.begun,
            at=played.at,
            status=played.status,
            version=played.version,
            seal=played.seal,
            address=places.receipt(self.here, evening.session_id, played.version),
            names=names,
            rules=played.rules,
            wanted=wanted,
            sums=sums,
            opening=opening,
            closing=closing,
            number=evening.number,
            goes_on=self.numbers.get(played.brought_from or ""),
            brought_from=played.brought_from,
            carried_to=played.carried_to,
        )

    def _players(self, played: Played) -> dict[Player, str | None]:
        """What they are called: members as the circle calls them, guests as the evening does."""
        members = played.evening.members
        guests = [player for player in played.balances if player not in members]
        card = self.cards.card(played.evening.session_id) if guests else None
        known = card.names if card else {}
        names = {
            player: self.circle.members.get(members[player])
            if player in members
            else known.get(player)
            for player in played.balances
        }
        return {player: legible(name) if name else None for player, name in names.items()}

    def _called(self, member: Member) -> str:
        name = self.circle.members.get(member)
        return legible(name) if name else nameless(self.speak, member)
