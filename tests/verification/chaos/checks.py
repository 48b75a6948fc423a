"""Checks that the book is what the phones saw; they are pure, and use none of the product's code.

Each check yields a sentence for each violation. A run is judged by the `COLUMNS`; all must be
empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby

from tests.verification.chaos.request_history import (
    OPENING_OPERATIONS,
    Request,
    group_by_session,
)
from tests.verification.chaos.stored_ledger import StoredLedger, StoredSession

CARRY_FORWARD_KEY = "carried forward to "
"""How the key of a carry-forward starts in the evening that is carried forward."""
CARRIED_FORWARD, BROUGHT_FORWARD = "carried_forward", "brought_forward"

Findings = Iterator[str]
History = dict[str, list[Request]]


def find_lost(history: History, book: StoredLedger) -> Findings:
    """Yield acknowledged events that are missing, or are stored with another hash."""
    for session, requests in history.items():
        stored = {e.version: e for e in book.get(session, StoredSession()).events}
        for request in requests:
            if request.outcome != "done":
                continue
            stored_event = stored.get(request.version)
            if stored_event is None:
                yield f"{describe(request)} got version {request.version}, which is missing"
            elif request.hash and stored_event.hash != request.hash:
                yield f"{describe(request)} got another hash of version {request.version}"
            for event in request.events:
                match = stored.get(event.version)
                if match is None or (match.type, match.hash) != (event.type, event.hash):
                    yield f"{describe(request)} got event {event.version}, which is not there"


def find_doubled(history: History, book: StoredLedger) -> Findings:
    """Yield violations of idempotency: two keys for one version, two replies for one key, or a
    payment, transfer or cost that is booked twice."""
    for session, requests in history.items():
        owner: dict[int, str] = {}
        bytes_of: dict[str, str] = {}
        for request in requests:
            if request.outcome != "done" or not request.key:
                continue
            if request.body and bytes_of.setdefault(request.key, request.body) != request.body:
                yield f"{describe(request)} got other bytes than the key had got before"
            for event in request.events:
                if owner.setdefault(event.version, request.key) != request.key:
                    yield f"{describe(request)}: version {event.version} answers to two keys"
        stored_session = book.get(session, StoredSession())
        for request in requests:
            stored_reply = stored_session.replies.get(request.key)
            answer = request.version, len(request.events)
            if request.events and stored_reply and stored_reply != answer:
                yield f"{describe(request)} was answered otherwise than stored under its key"
        settled = Counter(
            e.data["payment"] for e in stored_session.events if e.type == "payment_settled"
        )
        for payment, times in settled.items():
            if times > 1:
                yield f"{session}: payment {payment} was settled {times} times"
        unique = Counter(
            (e.type, e.data["payer"], e.data["amount"])
            for e in stored_session.events
            if e.type in ("transfer_recorded", "cost_recorded")
        )
        for (kind, *facts), times in unique.items():  # phones never use an amount twice
            if times > 1:
                yield f"{session}: {kind} {facts} was booked {times} times"


def find_extra(history: History, book: StoredLedger) -> Findings:
    """Yield events and keys that no phone asked for; events that settle a due payment are fine."""
    keys = {request.key for requests in history.values() for request in requests if request.key}
    for session, stored_session in book.items():
        if session not in history:
            yield f"{session}: nobody opened it"
            continue
        for key in stored_session.replies:
            if key not in keys and not key.startswith(CARRY_FORWARD_KEY):
                yield f"{session}: nobody ever sent the key {key}"
        known_versions = {e.version for request in history[session] for e in request.events}
        opened = max(
            (
                request.version
                for request in history[session]
                if request.operation in OPENING_OPERATIONS
            ),
            default=1,
        )
        known_versions |= set(range(1, opened + 1))
        has_unknown_outcome = any(request.outcome == "unknown" for request in history[session])
        for event in stored_session.events:
            if event.type == "payment_settled":
                if event.data["payment"] not in stored_session.payments:
                    yield f"{session}: {event.version} settles what was never due"
            elif event.type == "carried_forward":
                continue  # requested when the other evening was opened: see `find_halved`
            elif event.version not in known_versions and not has_unknown_outcome:
                yield f"{session}: no phone got {event.version}, {event.type}"
        refused = {request.key for request in history[session] if request.outcome == "refused"}
        for key in refused & set(stored_session.replies):
            yield f"{session}: the key {key} was refused and has an answer"


def find_disorder(history: History, book: StoredLedger) -> Findings:
    """Yield requests, reads included, whose version contradicts the real-time order.

    A request that ended before another one began must not have a later version. The requests are
    sorted once by version; then one pass backwards keeps the earliest end of all that are later in
    the book: O(n log n). A read shows everything up to its version, so it must not end before the
    write of that version began.
    """
    for requests in history.values():
        finished = [
            request for request in requests if request.outcome == "done" and request.version
        ]
        finished.sort(key=lambda request: request.version, reverse=True)
        later_ends: list[Request] = []  # the first to end of all that are later
        for _, group in groupby(finished, key=lambda request: request.version):
            requests_at = list(group)
            reads = [request for request in requests_at if not request.key]
            for request in requests_at:
                for first in _first_to_end(later_ends + reads if request.key else later_ends):
                    if first.ended < request.started_at:
                        yield (
                            f"{describe(request)} begun after {describe(first)} was over, "
                            f"and lies before it: {request.version}, {first.version}"
                        )
            later_ends = _first_to_end(later_ends + requests_at)


def _first_to_end(requests: list[Request]) -> list[Request]:
    return [min(requests, key=lambda request: request.ended)] if requests else []


def find_gaps(history: History, book: StoredLedger) -> Findings:
    """Yield sessions whose versions are not 1, 2, 3 …, or whose head is not the last event."""
    for session, stored_session in book.items():
        versions = [event.version for event in stored_session.events]
        if versions != list(range(1, len(versions) + 1)):
            yield f"{session}: versions {versions[:5]}… are not 1, 2, 3 …"
        if not stored_session.events:
            yield f"{session}: no event at all"
        elif stored_session.head != (versions[-1], stored_session.events[-1].hash):
            head = stored_session.head
            yield f"{session}: the head says {head}, the last event is {versions[-1]}"


def find_unsettled(history: History, book: StoredLedger) -> Findings:
    """Yield payments still due, or settled only by the events or only by the table."""
    for session, stored_session in book.items():
        for payment, status in stored_session.payments.items():
            if status == "due":
                yield f"{session}: payment {payment} is still due"
        settled = {e.data["payment"] for e in stored_session.events if e.type == "payment_settled"}
        marked_settled = {p for p, status in stored_session.payments.items() if status == "settled"}
        for payment in settled ^ marked_settled:
            yield f"{session}: payment {payment} is settled by the events or by the table only"


def find_halved(history: History, book: StoredLedger) -> Findings:
    """Yield carry-forwards that only one evening has, that differ, or that are repeated."""
    carried = [
        (s, e)
        for s, stored_session in book.items()
        for e in stored_session.events
        if e.type == CARRIED_FORWARD
    ]
    openings = {
        s: e
        for s, stored_session in book.items()
        for e in stored_session.events
        if e.type == BROUGHT_FORWARD
    }
    for session, event in carried:
        opening = openings.pop(event.data["to"], None)
        if opening is None:
            yield f"{session}: carried forward to {event.data['to']}, where nothing came"
        elif (opening.data["session"], opening.data["version"]) != (session, event.version):
            yield f"{event.data['to']}: brings something else than {session} carried forward"
    for session, event in openings.items():
        yield f"{session}: brings what {event.data['session']} has never carried forward"


def find_unbalanced(history: History, book: StoredLedger) -> Findings:
    """Yield costs whose shares do not add up, and voided costs that did not count at the time."""
    for session, stored_session in book.items():
        counting: dict[int, int] = {}  # the version of each cost that counts, by number
        for event in stored_session.events:
            number = event.data.get("cost")
            if event.type == "cost_recorded":
                if sum(share["amount"] for share in event.data["shares"]) != event.data["amount"]:
                    yield f"{session}: the shares of cost {number} do not add up"
                if number in counting:
                    yield f"{session}: cost {number} counts twice"
                counting[number] = event.version
            elif (
                event.type == "cost_voided"
                and counting.pop(number, None) != event.data["recorded_version"]
            ):
                yield f"{session}: {event.version} takes back a cost that did not count"


Check = Callable[[History, StoredLedger], Findings]
COLUMNS: dict[str, Check] = {
    "lost": find_lost,
    "doubled": find_doubled,
    "extra": find_extra,
    "order": find_disorder,
    "contiguity": find_gaps,
    "unsettled": find_unsettled,
    "halved": find_halved,
    "unbalanced": find_unbalanced,
}


def check_history(history: list[Request], book: StoredLedger) -> dict[str, list[str]]:
    """Return all findings, by column."""
    sessions = group_by_session(request for request in history if request.session)
    return {name: list(column(sessions, book)) for name, column in COLUMNS.items()}


def describe(request: Request) -> str:
    name = f"phone {request.phone}'s request {request.number}"
    return f"{name} ({request.operation}, {request.session[:8]})"
