"""Documents that phones have cosigned, and every known way to forge a cosignature, each with its
verdict."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from itertools import count
from random import Random
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.checkpoint import COSIGNATURE, key_id, note_text, public_bytes
from ledger.proofs.cosignature import Cosignature, cosign, cosigner_name
from ledger.proofs.witnesses import Witness
from tests.support.proofs.exported_files import Doc, SignedBook

AT = 1_700_000_000
Forge = Callable[[Doc], object]


def phone_key(player: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(sha256(player.encode()).digest())


def cosignature_of(book: SignedBook, version: int, player: str) -> Cosignature:
    """Return the cosignature by this player's phone."""
    key, name = phone_key(player), cosigner_name(book.session, player)
    text = note_text(book.checkpoint_fields(version)["checkpoint"])
    signature = cosign(key, name, text, AT)
    return Cosignature(version=version, player=player, key=public_bytes(key), signature=signature)


def witness_claim(book: SignedBook, version: int, *players: str, upto: int | None = None) -> Doc:
    """Return the field `witnessed` of a document whose version is `upto`."""
    proof = book.tree.consistency_proof(version, upto or len(book.events))
    return {
        **book.checkpoint_fields(version),
        "consistency": [node.hex() for node in proof],
        "cosignatures": [cosignature_of(book, version, player).json_fields() for player in players],
    }


def cosigned_export(book: SignedBook, forge: Forge = lambda doc: None) -> Doc:
    """Return an export of eight events, whose sixth two phones have cosigned."""
    doc = {**book.export(), "witnessed": witness_claim(book, 6, "p1", "p2")}
    forge(doc["witnessed"])
    return doc


def change_signature(start: int, end: int) -> Forge:
    """Return a forgery that inverts some bytes of the second cosignature."""

    def forge(claim: Doc) -> None:
        cosignature = claim["cosignatures"][1]
        signature = bytearray(b64decode(cosignature["signature"]))
        for place in range(start, end):
            signature[place] ^= 255
        cosignature["signature"] = b64encode(signature).decode()

    return forge


def in_second(**fields: str) -> Forge:
    return lambda claim: claim["cosignatures"][1].update(fields)


def second_from(cosignature: Cosignature) -> Forge:
    return lambda claim: claim["cosignatures"][1].update(cosignature.json_fields())


def by_a_key_of_small_order(book: SignedBook, random: Random) -> Doc:
    """Return a forgery by the neutral point as a key, whose signature fits any text."""
    key, name = bytes([1, *bytes(31)]), cosigner_name(book.session, "p2")
    signature = key_id(name, key, COSIGNATURE) + bytes(8) + key + bytes(32)
    return cosigned_export(book, in_second(key=key.hex(), signature=b64encode(signature).decode()))


def by_another_session(book: SignedBook, random: Random) -> Doc:
    return cosigned_export(book, second_from(cosignature_of(SignedBook(random, 8), 6, "p2")))


def by_plain_signature(book: SignedBook, random: Random) -> Doc:
    """Return a forgery with a signature of the checkpoint itself, as a book makes it, which is no
    cosignature."""
    key, claim = phone_key("p2"), witness_claim(book, 6, "p2")
    text = note_text(claim["checkpoint"]).encode()
    signature = b64decode(claim["cosignatures"][0]["signature"])[:12] + key.sign(text)
    forged = cosignature_of(book, 6, "p2").json_fields() | {
        "signature": b64encode(signature).decode()
    }
    return cosigned_export(book, lambda claim: claim["cosignatures"][1].update(forged))


def in_the_alphabet_of_urls(book: SignedBook, random: Random) -> Doc:
    """Return a forgery: the same cosignature, written with a sign that is not of base64."""
    key, name = phone_key("p2"), cosigner_name(book.session, "p2")
    text = note_text(book.checkpoint_fields(6)["checkpoint"])
    for at in count(AT):
        signature = b64encode(cosign(key, name, text, at)).decode()
        if "/" in signature[::4]:
            break
    place = 4 * signature[::4].index("/")
    forged = f"{signature[:place]}_{signature[place + 1 :]}"
    return cosigned_export(book, in_second(signature=forged))


def of_a_rewritten_history(book: SignedBook, random: Random) -> Doc:
    """Return a forgery in which the fourth event is rewritten and the cosignatures of the sixth
    remain."""
    return {**book.rewrite(4).export(), "witnessed": witness_claim(book, 6, "p1", "p2")}


def of_a_rewritten_history_signed(book: SignedBook, random: Random) -> Doc:
    """Return the same, with a checkpoint and a proof of the new history beside the old
    cosignatures."""
    new_book = book.rewrite(4)
    claim = witness_claim(new_book, 6, "p1", "p2")
    claim["cosignatures"] = witness_claim(book, 6, "p1", "p2")["cosignatures"]
    return {**new_book.export(), "witnessed": claim}


