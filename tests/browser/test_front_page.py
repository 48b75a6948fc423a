"""The front page lists this phone's own evenings, open ones first, each closed one with its result,
and one tap alone deletes nothing."""

from collections.abc import Callable
from datetime import datetime

import pytest
from playwright.sync_api import expect

from tests.support.browser.form_sources import imported_module
from tests.support.browser.group_screens import found_group
from tests.support.browser.layout_checks import find_violations
from tests.support.browser.phone import REMEMBER, Phone
from tests.support.browser.recorded_sessions import ALL_PASS, open_as_host, record_elsewhere

Lend = Callable[..., Phone]
ROWS = ".rows [data-row]"
LIST_REQUESTS = """() => {
  const real = window.fetch;
  window.asked = [];
  window.fetch = (path, how) => { window.asked.push(String(path)); return real(path, how); };
}"""
LIGHTNESS = """() => ['color', 'background-color'].map((name) =>
  getComputedStyle(document.body).getPropertyValue(name).match(/\\d+/g)
    .every((part) => part > 127))"""
"""Whether the text and the background are light."""


def at_front(phone: Phone) -> Phone:
    phone.page.goto(phone.url + "/#/")
    expect(phone.page.locator('[data-key="new"]')).to_be_visible()
    return phone


def closed(phone: Phone) -> Phone:
    phone.visit("close")
    phone.tap("close")
    expect(phone.page).to_have_url(f"{phone.table_url()}/settlement")
    return phone


