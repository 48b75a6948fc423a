"""Times are whole microseconds since 1970 in UTC; responses and exports show them in ISO 8601."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=256)
def format_timestamp(at: int) -> str:
    """Return a time as `2026-11-21T19:30:00.000000Z`, always with six decimals. Cached, because
    events that are appended together have the same time."""
    return to_datetime(at).isoformat(timespec="microseconds").replace("+00:00", "Z")


def to_datetime(at: int) -> datetime:
    return EPOCH + timedelta(microseconds=at)


def to_microseconds(moment: datetime) -> int:
    """Return the time of a moment, which has a time zone."""
    return (moment - EPOCH) // timedelta(microseconds=1)
