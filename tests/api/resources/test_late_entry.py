"""A deal from paper is marked as entered afterwards, and keeps the mark."""

from __future__ import annotations

import pytest

from api.i18n.catalog import LANGUAGES, catalog
from tests.support.api.printed_page import page_text, printed_pages
from tests.support.api.session_client import SessionClient

PASSED = {"type": "all_pass"}
LATE = {"type": "open_deal", "late_entry": True}


def late_entry_flags(session: SessionClient) -> list[bool]:
    """Return for each opening in the events whether it was entered afterwards."""
    events = session.get("/events").json["events"]
    openings = [event["data"] for event in events if event["type"] == "deal_opened"]
    return [data.get("late_entry", False) for data in openings]


def has_late_entry_note(session: SessionClient) -> bool:
    return "from paper" in session.get("/statement?format=html&lang=en").text


def test_a_late_entry_is_in_the_event_the_export_and_the_audit(session: SessionClient) -> None:
    session.act(LATE, PASSED)
    session.act({"type": "open_deal"}, PASSED)
    session.act({"type": "open_deal", "late_entry": False}, PASSED)
    assert late_entry_flags(session) == [True, False, False]
    assert session.get("/deals/1").json["actions"][0] == {**LATE, "number": 1}
    assert session.get("/deals/2").json["actions"][0] == {"type": "open_deal", "number": 2}
    assert '"late_entry":true' in session.get("/export").text.replace("\\", "")
    assert session.get("/audit").json["findings"] == []


def test_a_correction_and_an_undo_leave_it_so(session: SessionClient) -> None:
    session.act(LATE, PASSED)
    session.act(LATE, PASSED)
    played = {
        "actions": [{"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p3"}]
    }
    answer = session.write("/deals/1", played, method="PUT", match=f'"{session.version}"')
    assert answer.status_code in (200, 201), answer.json
    session.act({"type": "undo"})
    session.act({"type": "undo"})
    for number in (1, 2):
        assert session.get(f"/deals/{number}").json["actions"][0]["late_entry"] is True
    assert session.get("/audit").json["findings"] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_statement_names_the_deals(session: SessionClient, language: str) -> None:
    for action in (LATE, LATE, LATE, {"type": "open_deal"}, LATE):
        session.act(action, PASSED)
    note = catalog(language)["statement"]["late_entry"].format(deals="1–3, 5")
    assert note in session.get(f"/statement?format=html&lang={language}").text
    (page,) = printed_pages(session.get(f"/statement?format=pdf&lang={language}").data)
    assert "".join(note.split()) in page_text(page)


def test_no_statement_of_witnessed_deals_says_so(session: SessionClient) -> None:
    session.act({"type": "open_deal"}, PASSED)
    assert not has_late_entry_note(session)
    session.act(LATE, PASSED)
    assert has_late_entry_note(session)


@pytest.mark.parametrize("value", [1, "true", None, []])
def test_late_entry_is_true_or_false(session: SessionClient, value: object) -> None:
    answer = session.act({"type": "open_deal", "late_entry": value}, PASSED)
    assert (answer.status_code, answer.json["code"]) == (422, "wrong_shape")
    assert answer.json["errors"][0]["pointer"] == "/actions/0/late_entry"
