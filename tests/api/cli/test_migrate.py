"""`vola migrate` says what it will do, and requires a backup of a book that is in use."""

import errno
import os
import shutil
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import click
import psycopg
import pytest
from psycopg import sql

import migrations
from api.server import table_upgrade
from ledger.store.connection_pool import UnsuitableDatabase
from ledger.transfer import backup
from ledger.transfer.backup_file import BackupRefused
from tests.support.api.command_line import assert_refused, invoke_vola, run_vola
from tests.support.databases import DatabaseUrls, create_database, drop_database
from tests.support.earlier_books import DUMPS, restore_book
from tests.support.postgresql.cluster import Postgres

NUMBERS = count(1)
ALLOW_APP = "GRANT SELECT ON public.vola_migrations TO vola_app"
DROP = "DROP DATABASE {} WITH (FORCE)"
TWO_DAYS_SECONDS = 2 * 24 * 60 * 60


@pytest.fixture
def old_book(cluster: Postgres) -> Iterator[DatabaseUrls]:
    """The frozen book of 0.1 in a database of its own, with the tables of that version."""
    urls = restore_book(cluster, DUMPS[0], f"migrate_{next(NUMBERS)}")
    with psycopg.connect(urls.owner) as db:
        db.execute(ALLOW_APP)
        name = db.info.dbname
    yield urls
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        db.execute(sql.SQL(DROP).format(sql.Identifier(name)))


@pytest.fixture
def empty_database(cluster: Postgres) -> Iterator[DatabaseUrls]:
    name = f"migrate_empty_{next(NUMBERS)}"
    yield create_database(cluster, name)
    drop_database(cluster, name)


def pending(urls: DatabaseUrls) -> list[str]:
    return migrations.read_plan(urls.owner).files


def test_a_dry_run_says_what_each_migration_is_for_and_changes_nothing(
    old_book: DatabaseUrls,
) -> None:
    before = pending(old_book)
    result = invoke_vola("migrate", "--dry-run", **old_book.environment)
    *lines, last = result.stdout.splitlines()
    assert result.returncode == 0
    assert [line.partition(": ")[0] for line in lines] == before
    assert "0027_signing_keys_are_rotated.sql: The signing key can be rotated." in lines
    assert last == f"{len(before)} pending; nothing was changed"
    assert pending(old_book) == before


def test_a_book_in_use_is_not_migrated_without_a_backup(old_book: DatabaseUrls) -> None:
    before = pending(old_book)
    refused = invoke_vola("migrate", **old_book.environment)
    assert_refused(refused, "--backup FILE", "--no-backup")
    assert "0030_other_books_witness.sql: " in refused.stdout
    assert pending(old_book) == before


def test_other_commands_leave_a_book_in_use_to_migrate(old_book: DatabaseUrls) -> None:
    before = pending(old_book)
    for command in ("serve", "audit"):
        result = invoke_vola(command, **{**old_book.environment, "PORT": "18098"})
        assert_refused(result, "0018_misspelt_names_are_put_right.sql is pending", "`vola migrate`")
    assert pending(old_book) == before


def test_a_backup_is_written_before_the_tables_change(
    old_book: DatabaseUrls, tmp_path: Path
) -> None:
    before = pending(old_book)
    result = invoke_vola("migrate", "--backup", str(tmp_path), **old_book.environment)
    assert result.returncode == 0, result.stderr
    (file,) = tmp_path.iterdir()
    assert result.stdout.splitlines()[-2:] == [
        f"backup: {file}: 12 sessions, 549 events",
        f"{len(before)} applied",
    ]
    assert pending(old_book) == []
    with pytest.raises(BackupRefused, match="made before the last migration"):
        backup.check_same_book(old_book.owner, file)
    audit = invoke_vola("audit", **old_book.environment)
    assert audit.stdout == "12 sessions, no findings\n"


def test_a_killed_upgrade_leaves_no_unfinished_backup(urls: DatabaseUrls, tmp_path: Path) -> None:
    """It is as secret as the book, and its name begins with a dot, so a person overlooks it."""
    folder = tmp_path / table_upgrade.FOLDER
    folder.mkdir()
    (folder / ".vola-20261130T181500Z.dump.0123abcd.part").write_text("half")
    summary = table_upgrade.back_up_embedded(tmp_path, urls.owner)
    assert list(folder.iterdir()) == [summary.path]


