"""The rate at which history is read: to rebuild all projections (P5), and to verify it (P9)."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any
from uuid import UUID

import psycopg

from ledger.audit import check_hash_chain
from ledger.events import hash_chain as chain
from ledger.rebuild import process_pool
from ledger.rebuild.process_pool import ProcessPool, available_cores, connect_worker
from ledger.rebuild.rebuild import rebuild
from ledger.store import read_stream
from tests.support.databases import DatabaseUrls
from tests.support.proofs.verifier import verify
from tests.verification.bench import large_ledger
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.history import bare_decoding
from tests.verification.bench.measurement import (
    Measurement,
    compare_sides,
    measure_rate,
    run_in_turn,
)

BYTES = """
SELECT convert_to(data, 'UTF8') FROM vola.events ORDER BY session_id, version
"""

BATCH = 10
"""Evenings that a process reads at a time."""


def list_batches(ids: list[UUID]) -> list[list[UUID]]:
    return [ids[at : at + BATCH] for at in range(0, len(ids), BATCH)]


def rebuild_rate(context: BenchContext) -> Iterator[Measurement]:
    """Yield row P5."""
    with context.database() as urls:
        ids = large_ledger.make_session_ids(context.sizes.events)
        events, parts = large_ledger.fill_ledger(urls, ids), list_batches(ids)

        def rebuild_all() -> int:
            result = rebuild(urls.owner)
            assert (result.events, result.differed) == (events, 0), result
            return result.events

        def decoding_rate() -> float:
            # The pool ends here: a rebuild forks its processes only where no other thread runs.
            with (
                psycopg.connect(urls.audit) as db,
                ProcessPool(available_cores() - 1, connect_worker, urls.audit) as pool,
            ):

                def decode(parts: list[list[UUID]]) -> int:
                    return sum(
                        pool.map_unordered(
                            parts,
                            bare_decoding.read_events_remotely,
                            lambda part: bare_decoding.read_events(db, part),
                        )
                    )

                decode(parts[: 8 * available_cores()])  # so all processes have started
                return measure_rate(lambda: decode(parts))

        rates = run_in_turn(
            {"ours": lambda: measure_rate(rebuild_all), "decoded": decoding_rate},
            context.sizes.repetitions,
            context.checkpoint,
        )
    notes = [
        f"{events:,} events of evenings of {large_ledger.DEALS} deals; {available_cores()} "
        f"processes, those of the reference having begun; both sides read and decode by the same "
        f"function, which decodes equal events once"
    ]
    yield compare_sides("P5", rates, "decoded", "events/s", notes)


def verification_rate(context: BenchContext) -> Iterator[Measurement]:
    """Yield row P9."""
    with context.database() as urls:
        ids = large_ledger.make_session_ids(context.sizes.events)
        events = large_ledger.fill_ledger(urls, ids)
        exports = [export_session(urls, session_id) for session_id in ids[: max(1, len(ids) // 10)]]
        event_data = stored_event_data(urls)
        parts = list_batches(ids)
        with (
            psycopg.connect(urls.audit) as db,
            ProcessPool(available_cores() - 1, connect_worker, urls.audit) as pool,
        ):

            def verify_all() -> int:
                return sum(
                    pool.map_unordered(
                        parts,
                        count_checked_events_remotely,
                        lambda part: count_checked_events(db, part),
                    )
                )

            assert verify_all() == events  # and all processes have started
            rates = run_in_turn(
                {
                    "ours": lambda: measure_rate(verify_all),
                    "alone": lambda: measure_rate(lambda: count_checked_events(db, ids)),
                    "hashes": lambda: measure_rate(lambda: hash_all(event_data)),
                    "verify": lambda: measure_rate(lambda: sum(map(verify_export, exports))),
                },
                context.sizes.repetitions,
                context.checkpoint,
            )
    yield Measurement(
        name="P9",
        ours=rates["ours"],
        reference=rates["hashes"],
        figures=rates["ours"],
        unit="events/s",
        notes=[
            f"{events:,} events read from PostgreSQL and hashed again, by {available_cores()} "
            f"processes that have begun, as `vola audit` does; by one: "
            f"{max(rates['alone']):,.0f} events/s; "
            f"both SHA-256 of each event alone: {max(rates['hashes']):,.0f} events/s",
            f"the chain of an export in memory, by verify.py: {max(rates['verify']):,.0f} events/s",
        ],
    )


def count_checked_events(db: psycopg.Connection[Any], ids: list[UUID]) -> int:
    """Check the hash chains of these sessions as an audit does. Return the number of events."""
    count = 0
    for session_id in ids:
        stream = check_hash_chain.StoredStream()
        assert not list(check_hash_chain.check_hash_chain(db, session_id, stream))
        count += stream.version
    return count


def count_checked_events_remotely(ids: list[UUID]) -> int:
    return count_checked_events(process_pool.worker_connection, ids)


def stored_event_data(urls: DatabaseUrls) -> list[bytes]:
    with psycopg.connect(urls.audit) as db:
        return [row[0] for row in db.execute(BYTES)]


def hash_all(event_data: list[bytes]) -> int:
    """Compute for each event what every verifier must: a digest of the data, and one over about
    170 bytes that hold it and the hash before. Return the number of events."""
    before, rest = chain.GENESIS_HASH, bytes(104)
    for data in event_data:
        before = sha256(rest + sha256(data).digest() + before).digest()
    return len(event_data)


def export_session(urls: DatabaseUrls, session_id: UUID) -> tuple[str, list[dict[str, Any]]]:
    with psycopg.connect(urls.audit) as db:
        parameters = {"session_id": session_id, "after": 0, "upto": bare_decoding.LAST_VERSION}
        rows = db.execute(read_stream.EVENTS, parameters).fetchall()
    names = ("version", "type", "schema", "at", "by", "data", "hash")
    return str(session_id), [dict(zip(names, row, strict=True)) for row in rows]


def verify_export(export: tuple[str, list[dict[str, Any]]]) -> int:
    """Verify each event of an export in memory as verify.py does. Return the number of events."""
    session, events = export
    before = chain.GENESIS_HASH
    for event in events:
        before = verify.event_hash(session, event, before)
        assert before == event["hash"]
    return len(events)
