"""The form in WebKit, the engine of every browser on an iPhone: an evening, its check, and deals
without a server. All other tests of the form run in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from ledger.embedded import Valkey
from tests.support.browser.phone import format_kronor
from tests.support.browser.played_evenings import E1
from tests.support.browser.webdriver import WebDriver
from tests.support.browser.webkit import (
    MISSING,
    WebKitPhone,
    browser_path,
    run_webkit,
)
from tests.support.databases import DatabaseUrls, valkey_url
from tests.support.polling import wait_until
from tests.support.proofs.exported_files import SignedBook, encode_document
from tests.support.server_process import ServerProcess, run_server

READ_DEALS = """return fetch(`/v1/sessions/${location.hash.split('/')[2]}/deals`)
  .then((response) => response.json())"""
IS_STORED = "return navigator.serviceWorker.controller?.state === 'activated'"


@pytest.fixture(scope="module")
def webkit() -> Iterator[WebDriver]:
    if browser_path() is None:
        pytest.skip(MISSING)
    with run_webkit() as driver:
        yield driver


@pytest.fixture
def own_server(urls: DatabaseUrls, valkey: Valkey, tmp_path: Path) -> Iterator[ServerProcess]:
    """A server that a test may stop and start again."""
    environment = {
        **urls.environment,
        "REDIS_URL": valkey_url(valkey, 1),
        "VOLA_DATA": str(tmp_path),
    }
    with run_server(environment, tmp_path / "server.log") as server:
        yield server


def test_an_evening_is_recorded_and_checked(webkit: WebDriver, server_url: str) -> None:
    phone = WebKitPhone(webkit, server_url)
    phone.begin_by_tapping()
    for number, (declarers, tricks, balances) in enumerate(E1, start=1):
        phone.play(number, declarers, tricks)
        phone.see_texts("[data-balance]", [format_kronor(amount) for amount in balances])
    phone.visit("check")
    phone.see('[data-outcome="holds"]')
    assert phone.errors() == []


def test_deals_wait_for_the_server_and_reach_it_once(
    webkit: WebDriver, own_server: ServerProcess
) -> None:
    phone = WebKitPhone(webkit, own_server.url)
    phone.begin_by_tapping()
    wait_until(lambda: webkit.evaluate(IS_STORED))
    own_server.stop()
    phone.play(1, "B", "CCDCB")
    phone.tap("record")
    phone.seat("AB")
    phone.reload()
    phone.seat("CDAA")
    phone.see(".verdict")
    own_server.start()
    phone.see("#head .sync.up-to-date")
    assert [deal["status"] for deal in webkit.evaluate(READ_DEALS)["deals"]] == ["closed"] * 2
    phone.visit("check")
    phone.see('[data-outcome="holds"]')
    assert phone.errors() == []


def test_one_step_back_leads_past_a_form_that_was_sent(webkit: WebDriver, server_url: str) -> None:
    phone = WebKitPhone(webkit, server_url)
    phone.begin_by_tapping()
    for key in ("menu", "players", "up-p2", "sit"):
        phone.tap(key)
    phone.see("body.table .felt")
    webkit.evaluate("history.back()")
    phone.see('[data-key="new"]')
    assert phone.errors() == []


@pytest.mark.parametrize(("event", "verdict"), [(None, "håller."), (3, "håller inte")])
def test_a_file_is_checked(
    webkit: WebDriver, server_url: str, tmp_path: Path, event: int | None, verdict: str
) -> None:
    """`event` is one whose data somebody changed."""
    export = SignedBook(Random(5), 12).export()
    if event is not None:
        export["events"][event]["by"] = "host.1"
    (tmp_path / "export.json").write_bytes(encode_document(export))
    phone = WebKitPhone(webkit, server_url)
    phone.open("/verify")
    phone.see("input[name=file]").type(f"{tmp_path}/export.json")
    phone.see("button:enabled").click()  # once the script listens
    phone.see_text("[role=status] h2", verdict)
    assert phone.errors() == []
