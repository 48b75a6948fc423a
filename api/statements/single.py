"""The statement of one evening, or of one of its players: in money or in points."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from flask import g

from api.qr import svg
from api.receipts import receipts
from api.state import balances, bets, payment, pot, sheet
from api.statements import ending, places
from api.statements.asked import Asked
from api.statements.chart import Chart
from api.statements.curves import by_line
from api.statements.evening import Evening
from api.statements.fluent import Fluent
from api.statements.parts import Pairs, Part
from api.statements.signs import legible
from api.statements.telling import Telling
from api.statements.writing import decimals
from ledger import movements
from ledger.database import Pool
from ledger.movements import Wanted
from ledger.postings import BROUGHT, POT, SHEET
from ledger.session import Session
from ledger.statement import account
from ledger.times import iso


class Single(Telling, frozen=True, kw_only=True, dict=True):
    """Of the session as it stood at its version."""

    session: Session

    @property
    def evening(self) -> Evening:
        (only,) = self.evenings
        return only

    @property
    def hours(self) -> str:
        return "%Y-%m-%d %H:%M" if self.asked.since or self.asked.until else "%H:%M"

    @property
    def subtitle(self) -> str:
        return self.evening.game if self.what != self.evening.game else ""

    def holders(self) -> Mapping[str, str | None]:
        names = self.evening.names
        return {f"player:{player}": names.get(player) for player in self.session.table.players}

    def tables(self) -> Iterable[str]:
        scores = self.session.sheet.scores if self.session.sheet else ()
        brought = (BROUGHT,) if self.session.brought else ()
        return (*(f"score:{keeper}" for keeper in scores), POT, SHEET, *brought)

    def head(self) -> Pairs:
        only = self.evening
        return [("version", only.version), ("seal", only.seal), ("receipt", only.address)]

    def chart(self) -> Chart | None:
        """The curve of a player, or of everybody."""
        if self.unit == "money":
            found = list(self.holders())
        else:
            found = [x for x in self.tables() if x.startswith("score:")]
        names = self.evening.names
        drawn = {
            one: self.speak.people(one.partition(":")[2].split("+"), names)
            for one in found
            if self.mine in (None, one)
        }
        return by_line(self, self.evening, drawn)

    def parts(self) -> Iterator[Part]:
        session, speak, names = self.session, self.speak, self.evening.names
        if session.sheet:
            rows = list(ending.scores(session.sheet, speak, names))
            yield Part(name=speak("statement.scores"), rows=rows)
        if session.for_money:
            rows = list(ending.balances(session, speak, names))
            yield Part(name=speak("statement.balances"), rows=rows)

    def notes(self) -> Iterator[str]:
        speak, session = self.speak, self.session
        if self.asked.since or self.asked.until:
            yield speak("statement.as_of", version=session.version)
        yield speak("statement.zero_points" if session.sheet else "statement.zero")

    def status(self) -> str:
        return self.speak(f"statement.{self.session.status}")

    def document(self) -> tuple[dict[str, Any], dict[str, Any]]:
        session, asked, only = self.session, self.asked, self.evening
        head = {
            "session": str(session.id),
            "title": only.title,
            "game": session.opening.game,
            "currency": self.currency,
            "player": asked.whose,
            "unit": asked.unit,
            "period": {
                "from": iso(self.first) if self.first else None,
                "to": iso(self.last) if self.last else None,
            },
            "filters": {"from": asked.since, "to": asked.until, "tz": asked.zone.key},
            "version": session.version,
            "hash": only.seal,
            "receipt": {"url": only.address, "qr": svg(only.address)},
            "key": receipts().keys.public.hex(),
            "checkpoint": receipts().checkpoint(session.id, session.version).note,
            "opening": self.opening,
        }
        foot = {
            "closing": self.closing,
            "balances": balances(session),
            "pot": pot(session),
            **sheet(session),
            "bets": bets(session),
            "payments_due": [payment(p) for p in session.payments.values() if p.status == "due"],
        }
        return head, foot

    @property
    def mark(self) -> str:
        return f"{self.session.version} {self.evening.seal[:16]}"

    @property
    def sealed(self) -> str:
        return self.speak("statement.sealed", version=self.session.version, hash=self.evening.seal)


def single(session: Session, asked: Asked, pool: Pool, language: str) -> Single:
    """Add up what was asked for. Whoever is told his balance is told the session's."""
    mine = account(session, asked.whose, asked.unit)[0] if asked.whose else None
    currency = session.opening.currency
    wanted = Wanted(
        session_id=session.id,
        upto=session.version,
        unit=asked.unit,
        mine=mine,
        coin=10 ** decimals(currency, asked.unit),
        first=asked.first,
        end=asked.end,
    )
    sums = movements.sums(pool, wanted)
    for player in session.table.players:
        holder, balance = account(session, player, asked.unit)
        assert sums.now.get(holder, 0) == balance, f"the lines of {holder} add up to its balance"
    called: Mapping[str, str | None] = g.card.names
    names = {player: legible(name) if name else None for player, name in called.items()}
    speak = Fluent(language, names)
    only = Evening(
        id=session.id,
        title=legible(g.card.title) if g.card.title else None,
        key=session.opening.game,
        game=session.game.name,
        begun=session.begun,
        at=session.at,
        status=session.status,
        version=session.version,
        seal=session.hash.hex(),
        address=places.receipt(places.here(), session.id, session.version),
        names=names,
        rules=session.rules,
        wanted=wanted,
        sums=sums,
        opening=sums.opening.get(mine or "", 0),
        closing=sums.closing.get(mine or "", 0),
    )
    return Single(
        session=session,
        asked=asked,
        pool=pool,
        speak=speak,
        currency=currency,
        title=only.title,
        what=only.what,
        whose=speak.name(asked.whose, names) if asked.whose else speak("statement.everybody"),
        mine=mine,
        file=f"vola-{str(session.id)[:8]}{f'-{asked.whose}' if asked.whose else ''}"
        f"-v{session.version}",
        evenings=(only,),
        opened=sums.opening,
        closed=sums.closing,
        address=only.address,
        version=only.version,
    )
