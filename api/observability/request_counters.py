"""Counters of the requests that this process answers, on their way into the book."""

from threading import Event, Thread

from api.observability.request_log import RequestRecord
from ledger.operations.counters import Counters
from ledger.store.connection_pool import Pool

BUCKETS_MS = (5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000)

# The names of counters begin with one of these; their labels follow, separated by spaces.
REQUEST = "request"
REFUSED = "refused"
LIMITED = "limited"
DURATION = "within"
MICROS = "micros"


class RequestCounters:
    """Counts in memory; a thread adds the counts to the book. Threads may share one."""

    def __init__(self, pool: Pool) -> None:
        self._counters = Counters(pool)

    def count_request(self, record: RequestRecord) -> None:
        """Count a request; the duration of a stream is the time until it began."""
        self._counters.add(f"{REQUEST} {record.method} {record.status // 100}xx {record.route}")
        bucket = next((ms for ms in BUCKETS_MS if record.micros <= ms * 1000), "inf")
        self._counters.add(f"{DURATION} {record.method} {bucket}")
        self._counters.add(f"{MICROS} {record.method}", record.micros)
        if record.code:
            self._counters.add(f"{REFUSED} {record.code}")

    def count_rate_limited(self, limit: str) -> None:
        """Count a request that this limit refused."""
        self._counters.add(f"{LIMITED} {limit}")

    @property
    def disk_full(self) -> bool:
        """Whether the last write found the book's disk full: there is no room for play, either."""
        return self._counters.disk_full

    def write(self) -> None:
        """Add the counts to the book at once."""
        self._counters.write(now=True)

    def start_writing(self) -> None:
        """Add the counts to the book every second, in a thread that no request waits for."""
        Thread(target=self._counters.run, args=(Event(),), name="counters", daemon=True).start()
