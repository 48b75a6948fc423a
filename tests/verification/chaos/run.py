"""One run: phones, nemesis, and then the book held against what the phones saw."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg

from ledger.audit.findings import is_clean
from ledger.audit.run import SESSION_IDS, audit_session
from ledger.rebuild import rebuild
from ledger.session.session_state import SessionState, fold
from ledger.store.database_snapshot import database_snapshot
from ledger.store.read_stream import read_stream as stored
from tests.support.supervised_server import SupervisedServer
from tests.verification.chaos import checks, request_history, stored_ledger
from tests.verification.chaos.faults import KINDS
from tests.verification.chaos.nemesis import Nemesis
from tests.verification.chaos.phones import Flights, Meeting, Scorer, Shared
from tests.verification.chaos.proxy import Proxy

CALM_SECONDS = 60
LAST_SECONDS = 30
SAY_SECONDS = 10.0


@dataclass
class Result:
    """What came of a run. `findings` by column: empty is good."""

    seed: str
    seconds: float
    counted: Counter[str]
    nemesis: Nemesis
    findings: dict[str, list[str]]
    restarts: dict[str, int]

    @property
    def good(self) -> bool:
        return not any(self.findings.values())

    def table(self) -> str:
        c, columns = self.counted, " ".join(f"{n}={len(f)}" for n, f in self.findings.items())
        return "\n".join(
            (
                f"seed {self.seed}: {sum(self.nemesis.struck.values())} faults of "
                f"{len(self.nemesis.struck)} kinds in {self.seconds:.0f} s",
                f"{c['done']} requests acknowledged ({c['actions']} actions), "
                f"{c['refused']} refused, {c['unknown']} never answered; "
                f"{c['sessions']} evenings, {c['events']} events",
                f"{c['settled']} settlements; duplicates absorbed: {c['replayed']} answers given "
                f"again, {c['absorbed']} rings for what was settled; restarts {self.restarts}",
                self.nemesis.table(),
                columns,
                *(f"  {n}: {what}" for n, found in self.findings.items() for what in found[:10]),
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
    """Play until so many faults have struck and so many actions are acknowledged, then check.

    `seconds` ends it sooner.
    """
    folder.mkdir(parents=True, exist_ok=True)
    began, flights = time.monotonic(), Flights()
    writer = request_history.Writer(folder / "history.jsonl")
    with SupervisedServer(folder / "house", planted) as server, ExitStack() as stack:
        proxy = Proxy(server.port)
        stack.callback(proxy.close)
        shared = Shared(port=proxy.port, writer=writer, flights=flights)
        threads = []
        for pair in range(phones // 2):
            meeting = Meeting()
            for number in (2 * pair + 1, 2 * pair + 2):
                phone = Scorer(number, shared, seed, meeting)
                threads.append(threading.Thread(target=phone.run, name=f"phone {number}"))
        for thread in threads:
            thread.start()
        nemesis = Nemesis(server, proxy, flights, seed, faults, kinds or tuple(KINDS), pace)
        enough = threading.Event()
        striking = threading.Thread(target=nemesis.run, args=(enough,), name="nemesis")
        striking.start()
        deadline = time.monotonic() + seconds
        while striking.is_alive() and time.monotonic() < deadline:
            striking.join(min(SAY_SECONDS, max(0.0, deadline - time.monotonic())))
            say(f"{sum(nemesis.struck.values())} faults, {shared.done['actions']} actions")
        while shared.done["actions"] < actions and time.monotonic() < deadline:
            time.sleep(0.1)  # the phones play on without faults
        enough.set()
        striking.join()
        proxy.calm()
        shared.end(LAST_SECONDS)
        for thread in threads:
            thread.join()
        writer.close()
        findings = {"late": [*ready(server), *calm(server)]}
        counted, judged = judge(server, folder)
    counted.update(shared.done)
    return Result(
        seed=seed,
        seconds=time.monotonic() - began,
        counted=counted,
        nemesis=nemesis,
        findings={**judged, **findings},
        restarts=server.restarts,
    )


def ready(server: SupervisedServer) -> list[str]:
    """When nothing strikes any more, it says so itself."""
    try:
        server.wait_until_ready()
    except TimeoutError as late:
        return [str(late)]
    return []


def calm(server: SupervisedServer) -> list[str]:
    """When nothing strikes any more, everything that is due is settled soon."""
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


def judge(server: SupervisedServer, folder: Path) -> tuple[Counter[str], dict[str, list[str]]]:
    """The checkers on what was written down, the audit, every version folded, and a rebuild."""
    url = server.database_url("postgres", "vola")
    book = stored_ledger.read(url)
    seen = list(request_history.read(folder / "history.jsonl"))
    findings = checks.check(seen, book)
    findings["conservation"], findings["audit"] = [], []
    with psycopg.connect(url) as db:
        for session_id in [row[0] for row in db.execute(SESSION_IDS)]:
            try:  # folding asserts at every version that money is conserved
                fold(SessionState(id=session_id), stored(db, session_id, 0, 2**31 - 1))
            except Exception as error:
                findings["conservation"].append(f"{session_id}: {error!r}")
    with psycopg.connect(url) as db, database_snapshot(db):
        for session_id in [row[0] for row in db.execute(SESSION_IDS)]:
            found = audit_session(db, session_id)
            if not is_clean(found):
                findings["audit"] += [f"{session_id}: {one.code}: {one.detail}" for one in found]
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
