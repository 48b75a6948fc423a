"""A phone keeps what it saw of each session, and warns when the server shows another history."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from playwright.sync_api import Route, expect

from ledger.proofs.signing_key import SigningKey
from tests.support.browser.connection import load_offline_form, recording_phones
from tests.support.browser.group_screens import create_season, open_group_session
from tests.support.browser.join_requests import unfold_other_ways
from tests.support.browser.kept_proofs import (
    RECEIPTS,
    SERVED_DATABASE,
    alarm,
    read_record,
    rewrite_shown_session,
    see_no_alarm,
    see_proven,
    session_id_of,
    start_receipt_watch,
)
from tests.support.browser.layout_checks import find_violations
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import (
    open_as_host,
    open_e1,
    record_elsewhere,
    see_correction,
)
from tests.support.databases import DatabaseUrls
from tests.support.postgresql.cluster import Postgres
from tests.support.proofs.issued_receipts import receipt_document, receipt_issuer
from tests.support.proofs.tampered_exports import Vector
from tests.support.session_forger import move_back

VERSION_2_OF_THE_DATABASE = """async (session) => {
  const opened = indexedDB.open('vola', 2);
  opened.onupgradeneeded = () => {
    opened.result.createObjectStore('writes', { keyPath: 'key' });
    opened.result.createObjectStore('evenings', { keyPath: 'id' });
    opened.transaction.objectStore('evenings').put({ id: session, said: 'before', begun: null });
  };
  await new Promise((resolve) => { opened.onsuccess = resolve; });
  opened.result.close();
}"""
READ_SNAPSHOT = """async (session) => {
  const file = await import(document.querySelector('script[type=module]').src);
  return (await file.readSnapshot(session))?.said;
}"""
pytestmark = pytest.mark.short_waits
MAX_RECORD_CHARACTERS = 1_500
NOTHING_COMES_MS = 2_000  # longer than a phone of `short_waits` waits before a check


def test_undo_and_correction_raise_no_alarm_on_two_phones(lend: Callable[..., Phone]) -> None:
    first, second = recording_phones(lend)
    for phone in (first, second):
        start_receipt_watch(phone)
    first.play(1, "B", "CCDCB")
    expect(second.page.locator(".last-deal")).to_contain_text("Cilla")
    second.play(2, "D", "AABDD")
    second.tap("undo")
    second.seat("D")
    second.see_result(2)
    first_record, second_record = see_proven(first), see_proven(second)
    assert first_record["head"] == second_record["head"]
    assert first_record["key"] == second_record["key"]
    first.visit("correct/1")
    first.tap("never").tap("never-sure")
    see_correction(first, 1)
    newest = see_proven(first)
    assert newest["head"]["version"] > first_record["head"]["version"]
    assert see_proven(second)["head"] == newest["head"]
    assert len(json.dumps(newest)) < MAX_RECORD_CHARACTERS
    for phone in (first, second):
        see_no_alarm(phone)


def test_an_installed_phone_loads_the_watch_after_all_else(lend: Callable[..., Phone]) -> None:
    phone = lend(installed=True)
    paths: list[str] = []
    phone.page.context.on("request", lambda request: paths.append(request.url))
    load_offline_form(phone)
    phone.begin()
    phone.play(1, "B", "CCDCB")
    record = see_proven(phone)
    assert record["alarm"] is None
    receipts = [n for n, url in enumerate(paths) if "/receipts/" in url]
    loaded = [n for n, url in enumerate(paths) if url.endswith("/proofs/kept_proofs.js")]
    assert loaded[0] < receipts[0]
    see_no_alarm(phone)


def test_a_phone_that_saves_data_fetches_and_keeps_nothing(phone: Phone) -> None:
    urls: list[str] = []
    phone.page.on("request", lambda request: urls.append(request.url))
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.see_saved()
    phone.page.wait_for_timeout(NOTHING_COMES_MS)  # no event to wait for
    assert [url for url in urls if "receipt" in url or "/proofs/" in url] == []
    assert read_record(phone) is None


@pytest.mark.parametrize(("language", "number"), [("sv", "Spelare 3"), ("en", "Player 3")])
def test_a_carried_evening_and_an_erased_name_are_no_alarm(
    lend: Callable[..., Phone], language: str, number: str
) -> None:
    phone = lend(language=language)
    group = create_season(phone)
    open_group_session(phone, group, "CDA")
    start_receipt_watch(phone)
    phone.play(1, "A", "AACCA")
    first = see_proven(phone)
    assert set(first["names"]) == {"p1", "p2", "p3", "p4"}
    unfold_other_ways(phone)
    phone.page.locator('[data-key="forgetting"] summary').tap()
    phone.tap("forget-p3").tap("sure")
    phone.visit("")
    expect(phone.page.locator(".felt")).to_contain_text(number)
    phone.play(2, "A", "AACCA")
    record = see_proven(phone)
    assert record["head"]["version"] > first["head"]["version"]
    assert set(record["names"]) == {"p1", "p2", "p4"}
    see_no_alarm(phone)


@pytest.fixture
def proven(phone: Phone) -> Phone:
    """A phone that has seen two deals proven, the second of which it has recorded."""
    open_e1(phone, 1)
    start_receipt_watch(phone)
    phone.play(2, "D", "AABDD")
    see_proven(phone)
    see_no_alarm(phone)
    return phone


def reopen(phone: Phone) -> Phone:
    """Reload the page, and return the phone at the table."""
    phone.visit("")
    phone.page.reload()
    phone.see_table()
    return start_receipt_watch(phone)


def saved_file(phone: Phone) -> bytes:
    """Return what the phone saves when its alarm is tapped."""
    with phone.page.expect_download() as started:
        phone.tap("save-proofs")
    return Path(started.value.path()).read_bytes()


def verdict_on_file(raw: bytes) -> tuple[int, str, int | None]:
    """Return verify.py's verdict on the file."""
    return Vector("saved by a phone", raw).judged()


