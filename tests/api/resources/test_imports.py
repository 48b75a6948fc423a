"""A session is exported from one server and imported by another, over HTTP and by files."""

import json
from copy import deepcopy
from hashlib import sha256
from itertools import count
from uuid import UUID

import psycopg
import pytest

from api.resources import imports
from api.schemas.export import check_export_in_time, parse_export
from ledger.audit import run
from ledger.audit.check_projections import check_projections
from ledger.audit.check_rules import check_rules
from ledger.audit.run import audit_session
from ledger.store.database_snapshot import database_snapshot
from ledger.transfer import import_check
from tests.support.api.command_line import assert_refused, invoke_vola, run_vola
from tests.support.api.cosigning import cosignature_body, put_cosignature, put_witness, witness_body
from tests.support.api.group_client import create_group, open_session_with_payments, settle_payments
from tests.support.api.session_client import SessionClient
from tests.support.api.two_sessions import play_two_sessions
from tests.support.player_names import FIVE_NAMES, mentions
from tests.support.proofs.resigned_export import resign_export
from tests.support.proofs.verifier import verify
from tests.support.worked_evenings import E1, lines

keys = (f"an import of its own, {n}" for n in count(1))
PATHS = (
    *("", "/deals", "/pot", "/bets", "/balances", "/payments", "/settlement", "/events?limit=1000"),
    "/costs",
    *("/statement?format=json", "/statement?format=json&player=p3", "/statement?format=csv"),
    "/statement?format=hledger",
)
SIGNED_FIELDS = ("key", "checkpoint", "signature")
"""Signed by each server with its own key, in statements as well."""


@pytest.fixture(scope="module")
def other_server(module_app, module_urls):
    """Another server with a database of its own."""
    module_app.urls = module_urls
    return module_app


def post_import(app, body, key=None, **headers):
    request_body = {"json": body} if isinstance(body, dict) else {"data": body}
    headers = {"Idempotency-Key": key or next(keys), **headers}
    headers.setdefault("Content-Type", "application/json")
    return app.test_client().post("/v1/imports", headers=headers, **request_body)


def imported_session(app, answer):
    assert answer.status_code == 201, answer.text
    return SessionClient(app.test_client(), answer.json["id"], answer.json["tokens"])


def full_export(session):
    return session.get("/export?names=true").json


@pytest.fixture
def eventful(app, session):
    """E1 with a newcomer, a correction with its reason, a transfer, costs and an erased name."""
    for line in list(lines(E1))[:5]:
        assert session.act(*line.actions()).status_code == 201
        settle_payments(app, session)
    session.write("/players", {"name": "Emil"}, match="*")
    passed = {"actions": [{"type": "all_pass"}], "reason": "Bo hade fel kort"}
    assert session.write("/deals/1", passed, method="PUT", match="*").status_code == 200
    session.write("/transfers", {"from": "p1", "to": "p2", "amount": 5}, match="*")
    pizza = {"payer": "p5", "amount": 43_001, "purpose": "Pizza till Bo"}
    for body in (pizza, {**pizza, "parts": {"p1": 2, "p2": 1}}, pizza):
        assert session.write("/costs", body).status_code == 201
    assert session.write("/costs/1", pizza, method="PUT", match="*").status_code == 200
    assert session.write("/costs/3", method="DELETE", match="*").status_code == 200
    session.write("/players/p2/name", method="DELETE")
    settle_payments(app, session)
    return session


def is_clean(app, session_id):
    with psycopg.connect(app.urls.audit) as db, database_snapshot(db):
        return audit_session(db, UUID(session_id)) == []


def unsigned_content(session, response):
    """Return the body without what each server signs with its own key."""
    if response.mimetype != "application/json":
        return response.text.replace(session.client.get("/v1/key").json["words"], "")
    return {k: v for k, v in response.json.items() if k not in SIGNED_FIELDS}


