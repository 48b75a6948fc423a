"""The metrics of the book, for Prometheus: requests, refusals, durations and settlement.

All processes, on every host, add their counts to the book about once a second; a scrape reads the
sums. Routes, problem codes and limits bound the number of series.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import accumulate
from threading import Event, Thread

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from api.observability.request_log import RequestRecord
from ledger.operations import health, settlement_failures
from ledger.operations.automatic_backups import AutomaticBackups
from ledger.operations.counters import Counters, read_counters
from ledger.store.connection_pool import Pool

BUCKETS_MS = (5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000)

# The names of counters begin with one of these; their labels follow, separated by spaces.
REQUEST = "request"
REFUSED = "refused"
LIMITED = "limited"
DURATION = "within"
MICROS = "micros"

SETTLEMENT_COUNTERS = {
    "settled_by_worker": "Payments settled by a worker's job.",
    "settled_by_relay": "Payments settled by the relay itself.",
    "absorbed": "Jobs that found nothing left to settle.",
    "failed": "Attempts that failed although the database was available.",
    "retried": "Attempts at a session that had failed before.",
    "enqueued": "Jobs enqueued.",
    "not_enqueued": "Jobs that could not be enqueued because Redis was out of reach.",
}
REQUEST_COUNTERS = (
    (REQUEST, "vola_requests", "Requests that got a response.", ("method", "status", "route")),
    (REFUSED, "vola_refusals", "Requests that were refused, by the problem's code.", ("code",)),
    (LIMITED, "vola_rate_limited", "Requests over a rate limit, by the limit.", ("limit",)),
)
"""Of each kind of counter: its metric, the metric's help and the labels in the counter's name."""


class RequestCounters(Counters):
    """Counts of the requests that this process answers, on their way into the book."""

    def count_request(self, record: RequestRecord) -> None:
        """Count a request; the duration of a stream is the time until it began."""
        self.add(f"{REQUEST} {record.method} {record.status // 100}xx {record.route}")
        bucket = next((ms for ms in BUCKETS_MS if record.micros <= ms * 1000), "inf")
        self.add(f"{DURATION} {record.method} {bucket}")
        self.add(f"{MICROS} {record.method}", record.micros)
        if record.code:
            self.add(f"{REFUSED} {record.code}")

    def count_rate_limited(self, limit: str) -> None:
        self.add(f"{LIMITED} {limit}")

    def start_writing(self) -> None:
        """Add the counts to the book every second, in a thread that no request waits for."""
        Thread(target=self.run, args=(Event(),), name="counters", daemon=True).start()


class BookCollector(Collector):
    """Reads all metrics from the book at each scrape; if it cannot read the book, it gives only
    `vola_writable` and the metrics of backups."""

    def __init__(
        self, pool: Pool, request_counters: RequestCounters, backups: AutomaticBackups | None
    ) -> None:
        self._pool, self._request_counters, self._backups = pool, request_counters, backups

    def collect(self) -> list[Metric]:
        return [*self._read_book(), *backup_metrics(self._backups)]

    def _read_book(self) -> list[Metric]:
        book = health.read_health(self._pool)
        if book.fault is None:
            self._request_counters.write(now=True)  # the counts of others are a second old at most
            with suppress(*health.DATABASE_ERRORS):
                return self._read_metrics(book)
        return [_writable(False)]

    def _read_metrics(self, book: health.Health) -> list[Metric]:
        seconds_due = book.oldest_due_micros / 1e6
        failures = settlement_failures.list_failures(self._pool)
        counts = read_counters(self._pool)
        gauges = (
            ("payments_due", "La vola payments not settled yet.", book.payments_due),
            ("oldest_due_seconds", "How long the oldest of them has been due.", seconds_due),
            ("evenings_stuck", "Sessions whose payments could not be settled.", len(failures)),
        )
        return [
            _writable(book.is_writable and not self._request_counters.disk_full),
            *(GaugeMetricFamily(f"vola_{name}", text, value) for name, text, value in gauges),
            *(
                CounterMetricFamily(f"vola_{name}", text, counts.get(name, 0))
                for name, text in SETTLEMENT_COUNTERS.items()
            ),
            *request_metrics(counts),
        ]


def _writable(value: bool) -> Metric:
    return GaugeMetricFamily("vola_writable", "Whether the book can be written.", value)


def backup_metrics(backups: AutomaticBackups | None) -> list[Metric]:
    """Return the metrics of the backups that the book makes by itself, read from its data folder
    and not from the database; none where it makes none."""
    if backups is None:
        return []
    record, newest = backups.read_record(), backups.newest()
    return [
        CounterMetricFamily("vola_backups", "Automatic backups written.", record.written),
        CounterMetricFamily("vola_backups_failed", "Attempts that failed.", record.failed),
        GaugeMetricFamily(
            "vola_last_backup_timestamp_seconds",
            "When the newest was made, in seconds since 1970; 0 while there is none.",
            newest.created_at if newest else 0,
        ),
    ]


def request_metrics(counts: Mapping[str, int]) -> list[Metric]:
    """Return the metrics of requests, from the counts of `RequestCounters` by their names."""
    metrics: list[Metric] = []
    for kind, name, text, labels in REQUEST_COUNTERS:
        family = CounterMetricFamily(name, text, labels=labels)
        for values, count in _counts_of(kind, counts):
            family.add_metric(values.split(" ", len(labels) - 1), count)
        metrics.append(family)
    durations = HistogramMetricFamily(
        "vola_request_seconds", "Time until the response began.", labels=("method",)
    )
    for method, micros in _counts_of(MICROS, counts):
        bounds = [*((str(ms), f"{ms / 1000:g}") for ms in BUCKETS_MS), ("inf", "+Inf")]
        sizes = accumulate(counts.get(f"{DURATION} {method} {key}", 0) for key, _ in bounds)
        buckets = [(bound, size) for (_, bound), size in zip(bounds, sizes, strict=True)]
        durations.add_metric((method,), buckets, micros / 1e6)
    return [*metrics, durations]


def _counts_of(kind: str, counts: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the counts of one kind by the rest of their names, in order."""
    for name, count in sorted(counts.items()):
        if name.startswith(f"{kind} "):
            yield name.removeprefix(f"{kind} "), count