def test_a_backup_of_this_book_that_is_recent_is_enough(
    old_book: DatabaseUrls, tmp_path: Path
) -> None:
    file = tmp_path / "book.dump"
    backup.write_backup(old_book.owner, file)
    result = invoke_vola("migrate", "--backup", str(file), **old_book.environment)
    assert result.returncode == 0, result.stderr
    assert pending(old_book) == []


def test_a_backup_that_is_old_foreign_or_none_is_refused(
    old_book: DatabaseUrls, urls: DatabaseUrls, tmp_path: Path
) -> None:
    old, foreign, text = (tmp_path / name for name in ("old.dump", "foreign.dump", "text.dump"))
    backup.write_backup(old_book.owner, old)
    ahead = tmp_path / "ahead.dump"
    shutil.copy(old, ahead)
    for file, seconds in ((old, -TWO_DAYS_SECONDS), (ahead, TWO_DAYS_SECONDS)):
        os.utime(file, (time.time() + seconds, time.time() + seconds))
    with psycopg.connect(urls.owner) as db:
        db.execute("INSERT INTO vola.secret (secret) VALUES ('another') ON CONFLICT DO NOTHING")
    backup.write_backup(urls.owner, foreign)
    text.write_text("semlor")
    before = pending(old_book)
    for file, words in (
        *((old, "48 hours old"), (ahead, "a date in the future")),
        *((foreign, "another book"), (text, "no backup")),
    ):
        result = invoke_vola("migrate", "--backup", str(file), **old_book.environment)
        assert_refused(result, words)
    assert pending(old_book) == before


def test_a_damaged_backup_is_not_enough(old_book: DatabaseUrls, tmp_path: Path) -> None:
    """Its list of tables is whole, and so are those that say of which book it is."""
    file = tmp_path / "book.dump"
    backup.write_backup(old_book.owner, file)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    before = pending(old_book)
    result = invoke_vola("migrate", "--backup", str(file), **old_book.environment)
    assert_refused(result, "is damaged")
    assert pending(old_book) == before


def test_roles_without_rights_are_told_what_grants_them(
    old_book: DatabaseUrls, tmp_path: Path
) -> None:
    """So a restore leaves them that is stopped before it grants the rights."""
    invoke_vola("migrate", "--no-backup", **old_book.environment)
    with psycopg.connect(old_book.owner) as db:
        db.execute("REVOKE ALL ON public.vola_migrations FROM vola_app")
    assert_refused(invoke_vola("audit", **old_book.environment), "no rights", "`vola migrate`")
    assert invoke_vola("migrate", **old_book.environment).returncode == 0
    assert invoke_vola("audit", **old_book.environment).returncode == 0


def test_the_owner_can_do_without_a_backup(old_book: DatabaseUrls) -> None:
    assert_refused(
        invoke_vola("migrate", "--backup", "x", "--no-backup", **old_book.environment), "one of"
    )
    assert invoke_vola("migrate", "--no-backup", **old_book.environment).returncode == 0
    assert pending(old_book) == []
    assert invoke_vola("migrate", **old_book.environment).stdout == "up to date\n"


@pytest.mark.parametrize(
    ("line", "done", "has_backup", "is_migrated"),
    [
        ("0018_", "Nothing was migrated, because", False, False),
        (
            "backup: ",
            "The backup {file} is complete, but nothing was migrated, because",
            True,
            False,
        ),
        (" applied", "The tables are up to date ({count} migrations applied now), but", True, True),
    ],
)
def test_output_that_cannot_be_written_hides_nothing_done(
    old_book: DatabaseUrls,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    done: str,
    has_backup: bool,
    is_migrated: bool,
) -> None:
    """The disk under the output is full at one of the lines."""
    file, before, echo = tmp_path / "book.dump", pending(old_book), click.echo

    def echo_until_full(text: str) -> None:
        if line in text:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        echo(text)

    monkeypatch.setattr(click, "echo", echo_until_full)
    result = invoke_vola("migrate", "--backup", str(file), **old_book.environment)
    reason = "the output cannot be written: No space left on device."
    assert_refused(result, f"{done.format(file=file, count=len(before))} {reason}")
    assert file.exists() == has_backup
    assert pending(old_book) == ([] if is_migrated else before)


