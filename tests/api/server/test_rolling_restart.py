"""Servers are restarted one after the other while devices record: no request is lost."""

from __future__ import annotations

import pytest

from tests.support.api.socket_clients import run_and_close
from tests.support.databases import valkey_url
from tests.support.server_process import run_server
from tests.verification.bench.http.rolling_restart import compare_with_ledger, restart_in_turn


@pytest.fixture
def servers(urls, valkey, data, tmp_path):
    environment = {
        **urls.environment,
        "REDIS_URL": valkey_url(valkey, 4),
        "VOLA_DATA": str(data),
    }
    with (
        run_server(environment, tmp_path / "one") as first,
        run_server(environment, tmp_path / "two") as second,
    ):
        yield [first, second]


def test_each_request_is_acknowledged_once_through_a_rolling_restart(servers):
    record, stops = run_and_close(restart_in_turn(servers, phones=4, rounds=1))
    assert len(stops) == 2
    assert record.statuses.keys() <= {201, 503}, record.statuses
    assert record.statuses[201] > 20
    assert run_and_close(compare_with_ledger(servers[0].url, record)) == {"lost": 0, "doubled": 0}


def test_the_checker_finds_a_lost_and_a_doubled_request(servers):
    record, _ = run_and_close(restart_in_turn(servers[:1], phones=1, rounds=1))
    (receipts,) = record.acknowledged.values()
    receipts[0] = (receipts[0][0], "0" * 64)
    receipts.pop()
    assert run_and_close(compare_with_ledger(servers[1].url, record)) == {"lost": 1, "doubled": 1}
