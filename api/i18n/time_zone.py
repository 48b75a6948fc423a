"""The default time zone, which Sweden and Denmark share, and dates in it."""

from zoneinfo import ZoneInfo

from ledger.events.timestamps import to_datetime

DEFAULT_TIME_ZONE = "Europe/Stockholm"


def local_date(at: int) -> str:
    """Return the date of a moment in the default time zone, `2026-11-21`."""
    return to_datetime(at).astimezone(ZoneInfo(DEFAULT_TIME_ZONE)).strftime("%Y-%m-%d")
