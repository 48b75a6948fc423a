"""Servers are restarted one after the other while phones keep score: nobody's request is lost."""

from __future__ import annotations

import pytest

from tests.bench.rolling import held_against, roll
from tests.conftest import rung_apart, serving
from tests.crowd import meet


@pytest.fixture
def houses(urls, bell, data, tmp_path):
    environment = {
        "DATABASE_URL": urls.app,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "REDIS_URL": rung_apart(bell, 4),
        "VOLA_DATA": str(data),
    }
    with (
        serving(environment, tmp_path / "one") as one,
        serving(environment, tmp_path / "two") as two,
    ):
        yield [one, two]


def test_every_request_is_acknowledged_exactly_once_through_a_rolling_restart(houses):
    seen, stops = meet(roll(houses, phones=4, rounds=1))
    assert len(stops) == 2
    assert seen.told.keys() <= {201, 503}, seen.told
    assert seen.told[201] > 20
    assert meet(held_against(houses[0].url, seen)) == {"lost": 0, "doubled": 0}


def test_the_checker_sees_what_is_lost_and_what_is_doubled(houses):
    seen, _ = meet(roll(houses[:1], phones=1, rounds=1))
    (heard,) = seen.acknowledged.values()
    heard[0] = (heard[0][0], "0" * 64)
    heard.pop()
    assert meet(held_against(houses[1].url, seen)) == {"lost": 1, "doubled": 1}
