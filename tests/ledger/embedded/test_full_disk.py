"""On a full disk a server cannot write its pid file and is still found."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.embedded import ServerFailed, launcher, postgres, valkey
from ledger.embedded.launcher import free_port
from ledger.embedded.postgresql import PostgreSQLServer
from ledger.embedded.private_files import log_part
from ledger.embedded.run_as import choose_identity
from ledger.embedded.server_process import find_process
from ledger.embedded.valkey_server import ValkeyServer
from tests.support.api.command_line import assert_refused, run_vola
from tests.support.ledger.embedded_servers import (
    accepts_queries,
    assert_start_fails,
    copy_folder,
    has_exited,
    ping_valkey,
    postmaster_pid,
    server_user,
    valkey_pid,
)
from tests.support.polling import wait_until
from tests.support.small_disk import mounted_disk

DISK_KIB = 128
CUT_TO = {"empty": 0, "its number alone": 1, "without its last lines": 5}
"""How many lines of postmaster.pid are left."""


@pytest.fixture
def short_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "LOST_SECONDS", 0.3)
    monkeypatch.setattr(launcher, "START_SECONDS", 20)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk, mounted for the test."""
    with mounted_disk(tmp_path / "disk", DISK_KIB) as place:
        yield place


def fill(disk: Path, but_kib: int) -> Path:
    """Return a file that leaves `but_kib` KiB of the disk free."""
    filler, statistics = disk / "filler", os.statvfs(disk)
    filler.write_bytes(bytes(statistics.f_bavail * statistics.f_frsize - but_kib * 1024))
    return filler


@pytest.mark.parametrize("kib", [4, 8, 12])
def test_valkey_without_room_for_its_pid_file_runs_and_is_stopped(
    disk: Path, short_timeouts: None, kib: int
) -> None:
    filler = fill(disk, but_kib=kib)
    start_time = time.monotonic()
    for _ in range(2):
        with valkey(disk / "var") as started:
            assert ping_valkey(started.url)
        server = ValkeyServer(disk / "var")
        assert find_process(server.program, server.folder) is None
        filler.unlink(missing_ok=True)
    assert time.monotonic() - start_time < 60


def test_on_a_full_disk_no_process_is_left_running(disk: Path, short_timeouts: None) -> None:
    filler = fill(disk, but_kib=0)
    full = r"No space left on device .*; free some space on that disk\.$"
    with pytest.raises(ServerFailed, match=full), valkey(disk / "var"):
        pass
    filler.unlink()
    with valkey(disk / "var") as started:
        assert ping_valkey(started.url)


def test_the_command_reports_a_full_disk_in_one_sentence(disk: Path) -> None:
    fill(disk, but_kib=0)
    for command in ("serve", "migrate"):
        result = run_vola(command, VOLA_DATA=str(disk / "var"), DATABASE_URL="", REDIS_URL="")
        assert_refused(result, "No space left on device", "free some space on that disk")


def test_valkey_with_an_empty_pid_file_is_joined_and_stopped(
    tmp_path: Path,
) -> None:
    with server_user("valkey", tmp_path) as guest:
        url, pid = guest.url(), valkey_pid(tmp_path)
        (tmp_path / "valkey" / "valkey.pid").write_text("")
        guest.kill()
    start_time = time.monotonic()
    with valkey(tmp_path) as started:
        assert time.monotonic() - start_time < 20, "a join does not wait"
        assert started.url == url
        assert not has_exited(pid)
    wait_until(lambda: has_exited(pid))


def test_valkey_whose_address_is_lost_is_replaced(tmp_path: Path, short_timeouts: None) -> None:
    with server_user("valkey", tmp_path) as guest:
        guest.url()
        pid = valkey_pid(tmp_path)
        for lost in ("valkey/valkey.pid", "valkey.access.json"):
            (tmp_path / lost).write_text("")
        guest.kill()
    with valkey(tmp_path) as started:
        wait_until(lambda: has_exited(pid))
        assert ping_valkey(started.url)


@pytest.mark.parametrize("lines", CUT_TO.values(), ids=CUT_TO)
def test_a_postmaster_with_a_truncated_pid_file_is_replaced_at_its_port(
    data: Path, short_timeouts: None, lines: int
) -> None:
    with server_user("postgres", data) as guest:
        url, pid, file = guest.url(), postmaster_pid(data), data / "postgres" / "postmaster.pid"
        file.write_text("".join(file.read_text().splitlines(keepends=True)[:lines]))
        guest.kill()
    with postgres(data) as server:
        wait_until(lambda: has_exited(pid))
        assert server.app_url == url
        assert accepts_queries(url)
    assert not accepts_queries(url)


@pytest.mark.parametrize("lines", CUT_TO.values(), ids=CUT_TO)
def test_the_last_user_stops_a_postmaster_with_a_truncated_pid_file(data: Path, lines: int) -> None:
    with postgres(data) as server:
        pid, file = postmaster_pid(data), data / "postgres" / "postmaster.pid"
        file.write_text("".join(file.read_text().splitlines(keepends=True)[:lines]))
    wait_until(lambda: has_exited(pid))
    assert not accepts_queries(server.app_url)


def test_no_second_postmaster_starts_beside_one_without_a_pid_file(
    data: Path, tmp_path: Path
) -> None:
    """It was started by hand, so it holds no lock of Vola's."""
    copy = copy_folder(data, tmp_path / "var")
    ours = PostgreSQLServer(copy)
    command = [str(ours.program), "-D", str(ours.folder), "-c", f"port={free_port()}"]
    with log_part(copy / "by hand.log") as log:
        process = choose_identity(ours.folder, ours.program).launch(
            [*command, "-c", "unix_socket_directories="],
            stdin=subprocess.DEVNULL,
            output=log.descriptor,
        )
    try:
        wait_until(lambda: "ready" in (copy / "by hand.log").read_text())
        (ours.folder / "postmaster.pid").write_text("")
        with pytest.raises(ServerFailed, match=f"Vola did not start .process {process.pid}."):
            assert_start_fails(copy)
        assert process.poll() is None
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
