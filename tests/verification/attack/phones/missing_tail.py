"""Histories that end before what the phone has seen: cut off, or those of an old backup."""

from __future__ import annotations

import json
from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.signing_key import SigningKey
from tests.support.proofs.exported_files import SignedBook
from tests.verification.attack.forger import NotApplicable
from tests.verification.attack.phones.dishonest_host import Attempt, Hosts, answer_from
from tests.verification.attack.phones.phone import Doc

CUT = Hosts()
BACKUP = Hosts()


def cut_tail(attempt: Attempt) -> SignedBook:
    """Return the book without its last events; the phone has seen at least one of them."""
    return attempt.forge_book(attempt.history(attempt.draw_seen_version(2) - 1))


def answer_or_else(remaining: SignedBook, replacement: Doc | None) -> Callable[[str], Doc | None]:
    """Return a function that answers as the API does; for versions that are gone, `replacement`."""
    answer = answer_from(remaining)

    def answer_or(path: str) -> Doc | None:
        document = answer(path)
        return replacement if "code" in document else document

    return answer_or


def regrow_tail(attempt: Attempt, length: int) -> str | None:
    """Let the phone look at a book of up to `length` events that has another tail."""
    return attempt.look_somehow(attempt.branch(len(cut_tail(attempt).events), length))


@CUT.register("the newest versions gone")
def _(attempt: Attempt) -> str | None:
    return attempt.look_somehow(cut_tail(attempt))


@CUT.register("another tail grown")
def _(attempt: Attempt) -> str | None:
    return regrow_tail(attempt, len(attempt.book.events) + 3)


@CUT.register("an earlier receipt in place of the newest")
def _(attempt: Attempt) -> str | None:
    remaining = cut_tail(attempt)
    return attempt.look(
        remaining, answer_or_else(remaining, remaining.receipt(len(remaining.events)))
    )


def look_before_write(attempt: Attempt) -> SignedBook:
    """Return the book up to a random version, not before the kept checkpoint, and give the phone
    the receipt of a later write. Raise NotApplicable if there is none later, or no checkpoint."""
    head, last = attempt.phone.record["head"], len(attempt.book.events)
    length = attempt.die.randint(head["version"], last) if head else last
    if length == last:
        raise NotApplicable
    attempt.phone.keep_receipt(attempt.book.bare_receipt(attempt.die.randint(length + 1, last)))
    return attempt.forge_book(attempt.history(length))


@CUT.register("a write of the phone, and all after it")
def _(attempt: Attempt) -> str | None:
    return attempt.look(look_before_write(attempt))


@CUT.register("the head held back, and no answer about later versions")
def _(attempt: Attempt) -> str | None:
    remaining = look_before_write(attempt)
    return attempt.look(remaining, answer_or_else(remaining, None))


@CUT.register("a receipt and a shorter export, on the page /verify")
def _(attempt: Attempt) -> str | None:
    own = attempt.book.receipt(attempt.die.randint(1, attempt.seen_version), attempt.seen_version)
    return attempt.phone.compare_files(json.dumps(cut_tail(attempt).export()), json.dumps(own))


@BACKUP.register("as it was")
def _(attempt: Attempt) -> str | None:
    return attempt.look_somehow(cut_tail(attempt))


@BACKUP.register("and played on")
def _(attempt: Attempt) -> str | None:
    return regrow_tail(attempt, 2 * len(attempt.book.events))


@BACKUP.register("and the same written down once more, later")
def _(attempt: Attempt) -> str | None:
    length, events = len(cut_tail(attempt).events), attempt.history()
    for event in events[length:]:
        event["at"] += 3_600_000_000
    return attempt.look_somehow(attempt.forge_book(events))


@BACKUP.register("of before the key was replaced")
def _(attempt: Attempt) -> str | None:
    rotated = make_endorsed_key(attempt)
    assert attempt.look(attempt.sign_with(rotated)) is None, "the key before endorses it"
    return attempt.look_somehow(cut_tail(attempt))


@BACKUP.register("with the key replaced since")
def _(attempt: Attempt) -> str | None:
    remaining = cut_tail(attempt)
    return attempt.look_somehow(attempt.forge_book(remaining.events, make_endorsed_key(attempt)))


def make_endorsed_key(attempt: Attempt) -> SigningKey:
    """Return a new key that the book's key endorses."""
    new_key = Ed25519PrivateKey.from_private_bytes(attempt.die.randbytes(32))
    return attempt.book.signing_key.followed_by(new_key)
