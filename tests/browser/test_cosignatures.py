"""Each phone that shows a closed evening asks its holder once whether the sums are right, and
cosigns them."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from random import Random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from playwright.sync_api import Route, expect

from ledger.proofs.checkpoint import note_text, public_bytes
from ledger.proofs.cosignature import cosign, cosigner_name
from tests.support.browser.appearance import SCHEMES, languages
from tests.support.browser.connection import unplug
from tests.support.browser.form_sources import FORM, imported_module
from tests.support.browser.kept_proofs import (
    RECEIPTS,
    alarm,
    rewrite_shown_session,
    see_no_alarm,
    see_proven,
    start_receipt_watch,
)
from tests.support.browser.layout_checks import find_misfits, find_violations
from tests.support.browser.phone import Phone
from tests.support.browser.sum_confirmations import (
    COSIGNATURES,
    answer_unplugged,
    card,
    close_session,
    confirm,
    name_holder,
    note,
    open_by_link,
    read_cosignatures,
    read_objectors,
    record_closed_session,
    reopen_session,
    witness_version,
)
from tests.support.browser.verify_page import judge_vectors
from tests.support.postgresql.cluster import Postgres
from tests.support.proofs.exported_files import SignedBook
from tests.support.proofs.tampered_exports import Vector
from tests.support.proofs.verifier import verify
from tests.support.session_forger import move_back

pytestmark = pytest.mark.short_waits
SUMS = ["CCilla +10 kr", "BBo 0 kr", "DDisa 0 kr", "AAda −10 kr"]  # a letter in each token
NOTHING_COMES_MS = 1_500
NO_SUBTLE_CRYPTO = "Object.defineProperty(crypto, 'subtle', {value: undefined})"
PHONE_KEY = f"""async () =>
  (await (await {imported_module("features/proofs/cosigner.js")}).existingKey())?.key"""
COSIGN = f"""async (cosigned) => {{
  const {{ cosignature }} = await {imported_module("features/proofs/cosigner.js")};
  const {{ fromHex }} = await {imported_module("verify/bytes.js")};
  return cosigned.map(({{ seed, ...more }}) => cosignature({{ ...more, seed: fromHex(seed) }}));
}}"""


IS_UNDERWAY = f"""async () => (await {imported_module("features/proofs/sum_confirmation.js")})
  .isAnswerUnderway(location.hash.split('/')[2])"""


def nothing_is_asked(phone: Phone) -> None:
    phone.page.wait_for_timeout(NOTHING_COMES_MS)  # no event to wait for
    expect(card(phone)).to_have_count(0)


def test_cosignatures_are_those_that_the_ledger_makes(phone: Phone) -> None:
    random, requests, expected = Random(1), [], []
    for number in range(20):
        book, key = (
            SignedBook(random, 4),
            Ed25519PrivateKey.from_private_bytes(random.randbytes(32)),
        )
        player, at = f"p{number % 5 + 1}", random.randrange(1 << 34)
        checkpoint = book.checkpoint_fields(3)["checkpoint"]
        name = cosigner_name(book.session, player)
        signature = cosign(key, name, note_text(checkpoint), at)
        requests.append(
            {
                "seed": key.private_bytes_raw().hex(),
                "key": public_bytes(key).hex(),
                "session": str(book.session),
                "player": player,
                "checkpoint": checkpoint,
                "time": at,
            }
        )
        expected.append(signature)
    phone.page.goto(phone.url + "/")
    signatures = phone.page.evaluate(COSIGN, requests)
    assert [b64decode(signature) for signature in signatures] == expected


def test_the_card_says_which_other_books_have_witnessed_the_closing(
    lend: Callable[..., Phone],
) -> None:
    ada, bo = lend(), lend()
    witnesses = ada.page.locator('[data-key="sums-witnessed"]')
    recorder = record_closed_session(ada)
    closing = recorder.state()["version"]
    witness_version(recorder, "vola.example", closing - 1)
    open_by_link(ada, recorder, "host")
    confirm(ada, "p1")
    expect(witnesses).to_have_count(0)  # the witness signed the evening before it was closed
    witness_version(recorder, "kortklubben", closing)
    expect(witnesses).to_have_text("En annan bok har bevittnat kvällen: kortklubben")
    witness_version(recorder, "vola.example", closing)
    open_by_link(bo, recorder)
    confirm(bo, "p2")
    expect(bo.page.locator('[data-key="sums-witnessed"]')).to_have_text(
        "Andra böcker har bevittnat kvällen: kortklubben och vola.example"
    )
    assert find_violations(bo) == []


def test_two_phones_confirm_and_the_export_verifies_with_both(lend: Callable[..., Phone]) -> None:
    ada, bo = lend(), lend()
    recorder = record_closed_session(ada)
    open_by_link(ada, recorder, "host")
    name_holder(ada, "p1")
    expect(card(ada).locator(".amounts .inline-item")).to_have_text(SUMS)
    expect(card(ada).locator("h2")).to_have_text("Stämmer kvällens summor?")
    ada.tap("sums-yes")
    expect(note(ada)).to_have_text("Bekräftat av Ada")
    open_by_link(bo, recorder)
    confirm(bo, "p2")
    expect(note(bo)).to_have_text("Bekräftat av Ada och Bo")
    expect(note(ada)).to_have_text("Bekräftat av Ada och Bo")  # without a change of the session
    version = recorder.state()["version"]
    assert read_cosignatures(recorder) == [(version, "p1"), (version, "p2")]
    export = recorder.get("/export")
    assert verify.verify_document(export.raw)[0] == 0
    witnessed = export.json["witnessed"]
    assert [c["player"] for c in witnessed["cosignatures"]] == ["p1", "p2"]
    keys = {c["key"] for c in witnessed["cosignatures"]}
    assert keys == {phone.page.evaluate(PHONE_KEY) for phone in (ada, bo)}
    changed = json.loads(export.raw)
    changed["witnessed"]["cosignatures"][0]["player"] = "p3"
    assert verify.verify_document(json.dumps(changed).encode())[1] == "cosignature_wrong"


def test_payments_do_not_change_the_version_that_is_confirmed(lend: Callable[..., Phone]) -> None:
    ada, bo = lend(), lend()
    recorder = record_closed_session(ada)
    closing = recorder.state()["version"]
    open_by_link(ada, recorder)
    confirm(ada, "p1")
    payment = {"from": "p1", "to": "p3", "amount": 500}
    assert recorder.write("/transfers", payment, version=closing).status == 201
    open_by_link(bo, recorder)
    confirm(bo, "p2")
    expect(note(bo)).to_have_text("Bekräftat av Ada och Bo")
    assert read_cosignatures(recorder) == [(closing, "p1"), (closing, "p2")]
    export = recorder.get("/export")
    assert [c["player"] for c in export.json["witnessed"]["cosignatures"]] == ["p1", "p2"]
    assert verify.verify_document(export.raw)[0] == 0


def test_the_sums_are_asked_about_once_per_closing(phone: Phone) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder, "host")
    confirm(phone, "p1")
    first = recorder.state()["version"]
    phone.page.reload()
    expect(note(phone)).to_have_text("Bekräftat av Ada")
    expect(card(phone)).to_have_count(0)
    payment = {"from": "p1", "to": "p3", "amount": 500}
    answer = recorder.write("/transfers", payment, version=first)
    assert answer.status == 201, answer.raw
    phone.visit("settlement")
    expect(note(phone)).to_have_text("Bekräftat av Ada")
    nothing_is_asked(phone)
    repayment = {"from": "p3", "to": "p1", "amount": 500}
    recorder.write("/transfers", repayment, version=recorder.state()["version"])
    reopen_session(recorder)
    second = close_session(recorder)
    phone.visit("")
    phone.tap("sums-yes")
    expect(note(phone)).to_have_text("Bekräftat av Ada")
    assert read_cosignatures(recorder) == [(first, "p1"), (second, "p1")]


@pytest.mark.parametrize("key", ["sums-dismiss", "holder-none"])
def test_a_dismissed_question_is_gone_for_good(phone: Phone, key: str) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder)
    phone.tap(key)
    expect(card(phone)).to_have_count(0)
    phone.page.reload()
    phone.see_table()
    nothing_is_asked(phone)
    assert read_cosignatures(recorder) == []
    assert phone.page.evaluate(PHONE_KEY) is None, "no key is made for nothing"


def test_an_open_evening_asks_nothing_and_loads_nothing(phone: Phone) -> None:
    urls: list[str] = []
    phone.page.on("request", lambda request: urls.append(request.url))
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.tap("table")
    phone.see_saved()
    assert [url for url in urls if "/proofs/" in url or "/verify/" in url] == []


def test_another_holder_can_be_named_before_the_sums_are_confirmed(phone: Phone) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder)
    name_holder(phone, "p4").tap("sums-other")
    expect(phone.page.locator('[data-key="sums-yes"]')).to_have_count(0)
    confirm(phone, "p2")
    assert [player for _, player in read_cosignatures(recorder)] == ["p2"]


def test_a_no_leads_to_the_deals_and_ends_the_questions(phone: Phone) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder, "scorer")
    name_holder(phone, "p1").tap("sums-no")
    expect(phone.page.locator('[data-key="sums-denied"]')).to_contain_text("värden")
    expect(phone.page.locator('[data-key="deal-1"]')).to_be_visible()
    phone.tap("deal-1")
    phone.see_result(1)
    phone.visit("")
    phone.see_table()
    nothing_is_asked(phone)
    assert read_cosignatures(recorder) == []


def test_a_host_who_says_no_is_told_to_open_the_evening_again(phone: Phone) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder, "host")
    name_holder(phone, "p1").tap("sums-no")
    denied = phone.page.locator('[data-key="sums-denied"]')
    expect(denied).to_contain_text("från bordet")
    reopen_session(recorder)
    expect(denied).to_have_count(0)
    close_session(recorder)
    phone.visit("")
    expect(card(phone)).to_be_visible()
    phone.visit("deals")
    expect(phone.page.locator('[data-key="deal-1"]')).to_be_visible()
    expect(denied).to_have_count(0)


def test_everybody_sees_who_says_that_the_sums_are_not_right(lend: Callable[..., Phone]) -> None:
    bo, host = lend(), lend()
    recorder = record_closed_session(bo)
    answer_unplugged(bo, recorder, "p2", "sums-no")
    assert read_objectors(recorder) == []
    bo.page.unroute("**/v1/**")
    bo.page.evaluate("dispatchEvent(new Event('online'))")
    bo.wait_until(lambda: read_objectors(recorder) == ["p2"])
    open_by_link(host, recorder, "host")
    objection = host.page.locator('[data-key="sums-objected"]')
    expect(objection).to_have_text("Bo säger att summorna inte stämmer.")
    confirm(host, "p1")
    expect(objection).to_be_visible()
    assert read_objectors(recorder) == ["p2"]


def test_an_answer_sent_slowly_leaves_the_answer_about_a_later_closing(phone: Phone) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder, "scorer")
    held: list[Route] = []
    phone.page.route("**/objections/p1", lambda route: held.append(route), times=1)
    name_holder(phone, "p1").tap("sums-no")
    phone.wait_until(lambda: len(held) == 1)
    reopen_session(recorder)
    recorder.act({"type": "open_deal"}, {"type": "all_pass"})
    after = close_session(recorder)
    phone.visit("")
    expect(card(phone)).to_be_visible()
    phone.tap("sums-yes")
    held[0].continue_()
    expect(note(phone)).to_have_text("Bekräftat av Ada")
    assert read_cosignatures(recorder) == [(after, "p1")]


def test_sums_that_have_changed_since_are_shown_and_asked_about_again(phone: Phone) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder)
    name_holder(phone, "p1")
    before = recorder.state()["version"]
    unplug(phone)
    phone.tap("sums-yes")
    expect(note(phone)).to_contain_text("Ditt svar är sparat")
    reopen_session(recorder)
    recorder.act({"type": "open_deal"}, {"type": "all_pass"})
    after = close_session(recorder)
    phone.page.unroute("**/v1/**")
    expect(card(phone).locator(".banner")).to_contain_text("har ändrats")
    assert read_cosignatures(recorder) == []
    phone.tap("sums-yes")
    expect(note(phone)).to_have_text("Bekräftat av Ada")
    assert read_cosignatures(recorder) == [(after, "p1")]
    assert after > before


def test_an_answer_without_a_network_is_sent_later(phone: Phone) -> None:
    recorder = record_closed_session(phone)
    answer_unplugged(phone, recorder, "p1", "sums-yes")
    expect(note(phone)).to_contain_text("Ditt svar är sparat")
    phone.page.unroute("**/v1/**")
    expect(note(phone)).to_have_text("Bekräftat av Ada")
    assert [player for _, player in read_cosignatures(recorder)] == ["p1"]


def test_an_answer_is_sent_later_from_any_screen(phone: Phone) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder)
    name_holder(phone, "p1")
    phone.page.route(COSIGNATURES, lambda route: route.abort())
    phone.tap("sums-yes")
    expect(note(phone)).to_contain_text("Ditt svar är sparat")
    phone.page.unroute(COSIGNATURES)
    phone.page.goto(phone.url + "/#/")
    phone.page.reload()
    expect(phone.page.locator('[data-key="new"]')).to_be_visible()
    start_receipt_watch(phone)
    phone.wait_until(lambda: [player for _, player in read_cosignatures(recorder)] == ["p1"])


def test_an_answer_that_failed_often_is_sent_no_more_often(phone: Phone) -> None:
    """Each attempt that fails is made again once, however many events had caused an attempt."""
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder)
    sent: list[str] = []

    def fail(route: Route) -> None:
        if route.request.method == "PUT":
            sent.append(route.request.url)
        route.abort()

    phone.page.route(COSIGNATURES, fail)
    name_holder(phone, "p1")
    phone.page.clock.install()
    phone.tap("sums-yes")
    phone.wait_until(lambda: len(sent) == 1 and not phone.page.evaluate(IS_UNDERWAY))
    for _ in range(4):
        phone.page.clock.run_for(2_000)
        before = len(sent)
        phone.page.evaluate("dispatchEvent(new Event('online'))")
        phone.wait_until(lambda n=before: len(sent) > n and not phone.page.evaluate(IS_UNDERWAY))
    before = len(sent)
    for _ in range(8):
        phone.page.clock.run_for(2_000)
        phone.wait_until(lambda: not phone.page.evaluate(IS_UNDERWAY))
    assert len(sent) - before == 1


def test_what_the_server_refuses_is_said_and_not_sent_again(phone: Phone) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder)
    sent: list[str] = []

    def refuse(route: Route) -> None:
        sent.append(route.request.url)
        body = {"code": "too_many_cosignatures", "title": "Fler går inte."}
        route.fulfill(status=409, json=body)

    phone.page.route(COSIGNATURES, refuse)
    name_holder(phone, "p1").tap("sums-yes")
    expect(note(phone)).to_have_text("Fler går inte.")
    phone.page.reload()
    expect(note(phone)).to_have_text("Fler går inte.")
    phone.page.wait_for_timeout(NOTHING_COMES_MS)  # no event to wait for
    assert len(sent) == 1


def test_a_phone_whose_kept_checkpoint_is_contradicted_does_not_sign(
    phone: Phone, cluster: Postgres
) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder)
    start_receipt_watch(phone)
    see_proven(phone, recorder.id)
    name_holder(phone, "p1")
    phone.page.reload()  # the page does not start the watch again
    expect(card(phone)).to_be_visible()
    rewrite_shown_session(cluster, phone, move_back)
    phone.tap("sums-yes")
    expect(alarm(phone)).to_contain_text("berättats på två sätt")
    expect(note(phone)).to_contain_text("Inget är bekräftat")
    assert read_cosignatures(recorder) == []
    phone.page.reload()
    expect(note(phone)).to_contain_text("Inget är bekräftat")
    assert read_cosignatures(recorder) == []


def test_a_history_rewritten_after_the_confirmation_cannot_carry_it(
    phone: Phone, cluster: Postgres
) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder)
    confirm(phone, "p1")
    assert verify.verify_document(recorder.get("/export").raw)[0] == 0
    rewrite_shown_session(cluster, phone, move_back)
    version = recorder.state()["version"]
    export = recorder.get("/export").raw
    assert verify.verify_document(export)[1:] == ("cosignature_wrong", version)
    phone.page.goto(f"{phone.url}/verify")
    assert judge_vectors(phone.page, [Vector("rewritten", export)])[0][1:] == (
        "cosignature_wrong",
        version,
    )
    findings = recorder.get("/audit").json["findings"]
    assert "cosignature_wrong" in {finding["code"] for finding in findings}


def test_a_checkpoint_that_is_signed_otherwise_is_not_cosigned(phone: Phone) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder)

    def sign_otherwise(route: Route) -> None:
        answer = recorder.get(f"/receipts/{recorder.state()['version']}").json
        answer["key"] = public_bytes(Ed25519PrivateKey.generate()).hex()
        route.fulfill(json=answer)

    phone.page.route(RECEIPTS, sign_otherwise)
    name_holder(phone, "p1").tap("sums-yes")
    expect(note(phone)).to_contain_text("Inget är bekräftat")
    see_no_alarm(phone)  # nothing was kept that it could contradict
    assert read_cosignatures(recorder) == []


def test_checkpoints_kept_of_other_versions_do_not_hinder_signing(
    lend: Callable[..., Phone],
) -> None:
    phone_ahead, phone_behind = lend(), lend()
    recorder = record_closed_session(phone_ahead)
    reopen_session(recorder)
    see_proven(start_receipt_watch(open_by_link(phone_behind, recorder)), recorder.id)
    phone_behind.page.route(RECEIPTS, lambda route: route.abort())
    version = close_session(recorder)
    see_proven(start_receipt_watch(open_by_link(phone_ahead, recorder)), recorder.id)
    unplug(phone_ahead)
    name_holder(phone_ahead, "p1").tap("sums-yes")
    phone_behind.page.unroute(RECEIPTS)
    name_holder(phone_behind, "p2").tap("sums-yes")
    expect(note(phone_behind)).to_have_text("Bekräftat av Bo")
    phone_ahead.page.unroute("**/v1/**")
    expect(note(phone_ahead)).to_have_text("Bekräftat av Ada och Bo")
    assert read_cosignatures(recorder) == [(version, "p1"), (version, "p2")]
    for phone in (phone_ahead, phone_behind):
        see_no_alarm(phone)


def test_a_cosignature_by_another_phone_in_this_name_is_marked(lend: Callable[..., Phone]) -> None:
    ada, other = lend(), lend()
    recorder = record_closed_session(ada)
    open_by_link(other, recorder)
    confirm(other, "p1")
    open_by_link(ada, recorder)
    name_holder(ada, "p1")
    ada.page.reload()
    mark = '[data-key="sums-other-phone"]'
    expect(ada.page.locator(mark)).to_have_text("En annan telefon har bekräftat som Ada.")
    ada.tap("sums-yes")
    expect(note(ada)).to_have_text("Bekräftat av Ada")
    expect(ada.page.locator(mark)).to_be_visible()
    assert len(read_cosignatures(recorder)) == 2


def test_the_menu_says_how_many_have_confirmed(phone: Phone) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder)
    count = phone.page.locator('[data-key="statement"] .row-note')
    phone.tap("menu")
    expect(phone.page.locator("dialog.sheet nav").first).to_be_visible()
    expect(count).to_be_hidden()
    phone.close_dialog()
    confirm(phone, "p1")
    phone.tap("menu")
    expect(count).to_have_text("1 har bekräftat summorna")


def test_it_works_where_the_browser_has_no_crypto(phone: Phone) -> None:
    """Over plain HTTP on a home network, `crypto.subtle` is missing."""
    phone.page.add_init_script(NO_SUBTLE_CRYPTO)
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder)
    assert phone.page.evaluate("crypto.subtle === undefined")
    confirm(phone, "p1")
    assert verify.verify_document(recorder.get("/export").raw)[0] == 0


def test_points_are_confirmed_as_well(phone: Phone) -> None:
    bids = [{"type": "side_bid", "side": side, "tricks": 6} for side in ("p2+p4", "p1+p3")]
    count = {"type": "tricks", "taken": {"p1": 4, "p2": 4, "p3": 3, "p4": 2}}
    recorder = record_closed_session(
        phone, deals=[[{"type": "open_deal"}, *bids, count]], game="spader", options={}
    )
    open_by_link(phone, recorder)
    name_holder(phone, "p2")
    expect(card(phone).locator(".side-label")).to_have_count(2)
    phone.tap("sums-yes")
    expect(note(phone)).to_have_text("Bekräftat av Bo")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("screen", ["", "settlement"])
def test_axe_finds_nothing_with_the_card_open(
    lend: Callable[..., Phone], scheme: str, screen: str
) -> None:
    phone = lend(scheme=scheme)
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder, "host")
    phone.visit(screen)
    expect(card(phone)).to_be_visible()
    assert find_violations(phone) == []
    phone.tap("holder-p1")
    expect(phone.page.locator('[data-key="sums-yes"]')).to_be_visible()
    assert find_violations(phone) == []
    phone.tap("sums-yes")
    expect(note(phone)).to_contain_text("Bekräftat av")
    assert find_violations(phone) == []


@languages()
@pytest.mark.parametrize("text", ["100%", "200%"])
def test_it_is_asked_in_every_language_and_fits_a_small_phone(
    lend: Callable[..., Phone], language: str, text: str
) -> None:
    phone = lend(language=language, width=320, height=640)
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder)
    catalog = json.loads((FORM / "translations" / f"{language[:2]}.more.json").read_text("utf-8"))
    expect(card(phone).locator("h2")).to_have_text(catalog["access.label_ask"])
    assert find_misfits(phone, text) == []
    phone.tap("holder-p3")
    expect(card(phone).locator("h2")).to_have_text(catalog["sums.ask"])
    assert find_misfits(phone, text) == []
    phone.tap("sums-yes")
    words = catalog["sums.confirmed_by"].replace("{names}", "Cilla")
    expect(note(phone)).to_have_text(words)
    assert find_misfits(phone, text) == []
