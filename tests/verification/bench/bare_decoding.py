"""Events read out of PostgreSQL and decoded, and nothing else: whatever Python folds, it does at
least this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import psycopg

from ledger import crew
from ledger.history import history

EVER = 2**31 - 1


def events_of(db: psycopg.Connection[Any], ids: list[UUID]) -> int:
    """How many they are."""
    return sum(1 for one in ids for _ in history(db, one, 0, EVER))


def _help(url: str) -> Callable[[list[str]], int]:
    """One of the others who do the same."""
    db = psycopg.connect(url)
    return lambda part: events_of(db, [UUID(one) for one in part])


if __name__ == "__main__":
    crew.serve(_help)
