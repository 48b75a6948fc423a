"""What a process remembers of evenings: the last ones, and never more than it has room for."""

from uuid import UUID

import pytest

from ledger import known
from ledger.known import Known
from ledger.session import Session


def evening(number: int, version: int = 1) -> Session:
    return Session(id=UUID(int=number), version=version)


def remembered(kept: Known, numbers: range) -> list[int]:
    return [number for number in numbers if kept.get(UUID(int=number))]


def test_the_last_ones_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "MOST", 3)
    kept = Known()
    for number in (1, 2, 3, 1, 4):
        kept.keep(evening(number))
    assert remembered(kept, range(1, 5)) == [1, 3, 4]


def test_long_ones_take_the_room_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "MOST_EVENTS", 100)
    kept = Known()
    for number in range(1, 5):
        kept.keep(evening(number, 30))
    assert remembered(kept, range(1, 5)) == [2, 3, 4]
    kept.keep(evening(4, 45))  # it has gone on
    assert remembered(kept, range(1, 5)) == [3, 4]
    kept.keep(evening(5, 1_000))  # too long for the room, and the one that is being played
    assert remembered(kept, range(1, 6)) == [5]
    kept.keep(evening(6, 10))
    assert remembered(kept, range(1, 7)) == [6]
