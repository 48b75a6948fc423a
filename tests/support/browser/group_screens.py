"""Groups founded on a phone, their sessions and their links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.support.api import http_client
from tests.support.api.http_client import RemoteSession
from tests.support.browser.phone import Phone
from tests.support.player_names import FIVE_NAMES, FOUR_NAMES, FOUR_PLAYERS
from tests.support.worked_evenings import E1, lines

DEALS_PER_REQUEST = 4


TWO_DEALS = [("B", "CCDCB"), ("D", "AABDD")]  # −10 −10 10 0, then 10 −20 10 −20 and Disa's bet


IGNORE_NEXT_CHANGE = """() => addEventListener('change',
  (event) => event.stopImmediatePropagation(), { capture: true, once: true })"""
"""A script that keeps the next choice in a field from the form."""

SEASON_BALANCES = {"Ada": 10, "Bo": -20, "Cilla": 10, "Disa": -20}


def found_group(phone: Phone, names: Sequence[str] = FIVE_NAMES, name: str = "Torsdagarna") -> str:
    """Create a group elsewhere, and open it on the phone by the host's link. Return its id."""
    members = [{"name": member} for member in names]
    group = create_resource(phone, "/v1/groups", {"name": name, "members": members})
    phone.page.goto(f"{phone.url}/#/c/{group['id']}/{group['tokens']['host']}")
    see_group(phone, name)
    return str(group["id"])


def found_group_by_tapping(
    phone: Phone, names: Sequence[str] = FIVE_NAMES, name: str = "Torsdagarna"
) -> str:
    """Create a group from the front page. Return its id."""
    phone.page.goto(phone.url + "/")
    phone.tap("new-group")
    phone.page.locator('[data-key="group-name"]').fill(name)
    for member in names:
        phone.page.locator('[data-key="member"]').fill(member)
        phone.tap("member-add")
    phone.tap("found")
    see_group(phone, name)
    return str(phone.page.evaluate("location.hash.split('/')[2]"))


def found_group_of_table(phone: Phone, name: str) -> None:
    """Create a group of the players at this phone's table."""
    phone.visit("group")
    phone.page.locator('[data-key="group-name"]').fill(name)
    phone.tap("join")
    see_group(phone, name)


def see_group(phone: Phone, name: str = "Torsdagarna") -> None:
    expect(phone.page.locator("h1")).to_have_text(name)
    expect(phone.page.locator(".member-list")).to_be_visible()


def seat_members(phone: Phone, group: str, seats: str) -> None:
    """Open the screen for a new session, and seat these members: A is the first member."""
    phone.page.goto(f"{phone.url}/#/c/{group}/tonight")
    for letter in seats:
        phone.tap(f"sit-m{'ABCDE'.index(letter) + 1}")


def open_group_session(phone: Phone, group: str, seats: str) -> None:
    seat_members(phone, group, seats)
    phone.tap("open")
    phone.see_table()


def play_two_deals(phone: Phone) -> None:
    for number, (declarers, tricks) in enumerate(TWO_DEALS, start=1):
        phone.play(number, declarers, tricks)


def close_session(phone: Phone) -> None:
    """Close the session with the usual choice: what is on the table stays for the next session."""
    phone.visit("close")
    phone.tap("close")
    see_settlement(phone)


def see_settlement(phone: Phone) -> None:
    expect(phone.page.locator("body")).to_have_attribute("data-at", re.compile("settlement$"))


def choose_removed_file(phone: Phone, field: str, folder: Path) -> None:
    """Choose a file that is removed before the form reads it."""
    file = folder / "removed.csv"
    file.write_text("Date;Ada;Bo\n2024-05-06;10;-10\n")
    phone.page.evaluate(IGNORE_NEXT_CHANGE)
    phone.page.locator(field).set_input_files(file)
    file.unlink()
    phone.page.locator(field).dispatch_event("change")


def read_group(phone: Phone, group: str, path: str = "") -> Any:
    """Return what the server says about a group, read with this phone's own cookie."""
    answer = phone.page.request.get(f"{phone.url}/v1/groups/{group}{path}")
    assert answer.ok, answer.text()
    return answer.json()


