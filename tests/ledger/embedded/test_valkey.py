"""The embedded Valkey: started by its first user, joined by others, stopped by the last."""

import stat
from pathlib import Path

import pytest
import redis

from ledger.embedded import valkey
from tests.support.ledger.embedded_servers import (
    has_exited,
    kill_server,
    ping_valkey,
    server_user,
    valkey_pid,
)
from tests.support.polling import wait_until


def test_valkey_runs_until_its_last_user_leaves(tmp_path: Path) -> None:
    with server_user("valkey", tmp_path) as guest:
        url = guest.url()
        with valkey(tmp_path) as started:
            assert started.url == url
            guest.leave()
            assert ping_valkey(url)
            with pytest.raises(redis.AuthenticationError):
                ping_valkey(url.replace("://:", "://:guess"))
            command_line = Path(f"/proc/{valkey_pid(tmp_path)}/cmdline")
            if command_line.exists():
                assert url.split(":")[2].split("@")[0] not in command_line.read_text()
            access = tmp_path / "valkey.access.json"
            assert stat.S_IMODE(access.stat().st_mode) == 0o600
    assert not access.exists()
    with pytest.raises(redis.ConnectionError):
        ping_valkey(url)


def test_a_killed_valkey_comes_back_at_its_port(tmp_path: Path) -> None:
    with valkey(tmp_path) as before:
        kill_server(valkey_pid(tmp_path))
        with valkey(tmp_path) as after:
            assert after == before
            assert ping_valkey(after.url)


def test_a_killed_user_leaves_a_valkey_to_join_and_stop(tmp_path: Path) -> None:
    with server_user("valkey", tmp_path) as guest:
        url = guest.url()
        guest.kill()
    with valkey(tmp_path) as started:
        assert started.url == url
        assert ping_valkey(url)
        pid = valkey_pid(tmp_path)
    wait_until(lambda: has_exited(pid))
