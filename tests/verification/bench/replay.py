"""How fast history is read: folded into all projections anew (P5), and verified (P9)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from statistics import median
from typing import Any
from uuid import UUID

import psycopg

import verify
from ledger import chain, crew
from ledger.auditing import seals
from ledger.crew import Crew
from ledger.rebuild import rebuild
from tests.bench import decoded, volume
from tests.bench.measured import Measured, beside, in_turn
from tests.bench.place import Place
from tests.conftest import Urls

COPY = "COPY vola.events TO STDOUT"
BYTES = """
SELECT convert_to(data, 'UTF8') FROM vola.events ORDER BY session_id, version
"""

AT_ONCE = 10
"""Evenings that a process reads at a time."""


def rate(doing: Callable[[], int]) -> float:
    """What it says that it did, a second."""
    began = time.perf_counter()
    count = doing()
    return count / (time.perf_counter() - began)


def in_parts(ids: list[UUID]) -> list[list[UUID]]:
    return [ids[at : at + AT_ONCE] for at in range(0, len(ids), AT_ONCE)]


def copied(url: str) -> int:
    """Every event through one COPY, by libpq; how many."""
    with psycopg.connect(url) as db, db.cursor().copy(COPY) as copy:
        return sum(1 for _ in copy)  # one a row


def rebuilt(place: Place) -> Iterator[Measured]:
    """P5."""
    with place.book() as urls:
        ids = volume.evening_ids(place.sizes.events)
        events, parts = volume.fill(urls, ids), in_parts(ids)
        with (
            psycopg.connect(urls.audit) as db,
            Crew(decoded.__name__, crew.cores() - 1, urls.audit) as others,
        ):

            def anew() -> int:
                found = rebuild(urls.owner)
                assert (found.events, found.differed) == (events, 0), found
                return found.events

            def only_decoded() -> int:
                return sum(others.share(parts, lambda part, _: decoded.events_of(db, part)))

            assert only_decoded() == events  # and everybody has begun
            found = in_turn(
                {
                    "ours": lambda: rate(anew),
                    "copy": lambda: rate(lambda: copied(urls.owner)),
                    "decoded": lambda: rate(only_decoded),
                },
                place.sizes.repetitions,
                place.calm,
            )
    yield Measured(
        name="P5",
        ours=found["ours"],
        reference=found["copy"],
        unit="events/s",
        notes=[
            f"{events:,} events of evenings of {volume.DEALS} deals; one COPY, as text",
            f"the same, most of them alike and so decoded once, read by {crew.cores()} processes, "
            f"and nothing else: "
            f"{median(found['decoded']):,.0f} events/s, "
            f"{beside(found['decoded'], found['copy']):.2f} ×",
        ],
    )


def verified(place: Place) -> Iterator[Measured]:
    """P9."""
    with place.book() as urls:
        ids = volume.evening_ids(place.sizes.events)
        events = volume.fill(urls, ids)
        exports = [exported(urls, one) for one in ids[: max(1, len(ids) // 10)]]
        hashed = sealed_fields(urls)
        parts = in_parts(ids)
        with (
            psycopg.connect(urls.audit) as db,
            Crew(__name__, crew.cores() - 1, urls.audit) as others,
        ):

            def together() -> int:
                return sum(others.share(parts, lambda part, _: seals_of(db, part)))

            assert together() == events  # and everybody has begun
            found = in_turn(
                {
                    "ours": lambda: rate(together),
                    "alone": lambda: rate(lambda: seals_of(db, ids)),
                    "hashes": lambda: rate(lambda: hash_all(hashed)),
                    "verify": lambda: rate(lambda: sum(map(seal_export, exports))),
                },
                place.sizes.repetitions,
                place.calm,
            )
    yield Measured(
        name="P9",
        ours=found["ours"],
        reference=found["hashes"],
        figures=found["ours"],
        unit="events/s",
        notes=[
            f"{events:,} events read from PostgreSQL and sealed again, by {crew.cores()} processes "
            f"that have begun, as `vola audit` does; by one: {max(found['alone']):,.0f} events/s; "
            f"both SHA-256 of each event alone: {max(found['hashes']):,.0f} events/s",
            f"the chain of an export in memory, by verify.py: {max(found['verify']):,.0f} events/s",
        ],
    )


def seals_of(db: psycopg.Connection[Any], ids: list[UUID]) -> int:
    """As an audit does it."""
    count = 0
    for one in ids:
        stream = seals.Stream()
        assert not list(seals.check(db, one, stream))
        count += stream.version
    return count


def _help(url: str) -> Callable[[list[str]], int]:
    """One of the others who do the same."""
    db = psycopg.connect(url)
    return lambda part: seals_of(db, [UUID(one) for one in part])


def sealed_fields(urls: Urls) -> list[bytes]:
    with psycopg.connect(urls.audit) as db:
        return [row[0] for row in db.execute(BYTES)]


def hash_all(datas: list[bytes]) -> int:
    """What no verifier can do without: a digest of the data, and one over about 170 bytes that
    hold it and the seal before."""
    before, rest = chain.FIRST, bytes(104)
    for data in datas:
        before = sha256(rest + sha256(data).digest() + before).digest()
    return len(datas)


def exported(urls: Urls, one: UUID) -> tuple[str, list[dict[str, Any]]]:
    with psycopg.connect(urls.audit) as db:
        rows = db.execute(seals.RAW, {"session_id": one}).fetchall()
    names = ("version", "type", "schema", "at", "by", "data", "hash")
    return str(one), [dict(zip(names, row, strict=True)) for row in rows]


def seal_export(export: tuple[str, list[dict[str, Any]]]) -> int:
    """What verify.py does to each event of a file that it has read."""
    session, events = export
    before = chain.FIRST
    for event in events:
        before = verify.seal(session, event, before)
        assert before == event["hash"]
    return len(events)


if __name__ == "__main__":
    crew.serve(_help)