def test_a_rewritten_history_raises_an_alarm_with_both_versions(
    proven: Phone, cluster: Postgres
) -> None:
    phone = proven
    kept = read_record(phone)
    rewrite_shown_session(cluster, phone, move_back)
    reopen(phone)
    expect(alarm(phone)).to_contain_text("berättats på två sätt")
    assert find_violations(phone) == []
    record = read_record(phone)
    assert record["head"] == kept["head"], "what was kept is not replaced"
    assert record["alarm"]["reason"] == "rewritten"
    raw = saved_file(phone)
    assert verdict_on_file(raw) == (1, "rewritten", kept["head"]["version"])
    saved = json.loads(raw)
    assert saved["session"] == session_id_of(phone)
    assert saved["kept"]["head"] == kept["head"]
    assert saved["received"]["format"] == "vola receipt 1"
    assert saved["received"]["hash"] != kept["head"]["hash"]

    phone.visit("deals")
    expect(phone.page.locator("ol.rows > .row")).to_have_count(2)
    expect(alarm(phone)).to_be_visible()
    phone.page.goto(phone.url + "/#/")
    see_no_alarm(phone)
    phone.page.go_back()
    expect(alarm(phone)).to_be_visible()
    phone.visit("")
    phone.play(3, "", "")  # recording still works
    phone.see_saved()
    reopen(phone)
    expect(alarm(phone)).to_be_visible()


def test_an_old_backup_without_the_last_deal_is_found(proven: Phone, cluster: Postgres) -> None:
    """The last events are gone: the server denies the version that the phone has seen signed."""
    phone = proven

    def cut(events: list) -> list:  # type: ignore[type-arg]
        second = [n for n, event in enumerate(events) if event.type == "deal_opened"][1]
        return events[:second]

    rewrite_shown_session(cluster, phone, cut)
    reopen(phone)
    expect(alarm(phone)).to_be_visible()
    record = read_record(phone)
    assert record["alarm"]["reason"] == "tail_missing"
    assert record["alarm"]["received"]["code"] == "unknown_version"
    assert verdict_on_file(saved_file(phone)) == (1, "version_denied", record["head"]["version"])


def test_a_receipt_signed_with_another_key_raises_an_alarm(
    proven: Phone, cluster: Postgres
) -> None:
    phone, key = proven, SigningKey(Ed25519PrivateKey.generate())

    def sign_otherwise(route: Route) -> None:
        version = int(re.findall(r"/receipts/(\d+)", route.request.url)[0])
        with psycopg.connect(DatabaseUrls(cluster, SERVED_DATABASE).super) as db:
            answer = receipt_document(
                receipt_issuer(db), UUID(session_id_of(phone)), version, key=key
            )
        route.fulfill(json=answer)

    phone.page.route(RECEIPTS, sign_otherwise)
    reopen(phone)
    expect(alarm(phone)).to_be_visible()
    assert read_record(phone)["alarm"]["reason"] == "other_key"
    assert verdict_on_file(saved_file(phone)) == (1, "other_key", None)


