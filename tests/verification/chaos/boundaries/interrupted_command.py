"""One run of a command, with one fault: the phone asks again until it has an answer."""

from __future__ import annotations

from uuid import UUID

from werkzeug.test import TestResponse

from tests.support.api.group_client import find_tables_with_name
from tests.verification.chaos.boundaries import ledger_summary, reply_comparison
from tests.verification.chaos.boundaries.concurrent_request import ConcurrentRequest
from tests.verification.chaos.boundaries.fault_injection import Mode, ProcessDied
from tests.verification.chaos.boundaries.run_outcome import Outcome
from tests.verification.chaos.boundaries.scenarios import Scenario
from tests.verification.chaos.boundaries.two_processes import TwoProcesses, reset_stores

OPENED = {
    "sessions": "SELECT (SELECT count(*) FROM vola.heads), (SELECT count(*) FROM vola.sessions),"
    " (SELECT count(*) FROM vola.creation_keys)",
    "groups": "SELECT count(*), (SELECT count(*) FROM vola.group_creation_keys) FROM vola.groups",
}


class ConnectionLost(Exception):
    """The phone is no longer connected, so its answer is lost."""


def run_command(processes: TwoProcesses, scenario: Scenario, at: int, mode: Mode) -> Outcome:
    """Send the command with a fault at effect number `at`; 0: without a fault."""
    key = f"idempotency key of a command {next(processes.key_numbers)}"
    findings: list[str] = []
    received: list[TestResponse] = []
    before = _count_opened(processes, scenario)
    concurrent = ConcurrentRequest(
        processes.superuser, lambda: _send_concurrent(processes, scenario, key, mode)
    )
    processes.injector.arm(at, mode, concurrent.send)
    try:
        answer = scenario.ask(processes.faulty_app.test_client(), key)
        processes.injector.run_effect(
            "reply", lambda: received.append(answer), lambda: None, ConnectionLost()
        )
    except ProcessDied:
        pass
    except ConnectionLost:
        received.clear()
    effects, was_injected = processes.injector.effects, processes.injector.was_injected
    processes.injector.disarm()
    concurrent.join()
    if processes.injector.dead:
        reset_stores(processes.clean_app, processes.clean_pool)
    phone = (processes.clean_app if processes.injector.dead else processes.faulty_app).test_client()
    succeeded = received and received[0].status_code < 300  # so the phone does not ask again
    first = received[0] if succeeded else scenario.ask(phone, key)
    new_ids = [UUID(str(first.json["id"]))] if scenario.opens and first.json else []
    evenings = [*scenario.evenings, *(new_ids if scenario.opens == "sessions" else [])]
    group = new_ids[0] if new_ids and scenario.opens == "groups" else scenario.group
    rivals = _opened_by_rival(concurrent, mode)
    processes.poll()
    findings += _find_erased_name(processes, scenario, [*evenings, *rivals, group])
    findings += reply_comparison.check_phone_replies(received, first, scenario.ask(phone, key))
    findings += reply_comparison.check_concurrent_reply(concurrent, first, mode)
    findings += processes.audit(evenings)
    if bool(at) != was_injected:
        findings.append("no fault was injected")
    increase, after = 1 + len(rivals), _count_opened(processes, scenario)
    if [b - a for a, b in zip(before, after, strict=True)] != [increase] * len(before):
        findings.append(f"{before} became {after}, and not {increase} more")
    summary = ledger_summary.summarize(processes.superuser, evenings, group, rivals)
    return Outcome(effects, summary, findings)


def _find_erased_name(
    processes: TwoProcesses, scenario: Scenario, ids: list[UUID | None]
) -> list[str]:
    if not scenario.erased_name:
        return []
    tables = find_tables_with_name(processes.clean_app, scenario.erased_name, *map(str, ids))
    return [f"the name is in {table}" for table in tables]


def _send_concurrent(
    processes: TwoProcesses, scenario: Scenario, key: str, mode: Mode
) -> TestResponse:
    client = processes.clean_app.test_client()
    if mode == "waits for a duplicate":
        return scenario.ask(client, key)
    return scenario.rival(client, f"rival of {key}")


def _count_opened(processes: TwoProcesses, scenario: Scenario) -> tuple[int, ...]:
    row = processes.superuser.execute(OPENED[scenario.opens]).fetchone() if scenario.opens else ()
    assert row is not None
    return tuple(row)


def _opened_by_rival(concurrent: ConcurrentRequest, mode: Mode) -> list[UUID]:
    """Return the evening or group that the rival opened, if it opened one."""
    if (
        mode != "waits for a rival"
        or concurrent.answer is None
        or concurrent.answer.status_code != 201
    ):
        return []
    opened = concurrent.answer.json
    return [UUID(opened["id"])] if "tokens" in opened else []