def test_an_import_takes_the_cosignatures_over(other_server, eventful):
    for player in ("p1", "p3"):
        put_cosignature(eventful, cosignature_body(eventful, player, eventful.version))
    listed, exported = eventful.get("/cosignatures").json, full_export(eventful)
    forged = deepcopy(exported)
    forged["witnessed"]["cosignatures"][1]["player"] = "p4"
    refused = post_import(other_server, forged)
    assert (refused.status_code, refused.json["reason"]) == (422, "cosignature_wrong")
    imported = imported_session(other_server, post_import(other_server, exported))
    assert imported.get("/cosignatures").json == listed
    assert len(listed["cosignatures"]) == 2
    assert is_clean(other_server, imported.id)
    assert verify.verify_document(imported.get("/export").data)[0] == 0


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("checkpoint", "signature_wrong"),
        ("hash", "checkpoint_wrong"),
        ("at", "checkpoint_wrong"),
        ("consistency", "cosignature_wrong"),
        ("signature", "cosignature_wrong"),
    ],
)
def test_an_import_refuses_a_forged_witness(other_server, eventful, field, reason):
    for name, version in (("kortklubben", 3), ("bo", eventful.version)):
        put_witness(eventful, witness_body(eventful, name, version))
    exported = full_export(eventful)
    forged = deepcopy(exported)
    first, second = forged["witnesses"]
    first[field] = second[field]
    if field == "checkpoint":
        first[field] = second[field].replace(exported["session"], str(UUID(int=1)))
    refused = post_import(other_server, forged)
    assert (refused.status_code, refused.json["reason"]) == (422, reason)
    forged["witnesses"][0]["at"] = "yesterday"
    assert post_import(other_server, forged).json["code"] == "wrong_shape"
    imported = imported_session(other_server, post_import(other_server, exported))
    assert imported.get("/cosignatures").json == eventful.get("/cosignatures").json


def test_an_imported_session_reads_the_same_everywhere(other_server, eventful):
    imported = imported_session(other_server, post_import(other_server, full_export(eventful)))
    assert imported.id == eventful.id
    for path in PATHS:
        for language in ("sv", "en"):
            original, copy = (
                t.get(path, role="viewer", **{"Accept-Language": language})
                for t in (eventful, imported)
            )
            assert original.status_code == copy.status_code == 200, path
            assert unsigned_content(eventful, original) == unsigned_content(imported, copy), path
            assert original.headers.get("ETag") == copy.headers.get("ETag")
    exported = full_export(imported)
    for name in ("key", "checkpoint", "labels"):
        assert exported.pop(name)
    assert exported.items() <= full_export(eventful).items()
    assert not mentions(json.dumps(exported, ensure_ascii=False), "Bo")
    assert imported.get("/audit").json["findings"] == []
    assert is_clean(other_server, imported.id)


def test_the_answer_to_an_import_is_that_of_a_new_session(other_server, eventful):
    file = full_export(eventful)
    answer = post_import(other_server, file, key="once and never another time")
    state = {k: v for k, v in answer.json.items() if k != "tokens"}
    assert state == eventful.state
    assert answer.headers["Location"] == eventful.path
    assert answer.headers["ETag"] == f'"{eventful.version}"'
    replay = post_import(other_server, file, key="once and never another time")
    assert (replay.status_code, replay.headers["Idempotency-Replayed"]) == (201, "true")
    assert replay.data == answer.data
    refused = post_import(
        other_server, {**file, "title": "Another"}, key="once and never another time"
    )
    assert (refused.status_code, refused.json["code"]) == (422, "idempotency_key_reused")


def test_tokens_are_not_imported_and_new_ones_are_valid(other_server, eventful):
    imported = imported_session(other_server, post_import(other_server, full_export(eventful)))
    assert not set(imported.tokens.values()) & set(eventful.tokens.values())
    for role, token in eventful.tokens.items():
        foreign = SessionClient(imported.client, imported.id, {role: token}, role=role)
        assert foreign.get().status_code == 404
        foreign = SessionClient(
            eventful.client, imported.id, {role: imported.tokens[role]}, role=role
        )
        assert foreign.get().status_code == 404
    assert imported.act({"type": "open_deal"}, role="scorer").status_code == 201
    assert imported.act({"type": "undo"}, role="viewer").status_code == 403
    assert {event["by"] for event in imported.get("/events?limit=1000").json["events"]} == {
        *("host.0", "worker", "scorer.1")
    }
    assert is_clean(other_server, imported.id)


