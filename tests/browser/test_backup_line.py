"""The menu tells a host, and only a host, when the book was last backed up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from ledger.operations.automatic_backups import AttemptRecord, AutomaticBackups
from tests.support.api.command_line import run_vola
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_as_host, record_elsewhere
from tests.support.browser.server_and_phones import open_context
from tests.support.ledger.backups import wait_for_record
from tests.support.server_process import ServerProcess, run_server

LINE = '[data-key="backup"]'
SENTENCES = {
    "en": "Last backup of the book",
    "da": "Seneste sikkerhedskopi af bogen",
    "de": "Letzte Sicherung des Buchs",
    "sv": "Senaste säkerhetskopian av boken",
}
FAILED = AttemptRecord(failed=1, is_failing=True)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("embedded")


@pytest.fixture(scope="module")
def embedded_server(data: Path) -> Iterator[ServerProcess]:
    """A server with its own database, whose first backup fails: a file has its folder's name."""
    (data / "backups").write_text("in the way")
    environment = {"VOLA_DATA": str(data), "DATABASE_URL": "", "REDIS_URL": ""}
    with run_server(environment, data / "server.log") as server:
        wait_for_record(data, FAILED)
        yield server


@pytest.fixture
def lend_at(browser: Browser, embedded_server: ServerProcess) -> Iterator[Callable[..., Phone]]:
    contexts = []

    def lend(**look: Any) -> Phone:
        contexts.append(open_context(browser, **look))
        return Phone(contexts[-1].new_page(), embedded_server.url)

    yield lend
    for context in contexts:
        context.close()


def make_backup(data: Path) -> None:
    folder = AutomaticBackups(data).folder
    if not folder.is_dir():
        folder.unlink()
        folder.mkdir()
    environment = {"VOLA_DATA": str(data), "DATABASE_URL": "", "REDIS_URL": ""}
    assert run_vola("backup", "--to", str(folder), **environment).returncode == 0


def test_the_menu_shows_the_last_backup_and_its_failure(
    lend_at: Callable[..., Phone], data: Path
) -> None:
    phone = lend_at()
    open_as_host(phone, record_elsewhere(phone))
    phone.tap("menu")
    line = phone.page.locator(LINE)
    expect(line).to_contain_text("misslyckades, och det finns ingen kopia än")
    make_backup(data)
    phone.close_dialog().tap("menu")
    expect(line).to_contain_text("Den nyaste kopian är från")
    AutomaticBackups(data).write_record(AttemptRecord(written=1, failed=1))
    for language, sentence in SENTENCES.items():
        phone.close_dialog().tap("menu")
        phone.page.locator('dialog select[name="language"]').select_option(language)
        phone.tap("menu")
        expect(line).to_contain_text(sentence)


def test_only_the_host_sees_the_backup_line(lend_at: Callable[..., Phone]) -> None:
    phone = lend_at()
    recorder = record_elsewhere(phone)
    phone.page.goto(f"{phone.url}/#/s/{recorder.id}/{recorder.tokens['scorer']}")
    phone.see_table()
    phone.tap("menu")
    expect(phone.page.locator("dialog[open] nav")).to_be_visible()
    phone.page.wait_for_load_state("networkidle")
    expect(phone.page.locator(LINE)).to_have_count(0)
