"""An evening in the package `eventsourcing`: an aggregate with a short event for each action.

Imported only where that package is installed.
"""

from __future__ import annotations

from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from psycopg.conninfo import conninfo_to_dict


class Evening(Aggregate):
    def __init__(self) -> None:
        self.tricks = 0

    @event("Recorded")
    def record(self, winner: str, amount: int) -> None:
        self.tricks += 1


class EventsourcingStore:
    """One client of the package's store."""

    def __init__(self, url: str) -> None:
        at = conninfo_to_dict(url)
        self.app = Application(
            env={
                "PERSISTENCE_MODULE": "eventsourcing.postgres",
                "POSTGRES_DBNAME": str(at["dbname"]),
                "POSTGRES_HOST": str(at["host"]),
                "POSTGRES_PORT": str(at["port"]),
                "POSTGRES_USER": str(at["user"]),
                "POSTGRES_PASSWORD": str(at["password"]),
            }
        )
        self._evening = Evening()
        self.app.save(self._evening)

    def save(self, count: int) -> None:
        self._record(self._evening, count)
        self.app.save(self._evening)

    def write_session(self, events: int) -> UUID:
        """Write an evening of `events` events. Return its id."""
        evening = Evening()
        self._record(evening, events - 1)
        self.app.save(evening)
        return evening.id

    def get(self, evening_id: UUID) -> int:
        evening: Evening = self.app.repository.get(evening_id)
        return evening.version

    def _record(self, evening: Evening, count: int) -> None:
        for _ in range(count):
            evening.record(winner="p1", amount=10)