def test_only_the_host_exports_names(session):
    for role, status in (("host", 200), ("scorer", 403), ("viewer", 403)):
        answer = session.get("/export?names=true", role=role)
        assert answer.status_code == status
        plain = session.get("/export?names=false", role=role)
        assert plain.data == session.get("/export", role=role).data
        assert "names" not in plain.json
        assert not mentions(plain.text, "Ada")
    assert session.get("/export?names=true", role="viewer").json["code"] == "role_too_low"
    for wrong in ("", "1", "True", "names"):
        assert session.get(f"/export?names={wrong}").status_code == 422


def test_an_export_can_be_verified_without_the_server(session):
    file = session.get("/export?names=true").data
    assert verify.verify_document(file)[:2] == (0, "export")
    assert verify.verify_document(file.replace(b'"Ada"', b'"Eva"'))[:2] == (1, "names_wrong")


def test_without_names_players_are_numbered(other_server, eventful):
    imported = imported_session(
        other_server, post_import(other_server, eventful.get("/export", role="viewer").json)
    )
    assert {p["name"] for p in imported.state["players"]} == {f"Spelare {n}" for n in range(1, 6)}
    assert imported.state["title"] is None
    assert imported.state["balances"] == eventful.state["balances"]
    assert is_clean(other_server, imported.id)


def test_payments_due_are_settled_after_the_import(other_server, session):
    vola = {"type": "result", "la_vola": {"player": "p3", "won": True}}
    session.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]}, vola)
    imported = imported_session(other_server, post_import(other_server, full_export(session)))
    assert {p["status"] for p in imported.state["payments"]} == {"due"}
    settle_payments(other_server, imported)
    assert {p["status"] for p in imported.state["payments"]} == {"settled"}
    assert is_clean(other_server, imported.id)


def test_a_name_can_be_erased_after_the_import(other_server, session):
    imported = imported_session(
        other_server,
        post_import(other_server, full_export(session), key="the evening with Ada in it"),
    )
    assert imported.write("/players/p1/name", method="DELETE").status_code == 200
    replay = post_import(other_server, full_export(session), key="the evening with Ada in it")
    assert replay.headers["Idempotency-Replayed"] == "true"
    assert not mentions(replay.text, "Ada")
    assert not mentions(imported.get("/export?names=true").text, "Ada")
    assert is_clean(other_server, imported.id)


def test_a_session_that_exists_is_not_imported_again(app, other_server, session, open_session):
    """Its version is reported only for a file with the same history."""
    file = full_export(session)
    for server in (app, other_server):
        if server is other_server:
            imported_session(server, post_import(server, file))
        refused = post_import(server, file)
        assert (refused.status_code, refused.json["code"]) == (409, "session_exists")
        assert refused.json["version"] == session.version
        forged = resign_export(
            {**open_session(options={"stake": 7}).get("/export").json, "session": session.id}
        )
        refused = post_import(server, forged)
        assert (refused.status_code, refused.json["code"]) == (409, "session_exists")
        assert refused.json["version"] is None


def test_an_existing_session_is_refused_before_the_check(other_server, session, monkeypatch):
    """The check takes seconds of work, and could be requested again and again."""
    file = full_export(session)
    imported_session(other_server, post_import(other_server, file))

    def fail(*_):
        raise AssertionError("it is here already")

    monkeypatch.setattr(imports, "check_export_in_time", fail)
    problem = assert_import_refused(other_server, file, 409, "session_exists")
    assert problem["version"] == session.version
    session.act({"type": "open_deal"}, match="*")
    changed = full_export(session)
    changed["events"][-1]["data"] += " "
    assert assert_import_refused(other_server, changed, 409, "session_exists")["version"] is None


