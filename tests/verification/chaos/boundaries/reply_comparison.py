"""Checks of the replies to a first, a repeated and a concurrent request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from werkzeug.test import TestResponse

from tests.verification.chaos.boundaries.concurrent_request import ConcurrentRequest
from tests.verification.chaos.boundaries.fault_injection import Mode

TOO_LATE = ("already_carried_forward", "unknown_member")
"""The codes that a rival may get if its request comes after the command."""


def check_phone_replies(
    received: list[TestResponse], first: TestResponse, repeated: TestResponse
) -> Iterator[str]:
    """Yield replies under one key that differ; `received` has the reply that arrived at once."""
    if first.status_code not in (200, 201):
        yield f"the last answer is {first.status_code} {first.text}"
    if (repeated.data, repeated.status_code) != (first.data, first.status_code):
        yield f"asked once more: {repeated.status_code} {repeated.text}"
    if repeated.headers.get("Idempotency-Replayed") != "true":
        yield "asked once more: the answer is not marked as replayed"
    for answer in received:
        if answer.status_code < 300 and answer.data != first.data:
            yield f"the first answer is {answer.text}, then {first.text}"
        if 300 <= answer.status_code < 500:
            yield f"refused: {answer.status_code} {answer.text}"


def check_concurrent_reply(
    concurrent: ConcurrentRequest, first: TestResponse, mode: Mode
) -> Iterator[str]:
    """Yield a wrong reply to the concurrent request: the same request must get the same reply, and
    a rival's request must succeed."""
    if concurrent.failed:
        yield f"the other one failed: {concurrent.failed!r}"
    answer: Any = concurrent.answer
    if answer is None:
        return
    if mode == "waits for a duplicate":
        if answer.data != first.data:
            yield f"the same request got {answer.status_code} {answer.text}"
    elif answer.status_code >= 300 and answer.json["code"] not in TOO_LATE:
        yield f"the rival got {answer.status_code} {answer.text}"
