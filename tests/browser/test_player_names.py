"""A misspelt name is corrected on every phone; the phone shows its holder at its own edge."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.browser.join_requests import (
    answer_join_request,
    create_join_code,
    read_link,
    send_join_request,
    unfold_other_ways,
)
from tests.support.browser.layout_checks import wait_until_drawn
from tests.support.browser.phone import Phone

pytestmark = pytest.mark.short_waits
Lend = Callable[..., Phone]
SEATS = ".felt .seat .name"


def test_the_code_to_photograph_comes_first_and_says_what_it_gives(phone: Phone) -> None:
    phone.begin()
    phone.visit("share")
    wait_until_drawn(phone)
    code = phone.page.locator("main img.qr").first
    expect(code).to_be_in_viewport(ratio=1)
    expect(phone.page.locator("main")).to_contain_text("Den som riktar kameran hit är med")
    for key in ("join-code", "forgetting", "end-host"):
        expect(phone.page.locator(f'[data-key="{key}"]')).not_to_be_visible()
    unfold_other_ways(phone)
    for key in ("join-code", "forgetting", "naming"):
        expect(phone.page.locator(f'[data-key="{key}"]')).to_be_visible()


def test_a_joined_emoji_is_the_mark_of_a_name_as_a_whole(phone: Phone) -> None:
    phone.begin(("👩‍👩‍👧 Östen", "Bo", "Cilla", "Disa"))
    expect(phone.page.locator(".felt .seat .player-token").first).to_have_text("👩‍👩‍👧")


def test_a_phone_that_joins_as_bo_has_bo_at_the_bottom(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin()
    bo.page.goto(read_link(host))
    bo.tap("whose-p2")
    expect(bo.page.locator(SEATS)).to_have_text(["Bo", "Cilla", "Disa", "Ada"])
    expect(bo.page.locator(".seat:has(.own-seat)")).to_contain_text("Bo")
    expect(bo.page.locator(".own-seat")).to_have_text("du")
    bo.tap("record")
    expect(bo.page.locator(".seat:has(.own-seat)")).to_have_attribute("data-seat", "p2")
    expect(bo.page.locator(SEATS)).to_have_text(["Bo", "Cilla", "Disa", "Ada"])
    bo.page.reload()
    expect(bo.page.locator(".own-seat")).to_have_text("du")
    host.visit("")
    expect(host.page.locator(SEATS)).to_have_text(["Ada", "Bo", "Cilla", "Disa"])
    expect(host.page.locator(".own-seat")).to_have_count(0)


def test_a_phone_admitted_under_a_players_name_is_that_player(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin()
    send_join_request(bo, create_join_code(host), "bo")
    answer_join_request(host)
    bo.see_table()
    expect(bo.page.locator(".seat:has(.own-seat)")).to_contain_text("Bo")


def test_a_misspelt_name_is_corrected_on_every_phone(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin(("Ada", "Bo", "Cilllla", "Disa"))
    host.play(1, "B", "CCDCB")
    bo.page.goto(read_link(host))
    expect(bo.page.locator(".last-deal")).to_contain_text("Cilllla")
    host.visit("players")
    host.tap("names").tap("name-p3")
    field = host.page.locator('[data-key="name-new"]')
    expect(field).to_have_value("Cilllla")
    field.fill("Ada")
    host.tap("name-send")
    expect(host.page.locator(".wrong")).to_contain_text("Två heter likadant")
    field.fill(" ")
    host.tap("name-send")
    expect(host.page.locator(".wrong")).to_have_text("Skriv något som de andra känner igen.")
    field.fill("Cilla")
    host.tap("name-send")
    expect(host.page.locator("#status")).to_have_text("Nu står det Cilla överallt.")
    expect(bo.page.locator(SEATS)).to_have_text(["Ada", "Bo", "Cilla", "Disa"])
    expect(bo.page.locator(".last-deal")).to_contain_text("Cilla vann")
    assert "Cilllla" not in host.page.evaluate("JSON.stringify(localStorage)")
    host.visit("deals")
    expect(host.page.locator("main")).to_contain_text("Cilla vann")
    assert host.read("/audit")["clean"]


def test_an_erased_name_cannot_be_corrected(phone: Phone) -> None:
    phone.begin()
    phone.visit("share/forget")
    phone.tap("forget-p3").tap("sure")
    phone.see_table()
    phone.visit("share/names")
    expect(phone.page.locator('[data-key="name-p2"]')).to_be_visible()
    expect(phone.page.locator('[data-key="name-p3"]')).to_have_count(0)
