"""The job queue in Redis: which session has a due payment, and nothing else.

Jobs may be lost or enqueued twice without harm: what is due is a row in PostgreSQL.
"""

import signal
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from types import FrameType

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue, SimpleWorker
from rq.exceptions import NoSuchJobError
from rq.executions import ExecutionRegistry
from rq.serializers import JSONSerializer

QUEUE_NAME = "vola"
SETTLE_JOB = "workers.settle_job.settle"
KEEP_FAILED_SECONDS = 3600


def connect(url: str, *, patience_seconds: float = 5) -> Redis:
    """Connect without retries: a push that was sent and not answered must not be sent again.
    Raise ValueError for an invalid address."""
    return Redis.from_url(
        url,
        retry=Retry(NoBackoff(), 0),
        socket_connect_timeout=min(1, patience_seconds),
        socket_timeout=patience_seconds,
    )


def open_queue(redis: Redis) -> Queue:
    return Queue(QUEUE_NAME, connection=redis, serializer=JSONSerializer)


def enqueue_settlement(job_queue: Queue, session_id: str, payment_id: str) -> None:
    """Enqueue a job for a session and one of its due payments. Raise redis.RedisError."""
    job_queue.enqueue_call(
        func=SETTLE_JOB,
        args=(session_id, payment_id),
        result_ttl=0,
        failure_ttl=KEEP_FAILED_SECONDS,
        timeout=30,
    )


def delete_failed_jobs(job_queue: Queue) -> int:
    """Delete jobs that failed or that a killed worker left behind; return how many."""
    job_queue.started_job_registry.cleanup()  # counts abandoned jobs as failed
    failed = job_queue.failed_job_registry
    ids = failed.get_job_ids()
    for job_id in ids:
        with suppress(NoSuchJobError):  # it has expired, and so has its entry
            # RQ fails on a list of executions whose entries have expired
            job_queue.connection.delete(ExecutionRegistry.key_template.format(job_id))
            failed.remove(job_id, delete_job=True)
    return len(ids)


def stop_signals() -> list[signal.Signals]:
    """Return the signals that stop a worker: that of a closed terminal too, unless it is ignored,
    as with `nohup`."""
    is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [signal.SIGTERM, signal.SIGINT, *([] if is_ignored else [signal.SIGHUP])]


class Worker(SimpleWorker):
    """The worker of the queue; it runs jobs in its own process, because they are small. It calls
    `note_connected` as soon as Redis has answered."""

    def __init__(
        self, job_queue: Queue, stop: Event, note_connected: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(
            [job_queue],
            connection=job_queue.connection,
            serializer=JSONSerializer,
            worker_ttl=30,
            log_job_description=False,
        )
        self.stop, self.note_connected = stop, note_connected

    def register_birth(self) -> None:
        super().register_birth()  # type: ignore[no-untyped-call]
        self.note_connected()

    def _install_signal_handlers(self) -> None:
        """Let a signal stop the worker after the current job, for good."""

        def handler(number: int, frame: FrameType | None) -> None:
            self.stop.set()
            self.request_stop(number, frame)  # type: ignore[no-untyped-call]

        for number in stop_signals():
            signal.signal(number, handler)
        if self.stop.is_set():  # a signal came earlier, whose handler could not stop this worker
            self._stop_requested = True
