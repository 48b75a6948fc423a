"""Unchanged histories that the host signs with a key that the phone does not know."""

from __future__ import annotations

from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.checkpoint import sign_note
from ledger.proofs.signing_key import EarlierKey, SigningKey, endorsement_body
from tests.support.proofs.tampered_statements import flip_signature_bit
from tests.verification.attack.forger import NotApplicable
from tests.verification.attack.phones.dishonest_host import Scene, answer_from, register_host
from tests.verification.attack.phones.phone import Doc

REPLACED = "key replaced"


def draw_key(scene: Scene) -> Ed25519PrivateKey:
    if scene.phone.record["key"] is None:
        raise NotApplicable  # the phone has seen no key
    return Ed25519PrivateKey.from_private_bytes(scene.die.randbytes(32))


def register_with_key(
    variant: str,
) -> Callable[[Callable[[Scene, Ed25519PrivateKey], SigningKey]], None]:
    """Register a host that signs the whole history with another key than the book's own."""

    def register(make_key: Callable[[Scene, Ed25519PrivateKey], SigningKey]) -> None:
        def attempt(scene: Scene) -> str | None:
            key = make_key(scene, draw_key(scene))
            return scene.look_somehow(scene.signed_with(key))

        register_host(REPLACED, variant)(attempt)

    return register


@register_with_key("by one that no key endorses")
def _(scene: Scene, new_key: Ed25519PrivateKey) -> SigningKey:
    return SigningKey(new_key)


@register_with_key("by one that only itself endorses")
def _(scene: Scene, new_key: Ed25519PrivateKey) -> SigningKey:
    own_note = SigningKey(new_key).followed_by(new_key).earlier_keys
    return SigningKey(new_key, own_note)


@register_with_key("the endorsement is by another key")
def _(scene: Scene, new_key: Ed25519PrivateKey) -> SigningKey:
    (forged,) = SigningKey(draw_key(scene)).followed_by(new_key).earlier_keys
    known = scene.book.signing_key
    return SigningKey(new_key, (*known.earlier_keys, EarlierKey(known.public_bytes, forged.note)))


@register_with_key("the endorsement is of another key")
def _(scene: Scene, new_key: Ed25519PrivateKey) -> SigningKey:
    return SigningKey(new_key, scene.book.signing_key.followed_by(draw_key(scene)).earlier_keys)


@register_with_key("the endorsement by the known key is left out")
def _(scene: Scene, new_key: Ed25519PrivateKey) -> SigningKey:
    endorsed = scene.book.signing_key.followed_by(draw_key(scene)).followed_by(new_key)
    return SigningKey(new_key, endorsed.earlier_keys[-1:])


@register_with_key("the endorsement is signed for something else")
def _(scene: Scene, new_key: Ed25519PrivateKey) -> SigningKey:
    known, body = scene.book.signing_key, endorsement_body(SigningKey(new_key).public_bytes)
    note = sign_note(known.private_key, scene.book.session, body)
    return SigningKey(new_key, (*known.earlier_keys, EarlierKey(known.public_bytes, note)))


@register_host(REPLACED, "the endorsement has a bit changed")
def _(scene: Scene) -> str | None:
    answer = answer_from(scene.signed_with(scene.book.signing_key.followed_by(draw_key(scene))))

    def answer_changed(path: str) -> Doc:
        document = answer(path)
        for earlier in document.get("earlier_keys", ())[-1:]:
            flip_signature_bit(earlier, "note")
        return document

    return scene.look(scene.book, answer_changed)


@register_host(REPLACED, "the key before, after the phone has seen the next")
def _(scene: Scene) -> str | None:
    rotated = scene.book.signing_key.followed_by(draw_key(scene))
    assert scene.look(scene.signed_with(rotated)) is None, "the key before endorses it"
    return scene.look_somehow(scene.book)


@register_host(REPLACED, "no key and no signature")
def _(scene: Scene) -> str | None:
    draw_key(scene)
    answer = answer_from(scene.book)

    def answer_unsigned(path: str) -> Doc:
        document = {**answer(path), "key": None, "checkpoint": None, "earlier_keys": None}
        return {**document, "head": {**document["head"], "checkpoint": None}}

    return scene.look(scene.book, answer_unsigned)
