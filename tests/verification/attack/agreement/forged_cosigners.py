"""Forgeries of what phones have confirmed and of what other books have witnessed."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from random import Random

from ledger.events.timestamps import format_timestamp
from tests.support.proofs.tampered_statements import ZERO_HASH, flip_signature_bit
from tests.verification.attack.agreement.documents import Doc

Change = Callable[[Doc, Random], object]
Cosigners = Callable[[Doc], list[Doc]]


def list_phones(doc: Doc) -> list[Doc]:
    return doc["witnessed"]["cosignatures"]  # type: ignore[no-any-return]


def list_witnesses(doc: Doc) -> list[Doc]:
    return doc["witnesses"]  # type: ignore[no-any-return]


def change_one(cosigners: Cosigners, **fields: Callable[[Doc, Random], object]) -> Change:
    """Return a change that sets these fields of one random cosigner."""

    def forge(doc: Doc, die: Random) -> None:
        cosigner = die.choice(cosigners(doc))
        cosigner.update({name: value(cosigner, die) for name, value in fields.items()})

    return forge


def flip_bits(cosigners: Cosigners, start: int, end: int) -> Change:
    """Return a change of one random bit of a signature, from byte `start` up to before `end`."""

    def flipped(cosigner: Doc, die: Random) -> str:
        signature = bytearray(b64decode(cosigner["signature"]))
        signature[die.randrange(start, end)] ^= 1 << die.randrange(8)
        return b64encode(signature).decode()

    return change_one(cosigners, signature=flipped)


def exchange_field(cosigners: Cosigners, name: str) -> Change:
    """Return a change that exchanges this field between two cosigners."""

    def forge(doc: Doc, _: Random) -> None:
        first, second = cosigners(doc)[:2]
        first[name], second[name] = second[name], first[name]

    return forge


def change_witnessed(**fields: Callable[[Doc, Random], object]) -> Change:
    def forge(doc: Doc, die: Random) -> None:
        claim = doc["witnessed"]
        claim.update({name: value(claim, die) for name, value in fields.items()})

    return forge


COSIGNED: dict[str, Change] = {
    "cosignature: a bit of its signature": flip_bits(list_phones, 12, 76),
    "cosignature: another time": flip_bits(list_phones, 4, 12),
    "cosignature: another key id": flip_bits(list_phones, 0, 4),
    "cosignature: of another player": exchange_field(list_phones, "player"),
    "cosignature: of another key": exchange_field(list_phones, "key"),
    "cosignature: another's signature": exchange_field(list_phones, "signature"),
    "cosignature: a player who was not there": change_one(
        list_phones, player=lambda _, die: f"p{die.randint(40, 90)}"
    ),
    "cosignature: a key that signed nothing": change_one(
        list_phones, key=lambda _, die: die.randbytes(32).hex()
    ),
    "cosignature: no player": change_one(list_phones, player=lambda *_: "host"),
    "cosigned: another version": change_witnessed(version=lambda claim, _: claim["version"] + 1),
    "cosigned: another hash": change_witnessed(hash=lambda claim, die: die.randbytes(32).hex()),
    "cosigned: another time": change_witnessed(at=lambda claim, _: format_timestamp(7)),
    "cosigned: a bit of its checkpoint": lambda doc, _: flip_signature_bit(doc["witnessed"]),
    "cosigned: the document's own checkpoint": lambda doc, _: doc["witnessed"].update(
        checkpoint=doc["checkpoint"]
    ),
    "cosigned: no version": lambda doc, _: doc["witnessed"].pop("version"),
}
"""Fifteen forgeries of what phones have confirmed."""


def sign_as_phone(doc: Doc, die: Random) -> None:
    """Present a witness's signature as a player's cosignature."""
    signed = die.choice(list_witnesses(doc))
    die.choice(list_phones(doc)).update(key=signed["key"], signature=signed["signature"])


def sign_as_witness(doc: Doc, die: Random) -> None:
    """Present a player's cosignature as a witness's signature."""
    signed = die.choice(list_phones(doc))
    die.choice(list_witnesses(doc)).update(key=signed["key"], signature=signed["signature"])


WITNESSED: dict[str, Change] = {
    "witness: a bit of its signature": flip_bits(list_witnesses, 12, 76),
    "witness: another time": flip_bits(list_witnesses, 4, 12),
    "witness: another key id": flip_bits(list_witnesses, 0, 4),
    "witness: another's name": exchange_field(list_witnesses, "name"),
    "witness: another's key": exchange_field(list_witnesses, "key"),
    "witness: another's signature": exchange_field(list_witnesses, "signature"),
    "witness: a name that signed nothing": change_one(
        list_witnesses, name=lambda *_: "cilla.example"
    ),
    "witness: a key that signed nothing": change_one(
        list_witnesses, key=lambda _, die: die.randbytes(32).hex()
    ),
    "witness: a name as a player's phone has": change_one(
        list_witnesses, name=lambda witness, _: f"vola/{witness['hash'][:8]}/p1"
    ),
    "witness: a name in capitals": change_one(
        list_witnesses, name=lambda witness, _: witness["name"].upper()
    ),
    "witness: no signature": change_one(list_witnesses, signature=lambda *_: ""),
    "witness: half a signature": change_one(
        list_witnesses, signature=lambda witness, _: witness["signature"][:52]
    ),
    "witness: another version": change_one(
        list_witnesses, version=lambda witness, _: witness["version"] + 1
    ),
    "witness: another hash": change_one(
        list_witnesses, hash=lambda _, die: die.randbytes(32).hex()
    ),
    "witness: another moment": change_one(list_witnesses, at=lambda *_: format_timestamp(7)),
    "witness: a moment that is none": change_one(list_witnesses, at=lambda *_: "yesterday"),
    "witness: a bit of its checkpoint": lambda doc, die: flip_signature_bit(
        die.choice(list_witnesses(doc))
    ),
    "witness: a line of its checkpoint": change_one(
        list_witnesses,
        checkpoint=lambda witness, _: witness["checkpoint"].replace("chain", "Chain"),
    ),
    "witness: no checkpoint": change_one(list_witnesses, checkpoint=lambda *_: None),
    "witness: a proof turned": change_one(
        list_witnesses, consistency=lambda witness, _: witness["consistency"][::-1]
    ),
    "witness: a proof longer": change_one(
        list_witnesses, consistency=lambda witness, _: [*witness["consistency"], ZERO_HASH]
    ),
    "witness: no version": lambda doc, die: die.choice(list_witnesses(doc)).pop("version"),
    "witness: something more": change_one(list_witnesses, more=lambda *_: 1),
    "witness: nine of them": lambda doc, _: list_witnesses(doc).extend(
        [list_witnesses(doc)[0]] * 8
    ),
    "witness: one less": lambda doc, _: list_witnesses(doc).pop(),
    "witness: none": lambda doc, _: list_witnesses(doc).clear(),
    "a witness shown as a player": sign_as_phone,
    "a player shown as a witness": sign_as_witness,
}
"""Forgeries of what other books have witnessed, and the same written in another form."""


def change_in_session(change: Change) -> Change:
    """Return a change that makes `change` in a random session of a group's statement."""
    return lambda doc, die: change(die.choice(doc["sessions"]), die)


IN_A_SESSION = {way: change_in_session(change) for way, change in (COSIGNED | WITNESSED).items()}
