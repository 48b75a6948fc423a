"""One run: phones keep score while leaders fall; then the book is held against what they saw."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.verification.chaos import request_history
from tests.verification.chaos.ha.cluster import Cluster
from tests.verification.chaos.ha.heartbeat import Beats, longest
from tests.verification.chaos.ha.nemesis import ANOTHER_LEADS, BLOWS, Nemesis, Struck
from tests.verification.chaos.ha.server_on_cluster import ServerOnCluster
from tests.verification.chaos.phones import Flights, Meeting, Scorer, Shared
from tests.verification.chaos.run import calm, judge


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
                f"seed {self.seed}: {len(self.nemesis.struck)} blows in {self.seconds:.0f} s",
                f"{c['done']} requests acknowledged ({c['actions']} actions), "
                f"{c['refused']} refused, {c['unknown']} never answered; {c['sessions']} evenings, "
                f"{c['events']} events, {c['settled']} settlements; {c['replayed']} answers given "
                f"again; restarts of the server {self.restarts}",
                told(self.nemesis.struck),
                columns,
                *(f"  {n}: {what}" for n, found in self.findings.items() for what in found[:10]),
            )
        )


def told(struck: list[Struck]) -> str:
    """By kind: how often, for how long there was nobody to write to, and how long phones waited."""
    head = "".join(
        f"{word:>10}" for word in ("times", "median s", "worst s", "median s", "worst s")
    )
    lines = [f"{'':20}{'':10}{'no leader':>20}{'no answer':>20}", f"{'blow':20}{head}"]
    kinds = {name: {name} for name in BLOWS} | {"another leads": ANOTHER_LEADS}
    for name, kind in kinds.items():
        of_it = [one for one in struck if one.name in kind]
        if of_it:
            silent = [one.silent_seconds for one in of_it]
            waited = [one.waited_seconds for one in of_it]
            figures = (median(silent), max(silent), median(waited), max(waited))
            cells = "".join(f"{figure:10.1f}" for figure in figures)
            lines.append(f"{name:20}{len(of_it):10}{cells}")
    return "\n".join(lines)


def run(
    folder: Path,
    seed: str,
    *,
    blows: int,
    phones: int = 8,
    only: tuple[str, ...] = (),
    careless: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Result:
    """Everything, from the first election to the verdict."""
    folder.mkdir(parents=True, exist_ok=True)
    began, writer = time.monotonic(), request_history.Writer(folder / "history.jsonl")
    with Cluster(folder / "cluster", careless=careless) as cluster, Beats(cluster) as beats:
        say(f"a leader and two who follow, after {time.monotonic() - began:.0f} s")
        with ServerOnCluster(folder / "house", cluster) as server:
            shared = Shared(port=server.port, writer=writer, flights=Flights())
            threads = []
            for pair in range(phones // 2):
                meeting = Meeting()
                for number in (2 * pair + 1, 2 * pair + 2):
                    phone = Scorer(number, shared, seed, meeting)
                    threads.append(threading.Thread(target=phone.run, name=f"phone {number}"))
            for thread in threads:
                thread.start()
            nemesis = Nemesis(cluster, beats, shared, seed, blows, only)
            nemesis.run(say)
            shared.stop.set()
            for thread in threads:
                thread.join()
            writer.close()
            server.wait_until_ready()
            findings = {"late": calm(server), "cluster": nemesis.failed}
            counted, judged = judge(server, folder)
    counted.update(shared.done)
    seen = request_history.read(folder / "history.jsonl")
    heard = sorted(one.ended for one in seen if one.key and one.outcome == "done")
    for struck in nemesis.struck:
        struck.waited_seconds = longest(heard, struck.begun, struck.over)
    return Result(
        seed=seed,
        seconds=time.monotonic() - began,
        counted=counted,
        nemesis=nemesis,
        findings={**judged, **findings},
        restarts=server.restarts,
    )
