"""Check an exported session in full before any of it is imported.

Only the key that the file names is trusted. Every event must be chained to the one before it, have
the canonical bytes, and be possible after the earlier ones; checkpoint and labels must be signed,
and names must match their commitments. Does not read the database.
"""

from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

import msgspec
from msgspec.structs import asdict

from ledger.access.session_metadata import MAX_GENERATION
from ledger.events import codec
from ledger.events import hash_chain as chain
from ledger.events.event_types import SessionOpened
from ledger.events.recorded_event import RecordedEvent
from ledger.events.timestamps import format_timestamp
from ledger.projections.journal import JournalLine
from ledger.projections.la_vola_payments import MAX_SETTLED_AT_ONCE, due_payments
from ledger.proofs.checkpoint import UnverifiedNote, checkpoint_body
from ledger.proofs.cosignature import Cosignature, cosigner_name, verify_cosignature
from ledger.proofs.merkle_tree import MerkleTree
from ledger.proofs.witnesses import Witness
from ledger.session.session_state import SessionState, apply_event
from ledger.transfer.export_format import (
    CosignedVersion,
    Export,
    ExportedEvent,
    ExportedWitness,
    InvalidExport,
)
from ledger.transfer.import_labels import check_labels, verified_text
from ledger.transfer.session_labels import Labels

MAX_BALANCE = 2**53 - 1
"""The largest that every JSON reader keeps exactly (MAX_AMOUNT says how far play is from it). With
a larger one, of a forged session, a payment that is due here could be too large to be settled. A
claim is still to be paid out of it."""


class CheckedExport(msgspec.Struct, frozen=True, kw_only=True):
    """A valid session: its events, the state that they fold to, and its labels."""

    session: SessionState
    recorded: tuple[RecordedEvent, ...]
    lines: tuple[JournalLine, ...]
    labels: Labels
    cosignatures: tuple[Cosignature, ...]
    witnesses: tuple[Witness, ...]
    generation: int  # of the tokens that the import issues
    devices: dict[int, tuple[int, int]]  # by number: when each first and last wrote


def check_export(export: Export, out_of_time: Callable[[], bool] = lambda: False) -> CheckedExport:
    """Return everything that the export contains, once all of it is checked. `out_of_time` is
    called at every event, because a forged session can be slow to fold. Raise InvalidExport, with
    the first version that is wrong."""
    recorded = _check_chain(export)
    tree = MerkleTree().with_leaves(event.hash for event in recorded)
    _check_checkpoint(export, recorded, tree)
    cosignatures = _check_cosignatures(export, recorded, tree)
    witnesses = tuple(_check_witness(w, export, recorded, tree) for w in export.witnesses)
    session, lines = _replay(export.id, recorded, out_of_time)
    labels = check_labels(export, recorded)
    return CheckedExport(
        session=session,
        recorded=recorded,
        lines=lines,
        labels=labels,
        cosignatures=cosignatures,
        witnesses=witnesses,
        generation=export.generation,
        devices=_devices(recorded),
    )


def _devices(recorded: Sequence[RecordedEvent]) -> dict[int, tuple[int, int]]:
    """Return when each device first and last wrote (microseconds, UTC), by its number."""
    writing_times: dict[int, tuple[int, int]] = {}
    for event in recorded:
        if event.by.startswith("phone"):
            number = int(event.by.removeprefix("phone"))
            writing_times[number] = (writing_times.get(number, (event.at, 0))[0], event.at)
    return writing_times


def _chained_events(export: Export) -> Iterator[tuple[ExportedEvent, bytes]]:
    """Yield every event with its hash. Raise InvalidExport where the hash chain is broken."""
    event_hash = chain.GENESIS_HASH
    for number, exported in enumerate(export.events, start=1):
        if exported.version != number:
            raise InvalidExport("hole", number)
        event_hash = chain.hash_event(export.id, exported, event_hash)
        if event_hash.hex() != exported.hash:
            raise InvalidExport("hash_wrong", number)
        yield exported, event_hash


def _check_chain(export: Export) -> tuple[RecordedEvent, ...]:
    latest = 0
    recorded: list[RecordedEvent] = []
    for exported, event_hash in _chained_events(export):
        if exported.at < latest:  # a clock that was set back never reverses history
            raise InvalidExport("time_wrong", exported.version)
        if exported.generation == MAX_GENERATION:  # the links of the import have none after it
            raise InvalidExport("too_much", exported.version)
        recorded.append(_decode(exported, event_hash))
        latest = exported.at
    end = (export.version, export.hash, export.at)
    if end != (len(recorded), export.events[-1].hash, format_timestamp(latest)):
        raise InvalidExport("head_wrong", export.version)
    return tuple(recorded)