def test_a_session_of_a_group_is_imported_without_its_group(app, other_server):
    """What was carried forward is in both sessions; the group stays where it was."""
    group = create_group(app.test_client(), *FIVE_NAMES)
    imported = [
        imported_session(other_server, post_import(other_server, full_export(t)))
        for t in play_two_sessions(group).sessions
    ]
    for copy, original in zip(imported, group.sessions, strict=True):
        assert copy.state == original.state
        assert "group" not in copy.get("/links").json
        assert is_clean(other_server, copy.id)
    assert imported[0].state["carried_to"] == imported[1].id
    assert imported[1].state["carried_from"] == imported[0].id


def test_an_imported_session_can_join_a_group_and_be_carried_forward(app, other_server):
    """The group counts what was carried forward once, and continues with what is open."""
    original = play_two_sessions(create_group(app.test_client(), *FIVE_NAMES))
    target = create_group(other_server.test_client(), *FIVE_NAMES)
    members = {f"p{n}": f"m{n}" for n in range(1, 6)}
    for session in original.sessions:
        imported = imported_session(other_server, post_import(other_server, full_export(session)))
        attendance = original.state["sessions"][original.sessions.index(session)]["members"]
        added = {"token": imported.tokens["host"], "members": attendance or members}
        answer = target.write(f"/sessions/{imported.id}", added, method="PUT")
        assert answer.status_code in (200, 201), answer.text
    assert imported.write("/closure", {}, match="*").status_code == 201
    original_totals, target_totals = (
        c.get("/statement?format=json").json for c in (original, target)
    )
    assert original_totals["balances"] == target_totals["balances"]
    third = target.open_session(carry=True)
    assert third.state["balances"] == {**third.state["balances"], **open_balances(imported)}
    for session_id in (imported.id, third.id):
        assert is_clean(other_server, session_id)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_copy_from_before_an_evening_was_carried_forward_counts_once(app, other_server, order):
    original = create_group(app.test_client(), *FIVE_NAMES)
    first = open_session_with_payments(original, ("p1", "p2", 300))
    files = [full_export(first)]
    second = original.open_session(carry=True)
    second.write("/transfers", {"from": "p2", "to": "p1", "amount": 300}, match="*")
    second.write("/closure", {}, match="*")
    files.append(full_export(second))
    target = create_group(other_server.test_client(), *FIVE_NAMES)
    members = {f"p{n}": f"m{n}" for n in range(1, 6)}
    for place in order:
        imported = imported_session(other_server, post_import(other_server, files[place]))
        added = {"token": imported.tokens["host"], "members": members}
        answer = target.write(f"/sessions/{imported.id}", added, method="PUT")
        assert answer.status_code == 200, answer.text
    for group in (original, target):
        assert group.get("/open-balances").json["currencies"] == []
        assert {m: s["open"] for m, s in group.standings_by_member.items() if s["open"]} == {}
        assert group.state["carry_forward"] is None


def open_balances(session):
    return {p: n for p, n in session.state["balances"].items() if n}


def assert_import_refused(app, body, status, code, **headers):
    answer = post_import(app, body, **headers)
    assert (answer.status_code, answer.json["code"]) == (status, code), answer.text
    return answer.json


def test_an_invalid_export_is_refused_with_the_event(other_server, eventful):
    file = full_export(eventful)
    file["events"][4]["data"] += " "
    problem = assert_import_refused(other_server, file, 422, "export_invalid")
    assert (problem["reason"], problem["version"]) == ("hash_wrong", 5)
    assert "5" in problem["detail"]
    details = {
        language: post_import(other_server, file, **{"Accept-Language": language}).json["detail"]
        for language in ("sv", "en", "da", "de")
    }
    assert len(set(details.values())) == 4
    assert (
        SessionClient(other_server.test_client(), eventful.id, eventful.tokens).get().status_code
        == 404
    )


