"""A server that cannot start reports the reason and the remedy in one sentence."""

import os
import socket
from pathlib import Path

import pytest

from ledger.embedded import ServerFailed, postgres, valkey
from ledger.embedded.private_files import LOG_BYTES, log_part, make_folder
from tests.support.ledger.embedded_servers import assert_start_fails


def test_a_port_that_is_never_free_is_reported(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        monkeypatch.setattr("ledger.embedded.postgresql.free_port", lambda wanted: port)
        with pytest.raises(ServerFailed, match=r"did not start: .*TCP/IP.*postgres\.log"):
            assert_start_fails(data)


def test_a_file_in_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    data = tmp_path / "var"
    data.write_text("")
    for server in (postgres, valkey):
        with pytest.raises(ServerFailed, match=r"Not a folder.*var.*VOLA_DATA"):
            server(data).__enter__()


def test_a_folder_with_foreign_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "recipes.txt").write_text("semlor")
    with pytest.raises(ServerFailed, match="not a PostgreSQL cluster"):
        assert_start_fails(tmp_path)
    assert (tmp_path / "postgres" / "recipes.txt").read_text() == "semlor"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["locks", "postgres", "postgres.log"]


def test_a_cluster_of_another_version_is_reported(copy: Path) -> None:
    (copy / "postgres" / "PG_VERSION").write_text("17\n")
    with pytest.raises(ServerFailed, match=r"made by PostgreSQL 17, .* 18, .*VOLA_OLD_POSTGRES"):
        assert_start_fails(copy)


def test_lost_passwords_are_reported(copy: Path) -> None:
    (copy / "postgres.passwords.json").unlink()
    with pytest.raises(ServerFailed, match=r"put the file back, or .*`vola restore`"):
        assert_start_fails(copy)


@pytest.mark.parametrize("content", ["[]", "7", "", '{"vola_app": "secret"}', "{"])
def test_damaged_passwords_are_reported(copy: Path, content: str) -> None:
    (copy / "postgres.passwords.json").write_text(content)
    with pytest.raises(ServerFailed, match="missing or damaged"):
        assert_start_fails(copy)


@pytest.mark.parametrize("place", ["an empty mount point", "a link to a disk", "nothing"])
def test_passwords_are_kept_for_a_cluster_that_is_not_there(copy: Path, place: str) -> None:
    """A new cluster would replace the passwords that the old one needs."""
    passwords, folder = copy / "postgres.passwords.json", copy / "postgres"
    before, elsewhere = passwords.read_text(), copy / "disk"
    folder.rename(elsewhere)
    if place == "an empty mount point":
        folder.mkdir()
    elif place == "a link to a disk":
        folder.symlink_to(copy / "unplugged")
    with pytest.raises(ServerFailed, match=r"empty or missing.* put the folder back .* delete"):
        assert_start_fails(copy)
    assert passwords.read_text() == before
    if folder.is_symlink():
        folder.unlink()
    elsewhere.rename(folder)
    with postgres(copy):
        pass


def test_a_damaged_cluster_is_reported_with_its_log(copy: Path) -> None:
    (copy / "postgres" / "global" / "pg_control").unlink()
    with pytest.raises(ServerFailed, match=r"did not start: .*pg_control.*postgres\.log"):
        assert_start_fails(copy)


def test_a_cluster_that_others_may_read_is_reported_with_what_to_do(copy: Path) -> None:
    """As after its files were copied to a stick and back."""
    (copy / "postgres").chmod(0o755)
    with pytest.raises(ServerFailed, match=r"postgres\" has invalid permissions; .*`chmod 700`"):
        assert_start_fails(copy)


def test_missing_programs_are_reported_with_the_setting_to_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.embedded.binaries.find_spec", lambda name: None)
    with pytest.raises(ServerFailed, match="set DATABASE_URL"):
        assert_start_fails(tmp_path)
    with pytest.raises(ServerFailed, match="set REDIS_URL"):
        valkey(tmp_path).__enter__()


def test_a_folder_is_not_writable_by_others_whatever_the_umask(tmp_path: Path) -> None:
    """Who can write in it can put another file in the place of the passwords."""
    umask = os.umask(0)
    try:
        make_folder(tmp_path / "club" / "var")
    finally:
        os.umask(umask)
    for folder in (tmp_path / "club", tmp_path / "club" / "var"):
        assert folder.stat().st_mode & 0o022 == 0


def test_the_size_of_the_log_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("old\n" * LOG_BYTES)
    with log_part(path) as log:
        os.write(log.descriptor, b"new\n")
        assert log.text() == "new\n"
    assert path.read_text() == "new\n"
    assert (tmp_path / "a.log.1").stat().st_size == 4 * LOG_BYTES
