"""A data folder that is moved while a server of it runs, as after `kill -9` of its last user."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.embedded import postgres
from ledger.embedded.server_process import find_process, is_running
from tests.support.ledger.embedded_servers import (
    has_exited,
    kill_server,
    postmaster_pid,
    query_value,
    server_user,
)


@pytest.fixture
def moved(copy: Path) -> Iterator[Path]:
    """A data folder that got another name after the last user of its server was killed."""
    with server_user("postgres", copy) as user:
        assert user.url()
    pid = postmaster_pid(copy)
    yield copy.rename(copy.with_name("moved"))
    if not has_exited(pid):
        kill_server(pid)


def test_a_moved_folder_finds_the_server_that_still_runs(moved: Path) -> None:
    pid = postmaster_pid(moved)
    with postgres(moved) as server:
        assert query_value(server.app_url, "SELECT 1") == 1
        assert postmaster_pid(moved) == pid
    assert has_exited(pid)


def test_a_server_belongs_to_its_moved_folder_alone(moved: Path) -> None:
    pid, program = postmaster_pid(moved), Path("postgres")
    assert find_process(program, moved / "postgres") == pid
    assert is_running(pid, moved / "postgres")
    assert not is_running(pid, moved)
