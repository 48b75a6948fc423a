"""The phone's check of receipts finds every rewritten history, and accuses no honest book.

The tests use random sessions in a real database, receipts by the real issuer, and the histories of
a forger who can do all that the product can. `VOLA_CONTINUATIONS=60` plays 60 sessions instead of
the usual 8.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any
from uuid import UUID

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.receipts import ReceiptIssuer, UnknownVersion
from ledger.proofs.signing_key import SigningKey
from ledger.store.event_store import EventStore
from tests.support.browser.form_sources import imported_module
from tests.support.browser.phone import Phone
from tests.support.databases import DatabaseUrls
from tests.support.proofs.issued_receipts import Doc, receipt_document, receipt_issuer
from tests.verification.attack.forger import Forger, NotApplicable
from tests.verification.attack.kinds import EVENT_ATTACKS
from tests.verification.attack.stored_sessions import play

SESSIONS = int(os.environ.get("VOLA_CONTINUATIONS", "8"))
ATTACKS = [
    *(kind for kind in EVENT_ATTACKS if kind.startswith("the whole chain rewritten")),
    *("the tail cut, and everything rewritten to fit", "the tail cut and replaced by another one"),
]
EMPTY: Doc = {"key": None, "head": None, "receipts": [], "alarm": None}
CONTINUE = f"""async (steps) => {{
  const {{ continueRecord, nextVersion, proveReceipt }} =
    await {imported_module("features/proofs/continuation.js")};
  return steps.map(([session, record, version, answer, receipt]) => (receipt === null
    ? continueRecord(session, record, version, answer)
    : proveReceipt(session, record, record.receipts[receipt], answer)));
}}"""
COMPARE = f"""async (cases) => {{
  const {{ findContradiction }} = await {imported_module("features/proofs/continuation.js")};
  const {{ readDocument }} = await {imported_module("verify/document.js")};
  const {{ proveExport }} = await {imported_module("verify/verification.js")};
  return cases.map(([record, text]) => {{
    const doc = readDocument(new TextEncoder().encode(text));
    const slices = proveExport(doc);
    let slice = slices.next();
    while (!slice.done) slice = slices.next();
    return findContradiction(record, doc, slice.value)?.reason ?? null;
  }});
}}"""


PROVE = f"""async (steps) => {{
  const {{ proveVersion }} = await {imported_module("features/proofs/continuation.js")};
  return steps.map((step) => proveVersion(...step));
}}"""


def judge(phone: Phone, *steps: tuple[Any, ...]) -> list[Any]:
    """Return the module's verdict on each step: session, record, version asked for, response,
    receipt."""
    results: list[Any] = phone.page.evaluate(CONTINUE, [list(step) for step in steps])
    return results


def prove(phone: Phone, *steps: tuple[Any, ...]) -> list[Any]:
    """Return the module's verdict on each step: session, record, version to prove, response."""
    results: list[Any] = phone.page.evaluate(PROVE, [list(step) for step in steps])
    return results


@pytest.fixture
def phone(phone: Phone) -> Phone:
    phone.page.goto(phone.url + "/")
    return phone


@pytest.fixture
def sessions(store: EventStore) -> list[UUID]:
    """Random sessions of every game: with undo, corrections, misdeals, transfers, erased names."""
    return [play(store, f"continuation {number}") for number in range(SESSIONS)]


def length(store: EventStore, session: UUID) -> int:
    return store.load(session).version


def honest_receipts(store: EventStore, session: UUID) -> dict[int, Doc]:
    """Return the receipt of every version, with the same version as its head."""
    issuer, last = ReceiptIssuer(store.pool), length(store, session)
    return {
        version: receipt_document(issuer, session, version, version)
        for version in range(1, last + 1)
    }


def claims(receipts: dict[int, Doc], *versions: int) -> list[Doc]:
    """Return what a phone keeps of the responses to its own writes."""
    return [{name: receipts[v][name] for name in ("version", "hash")} for v in versions]


def kept_record(receipts: dict[int, Doc], version: int, *own_writes: int) -> Doc:
    """Return the record of a phone that saw `version` last and has the receipts of `own_writes`."""
    seen = {name: receipts[version][name] for name in ("version", "hash", "checkpoint")}
    own = claims(receipts, *own_writes)
    return {**EMPTY, "key": receipts[version]["key"], "head": seen, "receipts": own}