def test_a_write_that_vanished_is_found_by_its_receipt(phone: Phone, cluster: Postgres) -> None:
    """The phone has never got a checkpoint; it has only its own receipt."""
    phone.begin()
    phone.page.route(RECEIPTS, lambda route: route.abort())
    start_receipt_watch(phone)
    phone.play(1, "B", "CCDCB")
    phone.wait_until(lambda: bool((read_record(phone) or {}).get("receipts")))
    rewrite_shown_session(cluster, phone, move_back)
    phone.page.unroute(RECEIPTS)
    reopen(phone)
    expect(alarm(phone)).to_be_visible()
    found = read_record(phone)["alarm"]
    assert found["reason"] == "rewritten"
    assert verdict_on_file(saved_file(phone)) == (1, "rewritten", found["version"])


def test_names_that_two_players_have_swapped_are_found(proven: Phone) -> None:
    """No hash covers a name, so the phone compares the names that it was shown."""
    phone = proven
    kept = read_record(phone)
    assert kept["names"]["p1"] == ["Ada"]

    def swap_names(route: Route) -> None:
        headers = {k: v for k, v in route.request.headers.items() if k != "if-none-match"}
        answer = route.fetch(headers=headers)
        state = answer.json()
        first, second = state["players"][:2]
        first["name"], second["name"] = second["name"], first["name"]
        route.fulfill(response=answer, json=state)

    phone.page.route(re.compile(r"/v1/sessions/[0-9a-f-]{36}$"), swap_names)
    reopen(phone)
    expect(alarm(phone)).to_be_visible()
    found = read_record(phone)["alarm"]
    assert found["reason"] == "names_swapped"
    assert found["kept"]["names"] == kept["names"]
    assert found["received"]["players"][0]["name"] == "Bo"
    assert verdict_on_file(saved_file(phone)) == (1, "names_moved", None)
    phone.visit("check")
    expect(phone.page.locator(".lead[data-outcome]")).to_contain_text("heter nu som en annan")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_or_broken_server_is_no_alarm(proven: Phone, status: int) -> None:
    answered: list[int] = []

    def refuse(route: Route) -> None:
        route.fulfill(status=status, json={"code": "too_many", "title": "Busy"})
        answered.append(status)

    proven.page.route(RECEIPTS, refuse)
    reopen(proven)
    proven.wait_until(lambda: bool(answered))
    see_no_alarm(proven)
    assert read_record(proven)["alarm"] is None


def test_lost_access_and_a_cleared_storage_are_no_alarm(lend: Callable[..., Phone]) -> None:
    host, guest = lend(), lend()
    recorder = record_elsewhere(host)
    open_as_host(host, recorder)
    guest.page.goto(f"{guest.url}/#/s/{recorder.id}/{recorder.tokens['viewer']}")
    guest.see_table()
    start_receipt_watch(guest)
    see_proven(guest)
    rotation = recorder.write("/links/viewer/rotation", {})
    assert rotation.status < 300, rotation.raw
    expect(guest.page.locator("h1")).not_to_have_text("Vola")
    guest.wait_until(lambda: read_record(guest, recorder.id) is None)
    see_no_alarm(guest)

    start_receipt_watch(host)
    see_proven(host)
    host.page.evaluate("localStorage.clear()")
    host.page.goto("about:blank")
    host.page.goto(f"{host.url}/verify")  # a page of the same origin that has no database open
    host.page.evaluate(
        "new Promise((done) => { indexedDB.deleteDatabase('vola').onsuccess = done; })"
    )
    open_as_host(host, recorder)
    start_receipt_watch(host)
    see_proven(host)
    see_no_alarm(host)


def test_the_database_of_an_earlier_form_is_upgraded_in_place(phone: Phone) -> None:
    phone.page.goto(f"{phone.url}/verify")
    phone.page.evaluate(VERSION_2_OF_THE_DATABASE, "an evening")
    phone.begin()
    assert phone.page.evaluate(READ_SNAPSHOT, "an evening") == "before"
    start_receipt_watch(phone)
    phone.play(1, "B", "CCDCB")
    see_proven(phone)
    see_no_alarm(phone)