def read_links(phone: Phone, group: str) -> dict[str, str]:
    return {link["role"]: link["path"] for link in read_group(phone, group, "/links")["links"]}


def record_group_deal(
    phone: Phone, group: str, actions: list[dict[str, Any]], **agreed: Any
) -> None:
    """Write a session of the group with one deal, by HTTP instead of taps."""
    keys = iter(range(1_000))

    def post(path: str, body: Any, **headers: str) -> Any:
        key = f"{group} {len(read_group(phone, group)['sessions'])} {next(keys)}"
        answer = phone.page.request.post(
            phone.url + path, data=body, headers={"Idempotency-Key": key, **headers}
        )
        assert answer.ok, answer.text()
        return answer.json()

    created = post(f"/v1/groups/{group}/sessions", agreed)
    right = {"Authorization": f"Bearer {created['tokens']['host']}", "If-Match": "*"}
    post(f"/v1/sessions/{created['id']}/actions", {"actions": actions}, **right)


def record_group_transfer(phone: Phone, group: str, transfer: dict[str, Any]) -> None:
    """Record a payment over several evenings with the phone's own right."""
    answer = phone.page.request.post(
        f"{phone.url}/v1/groups/{group}/transfers",
        data=transfer,
        headers={"Idempotency-Key": http_client.new_key()},
    )
    assert answer.status == 201, answer.text()


def create_season(phone: Phone) -> str:
    """Create a group of four with one closed session, recorded elsewhere. The phone opens both by
    the hosts' links, and shows the result. Return the group's id."""
    members = FOUR_PLAYERS
    group = create_resource(phone, "/v1/groups", {"name": "Torsdagarna", "members": members})
    host = group["tokens"]["host"]
    agreed = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4"]}
    sessions = f"/v1/groups/{group['id']}/sessions"
    evening = create_resource(phone, sessions, {**agreed, "options": {"stake": 1_000}}, host)
    recorder = RemoteSession(phone.url, evening["id"], evening["tokens"]["host"])
    for line in islice(lines(E1), len(TWO_DEALS)):
        assert recorder.act(*line.actions()).status == 201
    policy, version = {"leftover_policy": "carry"}, recorder.state()["version"]
    assert recorder.write("/closure", policy, version=version).status < 300
    phone.page.goto(f"{phone.url}/#/c/{group['id']}/{host}")
    see_group(phone)
    phone.page.goto(f"{phone.url}/#/s/{evening['id']}/{recorder.token}")
    phone.see_table()
    phone.visit("settlement")
    see_settlement(phone)
    return str(group["id"])


def create_resource(phone: Phone, path: str, body: dict[str, Any], token: str = "") -> Any:
    """Return the server's response to a new group, or to a new session of one."""
    headers = {"Idempotency-Key": http_client.new_key()}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    answer = http_client.ask(phone.url + path, "POST", body, headers)
    assert answer.status == 201, answer.raw
    return answer.json


def create_season_by_tapping(phone: Phone) -> str:
    """Create the same group and session by taps on this phone. Return the group's id."""
    group = found_group_by_tapping(phone, FOUR_NAMES)
    open_group_session(phone, group, "ABCD")
    play_two_deals(phone)
    close_session(phone)
    return group


def record_season(phone: Phone, evenings: int, deals: int) -> str:
    """Create a group with `evenings` sessions of `deals` deals, recorded elsewhere. Return its
    id."""
    group = found_group(phone, FOUR_NAMES)
    e1 = [[{"type": "open_deal"}, *x.actions()[1:]] for x in lines(E1)]
    agreed = {"members": [f"m{n}" for n in range(1, 5)], "game": "polskt_pass"}
    for _ in range(evenings):
        record_group_deal(phone, group, e1[0], **agreed, options={"stake": 1_000})
    for session in read_group(phone, group)["sessions"]:
        recorder = RemoteSession(phone.url, session["session"], session["path"].split("/")[-1])
        for first in range(1, deals, DEALS_PER_REQUEST):
            batch = range(first, min(deals, first + DEALS_PER_REQUEST))
            answer = recorder.act(*(action for n in batch for action in e1[n % 3]))
            assert answer.status == 201, answer.raw
    return group
