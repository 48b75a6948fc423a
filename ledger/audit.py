"""What an auditor checks: the seals, the sums, and that the projections say what the events say.

Findings are a list; an empty one is a clean book. Reads only.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal
from uuid import UUID

import msgspec

from ledger import chain
from ledger.database import Connection
from ledger.envelope import Recorded
from ledger.projections.deals import Deal, newest_first
from ledger.projector import COLUMNS, rows
from ledger.proven import proven
from ledger.session import Session, apply
from ledger.store import history

HEAD = "SELECT version, acted, at, hash FROM vola.heads WHERE session_id = %(session_id)s"
RAW = """
SELECT version, type, schema, at, "by", data, hash FROM vola.events
 WHERE session_id = %(session_id)s ORDER BY version
"""
STORED = {
    "pot": "SELECT * FROM projections.pot WHERE session_id = %(session_id)s",
    "bets": "SELECT * FROM projections.bets WHERE session_id = %(session_id)s",
    "balances": "SELECT * FROM projections.balances WHERE session_id = %(session_id)s",
    "payments": "SELECT * FROM projections.payments WHERE session_id = %(session_id)s",
    "scores": "SELECT * FROM projections.scores WHERE session_id = %(session_id)s",
    "deals": "SELECT * FROM projections.deals WHERE session_id = %(session_id)s",
    "journal": "SELECT * FROM projections.journal WHERE session_id = %(session_id)s",
}
SESSIONS = "SELECT session_id FROM vola.sessions ORDER BY session_id"


NO_REBUILD = "SELECT pg_advisory_lock_shared(7316053)"
REBUILD_MAY = "SELECT pg_advisory_unlock_shared(7316053)"
ONE_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


@contextmanager
def snapshot(db: Connection) -> Iterator[None]:
    """One view of everything while this lasts; a rebuild waits, for its new tables would look
    empty in it. The connection must not be in a transaction."""
    db.autocommit = True
    db.execute(NO_REBUILD)
    try:
        with db.transaction():
            db.execute(ONE_SNAPSHOT)
            yield
    finally:
        db.execute(REBUILD_MAY)
        db.autocommit = False


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that is not as it should be: a stable code, where, and a sentence.

    About the book, which is then not clean; or about the play, which the book only tells of.
    """

    code: str
    detail: str
    version: int | None = None
    deal: int | None = None
    about: Literal["book", "play"] = "book"


def clean(findings: Iterable[Finding]) -> bool:
    """Whether the book can be trusted."""
    return all(finding.about == "play" for finding in findings)


def audit(db: Connection, session_id: UUID) -> list[Finding]:
    """All findings of one session, inside a `snapshot`."""
    ask = {"session_id": session_id}
    head = db.execute(HEAD, ask).fetchone()
    if head is None:
        return [Finding(code="head_missing", detail="The session has no head.")]
    version, acted, at, digest = head
    findings, seal, latest = list[Finding](), chain.FIRST, 0
    expected = 1
    for number, kind, schema, when, by, data, stored in db.execute(RAW, ask):
        if number != expected:
            findings.append(_finding("hole", number, f"Version {expected} is missing."))
            expected = number
        seal = chain.seal(
            session_id=session_id,
            version=number,
            kind=kind,
            schema=schema,
            at=when,
            by=by,
            data=data,
            before=seal,
        )
        if seal != bytes(stored):
            findings.append(_finding("seal_broken", number, "The event is not what was sealed."))
            seal = bytes(stored)
        if when < latest:
            findings.append(_finding("time_runs_back", number, "Earlier than the event before."))
        latest, expected = when, number + 1
    if version != expected - 1:
        detail = f"The head says version {version}, the events end at {expected - 1}."
        findings.append(_finding("head_wrong", version, detail))
    if bytes(digest) != seal or at != latest:
        findings.append(_finding("head_wrong", version, "The head is not the last event's."))
    if findings:
        return findings  # what follows reads events that cannot be trusted
    return _replay(db, session_id, history(db, session_id, 0, version), acted)


def _replay(db: Connection, session_id: UUID, events: Any, acted: int) -> list[Finding]:
    session, lines = Session(id=session_id), dict[tuple[int, int], Any]()
    recorded: Recorded | None = None
    try:
        for recorded in events:
            session, written = apply(session, recorded)
            lines.update(((line.version, line.line), line) for line in written)
    except (AssertionError, KeyError, ValueError, msgspec.MsgspecError) as error:
        at = recorded.version if recorded else session.version + 1
        return [_finding("event_impossible", at, f"It cannot have happened: {error}")]
    findings = []
    if session.acted != acted:
        findings.append(_finding("head_wrong", session.version, f"acted is {acted}."))
    for table in STORED:
        if table == "journal":
            made = {(session_id, *msgspec.structs.astuple(line)) for line in lines.values()}
        else:
            made = {_hashable(row) for _, row in rows(session, table)}
        kept = {_hashable(row) for row in db.execute(STORED[table], {"session_id": session_id})}
        for row in sorted(made ^ kept, key=repr):
            what = "missing or changed" if row in made else "not from any event"
            columns = dict(zip(COLUMNS[table][1:], row[1:], strict=True))
            findings.append(
                _finding("projection_differs", session.version, f"{table}: {what}: {columns}")
            )
    return findings + [
        finding for deal in newest_first(session.deals) for finding in _play(session, deal)
    ]


def _play(session: Session, deal: Deal) -> Iterator[Finding]:
    """What the cards of a deal prove about how it was played."""
    for version, revoke in proven(session, deal):
        could = ", ".join(revoke.legal)
        detail = f"{revoke.player} played {revoke.card} to trick {revoke.trick}, holding {could}."
        yield Finding(code="revoke", version=version, detail=detail, deal=deal.number, about="play")


def _hashable(row: Any) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in row)


def _finding(code: str, version: int, detail: str) -> Finding:
    return Finding(code=code, version=version, detail=detail)
