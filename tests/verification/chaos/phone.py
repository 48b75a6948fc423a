"""A phone at a table: real HTTP, one key for each request, repeated until it is answered."""

from __future__ import annotations

import http.client
import json
import random
import time
import uuid
from contextlib import suppress
from typing import Any
from uuid import UUID

from msgspec import structs

from ledger.groups.groups import session_creation_key
from ledger.store.append_request import creation_key
from tests.verification.chaos.request_history import (
    OPENING_OPERATIONS,
    Outcome,
    ReplyEvent,
    Request,
)
from tests.verification.chaos.run_context import Group, RunContext, Table
from tests.verification.chaos.stored_ledger import body_digest

PATIENCE_SECONDS = 120
RETRY_STATUSES = (429, 500, 502, 503, 504)
TOKEN_OPERATIONS = OPENING_OPERATIONS | {"create_group"}
"""Their answers add tokens to the stored bytes."""
ACTION_EVENTS = frozenset(
    {
        *("deal_opened", "declared", "all_passed", "result_recorded", "action_undone"),
        *("deal_corrected", "deal_voided", "transfer_recorded", "evening_closed"),
        *("cost_recorded", "cost_voided"),
    }
)

Reply = tuple[int, dict[str, str], bytes]


class Phone:
    """One phone, which sends requests, repeats them, and records what it saw."""

    def __init__(self, number: int, context: RunContext, seed: str) -> None:
        self.number = number
        self.context = context
        self.die = random.Random(f"{seed}-{number}")
        self.request_count = 0

    def ask(
        self,
        operation: str,
        method: str,
        path: str,
        body: Any = None,
        at: Table | Group | None = None,
    ) -> Any:
        """Send until there is a definite answer or time is up. Return a success's body, or None."""
        self.request_count += 1
        key = str(uuid.UUID(int=self.die.getrandbits(128), version=4)) if method != "GET" else ""
        headers = {"Content-Type": "application/json", "Connection": "close"}
        if key:
            headers |= {"Idempotency-Key": key, "If-Match": "*"}
        if at:
            headers["Authorization"] = f"Bearer {at.token}"
        raw = None if body is None else json.dumps(body).encode()
        started_at, tries = time.monotonic_ns(), 0
        faults: set[str] = set()
        reply: Reply | None = None
        self.context.in_flight.begin(operation)
        try:
            while time.monotonic_ns() - started_at < PATIENCE_SECONDS * 10**9:
                if time.monotonic() > self.context.until:
                    break
                tries += 1
                faults.update(self.context.in_flight.active_faults())
                reply = self._send(method, path, raw, headers)
                if reply and reply[0] not in RETRY_STATUSES and not _is_still_running(reply):
                    break
                reply = None
                time.sleep(min(0.02 * 2 ** min(tries, 5), 0.5))
        finally:
            self.context.in_flight.end(operation)
        return self._record(operation, key, at, started_at, tries, reply, faults)

    def _send(
        self, method: str, path: str, raw: bytes | None, headers: dict[str, str]
    ) -> Reply | None:
        connection = http.client.HTTPConnection("127.0.0.1", self.context.port, timeout=15)
        try:
            connection.request(method, path, raw, headers)
            answer = connection.getresponse()
            text = answer.read()
            if answer.getheader("Content-Length", str(len(text))) != str(len(text)):
                return None
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, text
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def _record(
        self,
        operation: str,
        key: str,
        at: Table | Group | None,
        started_at: int,
        tries: int,
        reply: Reply | None,
        faults: set[str],
    ) -> Any:
        """Record the request, and count it. Return the body of a success, or None."""
        status, headers, raw = reply or (0, {}, b"")
        outcome: Outcome = "unknown"
        if reply:
            outcome = "done" if status < 400 else "refused"
        document: Any = None
        with suppress(ValueError):  # the digest of the bytes is recorded
            document = json.loads(raw)
        request = Request(
            phone=self.number,
            number=self.request_count,
            operation=operation,
            session=at.session if at else "",
            key=_stored_key(operation, key, at),
            started_at=started_at,
            ended=time.monotonic_ns(),
            tries=tries,
            outcome=outcome,
            status=status,
            replayed=headers.get("idempotency-replayed") == "true",
            body=body_digest(raw)
            if key and outcome == "done" and operation not in TOKEN_OPERATIONS
            else "",
            faults=tuple(sorted(faults)),
        )
        if isinstance(document, dict):
            request = _with_reply_fields(request, document)
        self.context.writer.write(request)
        self._count(request)
        return document if outcome == "done" else None

    def _count(self, request: Request) -> None:
        self.context.count(request.outcome)
        if request.replayed:
            self.context.count("replayed")
        if request.outcome == "done" and request.key:
            actions = sum(1 for event in request.events if event.type in ACTION_EVENTS)
            self.context.count("actions", max(1, actions))


def _stored_key(operation: str, key: str, at: Table | Group | None) -> str:
    """Return a request's key as the book stores it."""
    if key and isinstance(at, Group):
        return session_creation_key(UUID(at.id), key)
    if key and operation in ("open_session", "create_group"):
        return creation_key(key)
    return key


def _with_reply_fields(request: Request, fields: dict[str, Any]) -> Request:
    """Return the request with what the JSON of its reply says."""
    receipt = fields.get("receipt") or {}
    opened = fields.get("id", "") if request.operation in OPENING_OPERATIONS else ""
    refused = request.status >= 400
    return structs.replace(
        request,
        session=request.session or opened,
        code=fields.get("code", "") if refused else "",
        version=0 if refused else receipt.get("version") or fields.get("version") or 0,
        hash=receipt.get("hash", ""),
        events=tuple(
            ReplyEvent(version=e["version"], type=e["type"], hash=e["hash"])
            for e in fields.get("events", ())
        ),
    )


def _is_still_running(reply: Reply) -> bool:
    return reply[0] == 409 and b'"still_running"' in reply[2]
