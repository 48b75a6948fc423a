"""The faults of a cluster: they hit its machines, one fault after the other.

The seed decides their order. Each fault waits until the cluster is healthy again, because a cluster
of three promises to bear one loss at a time.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from statistics import median

from tests.verification.chaos.ha.cluster import Cluster
from tests.verification.chaos.ha.heartbeat import Heartbeat
from tests.verification.chaos.ha.node import SETTINGS, Node
from tests.verification.chaos.ha.programs import Program, send
from tests.verification.chaos.run_context import RunContext

WHOLE_SECONDS = 180
ACTIONS_BETWEEN_FAULTS = 40
"""How many actions must be acknowledged between two faults: the evenings go on by themselves."""

Fault = Callable[[Cluster, Random], None]
FAULTS: dict[str, Fault] = {}
WEIGHTS: dict[str, int] = {}
ANOTHER_LEADS = {
    *("machine_lost", "cut_off_and_lost", "postgres_killed", "patroni_killed", "machine_hangs"),
    "switchover",
}
"""The faults after which another node leads."""


def register_fault(weight: int) -> Callable[[Fault], Fault]:
    def register(function: Fault) -> Fault:
        WEIGHTS[function.__name__] = weight
        return FAULTS.setdefault(function.__name__, function)

    return register


def _leader(cluster: Cluster) -> Node:
    leader = cluster.leader()
    assert leader is not None, "the cluster was whole"
    return leader


def _wait_until_another_leads(cluster: Cluster, former: Node) -> None:
    deadline = time.monotonic() + WHOLE_SECONDS
    while time.monotonic() < deadline:
        for node in cluster.nodes:
            if node is not former and node.get("/primary"):
                return
        time.sleep(0.1)
    raise TimeoutError(f"nobody leads but {former.name}")


def kill_and_start(program: Program, pause_seconds: float) -> None:
    program.send(signal.SIGKILL)
    time.sleep(pause_seconds)
    program.start()


@register_fault(4)
def machine_lost(cluster: Cluster, _: Random) -> None:
    """SIGKILL everything on the leader's machine; start it again when another node leads."""
    node = _leader(cluster)
    node.send(signal.SIGKILL)
    _wait_until_another_leads(cluster, node)
    node.program.start()


@register_fault(2)
def cut_off_and_lost(cluster: Cluster, die: Random) -> None:
    """Stop the leader from sending its log, then kill its machine, with whatever it acknowledged
    meanwhile. It must not have acknowledged anything."""
    node = _leader(cluster)
    send(node.senders(), signal.SIGSTOP)
    time.sleep(die.uniform(0.5, 2))
    node.send(signal.SIGKILL)
    _wait_until_another_leads(cluster, node)
    node.program.start()


@register_fault(3)
def postgres_killed(cluster: Cluster, _: Random) -> None:
    """SIGKILL the leader's postmaster; its Patroni sees this and gives up the lead."""
    node = _leader(cluster)
    pid = node.postmaster()
    assert pid is not None
    send([pid], signal.SIGKILL)
    _wait_until_another_leads(cluster, node)


@register_fault(2)
def patroni_killed(cluster: Cluster, _: Random) -> None:
    """SIGKILL the leader's Patroni: its PostgreSQL goes on as if it still led."""
    node = _leader(cluster)
    assert node.program.process is not None
    node.program.process.kill()
    _wait_until_another_leads(cluster, node)
    node.program.start()


@register_fault(2)
def machine_hangs(cluster: Cluster, die: Random) -> None:
    """SIGSTOP everything on the leader's machine, for longer than its lead lasts; it then goes on
    as if nothing had happened."""
    node = _leader(cluster)
    node.send(signal.SIGSTOP)
    try:
        _wait_until_another_leads(cluster, node)
        time.sleep(die.uniform(0, 3))
    finally:
        node.send(signal.SIGCONT)


@register_fault(2)
def machine_naps(cluster: Cluster, die: Random) -> None:
    """SIGSTOP everything on the leader's machine for less than that: it may keep the lead."""
    node = _leader(cluster)
    node.send(signal.SIGSTOP)
    time.sleep(die.uniform(1, SETTINGS["ttl"] / 2))
    node.send(signal.SIGCONT)


@register_fault(2)
def standby_lost(cluster: Cluster, _: Random) -> None:
    """SIGKILL the standby that has everything that was acknowledged: another one must have it
    before the next commit is acknowledged."""
    node = cluster.standby()
    assert node is not None, "the cluster was whole"
    node.send(signal.SIGKILL)
    time.sleep(2)
    node.program.start()


