"""A dishonest host: it has the whole database and the signing key, and may give phones any answer.

A try starts from what a phone kept at some moment of an honest evening. The host then shows
something else, and the phone looks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from random import Random

from ledger.proofs.signing_key import SigningKey
from tests.support.proofs.exported_files import SignedBook
from tests.verification.attack.forger import NotApplicable
from tests.verification.attack.phones.honest_evening import Evening
from tests.verification.attack.phones.phone import Doc, Phone, Shown

RECEIPT_PATH = re.compile(r"/receipts/(\d+)(?:\?to=(\d+))?")
Answer = Callable[[str], Doc | None]


@dataclass(frozen=True)
class Scene:
    """An honest evening, and what one phone kept of it."""

    book: SignedBook
    players: list[Doc]
    labelled_export: Doc
    phone: Phone
    die: Random

    @property
    def seen(self) -> int:
        """The newest version that the phone knows."""
        return self.phone.newest_version

    def version_seen(self, first: int = 1) -> int:
        """Return a random version from `first` up to the newest that the phone knows.

        Raise NotApplicable if there is none."""
        if self.seen < first:
            raise NotApplicable
        return self.die.randint(first, self.seen)

    def history(self, size: int | None = None) -> list[Doc]:
        """Return a copy of the first `size` events, which the caller may change."""
        return deepcopy(self.book.events[:size])

    def forged(self, events: list[Doc], key: SigningKey | None = None) -> SignedBook:
        """Return a book of these events, after numbering, hashing and signing them again."""
        for number, event in enumerate(events, start=1):
            event["version"] = number
        return SignedBook.from_events(self.book.session, events, key or self.book.signing_key)

    def signed_with(self, key: SigningKey) -> SignedBook:
        return self.forged(self.history(), key)

    def transfer(self, after: Doc) -> Doc:
        """Return a transfer, which could have happened at any time."""
        payer, payee = self.die.sample(json.loads(self.book.events[0]["data"])["players"], 2)
        amount = self.die.randint(1, 999)
        data = f'{{"amount":{amount},"payee":"{payee}","payer":"{payer}"}}'
        at = after["at"] + self.die.randint(1, 10**6)
        return {"type": "transfer_recorded", "schema": 1, "at": at, "by": "host.0", "data": data}

    def branch(self, size: int, most: int) -> SignedBook:
        """Return a book of the first `size` events and at least one other, up to `most` events."""
        events = self.history(size)
        for _ in range(self.die.randint(1, max(1, most - size))):
            events.append(self.transfer(events[-1]))
        return self.forged(events)

    def look(self, book: SignedBook, answer: Answer | None = None) -> str | None:
        """Let the phone look at this book."""
        return self.look_at(len(book.events), self.players, answer or answer_from(book))

    def look_at(self, version: int, players: list[Doc], answer: Answer) -> str | None:
        return self.phone.look(Shown(str(self.book.session), version, players, answer))

    def check_export(self, book: SignedBook) -> str | None:
        """Let the phone check the whole evening."""
        return self.phone.check_export(self.players, json.dumps(book.export()))

    def look_somehow(self, book: SignedBook) -> str | None:
        """Let the phone look by itself or, in 15 % of cases, check the whole evening."""
        return self.check_export(book) if self.die.random() < 0.15 else self.look(book)


def answer_from(book: SignedBook) -> Callable[[str], Doc]:
    """Return a function that answers `GET …/receipts/{version}` as the API would for this book."""

    def answer(path: str) -> Doc:
        match = RECEIPT_PATH.fullmatch(path)
        assert match, path
        version, size = int(match[1]), len(book.events)
        head = int(match[2] or size)
        for requested_version in (version, head):
            if not 1 <= requested_version <= size:
                return {"code": "unknown_version", "version": requested_version, "status": 404}
        return book.receipt(version, head)

    return answer


Kind = Callable[[Scene], str | None]
"""Shows the phone something other than what happened. Returns the reason of its alarm, or None."""

KINDS: dict[str, dict[str, Kind]] = {}
"""The variants of each kind of dishonest host."""


def register_host(kind: str, variant: str) -> Callable[[Kind], Kind]:
    return lambda attempt: KINDS.setdefault(kind, {}).setdefault(variant, attempt)


class Stage:
    """A factory for scenes of one evening, whose book it reads once."""

    def __init__(self, evening: Evening, signing_key: SigningKey) -> None:
        self.labelled_export: Doc = evening.client.get("/export?names=true").json
        events = deepcopy(self.labelled_export["events"])
        self.book = SignedBook.from_events(evening.table.id, events, signing_key)
        assert self.book.events == self.labelled_export["events"], "hashed as the host hashes"
        self.players: list[Doc] = evening.client.get().json["players"]
        self.moments = [moment for moment in evening.moments if moment.newest_version > 0]

    def scene(self, die: Random) -> Scene:
        phone = die.choice(self.moments).copy()
        return Scene(self.book, self.players, self.labelled_export, phone, die)
