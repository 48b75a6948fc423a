"""SQL functions: the current body of each is a file, and a migration applies changed files."""

from itertools import count
from pathlib import Path

import psycopg
import pytest

import migrations
from tests.support.databases import DatabaseUrls, copy_database
from tests.support.postgresql.cluster import Postgres

BODY = "SELECT prosrc FROM pg_proc WHERE pronamespace = 'vola'::regnamespace AND proname = %s"


NUMBERS = count(1)


@pytest.fixture
def book(cluster: Postgres) -> DatabaseUrls:
    return copy_database(cluster, f"vola_functions_{next(NUMBERS)}")


def apply(book: DatabaseUrls) -> list[str]:
    return migrations.apply(book.owner, app_url=book.app, audit_url=book.audit)


def body(book: DatabaseUrls, function: str) -> str:
    with psycopg.connect(book.owner) as db:
        row = db.execute(BODY, (function,)).fetchone()
    assert row is not None
    return str(row[0])


def test_only_functions_whose_text_changed_are_created_again(
    book: DatabaseUrls, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert migrations.read_plan(book.app).files == []
    assert apply(book) == []
    text = next(file for file in migrations.FUNCTIONS if file.stem == "may_write").read_text()
    changed = tmp_path / "may_write.sql"
    changed.write_text(text.replace("RETURN true;", "RETURN false;"))
    unchanged_files = [file for file in migrations.FUNCTIONS if file.stem != "may_write"]
    monkeypatch.setattr(migrations, "FUNCTIONS", [*unchanged_files, changed])
    assert migrations.read_plan(book.app).files == ["functions/may_write.sql"]
    assert apply(book) == ["functions/may_write.sql"]
    assert "RETURN false;" in body(book, "may_write")
    monkeypatch.undo()
    assert apply(book) == ["functions/may_write.sql"]
    assert "RETURN true;" in body(book, "may_write")


def test_an_interrupted_migration_changes_no_function(
    book: DatabaseUrls, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = body(book, "refuse_key_change")
    conserve, broken = tmp_path / "refuse_key_change.sql", tmp_path / "may_write.sql"
    file = next(file for file in migrations.FUNCTIONS if file.stem == "refuse_key_change")
    conserve.write_text(file.read_text().replace("made once", "wrong"))
    broken.write_text("SELECT 1 / 0")
    monkeypatch.setattr(migrations, "FUNCTIONS", [conserve, broken])
    with pytest.raises(psycopg.errors.DivisionByZero):
        apply(book)
    assert body(book, "refuse_key_change") == before


def test_functions_of_a_newer_version_are_kept(
    book: DatabaseUrls, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(book.owner) as db:
        db.execute("INSERT INTO public.vola_migrations (name) VALUES ('9999_newer.sql')")
        db.execute("COMMENT ON FUNCTION vola.may_write IS 'sha256 of another text'")
    assert apply(book) == []


def test_each_function_has_the_name_of_its_file(book: DatabaseUrls) -> None:
    for file in migrations.FUNCTIONS:
        assert f"CREATE OR REPLACE FUNCTION vola.{file.stem}(" in file.read_text()
        assert body(book, file.stem) in file.read_text()