@pytest.mark.parametrize(
    ("pointer", "change"),
    [
        ("/format", lambda doc: doc.update(format="vola session 2")),
        ("/events/2/at", lambda doc: doc["events"][2].update(at=5.0)),
        ("/events/0/version", lambda doc: doc["events"][0].update(version=True)),
        ("/events/1/by", lambda doc: doc["events"][1].update(by="Ada")),
        ("/events/1/hash", lambda doc: doc["events"][1].pop("hash")),
        ("/events/1/more", lambda doc: doc["events"][1].update(more=1)),
        ("/events", lambda doc: doc.update(events=[])),
        ("/names/0/name", lambda doc: doc["names"][0].update(name="A\u202eda")),
        ("/names/0/name", lambda doc: doc["names"][0].update(name=" Ada")),
        ("/title", lambda doc: doc.update(title="x" * 41)),
        ("/tokens", lambda doc: doc.update(tokens={})),
        ("/a~1~0b", lambda doc: doc.update({"a/~b": 1})),
    ],
)
def test_a_wrong_shape_is_refused_with_its_pointer(other_server, session, pointer, change):
    session.act({"type": "open_deal"}, {"type": "all_pass"})
    file = full_export(session)
    change(file)
    problem = assert_import_refused(other_server, file, 422, "wrong_shape")
    assert [error["pointer"] for error in problem["errors"]] == [pointer]


@pytest.mark.parametrize("name", ["a - at `$b", " - at `$" * 100_000 + "\n"], ids=["one", "many"])
def test_an_unknown_field_cannot_pose_as_the_place_of_a_fault(other_server, session, name):
    """With many such places in the name, a search for the last took hours, and stopped the server
    for everybody."""
    file = full_export(session)
    file["events"][0][name] = 1
    problem = assert_import_refused(other_server, file, 422, "wrong_shape")
    assert [error["pointer"] for error in problem["errors"]] == [f"/events/0/{name}"]