def test_an_open_evening_is_first_and_says_which_deal_comes_next(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    at_front(phone)
    first = phone.page.locator(ROWS).first
    expect(first).to_contain_text("Fortsätt: giv 2")
    phone.page.locator(ROWS).first.locator("a").tap()
    phone.see_table()


def test_an_open_evening_stands_above_the_groups(phone: Phone) -> None:
    found_group(phone)
    phone.begin()
    phone.play(1, "B", "CCDCB")
    at_front(phone)
    expect(phone.page.locator("#main .row").first).to_contain_text("Fortsätt: giv 2")
    expect(phone.page.locator("#main")).to_contain_text("Torsdagarna")


def test_a_closed_evening_says_who_won_most(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    at_front(closed(phone))
    expect(phone.page.locator(ROWS).first).to_contain_text("Cilla +10 kr")


def test_a_phone_with_a_holder_says_how_it_went_for_him(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.visit("share")
    phone.tap("mine").tap("whose-p1")
    expect(phone.page.locator("[data-phone]")).to_be_visible()
    at_front(closed(phone))
    expect(phone.page.locator(ROWS).first).to_contain_text("Du −10 kr")


def test_a_game_for_points_says_who_won_it(phone: Phone) -> None:
    phone.begin(("Ada", "Bo"), "knektpass")
    phone.page.evaluate(
        f"""async () => {{
          const {{ readSnapshot, saveSnapshot }} = await {imported_module()};
          const id = location.hash.split('/')[2];
          let seen;
          while (!(seen = await readSnapshot(id))?.said) await new Promise(requestAnimationFrame);
          const {{ said }} = seen;
          const won = {{ ...said, winner: ['p2'], scores: {{ p1: 4, p2: -1 }} }};
          await saveSnapshot(id, {{ said: won }});
        }}"""
    )
    at_front(phone)
    expect(phone.page.locator(ROWS).first).to_contain_text("Bo vann med −1 poäng")


def test_the_front_page_sends_no_request_for_what_it_shows(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.page.evaluate(LIST_REQUESTS)
    phone.tap("table").tap("back")
    expect(phone.page.locator(ROWS).first).to_contain_text("Fortsätt: giv 2")
    result = phone.page.evaluate("window.asked")
    assert [path for path in result if "/v1/" in path and "/sessions/" not in path] == []


def test_a_removed_evening_is_restored_with_one_tap(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    at_front(closed(phone))
    phone.page.locator(ROWS).first.locator("button").tap()
    expect(phone.page.locator(ROWS)).to_have_count(0)
    expect(phone.page.locator("#status")).to_contain_text("borttagen")
    expect(phone.page.locator('[data-key="put-back"]')).to_be_focused()
    phone.tap("put-back")
    expect(phone.page.locator(ROWS).first).to_contain_text("Cilla +10 kr")


def test_an_evening_removed_long_ago_is_found_again(phone: Phone) -> None:
    phone.begin()
    at_front(phone)
    phone.page.locator(ROWS).first.locator("button").tap()
    phone.page.reload()
    expect(phone.page.locator('[data-key="put-back"]')).to_have_count(0)
    removed = phone.page.locator('[data-key="removed"]')
    removed.locator("summary").tap()
    removed.locator("button").tap()
    expect(phone.page.locator(ROWS).first).to_contain_text("Fortsätt: giv 1")
    expect(removed).to_have_count(0)


def test_each_removal_can_be_undone_for_the_same_time(phone: Phone) -> None:
    for _ in range(2):
        phone.begin()
    phone.page.clock.install()
    at_front(phone)
    phone.page.reload()
    phone.page.locator(ROWS).first.locator("button").tap()
    phone.page.clock.run_for(6_000)
    phone.page.goto(phone.url + "/#/rules")
    expect(phone.page.locator("details")).not_to_have_count(0)
    at_front(phone)
    expect(phone.page.locator('[data-key="put-back"]')).to_have_count(0)
    phone.page.clock.run_for(1_000)
    phone.page.locator(ROWS).first.locator("button").tap()
    expect(phone.page.locator('[data-key="put-back"]')).to_be_visible()
    phone.page.locator("h1").focus()
    phone.page.clock.run_for(5_000)
    phone.tap("put-back")
    expect(phone.page.locator("#status")).to_contain_text("tillbaka")


def test_the_undo_of_a_removal_stays_for_some_seconds_only(phone: Phone) -> None:
    phone.begin()
    phone.page.clock.install()
    at_front(phone)
    phone.page.reload()
    phone.page.locator(ROWS).first.locator("button").tap()
    expect(phone.page.locator('[data-key="put-back"]')).to_be_visible()
    phone.page.locator("h1").focus()
    phone.page.clock.run_for(15_000)
    expect(phone.page.locator('[data-key="put-back"]')).to_have_count(0)
    expect(phone.page.locator('[data-key="removed"]')).to_be_visible()


def test_removing_an_evening_keeps_its_payment_numbers(phone: Phone) -> None:
    phone.begin()
    session = phone.page.evaluate("location.hash.split('/')[2]")
    phone.page.evaluate(
        'id => localStorage.setItem(`vola.receiver.${id}`, \'{"p1": {"number": 1}}\')', session
    )
    at_front(phone)
    phone.page.locator(ROWS).first.locator("button").tap()
    phone.tap("put-back")
    expect(phone.page.locator(ROWS)).to_have_count(1)
    assert phone.page.evaluate("id => localStorage.getItem(`vola.receiver.${id}`)", session)


def test_entries_beyond_a_full_list_are_found_among_the_removed(phone: Phone) -> None:
    phone.page.goto(phone.url + "/")
    expect(phone.page.locator('[data-key="new"]')).to_be_visible()
    phone.page.evaluate(
        f"""async () => {{
          const {{ rememberGroup, rememberSession }} = await {imported_module()};
          for (let n = 1; n <= 21; n += 1) {{
            rememberSession(`e${{n}}`, `Kväll ${{n}}`, 'polskt_pass');
            rememberGroup({{ id: `c${{n}}`, name: `Sällskap ${{n}}`, sessions: [] }});
          }}
        }}"""
    )
    phone.page.reload()
    removed = phone.page.locator('[data-key="removed"] li')
    expect(removed).to_contain_text(["Sällskap 1", "Kväll 1"])


@pytest.mark.parametrize("language", ["sv-SE", "de-DE"])
def test_rows_fit_on_the_smallest_phone(lend: Lend, language: str) -> None:
    phone = lend(width=320, language=language)
    long = ("Wilhelmina-Charlotta", "Bo", "Cilla", "Disa")
    open_as_host(phone, record_elsewhere(phone, ALL_PASS, title="Donnerstagsrunde bei Wilhelmina"))
    phone.begin(long)
    at_front(phone)
    expect(phone.page.locator(ROWS).first).to_be_visible()
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 320


LOCAL_DAYS = [
    ("Europe/Stockholm", "2030-01-05T00:30:00+01:00", "5 januari"),
    ("America/New_York", "2030-01-04T15:00:00-05:00", "4 januari"),
]


@pytest.mark.parametrize(("timezone", "moment", "day"), LOCAL_DAYS)
def test_an_evening_has_the_day_on_which_it_was_opened(
    lend: Lend, timezone: str, moment: str, day: str
) -> None:
    phone = lend(timezone=timezone)
    at_front(phone)
    milliseconds = f"{round(datetime.fromisoformat(moment).timestamp() * 1000):012x}"
    session = f"{milliseconds[:8]}-{milliseconds[8:]}-7000-8000-000000000000"
    phone.page.evaluate(REMEMBER, [session, "", "polskt_pass"])
    phone.page.reload()
    phone.page.locator(ROWS).first.locator("button").tap()
    phone.page.reload()
    removed = phone.page.locator('[data-key="removed"]')
    removed.locator("summary").tap()
    expect(removed.locator(".row-note")).to_have_text(f"Polskt pass · {day}")


def test_english_days_and_times_are_written_as_in_europe(lend: Callable[..., Phone]) -> None:
    phone = lend(language="en-US")
    phone.page.goto(phone.url)
    expect(phone.page.locator("html")).to_have_attribute("lang", "en")
    written = phone.page.evaluate(
        f"""async () => {{
          const {{ formatDay, formatMoment }} = await {imported_module()};
          return [formatDay('2026-11-29T20:15:00'), formatMoment('2026-11-29T20:15:00')];
        }}"""
    )
    assert written == ["29 November", "29 Nov, 20:15"]


@pytest.mark.parametrize(("scheme", "is_dark"), [("dark", True), ("light", False)])
def test_a_mistyped_address_is_shown_in_the_phones_colours(
    lend: Lend, scheme: str, is_dark: bool
) -> None:
    phone = lend(scheme=scheme)
    phone.page.goto(phone.url + "/kvall")
    expect(phone.page.locator("h1")).to_have_text("Här finns ingenting.")
    assert phone.page.evaluate(LIGHTNESS) == ([True, False] if is_dark else [False, True])
    assert find_violations(phone) == []


def test_an_evening_removed_in_two_tabs_takes_no_other_with_it(phone: Phone) -> None:
    phone.begin()
    at_front(phone)
    phone.begin(("Cilla", "Disa", "Ada", "Bo"))
    at_front(phone)
    newest = phone.page.locator(ROWS).first.get_attribute("data-row")
    removal = f'[data-key="off-{newest}"]'
    other_tab = phone.page.context.new_page()
    other_tab.goto(phone.url + "/#/")
    expect(other_tab.locator(ROWS)).to_have_count(2)
    phone.page.locator(removal).tap()
    expect(phone.page.locator(ROWS)).to_have_count(1)
    other_tab.locator(removal).tap()
    expect(other_tab.locator(ROWS)).to_have_count(1)
    phone.tap("put-back")
    expect(phone.page.locator(ROWS)).to_have_count(2)
    other_tab.locator('[data-key="put-back"]').tap()
    expect(other_tab.locator(ROWS)).to_have_count(2)
