"""Histories that end before what the phone has seen: cut off, or those of an old backup."""

from __future__ import annotations

import json
from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.signing_key import SigningKey
from tests.support.proofs.exported_files import SignedBook
from tests.verification.attack.forger import NotApplicable
from tests.verification.attack.phones.dishonest_host import Scene, answer_from, register_host
from tests.verification.attack.phones.phone import Doc

CUT = "tail dropped"
BACKUP = "old backup replayed"


def cut_tail(scene: Scene) -> SignedBook:
    """Return the book without its last events; the phone has seen at least one of them."""
    return scene.forged(scene.history(scene.version_seen(2) - 1))


def answer_or_else(left: SignedBook, instead: Doc | None) -> Callable[[str], Doc | None]:
    """Return a function that answers as the API does, but `instead` for versions that are gone."""
    answer = answer_from(left)

    def answer_or(path: str) -> Doc | None:
        document = answer(path)
        return instead if "code" in document else document

    return answer_or


def regrow_tail(scene: Scene, length: int) -> str | None:
    """Let the phone look at a book of up to `length` events that has another tail."""
    return scene.look_somehow(scene.branch(len(cut_tail(scene).events), length))


@register_host(CUT, "the newest versions gone")
def _(scene: Scene) -> str | None:
    return scene.look_somehow(cut_tail(scene))


@register_host(CUT, "another tail grown")
def _(scene: Scene) -> str | None:
    return regrow_tail(scene, len(scene.book.events) + 3)


@register_host(CUT, "an earlier receipt in place of the newest")
def _(scene: Scene) -> str | None:
    left = cut_tail(scene)
    return scene.look(left, answer_or_else(left, left.receipt(len(left.events))))


def look_before_write(scene: Scene) -> SignedBook:
    """Return the book up to a random version, not before the kept checkpoint, and give the phone
    the receipt of a later write. Raise NotApplicable if there is none later, or no checkpoint."""
    head, last = scene.phone.record["head"], len(scene.book.events)
    left = scene.die.randint(head["version"], last) if head else last
    if left == last:
        raise NotApplicable
    scene.phone.keep_receipt(scene.book.bare_receipt(scene.die.randint(left + 1, last)))
    return scene.forged(scene.history(left))


@register_host(CUT, "a write of the phone, and all after it")
def _(scene: Scene) -> str | None:
    return scene.look(look_before_write(scene))


@register_host(CUT, "the head held back, and no answer about later versions")
def _(scene: Scene) -> str | None:
    left = look_before_write(scene)
    return scene.look(left, answer_or_else(left, None))


@register_host(CUT, "a receipt and a shorter export, on the page /verify")
def _(scene: Scene) -> str | None:
    own = scene.book.receipt(scene.die.randint(1, scene.seen), scene.seen)
    return scene.phone.compare_files(json.dumps(cut_tail(scene).export()), json.dumps(own))


@register_host(BACKUP, "as it was")
def _(scene: Scene) -> str | None:
    return scene.look_somehow(cut_tail(scene))


@register_host(BACKUP, "and played on")
def _(scene: Scene) -> str | None:
    return regrow_tail(scene, 2 * len(scene.book.events))


@register_host(BACKUP, "and the same written down once more, later")
def _(scene: Scene) -> str | None:
    left, events = len(cut_tail(scene).events), scene.history()
    for event in events[left:]:
        event["at"] += 3_600_000_000
    return scene.look_somehow(scene.forged(events))


@register_host(BACKUP, "of before the key was replaced")
def _(scene: Scene) -> str | None:
    rotated = make_endorsed_key(scene)
    assert scene.look(scene.signed_with(rotated)) is None, "the key before endorses it"
    return scene.look_somehow(cut_tail(scene))


@register_host(BACKUP, "with the key replaced since")
def _(scene: Scene) -> str | None:
    left = cut_tail(scene)
    return scene.look_somehow(scene.forged(left.events, make_endorsed_key(scene)))


def make_endorsed_key(scene: Scene) -> SigningKey:
    """Return a new key that the book's key endorses."""
    new_key = Ed25519PrivateKey.from_private_bytes(scene.die.randbytes(32))
    return scene.book.signing_key.followed_by(new_key)
