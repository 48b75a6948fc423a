"""A closed session, and phones that ask their holders whether its sums are right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Locator, expect

from ledger.proofs.checkpoint import public_bytes
from tests.support.api.cosigning import witness_body
from tests.support.api.http_client import RemoteSession
from tests.support.browser.connection import unplug
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import deal_actions, record_elsewhere
from tests.support.proofs.cosigned_documents import phone_key

COSIGNATURES = "**/v1/sessions/*/cosignatures/*"


TRICKS = [{"type": "trick", "winner": f"p{number}"} for number in (3, 3, 4, 3, 2)]
WON_BY_CILLA = deal_actions({"type": "declare", "players": ["p2"]}, *TRICKS)


def record_closed_session(
    phone: Phone, deals: Sequence[list[dict[str, Any]]] = (WON_BY_CILLA,), **opening: Any
) -> RemoteSession:
    """Record and close a session elsewhere. Return its recorder."""
    recorder = record_elsewhere(phone, *deals, **opening)
    close_session(recorder)
    return recorder


def close_session(recorder: RemoteSession) -> int:
    """Close the session; return its version."""
    policy = {"leftover_policy": "refund_bets"}
    answer = recorder.write("/closure", policy, version=recorder.state()["version"])
    assert answer.status < 300, answer.raw
    return int(recorder.state()["version"])


def reopen_session(recorder: RemoteSession) -> None:
    version = recorder.state()["version"]
    answer = recorder.write("/closure", None, version=version, method="DELETE")
    assert answer.status < 300, answer.raw


def open_by_link(phone: Phone, recorder: RemoteSession, role: str = "viewer") -> Phone:
    """Open the table on the phone by the link of this role."""
    phone.page.goto(f"{phone.url}/#/s/{recorder.id}/{recorder.tokens[role]}")
    phone.see_table()
    return phone


def card(phone: Phone) -> Locator:
    return phone.page.locator('[data-key="sums"]')


def note(phone: Phone) -> Locator:
    return phone.page.locator('[data-key="sums-note"]')


def name_holder(phone: Phone, player: str) -> Phone:
    """Answer the phone's question who holds it with this player."""
    expect(card(phone)).to_be_visible()
    return phone.tap(f"holder-{player}")


def answer_unplugged(phone: Phone, recorder: RemoteSession, player: str, key: str) -> None:
    """Answer as the holder once the server is out of reach."""
    open_by_link(phone, recorder)
    name_holder(phone, player)
    phone.page.wait_for_load_state("networkidle")
    unplug(phone)
    phone.tap(key)


def confirm(phone: Phone, player: str) -> None:
    name_holder(phone, player).tap("sums-yes")
    expect(note(phone)).to_contain_text("Bekräftat av")


def read_cosignatures(recorder: RemoteSession) -> list[tuple[int, str]]:
    """Return the version and the player of each cosignature on the server."""
    listed = recorder.get("/cosignatures").json["cosignatures"]
    return [(cosignature["version"], cosignature["player"]) for cosignature in listed]


def read_objectors(recorder: RemoteSession) -> list[str]:
    """Return the players who, on the server, say that the sums are not right."""
    listed = recorder.get("/objections").json["objections"]
    return [objection["player"] for objection in listed]


def witness_version(recorder: RemoteSession, name: str, version: int) -> None:
    """Let another book of this name witness a version."""
    key = public_bytes(phone_key(name)).hex()
    body = witness_body(recorder, name, version)
    answer = recorder.write(f"/witnesses/{key}", body, method="PUT")
    assert answer.status == 200, answer.raw