def test_no_honest_continuation_is_accused(
    phone: Phone, store: EventStore, sessions: list[UUID]
) -> None:
    issuer, die, count = ReceiptIssuer(store.pool), Random(1), 0
    for session in sessions:
        honest = honest_receipts(store, session)
        record, version, last = EMPTY, 0, len(honest)
        while version < last:
            grown = die.randint(max(version, 1), last)
            written = sorted({die.randint(version + 1, last) for _ in range(die.randrange(4))})
            own = claims(honest, *(number for number in written if number <= grown))
            record = {**record, "receipts": [*record["receipts"], *own]}
            asked_version = record["head"]["version"] if record["head"] else grown
            answer = receipt_document(issuer, session, asked_version, grown)
            (result,) = judge(phone, (str(session), record, asked_version, answer, None))
            assert "record" in result, (result, asked_version, grown)
            record, version, count = result["record"], grown, count + 1
            assert record["head"]["version"] == grown
            while record["receipts"]:
                number = record["receipts"][0]["version"]
                proof = receipt_document(issuer, session, number, grown)
                (result,) = judge(phone, (str(session), record, 0, proof, 0))
                assert "record" in result, result
                record, count = result["record"], count + 1
        assert len(record["head"]["checkpoint"]) < 500
    print(f"{count} honest receipts of {len(sessions)} sessions, none accused")


def forgeries_of(db: Any, session: UUID, die: Random) -> Iterator[tuple[str, Forger]]:
    """Yield every attack that applies to the session, written in the open transaction."""
    for kind in ATTACKS:
        forger = Forger(db, session, die, [])
        try:
            EVENT_ATTACKS[kind](forger)
        except NotApplicable:
            db.rollback()
            continue
        yield kind, forger


def test_every_rewritten_history_is_found_by_checkpoint_and_by_receipt(
    phone: Phone, store: EventStore, sessions: list[UUID], urls: DatabaseUrls
) -> None:
    die = Random(2)
    found: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    with psycopg.connect(urls.super) as db:
        for session in sessions:
            honest = honest_receipts(store, session)
            last = len(honest)
            for kind, forger in forgeries_of(db, session, die):
                changed = forger.receipts[0].version
                by_head = kept_record(honest, last)
                by_receipt = {**EMPTY, "receipts": claims(honest, changed)}
                for record, asked_version in ((by_head, last), (by_receipt, changed)):
                    reason = find_forgery(phone, receipt_issuer(db), session, record, asked_version)
                    assert reason, (kind, asked_version)
                    found[kind] += 1
                    reasons[reason] += 1
                db.rollback()
    print(f"{found.total()} rewritten histories of {len(found)} kinds, all found: {dict(reasons)}")
    assert len(found) == len(ATTACKS)


def find_forgery(
    phone: Phone, issuer: ReceiptIssuer, session: UUID, record: Doc, asked_version: int
) -> str | None:
    """Return the phone's reason to refuse the response of the forged book, or None."""
    try:
        answer = receipt_document(issuer, session, asked_version)
    except UnknownVersion:
        return "unknown_version"
    (result,) = judge(phone, (str(session), record, asked_version, answer, None))
    reason: str | None = result.get("reason")
    return reason


def test_a_receipt_beyond_the_kept_checkpoint_finds_a_fork(
    phone: Phone, store: EventStore, sessions: list[UUID], urls: DatabaseUrls
) -> None:
    """The forger keeps what the checkpoint covers, and removes a write of this phone."""
    die, count = Random(3), 0
    with psycopg.connect(urls.super) as db:
        for session in sessions:
            honest = honest_receipts(store, session)
            forger = Forger(db, session, die, [])
            try:
                EVENT_ATTACKS["the tail cut and replaced by another one"](forger)
            except NotApplicable:
                db.rollback()
                continue
            changed = forger.receipts[0].version
            fork = min(changed, *(e.version for e in differing(forger)))
            record = kept_record(honest, fork - 1, changed)
            forged = receipt_issuer(db)
            answer = receipt_document(forged, session, fork - 1)
            (result,) = judge(phone, (str(session), record, fork - 1, answer, None))
            if "record" in result:
                record = result["record"]
                proof = receipt_document(forged, session, changed, record["head"]["version"])
                (result,) = judge(phone, (str(session), record, 0, proof, 0))
            assert result["reason"] in ("rewritten", "tail_missing"), result
            count += 1
            db.rollback()
    print(f"{count} forks behind the checkpoint, all found by the phone's own receipt")
    assert count