@register_fault(1)
def switchover(cluster: Cluster, _: Random) -> None:
    """Ask Patroni to hand the lead over to the standby."""
    node, standby = _leader(cluster), cluster.standby()
    assert standby is not None, "the cluster was whole"
    node.post("/switchover", {"leader": node.name, "candidate": standby.name})
    _wait_until_another_leads(cluster, node)


@register_fault(1)
def haproxy_killed(cluster: Cluster, _: Random) -> None:
    """Kill HAProxy: every connection is cut, and for a second none can be made."""
    program = cluster.haproxy.program
    program.send(signal.SIGKILL)
    time.sleep(1)
    program.start()


@register_fault(1)
def path_cut(cluster: Cluster, die: Random) -> None:
    """Stop HAProxy for 1 to 6 seconds: all stay connected, but nothing passes."""
    cluster.haproxy.program.send(signal.SIGSTOP)
    time.sleep(die.uniform(1, 6))
    cluster.haproxy.program.send(signal.SIGCONT)


@register_fault(1)
def etcd_member_killed(cluster: Cluster, die: Random) -> None:
    """Kill one of the three etcd members; the other two still agree."""
    kill_and_start(die.choice(cluster.etcd.members), pause_seconds=3)


@register_fault(1)
def valkey_killed(cluster: Cluster, die: Random) -> None:
    """Kill one of the two Valkey servers; if it led, Sentinel lets the other one lead."""
    kill_and_start(die.choice(cluster.valkeys.servers), pause_seconds=5)


@dataclass
class FaultRecord:
    """One fault: when it began, when the cluster was healthy again (nanoseconds), and its cost."""

    name: str
    started_at: int
    ended_at: int
    silent_seconds: float
    """The longest time in which the database could not be written to."""
    waited_seconds: float = 0.0
    """The longest time in which no phone got an acknowledgement; computed after the run."""


@dataclass
class Nemesis:
    """Causes `max_faults` faults: each kind once, and then kinds drawn by weight."""

    cluster: Cluster
    heartbeat: Heartbeat
    context: RunContext
    seed: str
    max_faults: int
    only_kinds: tuple[str, ...] = ()
    faults: list[FaultRecord] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def run(self, say: Callable[[str], None]) -> None:
        die = Random(f"{self.seed}-ha")
        kinds = [name for name in FAULTS if not self.only_kinds or name in self.only_kinds]
        weights = [WEIGHTS[name] for name in kinds]
        order = die.sample(kinds, len(kinds))
        if "machine_lost" in kinds:
            order.append("machine_lost")  # `pop` takes this one first
        name = "nothing"
        try:
            self._play_on()
            while len(self.faults) < self.max_faults:
                name = order.pop() if order else die.choices(kinds, weights)[0]
                started_at = time.monotonic_ns()
                FAULTS[name](self.cluster, die)
                self.cluster.wait_until_healthy(WHOLE_SECONDS)
                self._play_on()
                silent = self.heartbeat.longest_silence(started_at)
                self.faults.append(FaultRecord(name, started_at, time.monotonic_ns(), silent))
                say(f"{len(self.faults)} {name}: nobody to write to for {silent:.1f} s")
        except (TimeoutError, OSError, AssertionError) as error:
            self.failed.append(f"{name}: {error}")

    def _play_on(self) -> None:
        target, deadline = (
            self.context.counts["actions"] + ACTIONS_BETWEEN_FAULTS,
            time.monotonic() + 60,
        )
        while self.context.counts["actions"] < target:
            if time.monotonic() > deadline:
                raise TimeoutError("the phones do not go on")
            time.sleep(0.05)

    def headline(self) -> str:
        return f"{len(self.faults)} faults"

    def table(self) -> str:
        """Return by kind: how often, how long no write was possible, and how long phones waited."""
        head = "".join(
            f"{word:>10}" for word in ("times", "median s", "worst s", "median s", "worst s")
        )
        lines = [f"{'':20}{'':10}{'no leader':>20}{'no answer':>20}", f"{'fault':20}{head}"]
        kinds = {name: {name} for name in FAULTS} | {"another leads": ANOTHER_LEADS}
        for name, kind in kinds.items():
            records = [record for record in self.faults if record.name in kind]
            if records:
                silent = [record.silent_seconds for record in records]
                waited = [record.waited_seconds for record in records]
                figures = (median(silent), max(silent), median(waited), max(waited))
                cells = "".join(f"{figure:10.1f}" for figure in figures)
                lines.append(f"{name:20}{len(records):10}{cells}")
        return "\n".join(lines)
