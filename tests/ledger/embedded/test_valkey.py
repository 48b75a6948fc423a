"""The doorbell lives by the same rules as the history: started once, joined, stopped last."""

import stat
from pathlib import Path

import pytest
import redis

from ledger.servers import valkey
from tests.ledger.test_servers import gone, kill_server, rings, until, visitor


def test_valkey_rings_for_all_until_the_last_has_left(tmp_path: Path) -> None:
    with visitor("valkey", tmp_path) as guest:
        url = guest.url()
        with valkey(tmp_path) as bell:
            assert bell.url == url
            guest.leave()
            assert rings(url)
            with pytest.raises(redis.AuthenticationError):
                rings(url.replace("://:", "://:guess"))
            seen = Path(f"/proc/{doorbell(tmp_path)}/cmdline")
            if seen.exists():
                assert url.split(":")[2].split("@")[0] not in seen.read_text()
            access = tmp_path / "valkey.access.json"
            assert stat.S_IMODE(access.stat().st_mode) == 0o600
    assert not access.exists()
    with pytest.raises(redis.ConnectionError):
        rings(url)


def test_a_killed_valkey_comes_back_where_it_was(tmp_path: Path) -> None:
    with valkey(tmp_path) as before:
        kill_server(doorbell(tmp_path))
        with valkey(tmp_path) as after:
            assert after == before
            assert rings(after.url)


def test_a_killed_user_leaves_a_valkey_to_join_and_stop(tmp_path: Path) -> None:
    with visitor("valkey", tmp_path) as guest:
        url = guest.url()
        guest.kill()
    with valkey(tmp_path) as bell:
        assert bell.url == url
        assert rings(url)
        pid = doorbell(tmp_path)
    until(lambda: gone(pid))


def doorbell(data: Path) -> int:
    return int((data / "valkey" / "valkey.pid").read_text())