def export_document(issuer: ReceiptIssuer, forger: Forger) -> str:
    """Return what `GET /v1/sessions/{id}/export` returns for the stored events, genuine or
    forged."""
    events = [{**vars(event), "hash": event.hash.hex()} for event in forger.history()]
    head = receipt_document(issuer, forger.session_id, len(events), len(events))
    names = ("session", "key", "version", "hash", "at", "checkpoint")
    signed = {name: head[name] for name in names}
    return json.dumps({"format": "vola session 1", **signed, "events": events})


def test_a_whole_history_is_compared_with_what_was_kept(
    phone: Phone, store: EventStore, sessions: list[UUID], urls: DatabaseUrls
) -> None:
    """A step of "Check this evening". Each export is valid by itself, so only the kept record can
    contradict it."""
    die = Random(5)
    honest_cases: list[Any] = []
    forged_cases: list[Any] = []
    for session in sessions:
        honest = honest_receipts(store, session)
        last = len(honest)
        with psycopg.connect(urls.super) as db:
            export = export_document(receipt_issuer(db), Forger(db, session, die, []))
            db.rollback()
            versions = [die.randint(1, last) for _ in range(4)]
            honest_cases.append([EMPTY, export])
            honest_cases += [
                [kept_record(honest, v, die.randint(1, last)), export] for v in versions
            ]
            other_key = {**kept_record(honest, last), "key": "00" * 32}
            forged_cases.append([other_key, export])
            for _, forger in forgeries_of(db, session, die):
                forged = export_document(receipt_issuer(db), forger)
                db.rollback()
                own = claims(honest, forger.receipts[0].version)
                forged_cases.append([kept_record(honest, last), forged])
                forged_cases.append([{**EMPTY, "receipts": own}, forged])
    assert phone.page.evaluate(COMPARE, honest_cases) == [None] * len(honest_cases)
    reasons = phone.page.evaluate(COMPARE, forged_cases)
    assert None not in reasons
    print(f"{len(honest_cases)} honest exports, none accused")
    print(f"{len(reasons)} forged exports, all found: {dict(Counter(reasons))}")


def differing(forger: Forger) -> list[Any]:
    """Return the events of the forged history whose hashes differ from those before."""
    pairs = zip(forger.original_events, forger.history(), strict=False)
    return [now for before, now in pairs if before.hash != now.hash]


def test_another_key_wrong_signatures_and_changed_proofs_are_found(
    phone: Phone, store: EventStore, sessions: list[UUID]
) -> None:
    issuer, die = ReceiptIssuer(store.pool), Random(4)
    steps: list[tuple[Any, ...]] = []
    for session in sessions:
        last = length(store, session)
        version = die.randint(1, last - 1)
        record = kept_record(honest_receipts(store, session), version)
        other_key = SigningKey(Ed25519PrivateKey.generate())
        answer = receipt_document(issuer, session, version, last)
        forgeries = [receipt_document(issuer, session, version, last, other_key)]
        forgeries += [{**forgeries[0], "key": answer["key"]}, {**answer, "key": None}]
        forgeries += tampered(answer, die)
        forgeries.append(receipt_document(issuer, session, last, last))  # another version
        if version > 1:
            older = receipt_document(issuer, session, version - 1, version - 1)
            forgeries += [{**answer, "head": older["head"]}, older]
        steps += [(str(session), record, version, doc, None) for doc in forgeries]
        steps += [(str(session), EMPTY, version, doc, None) for doc in tampered(answer, die)]
    results = judge(phone, *steps)
    accepted = [step for step, result in zip(steps, results, strict=True) if "record" in result]
    assert accepted == []
    print(f"{len(steps)} forged receipts, all found: {dict(Counter(r['reason'] for r in results))}")


