"""The statement of a circle, or of one of its members, over many evenings.

What one evening left open and another went on with is the same money: it is counted where it was
won or lost, and the lines that bring it forward are left out. So the balances run on from evening
to evening, and with what lies on the tables they add up to nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from api.receipts import receipts
from api.statements.chart import Chart
from api.statements.curves import by_evening
from api.statements.evening import Evening
from api.statements.parts import Contents, Pairs, Part
from api.statements.telling import Telling
from engine.values import Amount, Player
from ledger.circles import Member
from ledger.postings import POT
from ledger.times import iso

BETS = "bets"
DAY, MINUTE = "%Y-%m-%d", "%Y-%m-%d %H:%M"


class OfCircle(Telling, frozen=True, kw_only=True, dict=True):
    """`people`: the accounts of members and guests, and what they are called."""

    circle: UUID
    members: tuple[Member, ...]
    attendance: Mapping[int, Mapping[Player, Member]]
    people: Mapping[str, str | None]
    verify: str  # the address of the page that checks what was taken home

    def place(self, evening: Evening) -> tuple[object, ...]:
        return evening.number, str(evening.id)

    def account(self, evening: Evening, account: str) -> str:
        """A member has one account for all evenings; who is none has one for his evening."""
        return account_of(self.attendance[evening.number], evening.number, account)

    def held(self, evening: Evening, account: str) -> str:
        return held(self.account(evening, account))

    def holders(self) -> Mapping[str, str | None]:
        return self.people

    def tables(self) -> Iterable[str]:
        return POT, BETS

    def head(self) -> Pairs:
        return [("verify", self.verify)]

    def heading(self, evening: Evening) -> str:
        nth = self.speak("statement.nth", number=evening.number)
        return f"{nth} · {evening.what} · {self.clock(evening.begun, DAY)}"

    def about(self, evening: Evening) -> Pairs:
        goes_on: Pairs = [("goes_on", evening.goes_on)] if evening.goes_on else []
        of: Pairs = [("version", evening.version), ("seal", evening.seal)]
        return [*goes_on, *of, ("receipt", evening.address)]

    def contents(self) -> Contents:
        heads = ("evening", "called", "when")
        rows = [
            (
                str(one.number),
                one.what,
                self.clock(one.begun, "%Y-%m-%d %H:%M"),
                *self._came_to(one),
            )
            for one in self.evenings
        ]
        money = ("change", "balance") if self.mine else ()
        return Contents(heads=(*heads, *money), rows=rows, money=len(money))

    def chart(self) -> Chart | None:
        """The curve of a member, or of all who were there."""
        names = {
            account: name or self._nameless(account)
            for account, name in self.people.items()
            if account.startswith("member:") and self.mine in (None, account)
        }
        return by_evening(self, names)

    def parts(self) -> Iterator[Part]:
        rows = [
            (name or self._nameless(account), self.amount(self.closed.get(account, 0), True))
            for account, name in self.people.items()
            if account.startswith("member:")
        ]
        if others := self._sum("guest"):
            rows.append((self.speak("statement.others"), self.amount(others, True)))
        rows.append((self.speak("statement.on_tables"), self.amount(self._sum(POT, BETS))))
        yield Part(name=self.speak("statement.balances"), rows=rows)

    def notes(self) -> Iterator[str]:
        yield self.speak("statement.counted_once")
        yield self.speak("statement.zero_circle")

    def document(self) -> tuple[dict[str, Any], dict[str, Any]]:
        asked = self.asked
        head = {
            "circle": str(self.circle),
            "name": self.what,
            "member": asked.whose,
            "currency": self.currency,
            "period": {
                "from": iso(self.first) if self.first else None,
                "to": iso(self.last) if self.last else None,
            },
            "filters": {"from": asked.since, "to": asked.until, "tz": asked.zone.key},
            "verify": self.verify,
            "opening": self.opening,
            "evenings": [_said(evening) for evening in self.evenings],
        }
        foot = {
            "closing": self.closing,
            "balances": {m: self.closed.get(f"member:{m}", 0) for m in self.members},
            "others": self._sum("guest"),
            "on_tables": self._sum(POT, BETS),
        }
        return head, foot

    @property
    def mark(self) -> str:
        return str(self.circle)[:8]

    @property
    def sealed(self) -> str:
        return f"{self.speak('statement.verify')} {self.verify}"

    def _came_to(self, evening: Evening) -> tuple[str, ...]:
        if not self.mine:
            return ()
        change = evening.closing - evening.opening
        return self.amount(change, True), self.amount(evening.closing)

    def _nameless(self, account: str) -> str:
        return nameless(self.speak, account.partition(":")[2])

    def _sum(self, *kinds: str) -> Amount:
        return sum(x for account, x in self.closed.items() if account.partition(":")[0] in kinds)


def account_of(members: Mapping[Player, Member], number: int, account: str) -> str:
    kind, _, player = account.partition(":")
    if kind != "player":
        return account
    member = members.get(player)
    return f"member:{member}" if member else f"guest:{number}.{player}"


def held(account: str) -> str:
    """Bets are renumbered when they go on, and stay on one account until somebody takes them."""
    return BETS if account.startswith("bet:") else account


def nameless(speak: Any, member: Member) -> str:
    """Who has been forgotten."""
    said: str = speak("statement.member", number=member[1:])
    return said


def _said(evening: Evening) -> dict[str, Any]:
    """An evening as clients see it."""
    return {
        "number": evening.number,
        "session": str(evening.id),
        "title": evening.title,
        "game": evening.key,
        "begun_at": iso(evening.begun),
        "status": evening.status,
        "brought_from": evening.brought_from,
        "carried_to": evening.carried_to,
        "version": evening.version,
        "hash": evening.seal,
        "receipt": evening.address,
        "key": receipts().keys.public.hex(),
        "checkpoint": receipts().checkpoint(evening.id, evening.version).note,
        "opening": evening.opening,
        "closing": evening.closing,
    }
