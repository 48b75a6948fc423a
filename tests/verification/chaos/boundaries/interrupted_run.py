"""One run of a command or job, in an evening of its own and with one fault."""

from __future__ import annotations

from tests.verification.chaos.boundaries import access_commands, commands
from tests.verification.chaos.boundaries.fault_injection import FaultInjector, Mode
from tests.verification.chaos.boundaries.interrupted_command import run_command
from tests.verification.chaos.boundaries.interrupted_job import run_job
from tests.verification.chaos.boundaries.jobs import JOBS
from tests.verification.chaos.boundaries.run_outcome import Outcome
from tests.verification.chaos.boundaries.two_processes import TwoProcesses

COMMANDS = commands.COMMANDS | access_commands.COMMANDS
APPENDS = (
    *("a whole deal", "one action", "undo", "reseat"),
    *("transfer", "correct a deal", "void a deal", "close"),
)
REMEMBERED = {f"{name}, remembered": name for name in APPENDS}
"""The same commands in a process that has the evening in its cache."""


class InterruptibleRunner(TwoProcesses):
    """A runner of commands and jobs, each any number of times. A context manager."""

    def do(self, name: str, at: int = 0, mode: Mode = "raises") -> Outcome:
        """Run a command or job once, with a fault at effect number `at`; 0: without a fault."""
        self.restart_process()
        if name in REMEMBERED:
            scenario = COMMANDS[REMEMBERED[name]](self.host)
            self.warm_cache(scenario.evenings)
            return run_command(self, scenario, at, mode)
        if name in COMMANDS:
            return run_command(self, COMMANDS[name](self.host), at, mode)
        self.redis(FaultInjector()).flushdb()
        return run_job(
            self,
            JOBS[name](self.host, self.worker_context(self.clean_pool, FaultInjector())),
            at,
            mode,
        )
