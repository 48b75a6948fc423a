"""An evening that was kept in another book: whether all of it holds, before any of it is written.

Nothing is taken on trust but the key that the file names itself: every event must be sealed behind
the one before, be what this book would have written, and be possible after what came before it;
checkpoint and labels must be signed, and names be those that were committed to. Does not know
where evenings are kept, nor whether this one is there already.
"""

from collections.abc import Callable, Sequence
from uuid import UUID

import msgspec

from ledger import chain, checkpoints, codec
from ledger.checkpoints import Checkpoint
from ledger.entries import SessionOpened
from ledger.envelope import Recorded
from ledger.exported import DoesNotHold, Export, Kept
from ledger.labelled import labels_of, signed_text
from ledger.labels import Labels
from ledger.merkle import Tree
from ledger.projections.journal import Line
from ledger.session import Session, apply
from ledger.times import iso

SLOW_CLOCK = 24 * 3600 * 1_000_000
"""Microseconds by which the other book's clock may go before ours."""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """An evening that holds: its events, what they come to, and what it is called."""

    session: Session
    recorded: tuple[Recorded, ...]
    lines: tuple[Line, ...]
    labels: Labels
    generation: int
    phones: dict[int, tuple[int, int]]  # that have written in it, and when first and last


def check(export: Export, now: int, enough: Callable[[], bool] = lambda: False) -> Held:
    """All that an evening consists of, once everything holds. `now`: microseconds, UTC.

    `enough` is asked at every event whether this has taken too long: a forged evening can be as
    hard to follow as anybody likes. DoesNotHold, with the first version that does not.
    """
    recorded = _sealed(export, now)
    _signed(export, recorded)
    session, lines = _possible(export.id, recorded, enough)
    found = labels_of(export, recorded)
    return Held(
        session=session,
        recorded=recorded,
        lines=lines,
        labels=found,
        generation=export.generation,
        phones=_phones(recorded),
    )


def _phones(recorded: Sequence[Recorded]) -> dict[int, tuple[int, int]]:
    found = dict[int, tuple[int, int]]()
    for one in recorded:
        if one.by.startswith("phone"):
            number = int(one.by.removeprefix("phone"))
            found[number] = (found.get(number, (one.at, 0))[0], one.at)
    return found


def _sealed(export: Export, now: int) -> tuple[Recorded, ...]:
    before, latest, recorded = chain.FIRST, 0, list[Recorded]()
    for number, kept in enumerate(export.events, start=1):
        if kept.version != number:
            raise DoesNotHold("hole", number)
        seal = chain.seal(
            session_id=export.id,
            version=number,
            kind=kept.type,
            schema=kept.schema,
            at=kept.at,
            by=kept.by,
            data=kept.data,
            before=before,
        )
        if seal.hex() != kept.hash:
            raise DoesNotHold("seal_broken", number)
        if not latest <= kept.at <= now + SLOW_CLOCK:
            raise DoesNotHold("time_wrong", number)
        recorded.append(_decoded(kept, seal))
        before, latest = seal, kept.at
    end = (export.version, export.hash, export.at)
    if end != (len(recorded), before.hex(), iso(latest)):
        raise DoesNotHold("head_wrong", export.version)
    return tuple(recorded)


def _decoded(kept: Kept, seal: bytes) -> Recorded:
    """The event, if these are the very bytes that it is written with: nothing comes along."""
    try:
        event = codec.decode(kept.type, kept.schema, kept.data)
        canonical = codec.encode(event) == kept.data
    except (KeyError, ValueError, AssertionError, RecursionError):
        canonical = False
    if not canonical:
        raise DoesNotHold("event_unreadable", kept.version)
    return Recorded(
        version=kept.version,
        type=kept.type,
        schema=kept.schema,
        at=kept.at,
        by=kept.by,
        data=kept.data,
        hash=seal,
        event=event,
    )


def _signed(export: Export, recorded: Sequence[Recorded]) -> None:
    end = recorded[-1]
    stood = Checkpoint(
        session_id=export.id,
        size=end.version,
        root=Tree().grown(r.hash for r in recorded).root(end.version),
        hash=end.hash,
        at=end.at,
    )
    said, should = signed_text(export, export.checkpoint), checkpoints.text(stood)
    if said != should:
        here, there = ([*t.splitlines()[:2], *t.splitlines()[3:]] for t in (said, should))
        raise DoesNotHold("root_wrong" if here == there else "checkpoint_wrong", end.version)


def _possible(
    session_id: UUID, recorded: Sequence[Recorded], enough: Callable[[], bool]
) -> tuple[Session, tuple[Line, ...]]:
    """Fold it as if it had happened here; every invariant holds at every version."""
    session, lines = Session(id=session_id), dict[tuple[int, int], Line]()
    for one in recorded:
        if isinstance(one.event, SessionOpened) != (one.version == 1):
            raise DoesNotHold("event_impossible", one.version)
        if enough():
            raise DoesNotHold("too_much", one.version)
        try:
            session, written = apply(session, one)
            assert session.pot >= 0, "nobody takes more than there is"
        except Exception as error:  # whatever it is that a forged event breaks
            raise DoesNotHold("event_impossible", one.version) from error
        lines.update(((line.version, line.line), line) for line in written)
    return session, tuple(lines.values())
