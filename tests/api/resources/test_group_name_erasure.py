"""The erased name of a member remains nowhere, whatever happens at the same time."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask

from ledger.groups import member_name_erasure as erasure
from ledger.groups.groups import GroupStore, LinkGrant, UnknownGroup
from ledger.store.append_request import AppendRequest
from tests.support.api.group_client import (
    GroupClient,
    clone_client,
    find_tables_with_name,
    has_no_findings,
    list_sessions,
)
from tests.support.api.session_client import SessionClient
from tests.support.api.simultaneous_calls import call_simultaneously
from tests.support.player_names import FOUR_PLAYERS


def names_as_member(app: Flask, group: GroupClient, member: str) -> list[str]:
    """Return the names that players still have as this member of the group."""
    parameters = {"group": group.id, "member": member}
    with app.extensions["store"].pool.connection() as db:
        return db.execute(
            "SELECT p.name FROM vola.players p JOIN vola.attendance a USING (session_id, player_id)"
            "  JOIN vola.group_sessions e USING (session_id)"
            " WHERE e.group_id = %(group)s AND a.member_id = %(member)s AND p.name IS NOT NULL",
            parameters,
        ).fetchall()


def erase_member(
    app: Flask, group: GroupClient, member: str, key: str, meanwhile: Callable[[], Any]
) -> Any:
    """Erase a member as the API does; `meanwhile` is called between one session and the next."""
    group_store = app.extensions["groups"]
    stored_group = group_store.load(UUID(group.id))

    def substitute_name(player: str) -> str:
        meanwhile()
        return f"Spelare {player[1:]}"

    request = AppendRequest(
        key=key, digest=b"erase", by="host.0", expected_version="any", status=200
    )
    return erasure.erase_member_name(
        group_store, stored_group, member, request, f"Medlem {member[1:]}", substitute_name
    )


def test_an_erased_name_is_not_in_the_name_of_the_group(app: Flask) -> None:
    client = app.test_client()
    body = {
        "name": "Bo Ek och Cillas kort",
        "members": [{"name": n} for n in ("Bo", "Cilla", "Bo Ek")],
    }
    created = client.post("/v1/groups", json=body, headers={"Idempotency-Key": f"found-{uuid4()}"})
    group = GroupClient(client, created.json["id"], created.json["tokens"])
    for member in ("m1", "m2"):
        group.write(f"/members/{member}/name", method="DELETE")
    assert group.state["name"] == "Bo Ek och Medlem 2s kort"


def test_a_session_opened_during_an_erasure_does_not_get_the_name(
    group: GroupClient, app: Flask
) -> None:
    group.open_session()
    openings = iter(
        (lambda: group.open_session("m1", "m2", "m3"), lambda: group.open_session("m3", "m4", "m5"))
    )
    erase_member(app, group, "m3", "erase", lambda: next(openings, lambda: None)())
    assert len(group.state["sessions"]) == 3
    assert names_as_member(app, group, "m3") == []
    assert (
        find_tables_with_name(app, "Cilla", group.id, *(t.id for t in list_sessions(group))) == []
    )
    assert has_no_findings(group)


def test_a_player_who_joins_during_an_erasure_is_erased_or_new(
    group: GroupClient, app: Flask
) -> None:
    opened = [group.open_session("m1", "m2", "m3") for _ in range(4)]
    erased, *_ = call_simultaneously(
        lambda: clone_client(app, group).write("/members/m4/name", method="DELETE"),
        *(
            lambda t=t: clone_client(app, t).write("/players", {"name": "Disa"}, match="*")
            for t in opened
        ),
        *(
            lambda: clone_client(app, group).write(
                "/sessions", {"game": "polskt_pass", "members": ["m4", "m1", "m2"]}
            )
            for _ in range(4)
        ),
    )
    assert (erased.status_code, erased.json) == (200, {"id": "m4", "name": "Medlem 4"})
    assert names_as_member(app, group, "m4") == []
    assert {m["name"] for m in group.state["members"][5:]} <= {"Disa"}, "as somebody new"
    assert has_no_findings(group)


KILLED_ERASURE = """
import os, signal, sys
from uuid import UUID
from ledger.store import connection_pool as database
from ledger.groups import member_name_erasure as erasure
from ledger.groups.groups import GroupStore
from ledger.store.append_request import AppendRequest

url, group_id = sys.argv[1:]
book, evenings = GroupStore(database.open_pool(url, size=2)), []

def instead(player):
    evenings.append(player)
    if len(evenings) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return "Spelare 3"

