"""A running server waits for a data folder that disappears, and makes nothing in its place."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger import embedded
from ledger.embedded.data_folder import find_fault
from tests.support.api.command_line import assert_refused, invoke_vola
from tests.support.api.http_client import Answer, RemoteSession, ask, new_key
from tests.support.ledger.embedded_servers import has_exited, postmaster_pid
from tests.support.polling import wait_until
from tests.support.process_tree import list_children
from tests.support.server_process import ServerProcess, run_server
from tests.support.small_disk import mounted_disk

NO_SERVERS = {"DATABASE_URL": "", "REDIS_URL": ""}
DEAL = [{"type": "open_deal"}, {"type": "all_pass"}]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server with a book in the folder `var`, which a test may move aside."""
    environment = {"VOLA_DATA": f"{tmp_path / 'var'}", **NO_SERVERS}
    with run_server(environment, tmp_path / "log") as running:
        yield running


def code_of(answer: Answer) -> str:
    return "" if answer.status < 400 else answer.json["code"]


def test_a_data_folder_that_comes_back_is_used_again(server: ServerProcess, tmp_path: Path) -> None:
    data, away, log = tmp_path / "var", tmp_path / "away", tmp_path / "log"
    phone, key = RemoteSession(server.url).open(), new_key()
    assert phone.act(*DEAL).status == 201
    postmaster = postmaster_pid(data)
    data.rename(away)
    wait_until(lambda: "was its disk pulled?" in log.read_text())
    os.kill(postmaster, signal.SIGKILL)
    wait_until(lambda: has_exited(postmaster))

    def send() -> Answer:
        return phone.write("/actions", {"actions": DEAL}, key=key, version=4)

    wait_until(lambda: code_of(send()) == "data_folder_missing")
    assert ask(f"{server.url}/readyz").json["reasons"] == ["database_out_of_reach"]
    assert not data.exists(), "a new book would be taken for the old one"
    away.rename(data)
    wait_until(lambda: send().status == 201)
    assert len(phone.get("/deals").json["deals"]) == 2
    assert log.read_text().count("was its disk pulled?") == 1
    assert "is back" in log.read_text()
    children = list_children(server.pid)
    assert server.stop(signal.SIGTERM) == 0
    assert all(has_exited(pid) for pid in [*children, last_postmaster(tmp_path)])


def last_postmaster(folder: Path) -> int:
    """Return the process id of the PostgreSQL that started last, from its log."""
    lines = (folder / "var" / "postgres.log").read_text().splitlines()
    started = [line for line in lines if "LOG:  starting PostgreSQL" in line]
    return int(started[-1].partition("[")[2].partition("]")[0])


def test_a_restart_never_makes_a_book(tmp_path: Path) -> None:
    with (
        pytest.raises(embedded.ServerFailed, match="There is no book in"),
        embedded.postgres(tmp_path / "var", must_exist=True),
    ):
        pass
    assert not (tmp_path / "var" / "postgres").exists()


def test_an_empty_folder_is_no_book(tmp_path: Path) -> None:
    folder = tmp_path / "var" / "postgres"
    folder.mkdir(parents=True)
    result = invoke_vola("audit", VOLA_DATA=str(tmp_path / "var"), **NO_SERVERS)
    assert_refused(result, "There is no book in", "`vola serve` begins one")
    assert list(folder.iterdir()) == []


def test_the_fault_of_a_data_folder_is_named(tmp_path: Path) -> None:
    data = tmp_path / "var"
    assert find_fault(data) == "data_folder_missing"
    (data / "postgres").mkdir(parents=True)
    assert find_fault(data) == "data_folder_missing"
    (data / "postgres" / "PG_VERSION").write_text("18")
    assert find_fault(data) is None


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    with mounted_disk(tmp_path / "disk", 512) as disk:
        (disk / "postgres").mkdir()
        (disk / "postgres" / "PG_VERSION").write_text("18")
        assert find_fault(disk) is None
        (disk / "filler").write_bytes(bytes(400 * 1024))
        assert find_fault(disk) == "disk_full"