def has_valid_chain(export: Export) -> bool:
    """Return whether the hash chain is intact: the cheapest check, and one that only a client that
    has seen the history can pass."""
    try:
        return all(_chained_events(export))
    except InvalidExport:
        return False


def _decode(exported: ExportedEvent, event_hash: bytes) -> RecordedEvent:
    """Return the event if these are its canonical bytes. Raise InvalidExport."""
    try:
        event = codec.decode(exported.type, exported.schema, exported.data)
        canonical = codec.encode(event) == exported.data
    except (KeyError, ValueError, AssertionError, RecursionError):
        canonical = False
    if not canonical:
        raise InvalidExport("event_unreadable", exported.version)
    return RecordedEvent(**{**asdict(exported), "hash": event_hash, "event": event})


def _check_cosignatures(
    export: Export, recorded: Sequence[RecordedEvent], tree: MerkleTree
) -> tuple[Cosignature, ...]:
    """Return what phones have cosigned of these events. Raise InvalidExport."""
    witnessed = export.witnessed
    if witnessed is None:
        return ()
    version, text = witnessed.version, _cosigned_text(export, witnessed, recorded, tree)
    cosignatures = tuple(exported.cosignature(version) for exported in witnessed.cosignatures)
    try:
        for cosignature in cosignatures:
            name = cosigner_name(export.id, cosignature.player)
            verify_cosignature(name, cosignature.key, cosignature.signature, text)
    except UnverifiedNote:
        raise InvalidExport("cosignature_wrong", version) from None
    return cosignatures


def _check_witness(
    exported: ExportedWitness, export: Export, recorded: Sequence[RecordedEvent], tree: MerkleTree
) -> Witness:
    """Return the witness, once it has cosigned these events. Raise InvalidExport."""
    witness, text = exported.witness(), _cosigned_text(export, exported, recorded, tree)
    try:
        witness.verify(text)
    except UnverifiedNote:
        raise InvalidExport("cosignature_wrong", witness.version) from None
    return witness


def _cosigned_text(
    export: Export,
    claim: CosignedVersion | ExportedWitness,
    recorded: Sequence[RecordedEvent],
    tree: MerkleTree,
) -> str:
    """Return the text of a cosigned checkpoint, once it is signed and of these events, and its
    proof is that of the tree. Raise InvalidExport."""
    version = claim.version
    if version > len(recorded):
        raise InvalidExport("cosignature_wrong", version)
    last, proof = recorded[version - 1], tree.consistency_proof(version, len(recorded))
    text = checkpoint_body(export.id, tree, version, last.hash, last.at)
    stated = (claim.hash, claim.at, verified_text(export, claim.checkpoint))
    if stated != (last.hash.hex(), format_timestamp(last.at), text):
        raise InvalidExport("checkpoint_wrong", version)
    if [*claim.consistency] != [node.hex() for node in proof]:
        raise InvalidExport("cosignature_wrong", version)
    return text


def _check_checkpoint(export: Export, recorded: Sequence[RecordedEvent], tree: MerkleTree) -> None:
    last = recorded[-1]
    signed_text = verified_text(export, export.checkpoint)
    expected_text = checkpoint_body(export.id, tree, last.version, last.hash, last.at)
    if signed_text != expected_text:
        signed_lines, expected_lines = signed_text.splitlines(), expected_text.splitlines()
        del signed_lines[2:3], expected_lines[2:3]  # the root
        is_root = signed_lines == expected_lines
        raise InvalidExport("root_wrong" if is_root else "checkpoint_wrong", last.version)


def _replay(
    session_id: UUID, recorded: Sequence[RecordedEvent], out_of_time: Callable[[], bool]
) -> tuple[SessionState, tuple[JournalLine, ...]]:
    """Return the folded session and its journal; every invariant is checked at every version."""
    session = SessionState(id=session_id)
    lines: list[JournalLine] = []
    for event in recorded:
        if isinstance(event.event, SessionOpened) != (event.version == 1):
            raise InvalidExport("event_impossible", event.version)
        if out_of_time():
            raise InvalidExport("too_much", event.version)
        try:
            session, written = apply_event(session, event)
            assert session.pot >= 0, "the pot never goes below zero"
            largest_balance = MAX_BALANCE - sum(bet.amount for bet in session.bets if not bet.paid)
            assert all(abs(amount) <= largest_balance for amount in session.balances.values())
        except Exception as error:  # a forged event can break anything
            raise InvalidExport("event_impossible", event.version) from error
        lines += written
    if len(due_payments(session.payments)) > MAX_SETTLED_AT_ONCE:
        raise InvalidExport("too_much", session.version)
    return session, tuple(lines)
