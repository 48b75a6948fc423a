"""Moments are whole microseconds since 1970, UTC; people and clients read ISO 8601."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(at: int) -> str:
    """`2026-11-21T19:30:00.000000Z`, always with six decimals."""
    return moment(at).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment(at: int) -> datetime:
    return EPOCH + timedelta(microseconds=at)