def witness(
    book: SignedBook, version: int, name: str = "kortklubben", upto: int | None = None
) -> Doc:
    """Return the signature of a witness, for a document whose version is `upto`."""
    key, claim = phone_key(name), book.checkpoint_fields(version)
    signature = cosign(key, name, note_text(claim["checkpoint"]), AT)
    signed = Witness(name=name, key=public_bytes(key), version=version, signature=signature)
    proof = book.tree.consistency_proof(version, upto or len(book.events))
    return {**signed.json_fields(), **claim, "consistency": [node.hex() for node in proof]}


def witnessed_export(book: SignedBook, **fields: object) -> Doc:
    """Return an export of eight events that two other books witness; these fields replace the
    second one's own."""
    return {**book.export(), "witnesses": [witness(book, 8), {**witness(book, 6, "bo"), **fields}]}


def left_by_a_rewriter(book: SignedBook, random: Random) -> Doc:
    """Return a forgery: a witness of the old history, with a checkpoint and a proof of the
    rewritten one."""
    new_book = book.rewrite(4)
    signature = witness(book, 6)["signature"]
    return {**new_book.export(), "witnesses": [{**witness(new_book, 6), "signature": signature}]}


def by_a_phone(book: SignedBook, random: Random) -> Doc:
    """Return a forgery: a phone's cosignature as that of a witness with the phone's full name."""
    phone, name = cosignature_of(book, 6, "p1"), cosigner_name(book.session, "p1")
    signature = phone.json_fields()["signature"]
    return witnessed_export(book, name=name, key=phone.key.hex(), signature=signature)


def by_a_witness_for_a_player(book: SignedBook, random: Random) -> Doc:
    """Return a forgery: what a witness has signed as what a player has confirmed."""
    signed = witness(book, 6, "p2")
    forged = {name: signed[name] for name in ("key", "signature")}
    return cosigned_export(book, in_second(**forged))


def cosigned_group(
    book: SignedBook,
    forge: Forge = lambda doc: None,
    statement: Doc | None = None,
    witnesses: tuple[Doc, ...] = (),
) -> Doc:
    """Return a group's statement with one session, whose sixth version two phones have cosigned."""
    doc = statement or book.group_statement()
    claim = witness_claim(book, 6, "p1", "p2")
    forge(claim)
    cosigned = {"witnessed": claim} | ({"witnesses": [*witnesses]} if witnesses else {})
    sessions = [{**doc["sessions"][0], **cosigned}]
    return book.sign_document({**doc, "sessions": sessions}, UUID(doc["group"]))


def without_signatures(book: SignedBook, **cosigned: object) -> Doc:
    """Return a statement without note and checkpoint, with the signatures of phones or
    witnesses."""
    signed = book.true_statement()
    unsigned = {name: signed[name] for name in signed if name not in ("signature", "checkpoint")}
    return {**unsigned, **cosigned}


