"""Whether the book is what the phones saw: pure, offline, and knowing nothing of how it was made.

Each check gives sentences, one for each thing that is not as it should be. `COLUMNS` are what a run
is judged by; all must be empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby

from tests.verification.chaos.request_history import Asked, by_session
from tests.verification.chaos.stored_ledger import Book, Evening

OPENS = frozenset({"create", "gather"})
CARRYING = "carried forward to "
"""The key of it, in the evening that is gone on with."""
CARRIED, BROUGHT = "carried_forward", "brought_forward"

Found = Iterator[str]
History = dict[str, list[Asked]]


def lost(history: History, book: Book) -> Found:
    """What was acknowledged is there, under the seal that was acknowledged."""
    for session, asked in history.items():
        stored = {e.version: e for e in book.get(session, Evening()).events}
        for one in asked:
            if one.outcome != "done":
                continue
            event = stored.get(one.version)
            if event is None:
                yield f"{_said(one)} was told version {one.version}, which is gone"
            elif one.hash and event.hash != one.hash:
                yield f"{_said(one)} was told another seal of version {one.version}"
            for told in one.events:
                kept = stored.get(told.version)
                if kept is None or (kept.type, kept.hash) != (told.type, told.hash):
                    yield f"{_said(one)} was told of an event {told.version} that is not there"


def doubled(history: History, book: Book) -> Found:
    """One key, one effect: no version answers to two keys, a key always got the same bytes."""
    for session, asked in history.items():
        owner = dict[int, str]()
        bytes_of = dict[str, str]()
        for one in asked:
            if one.outcome != "done" or not one.key:
                continue
            if one.body and bytes_of.setdefault(one.key, one.body) != one.body:
                yield f"{_said(one)} got other bytes than the key had got before"
            for told in one.events:
                if owner.setdefault(told.version, one.key) != one.key:
                    yield f"{_said(one)}: version {told.version} answers to two keys"
        kept = book.get(session, Evening())
        for key, body in bytes_of.items():
            if key in kept.replies and kept.replies[key][1] != body:
                yield f"{session}: the key {key} was answered otherwise than it is kept"
        settled = Counter(e.data["payment"] for e in kept.events if e.type == "payment_settled")
        for payment, times in settled.items():
            if times > 1:
                yield f"{session}: payment {payment} was settled {times} times"
        unique = Counter(
            (e.data["payer"], e.data["payee"], e.data["amount"])
            for e in kept.events
            if e.type == "transfer_recorded"
        )
        for transfer, times in unique.items():  # no two phones ever say the same amount
            if times > 1:
                yield f"{session}: the transfer {transfer} was booked {times} times"


def extra(history: History, book: Book) -> Found:
    """Every event was asked for by somebody, or settles a payment that was due."""
    keys = {one.key for asked in history.values() for one in asked if one.key}
    for session, evening in book.items():
        if session not in history:
            yield f"{session}: nobody opened it"
            continue
        for key in evening.replies:
            if key not in keys and not key.startswith(CARRYING):
                yield f"{session}: nobody ever sent the key {key}"
        told = {e.version for one in history[session] for e in one.events}
        opened = max((one.version for one in history[session] if one.what in OPENS), default=1)
        told |= set(range(1, opened + 1))
        in_doubt = any(one.outcome == "unknown" for one in history[session])
        for event in evening.events:
            if event.type == "payment_settled":
                if event.data["payment"] not in evening.payments:
                    yield f"{session}: {event.version} settles what was never due"
            elif event.type == "carried_forward":
                continue  # asked for where the other evening was opened: see `halved`
            elif event.version not in told and not in_doubt:
                yield f"{session}: nobody was told of {event.version}, {event.type}"
        refused = {one.key for one in history[session] if one.outcome == "refused"}
        for key in refused & set(evening.replies):
            yield f"{session}: the key {key} was refused and has an answer"


def order(history: History, book: Book) -> Found:
    """What was over before something else began lies before it (real time), reads included.

    Sorted once by version, then one pass backwards with the earliest end of anything later in the
    book: O(n log n). A read shows everything up to its version, so it may not be over before the
    write of that version began.
    """
    for asked in history.values():
        done = [one for one in asked if one.outcome == "done" and one.version]
        done.sort(key=lambda one: one.version, reverse=True)
        later: list[Asked] = []  # the first to end of all that is later in the book
        for _, together in groupby(done, key=lambda one: one.version):
            same = list(together)
            reads = [one for one in same if not one.key]
            for one in same:
                for first in _first_to_end(later + reads if one.key else later):
                    if first.ended < one.begun:
                        yield (
                            f"{_said(one)} begun after {_said(first)} was over, "
                            f"and lies before it: {one.version}, {first.version}"
                        )
            later = _first_to_end(later + same)


def _first_to_end(asked: list[Asked]) -> list[Asked]:
    return [min(asked, key=lambda one: one.ended)] if asked else []


def contiguity(history: History, book: Book) -> Found:
    """Versions 1, 2, 3 … without a hole, and the head is the last of them."""
    for session, evening in book.items():
        versions = [event.version for event in evening.events]
        if versions != list(range(1, len(versions) + 1)):
            yield f"{session}: versions {versions[:5]}… are not 1, 2, 3 …"
        if not evening.events:
            yield f"{session}: no event at all"
        elif evening.head != (versions[-1], evening.events[-1].hash):
            yield f"{session}: the head says {evening.head}, the last event is {versions[-1]}"


def unsettled(history: History, book: Book) -> Found:
    """In the end nothing is due any more."""
    for session, evening in book.items():
        for payment, status in evening.payments.items():
            if status == "due":
                yield f"{session}: payment {payment} is still due"
        settled = {e.data["payment"] for e in evening.events if e.type == "payment_settled"}
        kept = {p for p, status in evening.payments.items() if status == "settled"}
        for payment in settled ^ kept:
            yield f"{session}: payment {payment} is settled by the events or by the table only"


def halved(history: History, book: Book) -> Found:
    """What an evening carries forward another one brings: both or neither, and once."""
    went = [(s, e) for s, evening in book.items() for e in evening.events if e.type == CARRIED]
    came = {s: e for s, evening in book.items() for e in evening.events if e.type == BROUGHT}
    for session, event in went:
        brought = came.pop(event.data["to"], None)
        if brought is None:
            yield f"{session}: carried forward to {event.data['to']}, where nothing came"
        elif (brought.data["session"], brought.data["version"]) != (session, event.version):
            yield f"{event.data['to']}: brings something else than {session} carried forward"
    for session, event in came.items():
        yield f"{session}: brings what {event.data['session']} has never carried forward"


Check = Callable[[History, Book], Found]
COLUMNS: dict[str, Check] = {
    "lost": lost,
    "doubled": doubled,
    "extra": extra,
    "order": order,
    "contiguity": contiguity,
    "unsettled": unsettled,
    "halved": halved,
}


def check(history: list[Asked], book: Book) -> dict[str, list[str]]:
    """All findings, by column."""
    sessions = by_session(one for one in history if one.session)
    return {name: list(column(sessions, book)) for name, column in COLUMNS.items()}


def _said(one: Asked) -> str:
    return f"phone {one.phone}'s request {one.number} ({one.what}, {one.session[:8]})"