def test_a_rotated_key_is_followed_and_no_other(
    phone: Phone, store: EventStore, sessions: list[UUID]
) -> None:
    issuer = ReceiptIssuer(store.pool)
    steps: list[tuple[Any, ...]] = []
    first = issuer.signing_key()
    second, third = (Ed25519PrivateKey.generate() for _ in range(2))
    rotated = first.followed_by(second).followed_by(third)
    strange = SigningKey(Ed25519PrivateKey.generate()).followed_by(third)
    keys = [rotated, strange, SigningKey(third)]
    keys.append(
        SigningKey(third, (*first.followed_by(third).earlier_keys, *rotated.earlier_keys[1:]))
    )
    for session in sessions:
        last = length(store, session)
        record = kept_record(honest_receipts(store, session), 1)
        for key in keys:
            answer = receipt_document(issuer, session, 1, last, key)
            steps.append((str(session), record, 1, answer, None))
    results = judge(phone, *steps)
    for followed, *refused in zip(*[iter(results)] * len(keys), strict=True):
        assert followed["record"]["key"] == rotated.public_bytes.hex()
        assert {result.get("reason") for result in refused} == {"other_key"}
    # a later signature by the first key comes from an old backup, or from somebody who has the key
    session, record = sessions[0], results[0]["record"]
    last = length(store, session)
    old = receipt_document(issuer, session, last, last, first)
    assert judge(phone, (str(session), record, last, old, None))[0]["reason"] == "other_key"


def tampered(answer: Doc, die: Random) -> list[Doc]:
    """Return copies of the receipt, each with one thing changed."""
    docs = []
    for part in ("own", "head"):
        for name in ("hash", "checkpoint", "at", "version"):
            doc = deepcopy(answer)
            claim = doc if part == "own" else doc["head"]
            if name == "hash":
                claim[name] = die.randbytes(32).hex()
            elif name == "checkpoint":
                claim[name] = flip_signature(claim[name], die)
            elif name == "at":
                claim[name] = "2026-01-01T00:00:00.000000Z"
            else:
                claim[name] += 1
            docs.append(doc)
    for name in ("inclusion", "consistency"):
        docs.append({**answer, name: [*answer[name], die.randbytes(32).hex()]})
        if answer[name]:
            docs.append({**answer, name: answer[name][1:]})
            docs.append({**answer, name: [die.randbytes(32).hex(), *answer[name][1:]]})
    return docs


def flip_signature(note: str, die: Random) -> str:
    """Change one character of the signature, after the four bytes that name the key."""
    start = note.rindex(" ") + 8
    place = die.randrange(start, len(note) - 8)
    return note[:place] + ("A" if note[place] != "A" else "B") + note[place + 1 :]


def proven_span(head: int, version: int) -> tuple[int, int]:
    return min(head, version), max(head, version)


def test_any_version_is_proven_to_be_of_the_kept_history_and_no_forged_one(
    phone: Phone, store: EventStore, sessions: list[UUID]
) -> None:
    """A phone makes this check before it cosigns a version."""
    issuer, die = ReceiptIssuer(store.pool), Random(5)
    honest: list[tuple[Any, ...]] = []
    forged: list[tuple[Any, ...]] = []
    for session in sessions:
        receipts = honest_receipts(store, session)
        last = len(receipts)
        for _ in range(6):
            head, version = die.randint(1, last), die.randint(1, last)
            first, newest = proven_span(head, version)
            own = sorted({die.randint(1, last), first, newest})
            record = kept_record(receipts, head, *own)
            answer = receipt_document(issuer, session, first, newest)
            honest.append((str(session), record, version, answer))
            honest.append((str(session), EMPTY, version, receipts[version]))
            other = receipt_document(issuer, session, newest, newest)
            other_replies = [other] if first < newest else []
            forged += [(*honest[-2][:3], doc) for doc in [*tampered(answer, die), *other_replies]]
            wrong = {**record, "head": {**record["head"], "hash": die.randbytes(32).hex()}}
            forged.append((str(session), wrong, version, answer))
            lost = {**EMPTY, "receipts": [{"version": version, "hash": die.randbytes(32).hex()}]}
            forged.append((str(session), lost, version, receipts[version]))
    for (_, _, version, answer), result in zip(honest, prove(phone, *honest), strict=True):
        claim = answer if answer["version"] == version else answer["head"]
        assert result.get("claim", {}).get("checkpoint") == claim["checkpoint"], result
    assert [result for result in prove(phone, *forged) if "reason" not in result] == []
    print(f"{len(honest)} honest receipts proven, {len(forged)} forged ones refused")


def test_a_reply_that_is_no_receipt_raises_no_alarm(phone: Phone) -> None:
    """A newer format, or a page that a hotel's network inserts, is no reason for an alarm."""
    answers: list[Any] = [None, {}, [], "x", {"format": "vola receipt 2"}, {"code": "busy"}]
    steps = [("s", EMPTY, 1, answer, None) for answer in answers]
    assert judge(phone, *steps) == [None] * len(answers)
