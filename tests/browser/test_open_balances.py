"""Open balances of a group, and a member who leaves: on a host's phone, in each language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Route, expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser.appearance import languages
from tests.support.browser.connection import lose_answer
from tests.support.browser.group_screens import (
    close_session,
    create_resource,
    open_group_session,
    read_group,
    record_group_transfer,
    see_group,
)
from tests.support.browser.layout_checks import (
    find_broken_words,
    find_misfits,
    find_violations,
    wait_until_drawn,
)
from tests.support.browser.phone import Phone
from tests.support.player_names import FOUR_PLAYERS

Lend = Callable[..., Phone]

TITLES = {
    "sv-SE": ("Öppna saldon", "Lämna sällskapet", "någon har lämnat sällskapet"),
    "da-DK": ("Åbne saldi", "Forlad selskabet", "nogen har forladt selskabet"),
    "en-GB": ("Open balances", "Leave the group", "somebody has left the group"),
    "de-DE": ("Offene Salden", "Die Runde verlassen", "jemand hat die Runde verlassen"),
}


def two_evenings(phone: Phone) -> tuple[str, list[RemoteSession]]:
    """A group of four with two evenings that are over: Ada is owed 150 kr, Bo owes 250, Disa is
    owed 100. The phone has opened the group as its host."""
    members = FOUR_PLAYERS
    group = create_resource(phone, "/v1/groups", {"name": "Torsdagarna", "members": members})
    host, id_ = group["tokens"]["host"], group["id"]
    agreed = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4"]}
    evenings = []
    for title, payer, amount in (("Premiär", "p1", 15_000), ("Onsdag", "p4", 10_000)):
        opened = create_resource(
            phone, f"/v1/groups/{id_}/sessions", {**agreed, "title": title}, host
        )
        evening = RemoteSession(phone.url, opened["id"], opened["tokens"]["host"])
        paid: dict[str, Any] = {"from": payer, "to": "p2", "amount": amount}
        assert evening.write("/transfers", paid, version=1).status == 201
        assert evening.write("/closure", {}, version=2).status < 300
        evenings.append(evening)
    phone.page.goto(f"{phone.url}/#/c/{id_}/{host}")
    see_group(phone)
    return id_, evenings


def open_screen(phone: Phone, group: str, place: str = "balances") -> None:
    phone.page.goto(f"{phone.url}/#/c/{group}/{place}")
    wait_until_drawn(phone)


def open_balances(phone: Phone) -> str:
    """Open the balances of a group with `two_evenings`. Return the group."""
    group, _ = two_evenings(phone)
    open_screen(phone, group)
    return group


def let_leave(phone: Phone, group: str, member: str) -> None:
    open_screen(phone, group, "leave")
    phone.page.locator('select[name="member"]').select_option(member)
    phone.tap("confirm-leave")
    expect(phone.page.locator(f'[data-key="back-{member}"]')).to_be_visible()


def amounts(phone: Phone) -> dict[str, int]:
    shown = phone.page.locator(".standings details")
    return {
        row.get_attribute("data-key").rpartition("-")[2]: int(  # type: ignore[union-attr]
            row.locator("[data-amount]").get_attribute("data-amount") or ""
        )
        for row in shown.all()
    }


def record_other_payment(phone: Phone, payer: str, payee: str, amount: str) -> None:
    """Record a payment that is not in the plan."""
    phone.page.locator('[data-key="other-payment"] summary').click()
    phone.page.locator('select[name="from"]').select_option(payer)
    phone.page.locator('select[name="to"]').select_option(payee)
    phone.page.locator('[data-key="amount"]').fill(amount)
    phone.tap("record-payment")


def test_a_payment_marked_by_mistake_is_put_right(phone: Phone) -> None:
    open_balances(phone)
    phone.tap("paid-m2-m1")
    expect(phone.page.locator(".confirmation")).to_be_visible()
    phone.page.locator('[data-key="paid-SEK"] summary').click()
    assert find_violations(phone) == []
    assert find_misfits(phone, "200%") == []
    phone.tap("back-1")
    expect(phone.page.locator(".confirmation")).to_contain_text("Ada har betalat 150 kr till Bo")
    expect(phone.page.locator('[data-key="paid-SEK"] .tag')).to_have_count(2)
    expect(phone.page.locator('[data-key^="back-"]')).to_have_count(0)
    assert amounts(phone) == {"m1": 15_000, "m2": -25_000, "m4": 10_000}


def test_a_payment_to_a_member_who_has_left_is_not_put_right(phone: Phone) -> None:
    group, _ = two_evenings(phone)
    record_group_transfer(phone, group, {"from": "m2", "to": "m1", "amount": 15_000})
    let_leave(phone, group, "m1")
    open_screen(phone, group)
    phone.page.locator('[data-key="paid-SEK"] summary').click()
    expect(phone.page.locator('[data-key="transfer-1"]')).to_be_visible()
    expect(phone.page.locator('[data-key="back-1"]')).to_have_count(0)


def test_a_payment_marked_on_two_phones_is_recorded_once(phone: Phone) -> None:
    group = open_balances(phone)
    record_group_transfer(phone, group, {"from": "m2", "to": "m1", "amount": 15_000})  # elsewhere
    phone.tap("paid-m2-m1")
    expect(phone.page.locator("#notice .warning")).to_contain_text("står inte i planen längre")
    assert amounts(phone) == {"m1": 0, "m2": -10_000, "m4": 10_000}
    back = {"from": "m1", "to": "m2", "amount": 15_000}
    record_group_transfer(phone, group, back)
    phone.page.locator('[data-key="paid-SEK"] summary').click()
    phone.tap("back-1")
    expect(phone.page.locator('[data-key="paid-SEK"] .tag')).to_have_count(2)
    assert amounts(phone) == {"m1": 15_000, "m2": -25_000, "m4": 10_000}


def let_another_phone_record_first(phone: Phone, group: str, transfer: dict[str, Any]) -> None:
    """Let another phone record this transfer just before the next one of this phone arrives."""

    def record_first(route: Route) -> None:
        record_group_transfer(phone, group, transfer)
        route.continue_()

    phone.page.route("**/transfers", record_first, times=1)


def test_a_payment_marked_on_two_phones_at_once_is_recorded_once(phone: Phone) -> None:
    group = open_balances(phone)
    let_another_phone_record_first(phone, group, {"from": "m2", "to": "m1", "amount": 15_000})
    phone.tap("paid-m2-m1")
    expect(phone.page.locator("#notice .warning")).to_contain_text("står inte i planen längre")
    assert amounts(phone) == {"m1": 0, "m2": -10_000, "m4": 10_000}


def test_a_payment_is_recorded_once_though_the_first_answer_was_lost(phone: Phone) -> None:
    open_balances(phone)
    phone.page.route("**/transfers", lose_answer, times=1)
    phone.tap("paid-m2-m1")
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    phone.tap("paid-m2-m1")
    expect(phone.page.locator(".confirmation")).to_be_visible()
    assert amounts(phone) == {"m1": 0, "m2": -10_000, "m4": 10_000}


def test_a_payment_put_right_on_two_phones_at_once_is_put_right_once(phone: Phone) -> None:
    group, _ = two_evenings(phone)
    record_group_transfer(phone, group, {"from": "m2", "to": "m1", "amount": 15_000})
    open_screen(phone, group)
    let_another_phone_record_first(phone, group, {"from": "m1", "to": "m2", "amount": 15_000})
    phone.page.locator('[data-key="paid-SEK"] summary').click()
    phone.tap("back-1")
    expect(phone.page.locator("#notice .warning")).to_contain_text("står inte i planen längre")
    assert amounts(phone) == {"m1": 15_000, "m2": -25_000, "m4": 10_000}


@languages(TITLES)
def test_a_host_settles_two_evenings_and_lets_a_member_go(lend: Lend, language: str) -> None:
    phone = lend(width=390, height=844, language=language)
    group, evenings = two_evenings(phone)
    phone.tap("balances")
    wait_until_drawn(phone)
    title, leaving, left = TITLES[language]
    expect(phone.page.locator("h1")).to_have_text(title)
    assert amounts(phone) == {"m1": 15_000, "m2": -25_000, "m4": 10_000}
    phone.page.locator('[data-key="balance-SEK-m2"] summary').click()
    parts = phone.page.locator('[data-key="balance-SEK-m2"] li')
    expect(parts).to_have_count(2)
    expect(parts.first).to_contain_text("Premiär")
    assert find_violations(phone) == []

    phone.tap("paid-m2-m1")
    expect(phone.page.locator(".confirmation")).to_contain_text("150")
    assert amounts(phone) == {"m1": 0, "m2": -10_000, "m4": 10_000}

    phone.tap("leave")
    wait_until_drawn(phone)
    expect(phone.page.locator("h1")).to_have_text(leaving)
    phone.page.locator('select[name="member"]').select_option("m4")
    expect(phone.page.locator('[data-key="preview"] li')).to_have_count(2)
    phone.page.locator('input[value="write_off"]').check(force=True)
    preview = phone.page.locator('[data-key="preview"]')
    expect(preview.locator("li")).to_have_count(4)
    expect(preview).to_contain_text("33,34")
    assert find_violations(phone) == []
    phone.tap("confirm-leave")
    expect(phone.page.locator(".confirmation")).to_contain_text("Disa")
    expect(phone.page.locator('[data-key="back-m4"]')).to_be_visible()
    assert read_group(phone, group, "/open-balances")["former_members"] == ["m4"]
    text = phone.page.locator("main").inner_text()
    assert "departure." not in text
    assert find_misfits(phone, "100%") == []

    phone.page.goto(f"{phone.url}/#/c/{group}/tonight")
    expect(phone.page.locator('[data-key="sit-m1"]')).to_be_visible()
    expect(phone.page.locator('[data-key="sit-m4"]')).to_have_count(0)
    phone.page.goto(f"{phone.url}/#/s/{evenings[0].id}/{evenings[0].token}")
    phone.see_table()
    phone.visit("settlement")
    expect(phone.page.locator('[data-key="to-balances"]')).to_be_visible()
    together = phone.page.locator(".banner", has=phone.page.locator('[data-key="to-balances"]'))
    expect(together).to_contain_text(left)


def test_a_payment_that_is_not_in_the_plan_is_recorded(phone: Phone) -> None:
    open_balances(phone)
    record_other_payment(phone, "m2", "m4", "forty")
    expect(phone.page.locator('[data-key="other-payment"] .wrong')).to_be_visible()
    phone.page.locator('[data-key="amount"]').fill("40,50")
    phone.tap("record-payment")
    expect(phone.page.locator(".confirmation")).to_contain_text("40,50")
    assert amounts(phone) == {"m1": 15_000, "m2": -20_950, "m4": 5_950}


def test_a_payment_of_the_plan_leaves_what_is_typed_for_another(phone: Phone) -> None:
    open_balances(phone)
    phone.page.locator('[data-key="other-payment"] summary').tap()
    amount = phone.page.locator('[data-key="amount"]')
    amount.fill("75")
    phone.page.locator('[data-key^="paid-"]').first.tap()
    expect(phone.page.locator(".confirmation")).to_be_visible()
    expect(amount).to_have_value("75")


def test_a_payment_of_more_than_is_owed_is_asked_about(phone: Phone) -> None:
    open_balances(phone)
    before = amounts(phone)
    record_other_payment(phone, "m2", "m4", "4050")
    expect(phone.page.locator("dialog")).to_contain_text("Bo har 250")
    phone.tap("sure-no")
    assert amounts(phone) == before
    phone.tap("record-payment").tap("sure")
    expect(phone.page.locator(".confirmation")).to_contain_text("4\xa0050")


def test_a_refusal_says_what_to_do(phone: Phone) -> None:
    group, evenings = two_evenings(phone)
    version = evenings[1].state()["version"]
    assert evenings[1].write("/closure", None, method="DELETE", version=version).status < 300
    open_screen(phone, group, "leave")
    phone.page.locator('select[name="member"]').select_option("m4")
    expect(phone.page.locator('[data-key="preview"] .wrong')).to_contain_text("kväll 2")


def test_a_balance_of_a_member_who_has_left_says_how_to_pay_it(phone: Phone) -> None:
    """Disa has left with a balance of zero; then an evening is opened again, and she pays in it."""
    group, evenings = two_evenings(phone)
    let_leave(phone, group, "m4")
    version = evenings[0].state()["version"]
    assert evenings[0].write("/closure", None, method="DELETE", version=version).status < 300
    late = {"from": "p4", "to": "p2", "amount": 4_000}
    assert evenings[0].write("/transfers", late, version=version + 1).status == 201
    open_screen(phone, group)
    row = phone.page.locator(".payment-plan .transfer", has_text="Disa")
    expect(row).to_contain_text("Disa har lämnat sällskapet. När värden har tagit tillbaka")
    expect(row.locator("button")).to_have_count(0)
    assert find_violations(phone) == []
    phone.tap("readmit-m4")
    phone.tap("back-m4")
    expect(phone.page.locator('[data-key="back-m4"]')).to_have_count(0)
    open_screen(phone, group)
    phone.page.locator(".payment-plan .transfer", has_text="Disa").locator("button").tap()
    expect(phone.page.locator(".confirmation")).to_contain_text("Disa")
    assert amounts(phone)["m4"] == 0


def test_a_member_leaves_again(phone: Phone) -> None:
    group, _ = two_evenings(phone)
    open_screen(phone, group, "leave")
    for _ in range(2):
        phone.page.locator('select[name="member"]').select_option("m3")
        phone.tap("confirm-leave")
        expect(phone.page.locator('[data-key="back-m3"]')).to_be_visible()
        assert read_group(phone, group, "/open-balances")["former_members"] == ["m3"]
        phone.tap("back-m3")
        expect(phone.page.locator('[data-key="back-m3"]')).to_have_count(0)


def test_a_member_comes_back_though_the_first_answer_was_lost(phone: Phone) -> None:
    group, _ = two_evenings(phone)
    let_leave(phone, group, "m3")
    phone.page.route("**/departure", lose_answer, times=1)
    phone.tap("back-m3")
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    phone.tap("back-m3")
    expect(phone.page.locator('[data-key="back-m3"]')).to_have_count(0)


def test_nobody_is_chosen_while_a_departure_is_recorded(phone: Phone) -> None:
    group, _ = two_evenings(phone)
    open_screen(phone, group, "leave")
    member = phone.page.locator('select[name="member"]')
    member.select_option("m3")
    held: list[Route] = []
    phone.page.route("**/departure", lambda route: held.append(route), times=1)
    phone.tap("confirm-leave")
    phone.wait_until(lambda: len(held) == 1)
    for field in (member, phone.page.locator('[data-key="confirm-leave"]')):
        expect(field).to_be_disabled()
    held[0].abort()
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    expect(member).to_be_enabled()
    expect(member).to_have_value("m3")
    phone.tap("confirm-leave")
    expect(phone.page.locator('[data-key="back-m3"]')).to_be_visible()
    expect(member).to_be_enabled()


def test_payments_of_who_leaves_have_equally_many_decimals(phone: Phone) -> None:
    group = open_balances(phone)
    record_other_payment(phone, "m2", "m4", "40,50")
    expect(phone.page.locator(".confirmation")).to_be_visible()
    open_screen(phone, group, "leave")
    phone.page.locator('select[name="member"]').select_option("m2")
    payments = phone.page.locator('[data-key="preview"] li', has_text="kr")
    expect(payments).to_contain_text(["150,00", "59,50"])


def test_a_payment_that_fails_is_not_said_to_be_recorded(phone: Phone) -> None:
    open_balances(phone)
    phone.tap("paid-m2-m1")
    expect(phone.page.locator(".confirmation")).to_be_visible()
    phone.page.context.set_offline(True)
    phone.tap("paid-m2-m4")
    expect(phone.page.locator(".confirmation")).to_have_count(0)


def test_a_guest_named_like_a_member_who_has_left_is_refused(phone: Phone) -> None:
    group, _ = two_evenings(phone)
    let_leave(phone, group, "m3")
    open_screen(phone, group, "tonight")
    for member in ("m1", "m2", "m4"):
        phone.tap(f"sit-{member}")
    phone.page.locator('[data-key="guest"]').fill("Cilla")
    phone.tap("guest-add")
    expect(phone.page.locator("[role=alert]").first).to_be_visible()
    expect(phone.page.locator('[data-key="guest"]')).to_have_value("Cilla")


def test_names_beside_large_balances_stay_whole(lend: Lend) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    open_balances(phone)
    assert find_broken_words(phone, ".bar-row .name") == []


def test_an_evening_with_carried_balances_leads_to_all_of_them(phone: Phone) -> None:
    group = open_balances(phone)
    phone.tap("paid-m2-m1")
    expect(phone.page.locator(".confirmation")).to_be_visible()
    open_group_session(phone, group, "ABCD")  # it takes over what Bo still owes for the last one
    close_session(phone)
    expect(phone.page.locator(".payment-plan")).to_contain_text("100,00")
    expect(phone.page.locator('[data-key="to-balances"]')).to_be_visible()


def test_what_a_group_has_settled_does_not_begin_the_next_evening(phone: Phone) -> None:
    group = open_balances(phone)
    for key, left in (("paid-m2-m1", 1), ("paid-m2-m4", 0)):
        phone.tap(key)
        expect(phone.page.locator(f'[data-key="{key}"]')).to_have_count(0)
        open_screen(phone, group, "")
        expect(phone.page.locator('main [data-key="to-balances"]')).to_have_count(left)
        expect(phone.page.locator("main .callout")).to_have_count(left)
        open_screen(phone, group)
    open_screen(phone, group, "tonight")
    card = phone.page.locator('[data-key="carry-card"]')
    expect(card.locator('[data-key="carry"]')).not_to_be_checked()
    expect(card.locator('[data-key="to-balances"]')).to_be_visible()
    open_group_session(phone, group, "ABCD")
    assert read_group(phone, group)["sessions"][-1]["carried_from"] is None


def test_a_bet_still_to_be_paid_begins_the_next_evening(phone: Phone) -> None:
    group = create_resource(phone, "/v1/groups", {"name": "Torsdagarna", "members": FOUR_PLAYERS})
    id_, host = group["id"], group["tokens"]["host"]
    options = {"stake": 1_000, "bet_payment": "on_collection"}
    agreed = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4"], "options": options}
    opened = create_resource(phone, f"/v1/groups/{id_}/sessions", agreed, host)
    evening = RemoteSession(phone.url, opened["id"], opened["tokens"]["host"])
    declare: dict[str, Any] = {"type": "declare", "players": ["p2"]}
    won = {"type": "result", "winner": "p3"}
    assert evening.act({"type": "open_deal", "number": 1}, declare, won).status == 201
    state = evening.state()
    paid = {"from": "p1", "to": "p3", "amount": 1_000}
    assert evening.write("/transfers", paid, version=state["version"]).status == 201
    version = evening.state()["version"]
    assert evening.write("/closure", {"leftover_policy": "carry"}, version=version).status < 300
    phone.page.goto(f"{phone.url}/#/c/{id_}/{host}")
    see_group(phone)
    expect(phone.page.locator("main .callout")).to_be_visible()
    open_screen(phone, id_, "tonight")
    expect(phone.page.locator('[data-key="carry"]')).to_be_checked()
