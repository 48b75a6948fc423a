"""One run: phones keep score while faults are injected, then the ledger is checked."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import psycopg

from ledger.audit.findings import is_clean
from ledger.audit.run import SESSION_IDS, audit_session
from ledger.rebuild import rebuild
from ledger.session.session_state import SessionState, fold
from ledger.store.database_snapshot import database_snapshot
from ledger.store.read_stream import read_stream
from tests.support.supervised_server import SupervisedServer
from tests.verification.chaos import checks, request_history, stored_ledger
from tests.verification.chaos.faults import FAULTS
from tests.verification.chaos.nemesis import Nemesis
from tests.verification.chaos.planted_bugs import BUGS
from tests.verification.chaos.proxy import Proxy
from tests.verification.chaos.run_context import InFlight, Meeting, RunContext
from tests.verification.chaos.scorer import Scorer

CALM_SECONDS = 60
LAST_REQUESTS_SECONDS = 30
PROGRESS_SECONDS = 10.0
HISTORY = "history.jsonl"


class FaultReport(Protocol):
    """What the table of a run needs of a nemesis."""

    def headline(self) -> str: ...

    def table(self) -> str: ...


@dataclass
class Result:
    """The outcome of a run. `findings` by column: empty is good."""

    seed: str
    seconds: float
    counted: Counter[str]
    nemesis: Any  # a FaultReport
    findings: dict[str, list[str]]
    restarts: dict[str, int]

    @property
    def good(self) -> bool:
        return not any(self.findings.values())

    def table(self) -> str:
        counted = self.counted
        columns = " ".join(f"{name}={len(lines)}" for name, lines in self.findings.items())
        return "\n".join(
            (
                f"seed {self.seed}: {self.nemesis.headline()} in {self.seconds:.0f} s",
                f"{counted['done']} requests acknowledged ({counted['actions']} actions), "
                f"{counted['refused']} refused, {counted['unknown']} never answered; "
                f"{counted['sessions']} evenings, {counted['events']} events",
                f"{counted['settled']} settlements; duplicates absorbed: {counted['replayed']} "
                f"replayed replies, {counted['absorbed']} jobs for settled payments; "
                f"restarts {self.restarts}",
                self.nemesis.table(),
                columns,
                *(
                    f"  {name}: {line}"
                    for name, lines in self.findings.items()
                    for line in lines[:10]
                ),
            )
        )


def run(
    folder: Path,
    seed: str,
    *,
    faults: int,
    actions: int = 0,
    phones: int = 12,
    seconds: float = 1e9,
    kinds: tuple[str, ...] = (),
    planted: str = "",
    pace: float = 0.02,
    say: Callable[[str], None] = lambda _: None,
) -> Result:
    """Play until `faults` faults are injected and `actions` actions are acknowledged, then check.

    `seconds` ends the run sooner.
    """
    began, in_flight = time.monotonic(), InFlight()
    with SupervisedServer(folder / "server", planted) as server, ExitStack() as stack:
        proxy = Proxy(server.port)
        stack.callback(proxy.close)
        with run_phones(folder, proxy.port, in_flight, seed, phones) as context:
            nemesis = Nemesis(server, proxy, in_flight, seed, faults, kinds or tuple(FAULTS), pace)
            stop = threading.Event()
            deadline = time.monotonic() + seconds
            with ThreadPoolExecutor(1, "nemesis") as executor:
                injection = executor.submit(nemesis.run, stop)
                while not injection.done() and time.monotonic() < deadline:
                    wait([injection], min(PROGRESS_SECONDS, max(0.0, deadline - time.monotonic())))
                    total = sum(nemesis.injected.values())
                    say(f"{total} faults, {context.counts['actions']} actions")
                while context.counts["actions"] < actions and time.monotonic() < deadline:
                    time.sleep(0.1)  # the phones play on without faults
                stop.set()
            injection.result()  # an error in a fault is not the end of a run
            proxy.stop_disturbing()
        findings = {"late": [*wait_until_ready(server), *wait_until_settled(server)]}
        return conclude(began, seed, server, folder, context, nemesis, findings)


@contextmanager
def run_phones(
    folder: Path, port: int, in_flight: InFlight, seed: str, count: int
) -> Iterator[RunContext]:
    """Let phones keep score, two at each table, until the `with` ends; record what they see. An
    error in a phone is raised at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    writer = request_history.Writer(folder / HISTORY)
    context = RunContext(port=port, writer=writer, in_flight=in_flight)
    meetings = [Meeting() for _ in range(count // 2)]
    with closing(writer), ThreadPoolExecutor(count, "phone") as executor:
        evenings = [
            executor.submit(Scorer(number + 1, context, seed, meetings[number // 2]).run)
            for number in range(2 * len(meetings))
        ]
        try:
            yield context
        finally:
            context.end(LAST_REQUESTS_SECONDS)
    for evening in evenings:
        evening.result()


def conclude(
    began: float,
    seed: str,
    server: SupervisedServer,
    folder: Path,
    context: RunContext,
    nemesis: FaultReport,
    findings: dict[str, list[str]],
) -> Result:
    """Check the ledger, and return the result of the run."""
    counted, ledger_findings = check_ledger(server, folder)
    counted.update(context.counts)
    return Result(
        seed=seed,
        seconds=time.monotonic() - began,
        counted=counted,
        nemesis=nemesis,
        findings={**ledger_findings, **findings},
        restarts=server.restarts,
    )


def wait_until_ready(server: SupervisedServer) -> list[str]:
    """Return a finding unless the server says that it is ready."""
    try:
        server.wait_until_ready()
    except TimeoutError as error:
        return [str(error)]
    return []


def wait_until_settled(server: SupervisedServer) -> list[str]:
    """Return a finding unless everything that is due is settled in time."""
    deadline = time.monotonic() + CALM_SECONDS
    while time.monotonic() < deadline:
        try:
            with psycopg.connect(server.database_url("postgres", "vola")) as db:
                row = db.execute(
                    "SELECT count(*) FROM projections.payments WHERE status = 'due'"
                ).fetchone()
            if row == (0,):
                return []
        except (psycopg.Error, OSError):
            pass
        time.sleep(0.1)
    return [f"payments are still due after {CALM_SECONDS} seconds of calm: {row}"]


def check_ledger(
    server: SupervisedServer, folder: Path
) -> tuple[Counter[str], dict[str, list[str]]]:
    """Run the checks on the request history, the audit, a fold of every version, and a rebuild."""
    url = server.database_url("postgres", "vola")
    book = stored_ledger.read_ledger(url)
    requests = list(request_history.read_history(folder / HISTORY))
    findings = checks.check_history(requests, book)
    findings["conservation"], findings["audit"] = [], []
    with psycopg.connect(url) as db:
        for session_id in [row[0] for row in db.execute(SESSION_IDS)]:
            try:  # folding asserts at every version that money is conserved
                fold(SessionState(id=session_id), read_stream(db, session_id, 0, 2**31 - 1))
            except Exception as error:
                findings["conservation"].append(f"{session_id}: {error!r}")
    with psycopg.connect(url) as db, database_snapshot(db):
        for session_id in [row[0] for row in db.execute(SESSION_IDS)]:
            session_findings = audit_session(db, session_id)
            if not is_clean(session_findings):
                findings["audit"] += [
                    f"{session_id}: {finding.code}: {finding.detail}"
                    for finding in session_findings
                ]
    try:
        differed = rebuild.rebuild(server.database_url("vola_owner")).differed
        findings["rebuild"] = [f"{differed} rows differed"] if differed else []
    except Exception as error:
        findings["rebuild"] = [repr(error)]
    counted = Counter(
        sessions=len(book),
        events=sum(len(evening.events) for evening in book.values()),
        settled=sum(e.type == "payment_settled" for b in book.values() for e in b.events),
    )
    with psycopg.connect(url) as db:
        counted.update(dict(db.execute("SELECT name, count FROM vola.counters").fetchall()))
    return counted, findings


def run_with_bug(name: str, folder: Path, seed: str, *, phones: int, seconds: float) -> Result:
    """Play with a planted bug, under the faults that should reveal it."""
    bug = BUGS[name]
    return run(
        folder,
        seed,
        faults=1000,
        phones=phones,
        seconds=seconds,
        kinds=bug.faults,
        planted=name,
        pace=bug.pace,
    )
