"""The statement of a group beside the export of one of its sessions: the lines of that session are
those of its events; no genuine statement is accused and no changed line passes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from flask import Flask

from ledger.proofs.statement_note import NOTE_MEMBER
from tests.support.api.group_client import GroupClient, create_group
from tests.support.api.two_sessions import play_two_sessions
from tests.support.player_names import FIVE_NAMES
from tests.support.proofs.verifier import verify

MEMBERS = ("", "&member=m1", "&member=m2", "&member=m3", "&member=m4", "&member=m5")
PERIODS = ("", "&from=1990-01-01&to=2000-01-01", "&from=2000-01-01")


@pytest.fixture
def group(app: Flask) -> GroupClient:
    """Two sessions, the second carried forward from the first, with a transfer; then one with
    others at the table, a correction and an undone deal."""
    group = play_two_sessions(create_group(app.test_client(), *FIVE_NAMES))
    third = group.open_session("m5", "m2", "m1")
    passed = [{"type": "open_deal"}, {"type": "all_pass"}]
    won = [{"type": "declare", "players": ["p1"]}, {"type": "result", "winner": "p1"}]
    third.act(*passed)
    third.act({"type": "open_deal"}, *won)
    lost = [{"type": "declare", "players": ["p1"]}, {"type": "result", "winner": "p2"}]
    third.write("/deals/2", {"actions": lost}, method="PUT", match="*")
    third.act(*passed)
    third.act({"type": "undo"})
    group.sessions = (*group.sessions, third)
    return group


def judged(document: bytes, export: bytes) -> tuple[int, str, int | None]:
    verdict: tuple[int, str, int | None] = verify.verify_document(document, export=export)
    return verdict


def test_every_genuine_statement_goes_with_the_export_of_each_session(group: GroupClient) -> None:
    exports = [session.get("/export").data for session in group.sessions]
    count = 0
    for query in (member + period for member in MEMBERS for period in PERIODS):
        statement = group.get(f"/statement?format=json{query}").data
        listed = {session["session"] for session in json.loads(statement)["sessions"]}
        for session, export in zip(group.sessions, exports, strict=True):
            expected = (0, "group_remade") if session.id in listed else (1, "export_other")
            assert judged(statement, export)[:2] == expected, query
            count += expected[0] == 0
    print(f"{count} statements with an export, 0 false alarms")
    assert count > len(MEMBERS) * 3


def forgeries(document: dict[str, Any], session_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the statement with one line of the session changed, left out or written twice."""
    for place, line in enumerate(document["lines"]):
        if line["session"] != session_id:
            continue
        for name, other in (
            ("version", line["version"] + 1),
            ("at", "2026-01-01T00:00:00.000000Z"),
            ("deal", 77),
            ("kind", "bet_taken"),
            ("from", "member:m77"),
            ("to", "bet:77"),
            ("amount", line["amount"] + 1),
        ):
            forged = deepcopy(document)
            if line[name] == other:
                continue
            forged["lines"][place][name] = other
            yield f"{name} of {place}", forged
        for count in (0, 2):
            forged = deepcopy(document)
            forged["lines"][place : place + 1] = [line] * count
            yield f"{count} times {place}", forged


def test_every_changed_line_of_a_group_statement_is_found(group: GroupClient) -> None:
    """The statements lack the note, which would reveal any change: the export has to do it."""
    count = 0
    for session in group.sessions:
        export = session.get("/export").data
        document = group.get("/statement?format=json").json
        del document[NOTE_MEMBER]
        assert judged(json.dumps(document).encode(), export)[1] == "group_figures"
        for change, forged in forgeries(document, session.id):
            raw = json.dumps(forged).encode()
            assert verify.verify_document(raw)[1] == "adds_up", change
            assert judged(raw, export)[1] == "remade_wrong", change
            count += 1
    print(f"{count} changed lines, 0 missed")
    assert count > 100


def test_the_first_line_names_the_group_the_member_and_the_period(group: GroupClient) -> None:
    for query, subject in (("", "everybody"), ("&member=m2", "Member 2")):
        raw = group.get(f"/statement?format=json{query}").data
        line = verify.summary_line(0, raw)
        assert line.startswith(f"The statement of {subject} in the group Torsdagar, "), line
        assert line.endswith(" holds.")
    raw = group.get("/statement?format=json&member=m2&from=1990-01-01&to=2000-01-01").data
    assert verify.summary_line(0, raw) == (
        "The statement without lines of Member 2 in the group Torsdagar holds."
    )


@pytest.mark.parametrize("code", ["group", "group_remade"])
def test_the_number_of_evenings_is_said_without_a_plural(code: str) -> None:
    assert " signed it (evenings: 1)" in verify.SENTENCES[code].format(version=1)