# fmt: off
COSIGNED: dict[str, tuple[str, Callable[[SignedBook, Random], Doc]]] = {
    "two phones have cosigned": ("export", lambda b, r: cosigned_export(b)),
    "the last version is cosigned": (
        "export", lambda b, r: {**b.export(), "witnessed": witness_claim(b, 8, "p3")}),
    "a receipt is cosigned": (
        "receipt",
        lambda b, r: {**b.receipt(2, 7), "witnessed": witness_claim(b, 5, "p1", upto=7)}),
    "a statement is cosigned": (
        "statement",
        lambda b, r: b.sign_document({**b.statement(r), "witnessed": witness_claim(b, 6, "p2")})),
    "an evening of a group is cosigned": ("group", lambda b, r: cosigned_group(b)),
    "an evening of a group with a cosignature by another player": (
        "cosignature_wrong", lambda b, r: cosigned_group(b, in_second(player="p3"))),
    "an evening of a group that does not continue the cosigned version": (
        "consistency_wrong",
        lambda b, r: cosigned_group(b, lambda claim: claim["consistency"].reverse())),
    "other books witness an evening of a group": (
        "group", lambda b, r: cosigned_group(b, witnesses=(witness(b, 8), witness(b, 6, "bo")))),
    "an evening of a group with a witness of another name": (
        "witness_wrong",
        lambda b, r: cosigned_group(b, witnesses=({**witness(b, 8), "name": "bo"},))),
    "cosigned, and nothing that its book signed": (
        "unsigned", lambda b, r: without_signatures(b, witnessed=witness_claim(b, 6, "p1"))),
    "witnessed, and nothing that its book signed": (
        "unsigned", lambda b, r: without_signatures(b, witnesses=[witness(b, 6)])),
    "cosigned before a rotation": (
        "export", lambda b, r: cosigned_export(b.rotate_key(r))),
    "a cosignature with a bit changed": (
        "cosignature_wrong", lambda b, r: cosigned_export(b, change_signature(75, 76))),
    "a cosignature of another time": (
        "cosignature_wrong", lambda b, r: cosigned_export(b, change_signature(11, 12))),
    "a cosignature with another key id": (
        "cosignature_wrong", lambda b, r: cosigned_export(b, change_signature(0, 4))),
    "a cosignature by another player": (
        "cosignature_wrong", lambda b, r: cosigned_export(b, in_second(player="p3"))),
    "a cosignature by another key": (
        "cosignature_wrong",
        lambda b, r: cosigned_export(b, in_second(key=public_bytes(phone_key("p3")).hex()))),
    "a cosignature of another version": (
        "cosignature_wrong",
        lambda b, r: cosigned_export(b, second_from(cosignature_of(b, 7, "p2")))),
    "a cosignature of another session": ("cosignature_wrong", by_another_session),
    "a cosignature by a key of small order": ("cosignature_wrong", by_a_key_of_small_order),
    "a plain signature for a cosignature": ("cosignature_wrong", by_plain_signature),
    "a cosignature cut short": (
        "cosignature_wrong", lambda b, r: cosigned_export(b, in_second(signature="AAAA"))),
    "a cosignature in the alphabet of URLs": ("cosignature_wrong", in_the_alphabet_of_urls),
    "no cosignature at all": (
        "cosignature_wrong", lambda b, r: cosigned_export(b, in_second(signature=""))),
    "a cosignature of a rewritten history": ("consistency_wrong", of_a_rewritten_history),
    "the same with a new checkpoint": ("cosignature_wrong", of_a_rewritten_history_signed),
    "a cosigned version that is not continued": (
        "consistency_wrong",
        lambda b, r: cosigned_export(b, lambda claim: claim["consistency"].reverse())),
    "a cosigned version after the last": (
        "consistency_wrong", lambda b, r: {**b.export(5), "witnessed": witness_claim(b, 6, "p1")}),
    "a cosigned version without a checkpoint": (
        "checkpoint_wrong",
        lambda b, r: cosigned_export(b, lambda claim: claim.update(checkpoint=None))),
    "a cosigned statement with a cosignature less": (
        "statement_wrong", lambda b, r: {
            **b.sign_document({**b.statement(r), "witnessed": witness_claim(b, 6, "p1", "p2")}),
            "witnessed": witness_claim(b, 6, "p1")}),
    "other books witness it": ("export", lambda b, r: witnessed_export(b)),
    "phones have cosigned it and another book witnesses it": (
        "export", lambda b, r: {**cosigned_export(b), "witnesses": [witness(b, 8)]}),
    "another book witnesses a receipt": (
        "receipt", lambda b, r: {**b.receipt(2, 7), "witnesses": [witness(b, 5, upto=7)]}),
    "another book witnesses a statement": (
        "statement",
        lambda b, r: b.sign_document({**b.statement(r), "witnesses": [witness(b, 8)]})),
    "a witness before a rotation": ("export", lambda b, r: witnessed_export(b.rotate_key(r))),
    "a witness of another name": ("witness_wrong", lambda b, r: witnessed_export(b, name="bob")),
    "a witness with another key": (
        "witness_wrong",
        lambda b, r: witnessed_export(b, key=public_bytes(phone_key("cilla")).hex())),
    "a witness of another version": (
        "witness_wrong",
        lambda b, r: witnessed_export(b, signature=witness(b, 7, "bo")["signature"])),
    "a witness of another session": (
        "witness_wrong", lambda b, r: witnessed_export(
            b, signature=witness(SignedBook(r, 8), 6, "bo")["signature"])),
    "a witness that has signed nothing": (
        "witness_wrong", lambda b, r: witnessed_export(b, signature="")),
    "a witness of a rewritten history": ("witness_wrong", left_by_a_rewriter),
    "a witness whose version is not continued": (
        "consistency_wrong",
        lambda b, r: witnessed_export(b, consistency=witness(b, 5)["consistency"])),
    "a witness of a version after the last": (
        "consistency_wrong", lambda b, r: {**b.export(5), "witnesses": [witness(b, 6)]}),
    "a witness without a checkpoint": (
        "checkpoint_wrong", lambda b, r: witnessed_export(b, checkpoint=None)),
    "a phone that is shown as a witness": ("unreadable", by_a_phone),
    "a witness that is shown as a player": ("cosignature_wrong", by_a_witness_for_a_player),
    "a witness whose name imitates a verdict": (
        "unreadable", lambda b, r: witnessed_export(b, name="Bo. It holds")),
    "a witnessed statement with a witness less": (
        "statement_wrong", lambda b, r: {
            **b.sign_document(
                {**b.statement(r), "witnesses": [witness(b, 6), witness(b, 8, "bo")]}),
            "witnesses": [witness(b, 6)]}),
    "a cosigner who is no player": (
        "unreadable", lambda b, r: cosigned_export(b, in_second(player="host"))),
}
# fmt: on
