"""An answer that arrives after its screen was left draws nothing, and opens no other screen."""

from base64 import b64decode
from collections.abc import Callable

import pytest
from playwright.sync_api import Request, Route, expect

from tests.support.browser.form_sources import imported_module
from tests.support.browser.group_screens import (
    create_season,
    found_group,
    record_group_deal,
    see_group,
    see_settlement,
)
from tests.support.browser.late_answers import (
    NEXT_TASK,
    NOTHING_WAITS,
    fail_unseen,
    go_to_front_page,
    held_request,
    see_front_page,
)
from tests.support.browser.layout_checks import find_violations
from tests.support.browser.page_conditions import wait_until
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import (
    ALL_PASS,
    open_as_host,
    open_e1,
    record_elsewhere,
)
from tests.support.player_names import FOUR_NAMES

MEMBERS = ["m1", "m2", "m3", "m4"]

FETCH_DEALS_IN_REVERSE = f"""async () => {{
  const {{ currentSession, keepLatestDeal }} = await {imported_module()};
  const fetchNow = window.fetch;
  let release;
  const released = new Promise((resolve) => {{ release = resolve; }});
  window.fetch = async (path, options) => {{
    if (path.endsWith('/deals/1')) await released;
    return fetchNow(path, options);
  }};
  const latest = keepLatestDeal();
  const beforeDeal = (number) => ({{ ...currentSession(), deal: {{ number, phase: 'waiting' }} }});
  const first = latest.fetch(beforeDeal(2));
  await latest.fetch(beforeDeal(3));
  release();
  await first;
  return latest.deal.number;
}}"""
"""A script that fetches deal 2 as the latest while deal 1 is still on its way."""


READ_SLOWLY = """() => {
  const read = FileReader.prototype.readAsDataURL;
  FileReader.prototype.readAsDataURL = function (file) {
    if (file.name !== 'slow.csv') read.call(this, file);
    else window.finishReading = () => new Promise((resolve) => {
      this.addEventListener('loadend', () => setTimeout(resolve));
      read.call(this, file);
    });
  };
}"""
"""A script that reads the file `slow.csv` only when `finishReading()` is called."""


def choose_language_slowly(phone: Phone, code: str) -> Route:
    """Choose a language on the front page; return the request for its sentences, which waits."""
    phone.page.goto(phone.url)
    language = phone.page.locator('[data-key="language"]')
    return held_request(
        phone, f"**/translations/{code}.json", "GET", lambda: language.select_option(code)
    )


def choose_group_slowly(phone: Phone, then: Callable[[], object]) -> Route:
    """Choose a group for an evening, then something else; return the request for its members."""
    group = found_group(phone, FOUR_NAMES)
    phone.begin()
    phone.visit("group")
    request = held_request(
        phone, f"**/v1/groups/{group}", "GET", lambda: phone.mark("group", group)
    )
    then()
    return request


def look_for_next_evening_slowly(phone: Phone) -> Route:
    """Leave a settlement by the link to the next evening, which this phone has never opened, then
    for the front page; return the request for the evenings of the group."""
    group = create_season(phone)
    record_group_deal(phone, group, ALL_PASS, game="polskt_pass", members=MEMBERS, carry=True)
    phone.page.reload()
    see_settlement(phone)
    request = held_request(phone, f"**/v1/groups/{group}", "GET", lambda: phone.tap("to-next"))
    go_to_front_page(phone)
    return request


def test_a_member_added_slowly_leaves_the_group_on_screen(phone: Phone) -> None:
    found_group(phone, FOUR_NAMES)
    phone.tap("members")
    phone.page.locator('[data-key="member"]').fill("Emil")
    request = held_request(phone, "**/members", "POST", lambda: phone.tap("member-add"))
    phone.tap("back")
    see_group(phone)
    request.continue_()
    expect(phone.page.locator("#status")).to_contain_text("Emil")
    # at once: the group's screen draws itself again when it learns of the new member
    assert phone.page.locator("h1").inner_text() == "Torsdagarna"


