"""A request from another client while an effect is held up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import psycopg

OTHER_PROCESS = "another"
"""The name under which PostgreSQL knows the process without faults."""
PATIENCE_SECONDS = 60

IN_THE_WAY = """
SELECT EXISTS (SELECT FROM pg_stat_activity
                WHERE application_name = %s AND wait_event_type = 'Lock')
"""


class ConcurrentRequest:
    """A request that is sent while an effect is held up."""

    def __init__(self, watch: psycopg.Connection[Any], ask: Callable[[], Any]) -> None:
        self._watch, self._ask = watch, ask
        self._finished = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.answer: Any = None
        self.failed: Exception | None = None

    def send(self) -> None:
        """Send the request. Return when it is answered, or waits for a lock of the held process."""
        self._thread.start()
        while not self._finished.wait(0.001):
            row = self._watch.execute(IN_THE_WAY, (OTHER_PROCESS,)).fetchone()
            if row == (True,):
                return

    def join(self) -> None:
        if self._thread.ident is not None:
            self._thread.join(PATIENCE_SECONDS)
            assert not self._thread.is_alive(), "the other one never came to an end"

    def _run(self) -> None:
        try:
            self.answer = self._ask()
        except Exception as error:
            self.failed = error
        finally:
            self._finished.set()