def test_every_migration_says_what_it_is_for() -> None:
    functions = [f"functions/{file.name}" for file in migrations.FUNCTIONS]
    for file in [*(step.name for step in migrations.STEPS), *functions]:
        assert 10 < len(migrations.purpose(file)) < 300, file


def test_no_command_works_on_tables_that_only_a_newer_version_can_use(urls: DatabaseUrls) -> None:
    with psycopg.connect(urls.owner) as db:
        db.execute("COMMENT ON TABLE public.vola_migrations IS '9999_newer.sql'")
    for command in ("serve", "audit", "migrate"):
        result = invoke_vola(command, **{**urls.environment, "PORT": "18097"})
        assert_refused(result, "A newer Vola", "9999_newer.sql", "install the newer one")


@pytest.mark.parametrize("command", [["audit"], ["key"], ["demo"], ["export", "--all", "book.zip"]])
def test_a_command_that_needs_a_book_makes_none_in_an_empty_database(
    empty_database: DatabaseUrls, command: list[str]
) -> None:
    refused = invoke_vola(*command, **empty_database.environment)
    assert_refused(refused, "no book", "DATABASE_URL")
    with psycopg.connect(empty_database.owner) as db:
        assert db.execute("SELECT to_regclass('vola.events')").fetchone() == (None,)


def test_only_vola_migrate_makes_a_book_beside_other_tables(
    empty_database: DatabaseUrls,
) -> None:
    with psycopg.connect(empty_database.owner) as db:
        db.execute("CREATE SCHEMA shop CREATE TABLE shop.orders ()")
    urls = {f"{role}_url": getattr(empty_database, role) for role in ("app", "owner", "audit")}
    with pytest.raises(UnsuitableDatabase, match=r"tables of another program: .*`vola migrate`"):
        table_upgrade.migrate_if_needed(None, **urls, must_exist=False)
    assert invoke_vola("migrate", **empty_database.environment).returncode == 0
    table_upgrade.migrate_if_needed(None, **urls, must_exist=False)


def test_who_may_not_make_the_tables_is_told_whose_work_it_is(
    empty_database: DatabaseUrls,
) -> None:
    environment = {**empty_database.environment, "DATABASE_OWNER_URL": "", "DATABASE_AUDIT_URL": ""}
    assert_refused(invoke_vola("migrate", **environment), "DATABASE_OWNER_URL", "permission denied")


@pytest.mark.parametrize(
    "command", [["serve"], ["worker"], ["migrate"], ["rebuild"], ["backup"], ["key", "--rotate"]]
)
def test_the_owner_of_another_database_is_refused(
    empty_database: DatabaseUrls, environment: dict[str, str], command: list[str]
) -> None:
    elsewhere = {**environment, "DATABASE_OWNER_URL": empty_database.owner, "PORT": "18098"}
    # Without the refusal the first two would run on; a process of its own has a time limit.
    run = run_vola if command[0] in ("serve", "worker") else invoke_vola
    assert_refused(run(*command, **elsewhere), "another database than DATABASE_URL")
    with psycopg.connect(empty_database.owner) as db:
        assert db.execute("SELECT to_regclass('vola.events')").fetchone() == (None,)


def test_an_owner_out_of_reach_stops_no_command_that_needs_none(
    environment: dict[str, str],
) -> None:
    unreachable = "postgresql://vola_owner:secret@127.0.0.1:1/vola"
    result = invoke_vola(
        "settlement-failures", **{**environment, "DATABASE_OWNER_URL": unreachable}
    )
    assert result.returncode == 0, result


def test_the_first_backup_has_the_key_that_the_book_signs_with(
    empty_database: DatabaseUrls,
) -> None:
    assert invoke_vola("migrate", **empty_database.environment).returncode == 0
    with psycopg.connect(empty_database.owner) as db:
        keys = db.execute("SELECT count(*) FROM vola.signing_key").fetchall()
    assert keys == [(1,)]
