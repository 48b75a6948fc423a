"""The screens of a group's money, for docs/screens.md: open balances, leaving, lines from the bank,
and earlier evenings from a file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import FilePayload, expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser.group_screens import create_resource, see_group
from tests.support.browser.layout_checks import wait_until_drawn
from tests.support.browser.phone import Phone
from tests.support.ledger.bank_files import semicolon_file
from tests.support.player_names import FOUR_PLAYERS

TODAY = "new Date().toLocaleDateString('sv-SE')"
OLD_BOOK = "Datum;Ada;Bo;Cilla;Disa\n2024-09-05;120,50;-80;-40,50;\n2024-09-12;200;-100;-50;-60\n"


def photograph_group_money(phone: Phone, camera: Callable[[Phone, str], None]) -> None:
    """Found a group with two evenings that are over, and take its screens."""
    members = FOUR_PLAYERS
    group = create_resource(phone, "/v1/groups", {"name": "Torsdagarna", "members": members})
    host, place = group["tokens"]["host"], f"{phone.url}/#/c/{group['id']}"
    for title, cost in (
        ("Fredag", {"payer": "p4", "amount": 43_000, "purpose": "Pizza"}),
        (
            "Onsdag",
            {"payer": "p1", "amount": 12_000, "purpose": "Taxi", "parts": {"p1": 1, "p2": 1}},
        ),
    ):
        _close_evening_with_cost(phone, group["id"], host, title, cost)
    phone.page.goto(f"{place}/{host}")
    see_group(phone)

    phone.page.goto(f"{place}/balances")
    wait_until_drawn(phone)
    phone.page.locator('[data-key="balance-SEK-m2"] summary').click()
    camera(phone, "group-balances")

    phone.page.goto(f"{place}/leave")
    wait_until_drawn(phone)
    phone.page.locator('select[name="member"]').select_option("m2")
    entries = phone.page.locator('[data-key="preview"] li')
    expect(entries.first).to_be_visible()
    phone.mark("agreement", "write_off")
    expect(entries).to_have_count(4)
    camera(phone, "group-leave")

    today = datetime.now(UTC).date()
    lines = ((today, 10_750, "SWISH FRÅN CILLA C, Fredag"), (today, -24_900, "ICA NÄRA, mat"))
    phone.page.goto(f"{place}/bank-lines")
    wait_until_drawn(phone)
    phone.page.locator('select[name="account"]').select_option("m4")
    _choose_file(phone, 'input[name="file"]', "konto.csv", semicolon_file(lines))
    offer = phone.page.locator('[data-key="proposed"] .callout').first
    expect(offer).to_be_visible()
    offer.scroll_into_view_if_needed()
    camera(phone, "group-bank")

    phone.page.goto(f"{place}/imports")
    wait_until_drawn(phone)
    old_book = OLD_BOOK + f"{phone.page.evaluate(TODAY)};30;-10;-20;\n"
    _choose_file(phone, '[data-key="file"]', "kvällar.csv", old_book.encode())
    differences = phone.page.locator('[data-key="differences"]')
    expect(differences).to_be_visible()
    differences.evaluate("(element) => element.scrollIntoView()")
    camera(phone, "group-imports")


def _close_evening_with_cost(
    phone: Phone, group_id: str, host: str, title: str, cost: dict[str, Any]
) -> None:
    agreed = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4"], "title": title}
    opened = create_resource(phone, f"/v1/groups/{group_id}/sessions", agreed, host)
    evening = RemoteSession(phone.url, opened["id"], opened["tokens"]["host"])
    assert evening.write("/costs", cost).status == 201
    assert evening.write("/closure", {}, version=evening.state()["version"]).status == 201


def _choose_file(phone: Phone, field: str, name: str, content: bytes) -> None:
    file: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": content}
    phone.page.locator(field).set_input_files(file)
