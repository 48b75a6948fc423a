"""A phone that records one deal after the other and keeps each until the server acknowledges it.

Like the form's sync queue, it sends a write again under the same key until it is acknowledged, and
only then sends the next one.
"""

from __future__ import annotations

import http.client
import threading
import time
from collections import Counter
from typing import Any, NamedTuple

from tests.support.api.http_client import Answer, RemoteSession, new_key

PAUSE_SECONDS = 0.1
TIMEOUT_SECONDS = 120
NO_ANSWER = "no answer"


class Acknowledgement(NamedTuple):
    """An event that the server acknowledged to the phone, and when, on the monotonic clock."""

    version: int
    hash: str
    at: float


class RecordingPhone:
    """The phone of an evening of Polskt pass; it records inside the `with`."""

    def __init__(self, phone: RemoteSession, next_deal: int = 1) -> None:
        self._phone, self._deal = phone, next_deal
        self.acknowledged: list[Acknowledgement] = []
        self.failures: Counter[str] = Counter()
        """What the phone got instead of an acknowledgement, and how often."""
        self.longest_wait = 0.0
        self._stop, self._changed = threading.Event(), threading.Condition()
        self._thread = threading.Thread(target=self._record, name="phone")

    @property
    def session_id(self) -> str:
        return self._phone.id

    def __enter__(self) -> RecordingPhone:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def wait_for_deals(self, count: int) -> float:
        """Wait until `count` more deals are acknowledged. Return the time of the first of them."""
        with self._changed:
            before = len(self.acknowledged)
            is_done = self._changed.wait_for(
                lambda: len(self.acknowledged) >= before + count, TIMEOUT_SECONDS
            )
            assert is_done, (
                f"nothing was acknowledged for {TIMEOUT_SECONDS} seconds: {self.failures}"
            )
            return self.acknowledged[before].at

    def _record(self) -> None:
        while not self._stop.is_set():
            started_at = time.monotonic()
            if answer := self._send_until_acknowledged(self._deal_actions(), new_key()):
                receipt = answer.json["receipt"]
                now = time.monotonic()
                self.longest_wait = max(self.longest_wait, now - started_at)
                with self._changed:
                    acknowledgement = Acknowledgement(receipt["version"], receipt["hash"], now)
                    self.acknowledged.append(acknowledgement)
                    self._changed.notify_all()
            self._deal += 1
            self._stop.wait(PAUSE_SECONDS)

    def _send_until_acknowledged(self, actions: list[dict[str, Any]], key: str) -> Answer | None:
        while not self._stop.is_set():
            try:
                answer = self._phone.write("/actions?lang=en", {"actions": actions}, key=key)
            except (OSError, http.client.HTTPException):
                self.failures[NO_ANSWER] += 1
            else:
                if answer.status == 201:
                    return answer
                problem = answer.json
                self.failures[f"{answer.status} `{problem['code']}`: {problem['detail']}"] += 1
            self._stop.wait(PAUSE_SECONDS)
        return None

    def _deal_actions(self) -> list[dict[str, Any]]:
        """Return a deal's actions; in every third, la vola is won and three payments become due."""
        won = {"player": "p2", "won": True}
        outcome = {"winner": "p3"} if self._deal % 3 else {"la_vola": won}
        declare = {"type": "declare", "players": ["p1"]}
        opening = {"type": "open_deal", "number": self._deal}
        return [opening, declare, {"type": "result", **outcome}]