@pytest.mark.parametrize(
    ("detail", "change"),
    [
        ("Must be a list.", lambda doc: doc.update(events={})),
        ("Must be a whole number.", lambda doc: doc["events"][0].update(version="1")),
        ("Must be text.", lambda doc: doc.update(session=7)),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_by_its_type(other_server, session, detail, change):
    file = full_export(session)
    change(file)
    problem = assert_import_refused(
        other_server, file, 422, "wrong_shape", **{"Accept-Language": "en"}
    )
    assert [error["detail"] for error in problem["errors"]] == [detail]


def test_an_unknown_currency_is_refused(other_server, session):
    file = full_export(session)
    opening = json.loads(file["events"][0]["data"]) | {"currency": "kronor"}
    file["events"][0]["data"] = json.dumps(opening, sort_keys=True, separators=(",", ":"))
    problem = assert_import_refused(other_server, resign_export(file), 422, "export_invalid")
    assert (problem["reason"], problem["version"]) == ("event_impossible", 1)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("spell", ["urn:uuid:{}".format, "{{{}}}".format, str.upper])
def test_an_id_of_another_session_has_one_spelling(app, other_server, place, spell):
    """An archive of the book compares such ids, so it could not be written any more."""
    group = create_group(app.test_client(), *FIVE_NAMES)
    file = full_export(play_two_sessions(group).sessions[place])
    event_type, field = [("carried_forward", "to"), ("brought_forward", "session")][place]
    (event,) = (event for event in file["events"] if event["type"] == event_type)
    session_id = json.loads(event["data"])[field]
    event["data"] = event["data"].replace(session_id, spell(session_id))
    problem = assert_import_refused(other_server, resign_export(file), 422, "export_invalid")
    assert (problem["reason"], problem["version"]) == ("event_impossible", event["version"])


@pytest.mark.parametrize(("owner", "status"), [("p1", 201), ("p77", 422)])
def test_a_bet_of_somebody_who_is_no_player_is_refused(app, other_server, owner, status):
    """A group with such an evening could not carry it forward: the server answered 500."""
    group = create_group(app.test_client(), *FIVE_NAMES)
    open_session_with_payments(group, ("p1", "p2", 7))
    file = full_export(group.open_session("m1", "m2", "m3", carry=True))
    event = file["events"][-1]
    bet = {"bet": 1, "by": [owner], "each": 5, "paid": False}
    brought = json.loads(event["data"]) | {"bets": [bet]}
    event["data"] = json.dumps(brought, sort_keys=True, separators=(",", ":"))
    answer = post_import(other_server, resign_export(file))
    assert answer.status_code == status, answer.text
    if status == 201:
        imported = imported_session(other_server, answer)
        assert imported.write("/closure", {}, match="*").status_code == 201
        target = create_group(other_server.test_client(), *FIVE_NAMES)
        added = {"token": imported.tokens["host"], "members": {"p1": "m1", "p2": "m2", "p3": "m3"}}
        target.write(f"/sessions/{imported.id}", added, method="PUT")
        target.open_session("m1", "m2", "m3", carry=True)
    else:
        problem = answer.json
        assert (problem["reason"], problem["version"]) == ("event_impossible", 2)


def test_a_balance_that_leaves_no_room_for_what_is_due_is_refused(app, other_server):
    """The payment that is due could never be settled, and the server would not be ready again."""
    group = create_group(app.test_client(), *FIVE_NAMES)
    open_session_with_payments(group, ("p1", "p2", 7))
    session = group.open_session("m1", "m2", "m3", carry=True)
    won = {"type": "result", "la_vola": {"player": "p1", "won": True}}
    session.act({"type": "open_deal"}, {"type": "declare", "players": ["p1"]}, won)
    file = full_export(session)
    (event,) = (event for event in file["events"] if event["type"] == "brought_forward")
    brought = json.loads(event["data"])
    for most, refused in ((2**63 - 1, True), (2**53, True), (2**53 - 1, False)):
        balances = brought | {"balances": {"p1": most, "p2": -most}}
        event["data"] = json.dumps(balances, sort_keys=True, separators=(",", ":"))
        forged = resign_export(file)
        if refused:
            problem = assert_import_refused(other_server, forged, 422, "export_invalid")
            assert (problem["reason"], problem["version"]) == ("event_impossible", 2)
    imported = imported_session(other_server, post_import(other_server, forged))
    settle_payments(other_server, imported)
    assert {p["status"] for p in imported.state["payments"]} == {"settled"}


@pytest.mark.parametrize("most", [2, 3])
def test_more_due_payments_than_are_settled_at_once_are_refused(
    other_server, session, monkeypatch, most
):
    """A forged file had tens of thousands of them, due since 1970: the server was not ready until
    all were settled, in a transaction that took longer than one may last."""
    monkeypatch.setattr(import_check, "MAX_SETTLED_AT_ONCE", most)
    vola = {"type": "result", "la_vola": {"player": "p3", "won": True}}
    session.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]}, vola)
    file = full_export(session)
    if most >= len(session.state["payments"]):
        imported_session(other_server, post_import(other_server, file))
    else:
        problem = assert_import_refused(other_server, file, 422, "export_invalid")
        assert (problem["reason"], problem["version"]) == ("too_much", len(file["events"]))
        assert "500" in problem["detail"]


@pytest.mark.parametrize(("each", "is_refused"), [(2**53, True), (2**53 - 1 - 7, False)])
def test_a_claim_that_no_balance_can_pay_is_refused(app, other_server, each, is_refused):
    """Once it was shared out, no book could import the evening, nor the archive's group with it."""
    group = create_group(app.test_client(), *FIVE_NAMES)
    open_session_with_payments(group, ("p1", "p2", 7))
    file = full_export(group.open_session("m1", "m2", "m3", carry=True))
    event = file["events"][-1]
    bet = {"bet": 1, "by": ["p1"], "each": each, "paid": False}
    brought = json.loads(event["data"]) | {"bets": [bet]}
    event["data"] = json.dumps(brought, sort_keys=True, separators=(",", ":"))
    if is_refused:
        assert_import_refused(other_server, resign_export(file), 422, "export_invalid")
    else:
        imported = imported_session(other_server, post_import(other_server, resign_export(file)))
        body = {"leftover_policy": "split_equal"}
        assert imported.write("/closure", body, match="*").status_code == 201
        check_export_in_time(parse_export(full_export(imported)))


