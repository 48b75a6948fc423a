"""The form in WebKit, the engine of every browser on an iPhone: an evening and its check, deals
without a server, a conflict, a payment, a group. All other tests of the form run in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from ledger.embedded import Valkey
from tests.support.api.http_client import RemoteSession
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


def begin_with_a_deal(webkit: WebDriver, server_url: str) -> WebKitPhone:
    """Record a deal of a new session: Ada and Bo have lost 10 kr, which Cilla and a bet have."""
    phone = WebKitPhone(webkit, server_url)
    phone.begin_by_tapping()
    phone.play(1, "B", "CCDCB")
    return phone


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


def test_a_person_decides_between_two_versions_of_a_deal(
    webkit: WebDriver, server_url: str
) -> None:
    elsewhere = RemoteSession(server_url).open()
    phone = WebKitPhone(webkit, server_url)
    phone.open(f"/#/s/{elsewhere.id}/{elsewhere.token}")
    phone.tap("record")
    phone.seat("BCC")
    tricks = [{"type": "trick", "winner": winner} for winner in ("p2", "p2", "p3", "p3", "p3")]
    elsewhere.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]}, *tricks)
    phone.see_text("dialog[open]", "Bo var spelförare")
    phone.tap("mine-right")
    phone.see_text("h1", "Rätta giv 1")
    assert phone.errors() == []


def test_a_payment_is_scanned_recorded_and_taken_back(webkit: WebDriver, server_url: str) -> None:
    phone = begin_with_a_deal(webkit, server_url)
    phone.visit("costs")
    phone.fill("cost-amount", "348,50")
    phone.mark("payer", "p2")
    phone.tap("record-cost")
    assert phone.see('[data-cost="1"]').text.endswith("348,50 kr")
    phone.visit("settlement")
    phone.tap("open-p1-p2")
    phone.mark("method", "swish")
    phone.fill("code-number", "0701234567")
    phone.tap("code-show")
    phone.see(".payment-code img")
    phone.tap("receipt")
    phone.see('[data-key^="back-"]').click()
    phone.see('[data-key="open-p1-p2"]')
    assert phone.errors() == []


def test_a_group_plays_two_evenings_for_one_pot(webkit: WebDriver, server_url: str) -> None:
    phone = begin_with_a_deal(webkit, server_url)
    phone.visit("group")
    phone.fill("group-name", "Torsdagarna")
    phone.tap("join")
    phone.see_text("h1", "Torsdagarna")
    group = webkit.evaluate("return location.hash")
    phone.tap("evening-1")
    phone.see("body.table .felt")
    phone.visit("close")
    phone.tap("close")
    phone.see('[data-key="to-group"]')
    webkit.evaluate(f"location.hash = '{group}/tonight'")
    for member in ("m2", "m3", "m4"):
        phone.tap(f"sit-{member}")
    phone.tap("open")
    phone.see_text(".bets", "10 kr")
    phone.play(1, "A", "AAABC")
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
