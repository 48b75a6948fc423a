"""One run of a job, with one fault: another worker does what is left."""

from __future__ import annotations

from contextlib import suppress

from werkzeug.test import TestResponse

from tests.verification.chaos.boundaries import ledger_summary
from tests.verification.chaos.boundaries.concurrent_request import ConcurrentRequest
from tests.verification.chaos.boundaries.fault_injection import FaultInjector, Mode, ProcessDied
from tests.verification.chaos.boundaries.jobs import Task
from tests.verification.chaos.boundaries.run_outcome import Outcome
from tests.verification.chaos.boundaries.two_processes import TwoProcesses
from tests.verification.chaos.boundaries.worker_context import WorkerContext

FAILURE_COUNT = "SELECT count(*) FROM vola.settlement_failures"


def run_job(processes: TwoProcesses, task: Task, at: int, mode: Mode) -> Outcome:
    """Do the job with a fault at effect number `at`; 0: without a fault."""
    clean_worker = processes.worker_context(processes.clean_pool, FaultInjector())
    findings: list[str] = []

    def send_concurrent() -> TestResponse | None:
        if mode == "waits for a rival":
            assert task.rival, "this job has no rival"
            return task.rival(
                processes.clean_app.test_client(),
                f"idempotency key of the rival of a job {next(processes.key_numbers)}",
            )
        clean_worker.poll(clean_worker.relay())
        return None

    worker = processes.worker_context(processes.faulty_pool, processes.injector)
    concurrent = ConcurrentRequest(processes.superuser, send_concurrent)
    processes.injector.arm(at, mode, concurrent.send)
    with suppress(ProcessDied):
        task.do(worker)
    effects, was_injected = processes.injector.effects, processes.injector.was_injected
    concurrent.join()
    if concurrent.failed:
        findings.append(f"the other one failed: {concurrent.failed!r}")
    if bool(at) != was_injected:
        findings.append("no fault was injected")
    task.repair(_without_faults(clean_worker, processes.injector))
    processes.injector.disarm()
    if not processes.injector.dead:
        worker.poll(worker.relay())  # its pool must still work
    clean_worker.poll(clean_worker.relay(), sweep=True)
    if processes.superuser.execute(FAILURE_COUNT).fetchone() != (0,):
        findings.append("a settlement failure is still recorded")
    findings += processes.audit([task.evening])
    return Outcome(effects, ledger_summary.summarize(processes.superuser, [task.evening]), findings)


def _without_faults(worker: WorkerContext, injector: FaultInjector) -> WorkerContext:
    """Return the worker without faults of its own, but with the mode that another one met."""
    worker.injector = FaultInjector()
    worker.injector.mode, worker.injector.was_injected = injector.mode, injector.was_injected
    return worker