def test_the_last_link_that_an_event_can_name_is_refused(other_server, session):
    """The links of the import would come after it."""
    session.act({"type": "open_deal"}, {"type": "all_pass"})
    file = full_export(session)
    file["events"][-1]["by"] = "host.9999"
    problem = assert_import_refused(other_server, resign_export(file), 422, "export_invalid")
    assert (problem["reason"], problem["version"]) == ("too_much", len(file["events"]))
    file["events"][-1]["by"] = "host.9998"
    imported = imported_session(other_server, post_import(other_server, resign_export(file)))
    assert imported.act({"type": "open_deal"}).status_code == 201
    assert imported.get("/events").json["events"][-1]["by"] == "host.9999"


def test_a_file_that_is_too_large_is_refused_with_the_limit(other_server, monkeypatch):
    problem = assert_import_refused(other_server, b" " * (imports.MAX_BYTES + 1), 413, "too_large")
    assert problem["most"] == imports.MAX_BYTES == 16 * 2**20
    assert_import_refused(
        other_server, b"{" + b" " * 2**20, 400, "malformed_json"
    )  # larger than any other operation accepts


def test_a_check_that_takes_too_long_is_refused(other_server, session, monkeypatch):
    session.act({"type": "open_deal"}, {"type": "all_pass"})
    monkeypatch.setattr(check_export_in_time, "__defaults__", (0,))
    problem = assert_import_refused(other_server, full_export(session), 422, "export_invalid")
    assert (problem["reason"], problem["version"]) == ("too_much", 1)


@pytest.mark.parametrize("check", [check_projections, check_rules])
def test_an_audit_that_takes_too_long_refuses_the_import(other_server, session, monkeypatch, check):
    """Corrections are slower to decide again than to fold: a file that took 30 seconds to check
    took minutes then, in which nothing else was imported."""
    session.act({"type": "open_deal"}, {"type": "all_pass"})
    file = full_export(session)
    is_late = []
    limit = "api.representations.imported_session.time_limit"
    monkeypatch.setattr(limit, lambda _: lambda: bool(is_late))
    check_in_time = getattr(run, check.__name__)
    monkeypatch.setattr(run, check.__name__, lambda *a: is_late.append(1) or check_in_time(*a))
    problem = assert_import_refused(other_server, file, 422, "export_invalid")
    assert (problem["reason"], problem["version"]) == ("too_much", 1)
    is_late.clear()
    monkeypatch.undo()
    imported_session(other_server, post_import(other_server, file))


@pytest.fixture
def environment(other_server, data):
    urls = other_server.urls
    return {
        **urls.environment,
        "VOLA_DATA": str(data),
    }


def test_files_are_imported_one_by_one_and_only_once(
    other_server, environment, open_session, tmp_path
):
    sessions, files = [open_session(title=f"Kväll {n}") for n in range(3)], []
    for number, session in enumerate(sessions):
        file = tmp_path / f"{number}.json"
        file.write_bytes(session.get("/export?names=true").data)
        files.append(str(file))
    for status in ("is here now", "was here already"):
        result = invoke_vola("import", *files, **environment)
        assert result.returncode == 0, result.stderr
        output = result.stdout.strip().splitlines()
        assert len(output) == 3
        for line, session in zip(output, sessions, strict=True):
            assert status in line
            session_id, token = line.rpartition("/#/s/")[2].split("/")
            imported = SessionClient(other_server.test_client(), session_id, {"host": token})
            assert imported.state == session.state