request = AppendRequest(
    key="erase", digest=b"erase", by="host.0", expected_version="any", status=200
)
circle = book.load(UUID(group_id))
erasure.erase_member_name(book, circle, "m3", request, "Medlem 3", instead)
"""


def test_an_erasure_killed_halfway_is_completed_by_a_repeat(group: GroupClient, app: Flask) -> None:
    opened = [group.open_session("m1", "m2", "m3") for _ in range(3)]
    url = app.extensions["store"].pool.conninfo
    process = subprocess.run([sys.executable, "-c", KILLED_ERASURE, url, group.id], timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert 0 < len(names_as_member(app, group, "m3")) < 3, "in the middle"
    assert group.state["members"][2]["name"] == "Cilla"
    erase_member(app, group, "m3", "erase", lambda: None)
    assert find_tables_with_name(app, "Cilla", group.id, *(t.id for t in opened)) == []
    assert has_no_findings(group)


def test_a_replayed_key_does_not_restore_an_erased_name(app: Flask, open_session: Any) -> None:
    client = app.test_client()
    body = {"name": "Torsdagar", "members": FOUR_PLAYERS[:3]}
    founding = {"json": body, "headers": {"Idempotency-Key": f"found-{uuid4()}"}}
    created = client.post("/v1/groups", **founding).json
    group = GroupClient(client, created["id"], created["tokens"])
    separate = open_session(players=[{"name": n} for n in ("Ada", "Bo", "Cilla Ek")])
    token = {"token": separate.tokens["host"], "members": {"p1": "m1", "p3": "m3"}}
    requests = [
        lambda: group.write("/sessions", {"game": "polskt_pass", "members": ["m1", "m2", "m3"]},
                             key="gather"),
        lambda: group.write("/members", {"name": "Disa"}, key="join"),
        lambda: group.write(f"/sessions/{separate.id}", token, method="PUT", key="add"),
        lambda: client.post("/v1/groups", **founding),
    ]  # fmt: skip
    session = SessionClient(client, requests[0]().json["id"], requests[0]().json["tokens"])
    for request in requests:
        assert request().status_code in (200, 201)
    remark = {"actions": [{"type": "open_deal"}]}
    session_requests = [
        lambda: session.write("/players", {"name": "Emil"}, match="*", key="joins"),
        lambda: session.write("/actions", remark, match="*", key="acts"),
        lambda: session.write(
            "/deals/1?reason=CILLA gav fel", method="DELETE", match="*", key="voids"
        ),
    ]
    for request in session_requests:
        assert request().status_code in (200, 201)
    for member in ("m3", "m4", "m5"):
        assert group.write(f"/members/{member}/name", method="DELETE").status_code == 200
    for request in (*requests, *session_requests):
        answer = request()
        assert answer.headers["Idempotency-Replayed"] == "true"
        for name in (b"cilla", b"disa", b"emil"):
            assert name not in answer.data.lower()
    for name in ("Cilla", "Disa", "Emil"):
        assert find_tables_with_name(app, name, group.id, session.id, separate.id) == []


def test_a_player_with_an_erased_members_name_is_a_new_member(group: GroupClient) -> None:
    session = group.open_session("m1", "m2", "m3")
    group.write("/members/m4/name", method="DELETE")
    session.write("/players", {"name": "Disa"}, match="*")
    [evening] = group.state["sessions"]
    assert evening["members"]["p4"] == "m6"
    assert [m["name"] for m in group.state["members"][3:]] == ["Medlem 4", "Emil", "Disa"]
    assert has_no_findings(group)


def test_an_erasure_in_one_session_leaves_the_others(group: GroupClient) -> None:
    first, second = group.open_session(), group.open_session()
    first.write("/players/p3/name", method="DELETE")
    assert first.state["players"][2]["name"] == "Spelare 3"
    assert second.state["players"][2]["name"] == "Cilla"
    assert group.state["members"][2]["name"] == "Cilla"
    assert has_no_findings(group)


def rejoined_session(group: GroupClient) -> SessionClient:
    """Return a session in which Cilla's name was erased, and that she has joined again."""
    session = group.open_session("m1", "m2", "m3")
    session.write("/players/p3/name", method="DELETE")
    assert session.write("/players", {"name": "Cilla"}, match="*").status_code == 201
    return session


def test_a_member_who_rejoined_an_erased_session_is_erased_again(
    group: GroupClient, app: Flask
) -> None:
    session = rejoined_session(group)
    assert has_no_findings(group)
    group.write("/members/m3/name", method="DELETE")
    assert find_tables_with_name(app, "Cilla", group.id, session.id) == []
    assert has_no_findings(group)


def test_a_member_who_rejoined_is_erased_after_a_carry_forward(
    group: GroupClient, app: Flask
) -> None:
    session = rejoined_session(group)
    following = carry_rejoined_forward(group, session)
    assert group.state["sessions"][0]["members"]["p4"] == "m6", "without a name"
    assert has_no_findings(group)
    group.write("/members/m3/name", method="DELETE")
    assert find_tables_with_name(app, "Cilla", group.id, session.id, following.id) == []
    assert has_no_findings(group)


