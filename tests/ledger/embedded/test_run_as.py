"""The user that runs the embedded servers: an ordinary one, or root without its privileges."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import redis

from ledger.embedded import ServerFailed, postgres, run_as, valkey
from tests.support.ledger.embedded_servers import (
    REPOSITORY,
    accepts_queries,
    assert_start_fails,
)

ORDINARY = """
import os, stat, sys
from pathlib import Path
from ledger.embedded import ServerFailed, postgres, valkey
assert os.geteuid() != 0
data = Path(sys.argv[1])
for time in ("cold", "warm"):
    with postgres(data) as server, valkey(data):
        assert (data / "postgres").stat().st_uid == os.geteuid()
data.chmod(0)
for server in (postgres, valkey):
    try:
        with server(data):
            print("started in a folder that cannot be read")
    except ServerFailed as failed:
        print(failed)
data.chmod(0o700)
"""


def test_an_ordinary_user_needs_no_root_and_sees_what_is_unreadable() -> None:
    data = Path(tempfile.mkdtemp(dir="/tmp"))
    prefix: list[str] = []
    user = None
    if os.geteuid() == 0:
        user = 65534
        if not runs([sys.executable, "-c", "import ledger.embedded"], user):
            user, prefix = None, ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
            if not runs([*prefix, sys.executable, "-c", ""]):
                pytest.skip("neither nobody nor a user namespace can run this Python")
    if user is not None:
        os.chown(data, user, user)
    try:
        command = [*prefix, sys.executable, "-c", ORDINARY, str(data)]
        result = subprocess.run(
            command, cwd=REPOSITORY, capture_output=True, text=True, check=False, user=user
        )
        assert result.stderr == ""
        assert result.stdout.count("Permission denied") == 2
        assert result.stdout.count("set VOLA_DATA to another.") == 2
    finally:
        shutil.rmtree(data)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives up privileges")
@pytest.mark.parametrize(("mode", "owner"), [(0o755, 65534), (0o700, 0)])
def test_root_runs_postgres_as_nobody_or_in_a_namespace(mode: int, owner: int) -> None:
    parent = Path(tempfile.mkdtemp(dir="/tmp"))
    parent.chmod(mode)
    try:
        for _cold_then_warm in range(2):
            with postgres(parent / "var") as server:
                assert accepts_queries(server.app_url)
            assert (parent / "var" / "postgres").stat().st_uid == owner
        assert stat.S_IMODE(parent.stat().st_mode) == mode
    finally:
        shutil.rmtree(parent)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives up privileges")
def test_root_that_cannot_give_up_its_privileges_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.embedded.run_as.Identity.reaches", lambda *_: False)
    with pytest.raises(ServerFailed, match=r"ordinary user, or set DATABASE_URL"):
        assert_start_fails(tmp_path)
    with valkey(tmp_path) as started:  # Valkey runs as root, too
        assert redis.Redis.from_url(started.url).ping()


def test_a_slow_computer_refuses_no_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be said that the folder is out of reach."""
    monkeypatch.setattr(run_as, "PROBE_SECONDS", 0.1)
    os.mkfifo(tmp_path / "pipe")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nread line < {tmp_path / 'pipe'}\n")  # never ends
    program.chmod(0o700)
    current = run_as.Identity(uid=os.geteuid(), gid=os.getegid())
    assert current.reaches(tmp_path, program)


def runs(command: list[str], user: int | None = None) -> bool:
    quiet = subprocess.DEVNULL
    try:
        result = subprocess.run(
            command, cwd=REPOSITORY, stdout=quiet, stderr=quiet, user=user, check=False
        )
    except PermissionError:
        return False
    return result.returncode == 0