def test_a_refused_file_does_not_stop_the_others(other_server, environment, open_session, tmp_path):
    good, forged, truncated = (tmp_path / f"{name}.json" for name in ("good", "bent", "torn"))
    session = open_session()
    good.write_bytes(session.get("/export?names=true").data)
    forged.write_bytes(open_session().get("/export?names=true").data.replace(b'"Ada"', b'"Eva"'))
    truncated.write_bytes(b"{")
    missing = str(tmp_path / "gone.json")
    result = invoke_vola("import", str(forged), str(truncated), missing, str(good), **environment)
    assert result.returncode == 2
    refusals = (("bent.json", "names"), ("torn.json", "JSON"), ("gone.json", "cannot be read"))
    for line, words in zip(result.stderr.strip().splitlines(), refusals, strict=True):
        assert all(word in line for word in words), line
    assert session.id in result.stdout
    changed = tmp_path / "again.json"
    changed.write_bytes(good.read_bytes() + b"\n")
    assert_refused(invoke_vola("import", str(changed), **environment), "already here", "version 1")


def test_a_client_cannot_use_the_key_of_a_file(other_server, environment, open_session, tmp_path):
    file, other = tmp_path / "evening.json", open_session()
    file.write_bytes(open_session().get("/export?names=true").data)
    key = f"file {sha256(file.read_bytes()).hexdigest()}"
    for _ in range(2):  # the second time, the same response
        imported_session(other_server, post_import(other_server, full_export(other), key))
    result = invoke_vola("import", str(file), **environment)
    assert (result.returncode, "is here now" in result.stdout) == (0, True), result.stderr


def test_an_export_by_command_holds_all_that_an_import_needs(
    other_server, environment, session, tmp_path
):
    imported = imported_session(other_server, post_import(other_server, full_export(session)))
    file = tmp_path / "evening.json"
    result = run_vola("export", imported.id, "--names", "-o", str(file), **environment)
    assert result.returncode == 0, result.stderr
    assert file.read_bytes() == imported.get("/export?names=true").data


def test_a_remark_made_longer_by_corrected_names_is_imported(session, other_server):
    session.act({"type": "open_deal"})
    reason = "Bo " * 65 + "gav"
    voided = session.write(f"/deals/1?reason={reason}", method="DELETE", match="*")
    assert voided.status_code == 200
    corrected = session.write("/players/p2/name", {"name": "Bo Lagerkvist"}, method="PUT")
    assert corrected.status_code == 200
    here = imported_session(other_server, post_import(other_server, full_export(session)))
    assert here.get("/deals").json["deals"] == session.get("/deals").json["deals"]


@pytest.mark.parametrize(
    ("reason", "corrections", "remark"),
    [
        # each name that is corrected contains the next, and `Q B` hides that from the correction
        ("Q A " * 50, {"p1": "B " * 20, "p2": "C" * 40}, "Q B" + f" {'C' * 40}" * 19),
        ("=A", {"p1": "\u0338x"}, "\u2260x"),
    ],
    ids=["long", "composed"],
)
def test_a_remark_stays_such_that_it_can_be_imported(
    open_session, other_server, reason, corrections, remark
):
    session = open_session(players=[{"name": name} for name in ("A", "B", "Q B", "Disa")])
    session.act({"type": "open_deal"})
    assert session.write(f"/deals/1?reason={reason}", method="DELETE", match="*").status_code == 200
    for player, name in corrections.items():
        corrected = session.write(f"/players/{player}/name", {"name": name.strip()}, method="PUT")
        assert corrected.status_code == 200
    exported = full_export(session)
    (stored,) = (remark["remark"] for remark in exported["remarks"])
    assert stored.startswith(remark)
    assert len(stored) <= 8000
    imported_session(other_server, post_import(other_server, exported))


def test_a_remark_is_not_cut_inside_a_name(open_session):
    session = open_session(players=[{"name": name} for name in ("A", "B", "Q B", "Disa Ek")])
    session.act({"type": "open_deal"})
    reason = "Q A " * 48 + "Disa Ek"
    assert session.write(f"/deals/1?reason={reason}", method="DELETE", match="*").status_code == 200
    for player, name in {"p1": " ".join("B" * 20), "p2": "C" * 30 + " Ek"}.items():
        session.write(f"/players/{player}/name", {"name": name}, method="PUT")
    session.write("/players/p2/name", method="DELETE")
    assert "C" not in full_export(session)["remarks"][0]["remark"]
