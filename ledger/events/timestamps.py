"""Moments are whole microseconds since 1970, UTC; people and clients read ISO 8601."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=256)
def iso(at: int) -> str:
    """`2026-11-21T19:30:00.000000Z`, always with six decimals. Remembered, for what is recorded
    together has one moment."""
    return moment(at).isoformat(timespec="microseconds").replace("+00:00", "Z")


def moment(at: int) -> datetime:
    return EPOCH + timedelta(microseconds=at)
