"""Phones at their tables: real HTTP, one key for each request, repeated until it is answered.

Two phones share each table, so that their writes conflict. What they do is drawn at random; what
they saw is recorded.
"""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
import uuid
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import UUID

from ledger.groups.groups import session_creation_key
from ledger.store.append_request import creation_key
from tests.support.player_names import FOUR_PLAYERS
from tests.verification.chaos.request_history import Outcome, ReplyEvent, Request, Writer
from tests.verification.chaos.stored_ledger import body_digest

PLAYERS = ("p1", "p2", "p3", "p4")
PATIENCE_SECONDS = 120
RETRY_STATUSES = (429, 500, 502, 503, 504)
DEALS_AN_EVENING = 25
AGREED = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4"], "carry": True}

Reply = tuple[int, dict[str, str], bytes]


class InFlight:
    """The requests in flight and the active faults, to know which fault met which request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = Counter[str]()
        self._tokens = count(1)
        self.faults: dict[int, str] = {}  # active now

    def begin(self, operation: str) -> None:
        with self._lock:
            self._counts[operation] += 1

    def end(self, operation: str) -> None:
        with self._lock:
            self._counts[operation] -= 1

    def snapshot(self) -> dict[str, int]:
        with self._lock:
            return {operation: n for operation, n in self._counts.items() if n}

    def begin_fault(self, kind: str) -> int:
        with self._lock:
            token = next(self._tokens)
            self.faults[token] = kind
            return token

    def end_fault(self, token: int) -> None:
        with self._lock:
            self.faults.pop(token, None)

    def active_faults(self) -> tuple[str, ...]:
        with self._lock:
            return tuple(sorted(set(self.faults.values())))


@dataclass
class Table:
    """An evening that two phones keep score of."""

    session: str
    token: str
    closed: bool = False

    @property
    def path(self) -> str:
        return f"/v1/sessions/{self.session}"


@dataclass(frozen=True)
class Group:
    """A group of people who meet again."""

    id: str
    token: str
    session: str = ""  # requests to a group belong to no evening

    @property
    def path(self) -> str:
        return f"/v1/groups/{self.id}"


@dataclass
class Meeting:
    """What two phones share: their group, and the table where they sit now."""

    group: Group | None = None
    table: Table | None = None


@dataclass
class Shared:
    """What all phones of a run have in common."""

    port: int
    writer: Writer
    in_flight: InFlight
    amounts: Any = field(default_factory=lambda: count(1))  # no two transfers are alike
    stop: threading.Event = field(default_factory=threading.Event)
    counts: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)
    until: float = float("inf")

    def end(self, seconds: float) -> None:
        """Stop new requests; those in flight have `seconds` left."""
        self.until = time.monotonic() + seconds
        self.stop.set()

    def count(self, outcome: str, amount: int = 1) -> None:
        with self.lock:
            self.counts[outcome] += amount


class Phone:
    """One phone, which sends requests, repeats them, and records what it saw."""

    def __init__(self, number: int, shared: Shared, seed: str) -> None:
        self.number = number
        self.shared = shared
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
        started_at, tries, faults = time.monotonic_ns(), 0, set[str]()
        reply: Reply | None = None
        self.shared.in_flight.begin(operation)
        try:
            while time.monotonic_ns() - started_at < PATIENCE_SECONDS * 10**9:
                if time.monotonic() > self.shared.until:
                    break
                tries += 1
                faults.update(self.shared.in_flight.active_faults())
                reply = self._send(method, path, raw, headers)
                if reply and reply[0] not in RETRY_STATUSES and not _is_still_running(reply):
                    break
                reply = None
                time.sleep(min(0.02 * 2 ** min(tries, 5), 0.5))
        finally:
            self.shared.in_flight.end(operation)
        return self._record(operation, key, at, started_at, tries, reply, faults)

    def _send(
        self, method: str, path: str, raw: bytes | None, headers: dict[str, str]
    ) -> Reply | None:
        connection = http.client.HTTPConnection("127.0.0.1", self.shared.port, timeout=15)
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
        outcome: Outcome = "unknown"
        status, headers, raw = reply or (0, {}, b"")
        document: Any = None
        with suppress(ValueError):  # the digest of the bytes is recorded
            document = json.loads(raw)
        if reply:
            outcome = "done" if status < 400 else "refused"
        fields = document if isinstance(document, dict) else {}
        receipt = fields.get("receipt") or {}
        if key and isinstance(at, Group):
            key = session_creation_key(UUID(at.id), key)  # as the book stores it
        elif key and operation in ("create", "found"):
            key = creation_key(key)
        replayed = headers.get("idempotency-replayed") == "true"
        self.shared.writer.write(
            Request(
                phone=self.number,
                number=self.request_count,
                operation=operation,
                session=(at and at.session)
                or (fields.get("id", "") if operation in OPENING_OPERATIONS else ""),
                key=key,
                started_at=started_at,
                ended=time.monotonic_ns(),
                tries=tries,
                outcome=outcome,
                status=status,
                code=fields.get("code", "") if status >= 400 else "",
                replayed=replayed,
                version=(receipt.get("version") or fields.get("version") or 0)
                if status < 400
                else 0,
                hash=receipt.get("hash", ""),
                body=body_digest(raw)
                if key and outcome == "done" and operation not in TOKEN_OPERATIONS
                else "",
                events=tuple(
                    ReplyEvent(version=e["version"], type=e["type"], hash=e["hash"])
                    for e in fields.get("events", ())
                ),
                faults=tuple(sorted(faults)),
            )
        )
        self.shared.count(outcome)
        if replayed:
            self.shared.count("replayed")
        if outcome == "done" and key:
            actions = sum(1 for e in fields.get("events", ()) if e["type"] in ACTION_EVENTS)
            self.shared.count("actions", max(1, actions))
        return document if outcome == "done" else None


OPENING_OPERATIONS = frozenset({"create", "gather"})
TOKEN_OPERATIONS = OPENING_OPERATIONS | {"found"}  # their answers add tokens to the stored bytes
ACTION_EVENTS = frozenset(
    {
        *("deal_opened", "declared", "all_passed", "result_recorded", "action_undone"),
        *("deal_corrected", "deal_voided", "transfer_recorded", "evening_closed"),
        *("cost_recorded", "cost_voided"),
    }
)


def _is_still_running(reply: Reply) -> bool:
    return reply[0] == 409 and b'"still_running"' in reply[2]


class Scorer(Phone):
    """A phone that keeps score of one table after the other, together with another phone."""

    def __init__(self, number: int, shared: Shared, seed: str, meeting: Meeting) -> None:
        super().__init__(number, shared, seed)
        self.meeting = meeting

    def run(self) -> None:
        while not self.shared.stop.is_set():
            table = self.meeting.table
            if table is None or table.closed:
                self._sit_down()
            else:
                self._take_action(table)

    def _sit_down(self) -> None:
        """Open an evening: mostly of the group, carried forward, and sometimes without it."""
        group = self.meeting.group
        if group is None:
            return self._found_group()
        terms = {"options": {"bet_payment": self.die.choice(("immediate", "on_collection"))}}
        if self.die.random() < 0.75:
            body = {**AGREED, **terms}
            reply = self.ask("gather", "POST", f"{group.path}/sessions", body, group)
        else:
            body = {"game": AGREED["game"], "players": FOUR_PLAYERS, **terms}
            reply = self.ask("create", "POST", "/v1/sessions", body)
        if reply:
            self.meeting.table = Table(session=reply["id"], token=reply["tokens"]["host"])
        return None

    def _found_group(self) -> None:
        reply = self.ask(
            "found", "POST", "/v1/groups", {"name": "Torsdagar", "members": FOUR_PLAYERS}
        )
        if reply:
            self.meeting.group = Group(reply["id"], reply["tokens"]["host"])

    def _take_action(self, table: Table) -> None:
        state = self.ask("read", "GET", table.path, at=table)
        if state is None:
            return
        if state["status"] == "closed":
            table.closed = True
            return
        number, waiting = state["deal"]["number"], state["deal"]["phase"] == "waiting"
        roll = self.die.random()
        if number > DEALS_AN_EVENING and waiting:
            self._write(table, "close", "POST", "/closure", {})
        elif roll < 0.08:
            self._actions(table, "undo", {"type": "undo"})
        elif roll < 0.16:
            payer, payee = self.die.sample(PLAYERS, 2)
            amount = next(self.shared.amounts)
            body = {"from": payer, "to": payee, "amount": amount}
            self._write(table, "transfer", "POST", "/transfers", body)
        elif roll < 0.21:
            self._take_cost_action(table, state.get("costs", []))
        elif roll < 0.27 and number > 1 and waiting:
            correction = {"actions": self._deal(), "reason": "fel skrivet", "later": "void"}
            deal_number = self.die.randint(max(1, number - 3), number - 1)
            self._write(table, "correct", "PUT", f"/deals/{deal_number}", correction)
        elif roll < 0.29 and number > 1:
            self._write(table, "void", "DELETE", f"/deals/{number - waiting}?later=void", None)
        elif waiting and roll < 0.85:
            opens = {"type": "open_deal", "number": number}
            self._actions(table, "deal", opens, *self._deal())
        elif waiting:
            self._actions(table, "action", {"type": "open_deal", "number": number})
        elif "declarers" not in state["deal"]:
            self._actions(table, "action", self._deal()[0])
        else:
            self._actions(table, "action", self._outcome())

    def _take_cost_action(self, table: Table, costs: list[dict[str, Any]]) -> None:
        """Record a cost, or correct or void one. No two costs have the same amount."""
        payer, other = self.die.sample(PLAYERS, 2)
        body: dict[str, Any] = {"payer": payer, "amount": next(self.shared.amounts)}
        if self.die.random() < 0.5:
            body |= {"parts": {payer: self.die.randint(0, 2), other: 1}, "purpose": "Pizza"}
        roll = self.die.random() if costs else 0
        path = f"/costs/{self.die.choice(costs)['number']}" if costs else ""
        if roll < 0.5:
            self._write(table, "cost", "POST", "/costs", body)
        elif roll < 0.8:
            self._write(table, "correct_cost", "PUT", path, body)
        else:
            self._write(table, "void_cost", "DELETE", path, None)

    def _deal(self) -> list[dict[str, Any]]:
        if self.die.random() < 0.08:
            return [{"type": "all_pass"}]
        return [{"type": "declare", "players": [self.die.choice(PLAYERS)]}, self._outcome()]

    def _outcome(self) -> dict[str, Any]:
        player = self.die.choice(PLAYERS)
        if self.die.random() < 0.5:
            return {"type": "result", "la_vola": {"player": player, "won": self.die.random() < 0.9}}
        return {"type": "result", "winner": player}

    def _actions(self, table: Table, operation: str, *actions: dict[str, Any]) -> None:
        self._write(table, operation, "POST", "/actions", {"actions": list(actions)})

    def _write(self, table: Table, operation: str, method: str, path: str, body: Any) -> None:
        self.ask(operation, method, table.path + path, body, table)
