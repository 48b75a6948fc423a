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
from tests.verification.attack.phones.phone import Doc, HostView, Phone

RECEIPT_PATH = re.compile(r"/receipts/(\d+)(?:\?to=(\d+))?")
Answer = Callable[[str], Doc | None]


@dataclass(frozen=True)
class Attempt:
    """An attempt to deceive one phone: an honest evening, and what the phone kept of it."""

    book: SignedBook
    players: list[Doc]
    labelled_export: Doc
    phone: Phone
    die: Random

    @property
    def seen_version(self) -> int:
        """The newest version that the phone knows."""
        return self.phone.newest_version

    def draw_seen_version(self, first: int = 1) -> int:
        """Return a random version from `first` up to the newest that the phone knows.

        Raise NotApplicable if there is none."""
        if self.seen_version < first:
            raise NotApplicable
        return self.die.randint(first, self.seen_version)

    def history(self, size: int | None = None) -> list[Doc]:
        """Return a copy of the first `size` events, which the caller may change."""
        return deepcopy(self.book.events[:size])

    def forge_book(self, events: list[Doc], key: SigningKey | None = None) -> SignedBook:
        """Return a book of these events, after numbering, hashing and signing them again."""
        for number, event in enumerate(events, start=1):
            event["version"] = number
        return SignedBook.from_events(self.book.session, events, key or self.book.signing_key)

    def sign_with(self, key: SigningKey) -> SignedBook:
        return self.forge_book(self.history(), key)

    def make_transfer(self, after: Doc) -> Doc:
        """Return a transfer, which could have happened at any time."""
        payer, payee = self.die.sample(json.loads(self.book.events[0]["data"])["players"], 2)
        amount = self.die.randint(1, 999)
        data = f'{{"amount":{amount},"payee":"{payee}","payer":"{payer}"}}'
        at = after["at"] + self.die.randint(1, 10**6)
        return {"type": "transfer_recorded", "schema": 1, "at": at, "by": "host.0", "data": data}

    def branch(self, size: int, max_size: int) -> SignedBook:
        """Return a book of the first `size` events and one or more others, at most `max_size`."""
        events = self.history(size)
        for _ in range(self.die.randint(1, max(1, max_size - size))):
            events.append(self.make_transfer(events[-1]))
        return self.forge_book(events)

    def look(self, book: SignedBook, answer: Answer | None = None) -> str | None:
        """Let the phone look at this book. Return the reason for its alarm, or None."""
        return self.look_at(len(book.events), self.players, answer or answer_from(book))

    def look_at(self, version: int, players: list[Doc], answer: Answer) -> str | None:
        return self.phone.look(HostView(str(self.book.session), version, players, answer))

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


DishonestHost = Callable[[Attempt], str | None]
"""Shows the phone something other than what happened. Returns the reason for its alarm, or None."""


class Hosts(dict[str, DishonestHost]):
    """The variants of one kind of dishonest host."""

    def register(self, variant: str) -> Callable[[DishonestHost], DishonestHost]:
        return lambda host: self.setdefault(variant, host)


class RecordedEvening:
    """An honest evening as the host has it: the book, the names, and what phones kept of it."""

    def __init__(self, evening: Evening, signing_key: SigningKey) -> None:
        self.labelled_export: Doc = evening.client.get("/export?names=true").json
        events = deepcopy(self.labelled_export["events"])
        self.book = SignedBook.from_events(evening.table.id, events, signing_key)
        assert self.book.events == self.labelled_export["events"], "hashed as the host hashes"
        self.players: list[Doc] = evening.client.get().json["players"]
        self.moments = [moment for moment in evening.moments if moment.newest_version > 0]

    def draw_attempt(self, die: Random) -> Attempt:
        phone = die.choice(self.moments).copy()
        return Attempt(self.book, self.players, self.labelled_export, phone, die)