def test_the_next_member_may_be_typed_while_one_is_added(phone: Phone) -> None:
    found_group(phone, FOUR_NAMES)
    phone.tap("members")
    member = phone.page.locator('[data-key="member"]')
    member.fill("Emil")
    request = held_request(phone, "**/members", "POST", lambda: phone.tap("member-add"))
    member.fill("Frida")
    request.continue_()
    expect(phone.page.locator("#status")).to_contain_text("Emil")
    phone.page.evaluate(NEXT_TASK)
    expect(member).to_have_value("Frida")


def test_a_name_erased_slowly_leaves_the_front_page_on_screen(phone: Phone) -> None:
    recorder = record_elsewhere(phone, ALL_PASS)
    open_as_host(phone, recorder)
    phone.visit("share/forget")
    phone.tap("forget-p3")
    request = held_request(phone, "**/players/p3/name", "DELETE", lambda: phone.tap("sure"))
    go_to_front_page(phone)
    with phone.page.expect_response("**/players/p3/name"):
        request.continue_()
    wait_until(phone.page, NOTHING_WAITS)
    see_front_page(phone)
    expect(phone.page).to_have_url(f"{phone.url}/#/")


def test_a_preview_that_cannot_be_read_warns_on_no_other_screen(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    phone.page.goto(f"{phone.url}/#/c/{group}/leave")
    member = phone.page.locator('select[name="member"]')
    request = held_request(
        phone, "**/departure/preview", "POST", lambda: member.select_option("m2")
    )
    phone.tap("back")
    expect(phone.page.locator('[data-key="member"]')).to_be_visible()
    fail_unseen(phone, request)


def test_an_evening_that_cannot_be_opened_warns_on_no_other_screen(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    record_group_deal(phone, group, ALL_PASS, game="polskt_pass", members=MEMBERS)
    phone.page.reload()
    request = held_request(phone, "**/cookie", "PUT", lambda: phone.tap("evening-1"))
    phone.tap("back")
    fail_unseen(phone, request)


def test_the_next_evening_found_slowly_leaves_the_front_page(phone: Phone) -> None:
    request = look_for_next_evening_slowly(phone)
    with phone.page.expect_response("**/v1/groups/*"):
        request.continue_()
    phone.page.evaluate(NEXT_TASK)
    see_front_page(phone)
    expect(phone.page).to_have_url(f"{phone.url}/#/")


def test_a_next_evening_that_is_not_found_warns_on_no_other_screen(phone: Phone) -> None:
    fail_unseen(phone, look_for_next_evening_slowly(phone))


def test_members_that_cannot_be_read_warn_on_no_other_screen(phone: Phone) -> None:
    fail_unseen(phone, choose_group_slowly(phone, lambda: phone.tap("back")))


def test_members_that_cannot_be_read_do_not_matter_for_another_choice(phone: Phone) -> None:
    fail_unseen(phone, choose_group_slowly(phone, lambda: phone.mark("group", "new")))


def test_a_language_loaded_slowly_leaves_the_next_screen(phone: Phone) -> None:
    request = choose_language_slowly(phone, "en")
    phone.tap("new")
    expect(phone.page.locator(".lineup")).to_be_visible()
    request.continue_()
    expect(phone.page.locator("html")).to_have_attribute("lang", "en")
    expect(phone.page.locator(".lineup")).to_be_visible()


def test_an_evening_opened_slowly_leaves_the_front_page(phone: Phone) -> None:
    phone.page.goto(phone.url)
    phone.tap("new")
    for place, name in enumerate(FOUR_NAMES):
        phone.page.locator(".lineup input").nth(place).fill(name)
    request = held_request(phone, "**/cookie", "PUT", lambda: phone.tap("open"))
    go_to_front_page(phone)
    request.continue_()
    role = "() => Object.keys(localStorage).find((key) => key.startsWith('vola.role.'))"
    wait_until(phone.page, role)
    expect(phone.page).to_have_url(f"{phone.url}/#/")


def test_a_period_that_cannot_be_read_leaves_the_group(phone: Phone) -> None:
    found_group(phone, FOUR_NAMES)
    phone.page.goto(f"{phone.page.url}/season")
    year = phone.page.locator('input[name="span"][value="year"]')
    request = held_request(phone, "**/standings?*", "GET", lambda: year.check(force=True))
    phone.tap("back")
    see_group(phone)
    with phone.page.expect_event("requestfailed"):
        request.abort()
    see_group(phone)


def test_a_file_read_slowly_leaves_the_group_on_screen(phone: Phone) -> None:
    found_group(phone, FOUR_NAMES)
    phone.page.clock.install()
    phone.tap("imports")
    field = phone.page.locator('[data-key="file"]')
    content = {"name": "a.csv", "mimeType": "text/csv", "buffer": b"Date;Ada\n2024-01-05;0\n"}
    held_request(phone, "**/imports/preview*", "POST", lambda: field.set_input_files(content))
    phone.tap("back")
    see_group(phone)
    phone.page.clock.run_for(1_000)
    see_group(phone)


def test_an_earlier_table_read_slowly_warns_on_no_other_screen(phone: Phone) -> None:
    open_as_host(phone, record_elsewhere(phone, ALL_PASS))
    phone.visit("deals")
    request = held_request(phone, "**/sessions/*?at=*", "GET", lambda: phone.tap("earlier"))
    go_to_front_page(phone)
    with phone.page.expect_response("**/sessions/*?at=*"):
        request.continue_()
    see_front_page(phone)
    expect(phone.page.locator("#notice .warning")).to_have_count(0)


def test_a_misdeal_typed_slowly_is_voided_in_its_own_evening(phone: Phone) -> None:
    """Meanwhile the phone shows another evening, whose first deal has the same version."""
    other = record_elsewhere(phone, ALL_PASS)
    evening = record_elsewhere(phone)
    open_as_host(phone, other)
    go_to_front_page(phone)
    open_as_host(phone, evening)
    phone.visit("late")
    phone.page.locator('[data-key="line"]').fill("!")
    request = held_request(phone, "**/actions", "POST", lambda: phone.tap("enter-line"))
    phone.page.goto(f"{phone.url}/#/s/{other.id}")
    phone.see_table()
    request.continue_()
    phone.wait_until(lambda: evening.state()["deal"]["phase"] == "waiting")
    phone.wait_until(lambda: evening.get("/deals/1").json["status"] == "voided")
    assert other.get("/deals/1").json["status"] == "closed"


def test_a_deal_read_slowly_is_not_shown_in_another_evening(phone: Phone) -> None:
    """Both evenings have one deal and the same version."""
    phone.begin()
    phone.play(1, "B", "CCDCB")
    earlier_evening = phone.table_url()
    go_to_front_page(phone)
    phone.begin()
    phone.play(1, "B", "DDCDB")
    later_id = phone.table_url().split("/")[-1]
    go_to_front_page(phone)
    earlier_id = earlier_evening.split("/")[-1]
    request = held_request(
        phone, f"**/{earlier_id}/deals/1", "GET", lambda: phone.page.goto(earlier_evening)
    )
    phone.page.go_back()
    see_front_page(phone)
    phone.page.locator(f'.rows [data-row] a[href*="{later_id}"]').tap()
    phone.see_table()
    with phone.page.expect_event("requestfinished", lambda it: earlier_id in it.url):
        request.continue_()
    phone.visit("deal/1")
    phone.see_result(1)
    expect(phone.page.locator(".verdict")).to_contain_text("Disa")


@pytest.mark.parametrize("screen", ["settlement", "close"])
def test_the_treasurer_chosen_last_stays(phone: Phone, screen: str) -> None:
    open_e1(phone).visit(screen)
    phone.mark("way", "through")
    expect(phone.page.locator("[name=treasurer]:checked")).to_have_value("p3")
    request = held_request(
        phone, "**/settlement?*through=p2*", "GET", lambda: phone.mark("treasurer", "p2")
    )
    phone.mark("treasurer", "p4")
    expect(phone.page.locator(".payment-plan")).to_contain_text("alla genom Disa")
    with phone.page.expect_response("**/settlement?*through=p2*"):
        request.continue_()
    phone.page.evaluate(NEXT_TASK)
    expect(phone.page.locator(".payment-plan")).to_contain_text("alla genom Disa")


def test_the_group_chosen_last_stays(phone: Phone) -> None:
    request = choose_group_slowly(phone, lambda: phone.mark("group", "new"))
    with phone.page.expect_response("**/v1/groups/*"):
        request.continue_()
    phone.page.evaluate(NEXT_TASK)
    expect(phone.page.locator('[data-key="group-name"]')).to_be_visible()


@pytest.mark.parametrize("screen", ["imports", "bank-lines"])
def test_the_file_chosen_last_is_read(phone: Phone, screen: str) -> None:
    group = found_group(phone, FOUR_NAMES)
    phone.page.goto(f"{phone.url}/#/c/{group}/{screen}")
    field = phone.page.locator("input[type=file]")
    expect(field).to_be_visible()
    phone.page.evaluate(READ_SLOWLY)
    requests: list[Request] = []
    phone.page.on("request", lambda it: requests.append(it))

    def read_files() -> list[bytes]:
        previews = [it for it in requests if "/preview" in it.url]
        return [b64decode(it.post_data_json["file"]) for it in previews]

    for name, content in (("slow.csv", b"Date;Ada\n"), ("quick.csv", b"Date;Bo\n")):
        field.set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})
    phone.wait_until(lambda: len(read_files()) == 1)
    phone.page.evaluate("finishReading()")
    phone.page.evaluate(NEXT_TASK)
    assert read_files() == [b"Date;Bo\n"]


