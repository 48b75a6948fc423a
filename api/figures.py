"""Requests, refusals and how long they took, added up over all processes, as Prometheus reads them.

Each process counts in memory and adds to the book now and then (ledger.tallies), so that whichever
of them is asked tells the sum. How many series there are is bounded by routes and problem codes.
"""

from collections.abc import Iterable, Mapping
from threading import Event, Thread
from typing import NamedTuple

from api.answered import Answered
from ledger.database import Pool
from ledger.tallies import Tallies

BOUNDS_MS = (5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000)

REQUEST = "request"
REFUSED = "refused"
LIMITED = "limited"
WITHIN = "within"
MICROS = "micros"

Labels = tuple[tuple[str, str], ...]


class Family(NamedTuple):
    """A metric with everything that is told under its name: (suffix, labels, value)."""

    name: str
    kind: str
    what: str
    samples: Iterable[tuple[str, Labels, int | str]]


class Figures:
    """What this process has answered, on its way into the book."""

    def __init__(self, pool: Pool) -> None:
        self._tallies = Tallies(pool)

    def answered(self, told: Answered) -> None:
        """Count it. An answer that goes on (a stream) has taken as long as it took to begin."""
        self._tallies.add(f"{REQUEST} {told.method} {told.status // 100}xx {told.route}")
        within = next((ms for ms in BOUNDS_MS if told.micros <= ms * 1000), "inf")
        self._tallies.add(f"{WITHIN} {told.method} {within}")
        self._tallies.add(f"{MICROS} {told.method}", told.micros)
        if told.code:
            self._tallies.add(f"{REFUSED} {told.code}")

    def limited(self, quota: str) -> None:
        """Somebody was told to wait."""
        self._tallies.add(f"{LIMITED} {quota}")

    @property
    def disk_full(self) -> bool:
        """Whether the book had no room for them: it has none for play, either."""
        return self._tallies.full

    def write(self) -> None:
        """Add what was counted since to the book, at once."""
        self._tallies.write(now=True)

    def keep_writing(self) -> None:
        """Every second, in a thread of its own: no request waits for it."""
        Thread(target=self._tallies.run, args=(Event(),), name="figures", daemon=True).start()


def families(counted: Mapping[str, int]) -> list[Family]:
    """What was counted by everybody, as metrics."""
    return [
        Family(
            *("vola_requests", "counter", "Requests that were answered."),
            [
                ("_total", (("method", method), ("route", route), ("status", status)), count)
                for (method, status, route), count in _told(counted, REQUEST, 3)
            ],
        ),
        Family(
            *("vola_refusals", "counter", "Requests that were refused, by the problem's code."),
            [("_total", (("code", code),), n) for (code,), n in _told(counted, REFUSED, 1)],
        ),
        Family(
            *("vola_rate_limited", "counter", "Requests that came too soon, by the limit."),
            [("_total", (("limit", quota),), n) for (quota,), n in _told(counted, LIMITED, 1)],
        ),
        Family(
            *("vola_request_seconds", "histogram", "How long it took until an answer began."),
            list(_histogram(counted)),
        ),
    ]


def exposition(told: Iterable[Family]) -> str:
    """In Prometheus' text format, 0.0.4."""
    lines = []
    for name, kind, what, samples in told:
        called = f"{name}_total" if kind == "counter" else name
        lines += [f"# HELP {called} {what}", f"# TYPE {called} {kind}"]
        for suffix, labels, value in samples:
            inside = ",".join(f'{label}="{_escaped(said)}"' for label, said in labels)
            lines.append(f"{name}{suffix}{'{' + inside + '}' if inside else ''} {value}")
    return "".join(f"{line}\n" for line in lines)


def _histogram(counted: Mapping[str, int]) -> Iterable[tuple[str, Labels, int | str]]:
    for (method,), micros in _told(counted, MICROS, 1):
        labels, so_far = (("method", method),), 0
        for ms in BOUNDS_MS:
            so_far += counted.get(f"{WITHIN} {method} {ms}", 0)
            yield "_bucket", (*labels, ("le", seconds(ms * 1000))), so_far
        so_far += counted.get(f"{WITHIN} {method} inf", 0)
        yield "_bucket", (*labels, ("le", "+Inf")), so_far
        yield "_sum", labels, seconds(micros)
        yield "_count", labels, so_far


def _told(
    counted: Mapping[str, int], what: str, parts: int
) -> Iterable[tuple[tuple[str, ...], int]]:
    """Of one kind, what its names say after it; in order."""
    for name in sorted(counted):
        kind, _, rest = name.partition(" ")
        if kind == what and rest:
            yield tuple(rest.split(" ", parts - 1)), counted[name]


def seconds(micros: int) -> str:
    """Exact, without a fraction in between."""
    return f"{micros // 1_000_000}.{micros % 1_000_000:06}".rstrip("0").removesuffix(".")


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
