"""Unchanged histories that the host signs with a key that the phone does not know."""

from __future__ import annotations

from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.checkpoint import sign_note
from ledger.proofs.signing_key import EarlierKey, SigningKey, endorsement_body
from tests.support.proofs.tampered_statements import flip_signature_bit
from tests.verification.attack.forger import NotApplicable
from tests.verification.attack.phones.dishonest_host import Attempt, Hosts, answer_from
from tests.verification.attack.phones.phone import Doc

REPLACED = Hosts()


def draw_key(attempt: Attempt) -> Ed25519PrivateKey:
    if attempt.phone.record["key"] is None:
        raise NotApplicable  # the phone has seen no key
    return Ed25519PrivateKey.from_private_bytes(attempt.die.randbytes(32))


def register_with_key(
    variant: str,
) -> Callable[[Callable[[Attempt, Ed25519PrivateKey], SigningKey]], None]:
    """Register a host that signs the whole history with another key than the book's own."""

    def register(make_key: Callable[[Attempt, Ed25519PrivateKey], SigningKey]) -> None:
        def host(attempt: Attempt) -> str | None:
            key = make_key(attempt, draw_key(attempt))
            return attempt.look_somehow(attempt.sign_with(key))

        REPLACED[variant] = host

    return register


@register_with_key("by one that no key endorses")
def _(attempt: Attempt, new_key: Ed25519PrivateKey) -> SigningKey:
    return SigningKey(new_key)


@register_with_key("by one that only itself endorses")
def _(attempt: Attempt, new_key: Ed25519PrivateKey) -> SigningKey:
    own_note = SigningKey(new_key).followed_by(new_key).earlier_keys
    return SigningKey(new_key, own_note)


@register_with_key("the endorsement is by another key")
def _(attempt: Attempt, new_key: Ed25519PrivateKey) -> SigningKey:
    (forged,) = SigningKey(draw_key(attempt)).followed_by(new_key).earlier_keys
    known = attempt.book.signing_key
    return SigningKey(new_key, (*known.earlier_keys, EarlierKey(known.public_bytes, forged.note)))


@register_with_key("the endorsement is of another key")
def _(attempt: Attempt, new_key: Ed25519PrivateKey) -> SigningKey:
    return SigningKey(new_key, attempt.book.signing_key.followed_by(draw_key(attempt)).earlier_keys)


@register_with_key("the endorsement by the known key is left out")
def _(attempt: Attempt, new_key: Ed25519PrivateKey) -> SigningKey:
    endorsed = attempt.book.signing_key.followed_by(draw_key(attempt)).followed_by(new_key)
    return SigningKey(new_key, endorsed.earlier_keys[-1:])


@register_with_key("the endorsement is signed for something else")
def _(attempt: Attempt, new_key: Ed25519PrivateKey) -> SigningKey:
    known, body = attempt.book.signing_key, endorsement_body(SigningKey(new_key).public_bytes)
    note = sign_note(known.private_key, attempt.book.session, body)
    return SigningKey(new_key, (*known.earlier_keys, EarlierKey(known.public_bytes, note)))


@REPLACED.register("the endorsement has a bit changed")
def _(attempt: Attempt) -> str | None:
    answer = answer_from(attempt.sign_with(attempt.book.signing_key.followed_by(draw_key(attempt))))

    def answer_changed(path: str) -> Doc:
        document = answer(path)
        for earlier in document.get("earlier_keys", ())[-1:]:
            flip_signature_bit(earlier, "note")
        return document

    return attempt.look(attempt.book, answer_changed)


@REPLACED.register("the key before, after the phone has seen the next")
def _(attempt: Attempt) -> str | None:
    rotated = attempt.book.signing_key.followed_by(draw_key(attempt))
    assert attempt.look(attempt.sign_with(rotated)) is None, "the key before endorses it"
    return attempt.look_somehow(attempt.book)


@REPLACED.register("no key and no signature")
def _(attempt: Attempt) -> str | None:
    draw_key(attempt)
    answer = answer_from(attempt.book)

    def answer_unsigned(path: str) -> Doc:
        document = {**answer(path), "key": None, "checkpoint": None, "earlier_keys": None}
        return {**document, "head": {**document["head"], "checkpoint": None}}

    return attempt.look(attempt.book, answer_unsigned)
