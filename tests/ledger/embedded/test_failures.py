"""Whatever keeps a server from starting is said in one sentence, with what to do."""

import os
import socket
import stat
from pathlib import Path

import pytest

from ledger.servers import ServerFailed, postgres, valkey
from ledger.servers.listening import socket_path
from ledger.servers.private import LOG_BYTES, log_part
from tests.ledger.test_servers import ask, copy_of


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose cluster is whole and stopped, and left so by each test."""
    data = tmp_path_factory.mktemp("data")
    with postgres(data):
        pass
    return data


@pytest.fixture
def copy(data: Path, tmp_path: Path) -> Path:
    """One that a test may damage."""
    return copy_of(data, tmp_path / "var")


def test_a_port_that_is_never_free_is_said(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr("ledger.servers.postgresql.free_port", lambda wanted: port)
        with pytest.raises(ServerFailed, match=r"did not start: .*TCP/IP.*postgres\.log"):
            enter(data)


def test_a_socket_folder_that_others_can_enter_is_not_used(data: Path) -> None:
    trap = socket_path(data)
    trap.mkdir()
    trap.chmod(0o777)
    try:
        with postgres(data) as server:
            used = Path(str(ask(server.super_url, "SHOW unix_socket_directories")))
            assert used != trap
            assert stat.S_IMODE(used.stat().st_mode) == 0o700
        assert not used.exists()
    finally:
        trap.rmdir()


def test_a_file_in_place_of_the_folder_is_said(tmp_path: Path) -> None:
    data = tmp_path / "var"
    data.write_text("")
    for server in (postgres, valkey):
        with pytest.raises(ServerFailed, match=r"Not a folder.*var.*VOLA_DATA"):
            server(data).__enter__()


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "recipes.txt").write_text("semlor")
    with pytest.raises(ServerFailed, match="not a PostgreSQL cluster"):
        enter(tmp_path)
    assert (tmp_path / "postgres" / "recipes.txt").read_text() == "semlor"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["locks", "postgres", "postgres.log"]


def test_a_cluster_of_another_version_is_said(copy: Path) -> None:
    (copy / "postgres" / "PG_VERSION").write_text("17\n")
    with pytest.raises(ServerFailed, match=r"made by PostgreSQL 17 .* 18: .*pg_dump"):
        enter(copy)


def test_lost_passwords_are_said(copy: Path) -> None:
    (copy / "postgres.passwords.json").unlink()
    with pytest.raises(ServerFailed, match="put it back from a backup"):
        enter(copy)


def test_a_damaged_cluster_is_said_in_the_words_of_its_log(copy: Path) -> None:
    (copy / "postgres" / "global" / "pg_control").unlink()
    with pytest.raises(ServerFailed, match=r"did not start: .*pg_control.*postgres\.log"):
        enter(copy)


def test_a_computer_without_the_programs_is_told_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.servers.program.find_spec", lambda name: None)
    with pytest.raises(ServerFailed, match="set DATABASE_URL"):
        enter(tmp_path)
    with pytest.raises(ServerFailed, match="set REDIS_URL"):
        valkey(tmp_path).__enter__()


def test_the_log_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("old\n" * LOG_BYTES)
    with log_part(path) as log:
        os.write(log.descriptor, b"new\n")
        assert log.text() == "new\n"
    assert path.read_text() == "new\n"
    assert (tmp_path / "a.log.1").stat().st_size == 4 * LOG_BYTES


def enter(data: Path) -> None:
    with postgres(data):
        pytest.fail("started all the same")
