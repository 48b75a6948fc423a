"""One share of the fuzzing: rounds of Schemathesis with all its checks."""

from __future__ import annotations

import time
from random import Random
from typing import Any

import requests as network
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import Status, events, from_schema

from tests.verification.fuzz.client_knowledge import ClientKnowledge
from tests.verification.fuzz.contract import SPEC
from tests.verification.fuzz.fuzz_report import FuzzReport
from tests.verification.fuzz.request_preparation import RequestPreparer
from tests.verification.fuzz.schemathesis_hooks import installed_hooks
from tests.verification.fuzz.seed_sessions import SeedClient, Send, seed_sessions

MAX_STEPS = 12
"""Requests in a row that follow links."""
SCENARIOS_PER_EXAMPLE = 10
"""Sequences of linked requests for each example of one operation."""
Phases = tuple[str, ...]
PHASES: tuple[Phases, ...] = (("examples", "fuzzing", "stateful"), ("coverage",))
"""Rounds take turns with these. `coverage` tries the cases of the schemas one by one; it comes last
because it takes longest."""


def in_process(app: Any) -> Send:
    client = app.test_client()

    def send(
        method: str, path: str, headers: dict[str, str], body: bytes | None
    ) -> tuple[int, dict[str, str], bytes]:
        answer = client.open(path, method=method, headers=headers, data=body)
        lower_headers = {name.lower(): value for name, value in answer.headers.items()}
        return answer.status_code, lower_headers, answer.data

    return send


def over_http(url: str) -> Send:
    session = network.Session()

    def send(
        method: str, path: str, headers: dict[str, str], body: bytes | None
    ) -> tuple[int, dict[str, str], bytes]:
        answer = session.request(method, url + path, headers=headers, data=body, timeout=30)
        lower_headers = {name.lower(): value for name, value in answer.headers.items()}
        return answer.status_code, lower_headers, answer.content

    return send


def make_config(seed: int, examples: int, phases: Phases) -> SchemathesisConfig:
    """Return settings with everything on: every check, both ways of generating, every operation."""
    return SchemathesisConfig.from_dict(
        {
            "seed": seed,
            "continue-on-failure": True,
            "workers": 1,
            "warnings": False,
            "request-timeout": 20,
            "max-stream-events": 1,  # one shows the shape; a whole stream takes a minute
            "generation": {"database": "none", "mode": "all", "no-shrink": True},
            "phases": {
                "examples": {"enabled": "examples" in phases},
                "coverage": {"enabled": "coverage" in phases},
                "fuzzing": {
                    "enabled": "fuzzing" in phases,
                    "generation": {"max-examples": examples},
                },
                "stateful": {
                    "enabled": "stateful" in phases,
                    "max-steps": MAX_STEPS,
                    "generation": {"max-examples": examples * SCENARIOS_PER_EXAMPLE},
                },
            },
        }
    )


def fuzz(
    send: Send,
    target: Any,
    *,
    seed: int,
    requests: int,
    seconds: float = float("inf"),
    examples: int = 30,
    evenings: int = 6,
) -> FuzzReport:
    """Send at least `requests` requests generated from this seed, unless `seconds` end before. The
    first round is always complete. `target` is the Flask app or a server's URL; `send` reaches the
    same."""
    die, report = Random(seed), FuzzReport()
    knowledge = ClientKnowledge(die)
    seed_sessions(SeedClient(send, knowledge, die), evenings)
    until, number = time.monotonic() + seconds, 0
    with installed_hooks(RequestPreparer(send, knowledge, report, die)):
        while report.total < requests and time.monotonic() < until:
            settings = make_config(seed + number, examples, PHASES[number % len(PHASES)])
            run_round(target, settings, report, until if number else float("inf"))
            number += 1
    return report


def run_round(target: Any, settings: SchemathesisConfig, report: FuzzReport, until: float) -> None:
    """Run one round with these settings, and stop it at `until` on the monotonic clock."""
    # not by its URL: Schemathesis 4.32 omits the operation that a contract was loaded from
    schema = schemathesis.openapi.from_dict(SPEC, config=settings)
    if isinstance(target, str):
        schema.config.update(base_url=target)
    else:
        schema.app = target
    stream = from_schema(schema).execute()
    for event in stream:
        record_event(event, report)
        if time.monotonic() > until:
            stream.stop()


def record_event(event: events.EngineEvent, report: FuzzReport) -> None:
    """Record what an event says of faults, and of links that were followed."""
    if isinstance(event, events.NonFatalError):
        report.errors.setdefault(f"{event.label}: {event.info.title}", event.info.format())
    if isinstance(event, events.FatalError):
        report.errors.setdefault("fatal", repr(event.exception))
    if not isinstance(event, events.ScenarioFinished):
        return
    recorder = event.recorder
    for node in recorder.cases.values():
        if node.transition is not None and node.is_transition_applied:
            report.followed_links[node.transition.id] += 1
    for case_id, checks in recorder.checks.items():
        for check in checks:
            report.checks[check.name] += 1
            if check.status != Status.FAILURE or check.failure_info is None:
                continue
            failure = check.failure_info.failure
            answer = recorder.find_response(case_id=case_id)
            if check.name == "use_after_free" and answer and b'"status":"voided"' in answer.content:
                continue  # what DELETE voids stays readable, as voided
            body = answer.content[:600].decode("utf-8", "replace") if answer else ""
            details = f"{failure.message}\n{check.failure_info.code_sample}\n{body}"
            report.add_fault(failure.operation, f"{check.name}: {failure.title}", details)