def test_the_language_chosen_last_stays(phone: Phone) -> None:
    request = choose_language_slowly(phone, "de")
    phone.page.locator('[data-key="language"]').select_option("da")
    expect(phone.page.locator("html")).to_have_attribute("lang", "da")
    with phone.page.expect_response("**/translations/de.json"):
        request.continue_()
    phone.page.evaluate(NEXT_TASK)
    expect(phone.page.locator("html")).to_have_attribute("lang", "da")
    phone.page.reload()
    expect(phone.page.locator("html")).to_have_attribute("lang", "da")


def test_a_deal_fetched_slowly_does_not_replace_the_latest(phone: Phone) -> None:
    open_e1(phone, 2)
    assert phone.page.evaluate(FETCH_DEALS_IN_REVERSE) == 2


@pytest.mark.short_waits
def test_a_screen_and_a_write_that_take_long_show_a_progress_bar(phone: Phone) -> None:
    found_group(phone, FOUR_NAMES)
    held: list[Route] = []
    phone.page.route("**/v1/groups/*/members", lambda route: held.append(route))
    phone.page.route("**/v1/groups/*/open-balances", lambda route: held.append(route))
    progress = phone.page.get_by_role("progressbar", name="Väntar på servern")
    phone.tap("members")
    phone.page.locator('[data-key="member"]').fill("Emil")
    phone.tap("member-add")
    expect(progress).to_be_visible()
    assert find_violations(phone) == []
    held.pop().continue_()
    expect(phone.page.locator("#status")).to_contain_text("Emil")
    expect(progress).to_have_count(0)
    phone.tap("back")
    phone.tap("balances")
    expect(progress).to_be_visible()
    held.pop().continue_()
    expect(phone.page.locator("h1")).to_have_text("Öppna saldon")
    expect(progress).to_have_count(0)