def carry_rejoined_forward(group: GroupClient, session: SessionClient) -> SessionClient:
    owed = {"from": "p4", "to": "p1", "amount": 500}
    assert session.write("/transfers", owed, match="*").status_code == 201
    assert session.write("/closure", {}, match="*").status_code == 201
    return group.open_session("m1", "m2", "m3", carry=True)


def correct_rejoined(session: SessionClient) -> None:
    name = {"name": "Silla"}
    assert session.write("/players/p4/name", name, method="PUT").status_code == 200


def test_a_member_who_rejoined_in_another_spelling_is_a_new_member(group: GroupClient) -> None:
    session = rejoined_session(group)
    correct_rejoined(session)
    carry_rejoined_forward(group, session)
    assert group.state["members"][-1]["name"] == "Silla"
    assert has_no_findings(group)


def test_a_member_who_rejoined_is_erased_in_every_spelling(group: GroupClient, app: Flask) -> None:
    session = rejoined_session(group)
    carry_rejoined_forward(group, session)
    correct_rejoined(session)
    group.write("/members/m3/name", method="DELETE")
    with app.extensions["store"].pool.connection() as db:
        query = "SELECT name FROM vola.spellings WHERE session_id = %s"
        assert db.execute(query, (session.id,)).fetchall() == []
    assert has_no_findings(group)


def test_the_audit_finds_a_name_that_is_erased_in_the_group_alone(
    group: GroupClient, app: Flask
) -> None:
    session = group.open_session("m1", "m2", "m3")
    with app.extensions["store"].pool.connection() as db:
        db.execute(erasure.ERASE_MEMBER_NAME, {"group_id": group.id, "member": "m3"})
    [finding] = session.get("/audit").json["findings"]
    assert finding["detail"] == "m3 has been erased, and p3 has not."


def test_an_erased_member_cannot_be_named_in_an_added_session(
    group: GroupClient, session: SessionClient
) -> None:
    group.write("/members/m3/name", method="DELETE")
    body = {"token": session.tokens["host"], "members": {"p3": "m3"}}
    answer = group.write(f"/sessions/{session.id}", body, method="PUT")
    assert (answer.status_code, answer.json["code"]) == (404, "unknown_member")
    assert group.state["sessions"] == []


def test_a_refused_erasure_erases_no_name_in_any_session(group: GroupClient) -> None:
    session = group.open_session("m1", "m2", "m3")
    assert group.write("/members", {"name": "Frida"}, key="used").status_code == 201
    answer = group.write("/members/m3/name", method="DELETE", key="used")
    assert (answer.status_code, answer.json["code"]) == (422, "idempotency_key_reused")
    assert session.state["players"][2]["name"] == "Cilla"


def test_an_ended_link_erases_no_name_in_any_session(group: GroupClient, app: Flask) -> None:
    session = group.open_session("m1", "m2", "m3")
    stored_group = app.extensions["groups"].load(UUID(group.id))
    assert group.write("/links/host/rotation", {}).status_code == 201
    ended = GroupStore(app.extensions["store"].pool, grant=LinkGrant(0, 0))
    request = AppendRequest(
        key="erase", digest=b"erase", by="host.0", expected_version="any", status=200
    )
    with pytest.raises(UnknownGroup):
        erasure.erase_member_name(
            ended, stored_group, "m3", request, "Medlem 3", "Spelare {}".format
        )
    assert session.state["players"][2]["name"] == "Cilla"


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("sv", "Namnet på Medlem 3 är raderat. Lägg till personen som ny medlem."),
        ("da", "Navnet på Medlem nr. 3 er slettet. Tilføj personen som nyt medlem."),
        ("en", "The name of Member 3 has been erased. Add the person as a new member."),
        ("de", "Der Name von Mitglied 3 wurde gelöscht. Füge die Person als neues Mitglied hinzu."),
    ],
)
def test_seating_an_erased_member_is_refused_with_the_way_out(
    group: GroupClient, session: SessionClient, language: str, sentence: str
) -> None:
    group.write("/members/m3/name", method="DELETE")
    seating = group.write(
        f"/sessions?lang={language}", {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}
    )
    adding = group.write(
        f"/sessions/{session.id}?lang={language}",
        {"token": session.tokens["host"], "members": {"p3": "m3"}},
        method="PUT",
    )
    for answer in (seating, adding):
        assert (answer.status_code, answer.json["code"]) == (404, "unknown_member")
        assert (answer.json["member"], answer.json["detail"]) == ("m3", sentence)
