"""The open balances of a group over HTTP: their origins, and payments against them."""

from functools import partial

import pytest

from tests.support.api.balance_import import import_body
from tests.support.api.group_client import (
    clone_client,
    create_group,
    has_no_findings,
    open_session_with_payments,
)
from tests.support.api.group_requests import client_with_new_links, end_link
from tests.support.api.session_client import SessionClient
from tests.support.api.simultaneous_calls import call_simultaneously

WRITERS = 'SELECT "by" FROM vola.group_events WHERE group_id = %s ORDER BY number'


@pytest.fixture
def group(app):
    return create_group(app.test_client(), "Ada", "Bo", "Cilla")


def open_balances(group):
    answer = group.get("/open-balances")
    assert answer.status_code == 200, answer.text
    return answer.json


def amounts(group, currency="SEK"):
    [found] = [c for c in open_balances(group)["currencies"] if c["currency"] == currency]
    return {row["id"]: row["amount"] for row in found["balances"]}


def pay(group, payer, payee, amount, role="scorer", key=None):
    body = {"from": payer, "to": payee, "amount": amount, "currency": "SEK", "method": "swish"}
    return group.write("/transfers", body, role=role, key=key)


def test_a_new_group_has_no_open_balances(group):
    assert open_balances(group) == {"group": group.id, "former_members": [], "currencies": []}


def test_balances_add_up_over_evenings_and_contain_their_reasons(group):
    first = open_session_with_payments(group, ("p1", "p2", 300))
    open_session_with_payments(group, ("p2", "p1", 100), ("p3", "p1", 50), closed=False)
    open_session_with_payments(group, ("p1", "p3", 70), currency="DKK")
    assert amounts(group) == {"m1": 150, "m2": -200, "m3": 50}
    assert amounts(group, "DKK") == {"m1": 70, "m3": -70}
    crowns = open_balances(group)["currencies"][1]
    assert crowns["transfers"] == [
        {"from": "m2", "to": "m1", "amount": 150},
        {"from": "m2", "to": "m3", "amount": 50},
    ]
    ada, *_ = crowns["balances"]
    assert [(part["source"], part["number"], part["amount"]) for part in ada["parts"]] == [
        ("evening", 1, 300),
        ("evening", 2, -150),
    ]
    assert ada["parts"][0]["session"] == first.id


@pytest.mark.parametrize(("paid", "open_amount"), [(400, 0), (350, 50), (10, 300), (500, 0)])
def test_what_is_paid_over_evenings_is_not_unsettled_in_a_season(group, paid, open_amount):
    open_session_with_payments(group, ("p1", "p2", 100))
    second = open_session_with_payments(group, ("p1", "p2", 300), ("p3", "p2", 20))
    begun_at = second.get("/events").json["events"][0]["at"]
    pay(group, "m2", "m1", paid)
    members = group.get(f"/standings?from={begun_at}").json["members"]
    unsettled = {m["id"]: m["open"].get("SEK", 0) for m in members}
    assert (unsettled["m1"], unsettled["m3"]) == (open_amount, 20)
    if paid == 400:
        assert unsettled["m2"] == -20
        assert group.standings_by_member["m2"]["open"] == {"SEK": -20}
        assert group.standings_by_member["m1"]["open"] == {}


def test_an_import_settles_no_evening_of_a_season(group):
    open_session_with_payments(group, ("p1", "p2", 100))
    table = "Datum;Ada;Bo;Cilla\n2024-01-10;-10,00;10,00;0,00\n"
    body = {**import_body(table.encode()), "settled": False}
    assert group.write("/imports", body, role="host").status_code == 201
    assert amounts(group) == {"m1": -900, "m2": 900}
    assert {m: group.standings_by_member[m]["open"] for m in ("m1", "m2")} == {
        "m1": {"SEK": 100},
        "m2": {"SEK": -100},
    }


def test_the_event_of_a_payment_names_the_link_that_wrote_it(group, app):
    pay(group, "m1", "m2", 100, role="host")
    changed = client_with_new_links(group, end_link(group, "scorer"))
    pay(changed, "m1", "m2", 100, role="scorer")
    with app.extensions["store"].pool.connection() as db:
        rows = db.execute(WRITERS, [group.id]).fetchall()
    assert [writer for (writer,) in rows] == ["host.0", "scorer.1"]


def test_a_payment_is_recorded_once_a_key_and_explained(group):
    open_session_with_payments(group, ("p1", "p2", 300))
    first = pay(group, "m2", "m1", 200, key="paid")
    again = pay(group, "m2", "m1", 200, key="paid")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert first.data == again.data
    assert amounts(group) == {"m1": 100, "m2": -100}
    [crowns] = first.json["currencies"]
    part = crowns["balances"][1]["parts"][1]
    assert (part["source"], part["members"], part["amount"]) == ("transfer", ["m1"], 200)
    assert pay(group, "m2", "m1", 201, key="paid").json["code"] == "idempotency_key_reused"
    assert has_no_findings(group)


def test_a_payment_of_the_plan_is_recorded_once_by_two_phones(app, group):
    open_session_with_payments(group, ("p1", "p2", 300))
    body = {"from": "m2", "to": "m1", "amount": 300, "open_amount": 300}
    phones = [clone_client(app, group) for _ in range(2)]
    answers = call_simultaneously(
        *(partial(phone.write, "/transfers", body, role="scorer") for phone in phones)
    )
    by_status = {answer.status_code: answer for answer in answers}
    assert by_status[201].json["currencies"][0]["transfers"] == []
    assert by_status[409].json["code"] == "plan_has_changed"
    assert amounts(group) == {"m1": 0, "m2": 0}


def test_a_payment_is_taken_back_once_by_two_phones(app, group):
    for _ in range(2):
        pay(group, "m2", "m1", 300)
    parts = open_balances(group)["currencies"][0]["balances"][0]["parts"]
    first, latest = (part["number"] for part in parts)
    body = {"from": "m1", "to": "m2", "amount": 300, "reverses": latest}
    phones = [clone_client(app, group) for _ in range(2)]
    answers = call_simultaneously(
        *(partial(phone.write, "/transfers", body, role="scorer") for phone in phones)
    )
    by_status = {answer.status_code: answer for answer in answers}
    assert by_status[409].json["code"] == "plan_has_changed"
    assert by_status[201].json["currencies"][0]["balances"][0]["amount"] == -300
    other_way = {**body, "from": "m2", "to": "m1", "reverses": first}
    assert group.write("/transfers", other_way, role="scorer").status_code == 409
    assert group.write("/transfers", {**body, "reverses": first}, role="scorer").status_code == 201
    assert amounts(group) == {"m1": 0, "m2": 0}


def test_a_payment_of_the_plan_may_be_in_part_and_is_replayed(group):
    open_session_with_payments(group, ("p1", "p2", 300))
    part = {"from": "m2", "to": "m1", "amount": 100, "open_amount": 300}
    answers = [group.write("/transfers", part, role="scorer", key="part") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert amounts(group) == {"m1": 200, "m2": -200}
    in_another_currency = {**part, "open_amount": 200, "currency": "DKK"}
    answer = group.write("/transfers", in_another_currency, role="scorer")
    assert (answer.status_code, answer.json["code"]) == (409, "plan_has_changed")


def test_a_replay_shows_the_balances_as_they_were_then(group):
    session = open_session_with_payments(group, ("p1", "p2", 300))
    first = pay(group, "m2", "m1", 200, key="paid")
    paid = {"from": "p2", "to": "p1", "amount": 100}
    assert session.write("/transfers", paid, match="*").status_code == 201
    pay(group, "m3", "m1", 5)
    assert pay(group, "m2", "m1", 200, key="paid").data == first.data


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"from": "m1", "to": "m1", "amount": 5}, 409, "same_player"),
        ({"from": "m1", "to": "m9", "amount": 5}, 404, "unknown_member"),
        ({"from": "p1", "to": "m2", "amount": 5}, 422, "wrong_shape"),
        ({"from": "m1", "to": "m2", "amount": 0}, 422, "wrong_shape"),
        ({"from": "m1", "to": "m2", "amount": 5, "currency": "kronor"}, 422, "wrong_shape"),
        ({"from": "m1", "to": "m2", "amount": 5, "method": "shells"}, 422, "wrong_shape"),
    ],
)
def test_a_payment_that_cannot_be_is_refused(group, body, status, code):
    answer = group.write("/transfers", body)
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert open_balances(group)["currencies"] == []


def test_a_viewer_reads_and_a_scorer_records(group):
    assert pay(group, "m1", "m2", 5, role="viewer").status_code == 403
    assert pay(group, "m1", "m2", 5, role="scorer").status_code == 201
    assert group.get("/open-balances", "viewer").status_code == 200


def test_many_phones_that_record_leave_no_gap(app, group):
    for number in range(1, 6):
        assert pay(clone_client(app, group), "m1", "m2", number).status_code == 201
    assert amounts(group) == {"m1": 15, "m2": -15}


def test_a_player_who_is_no_member_has_a_balance_with_the_evening(app, group):
    names = [{"name": name} for name in ("Ada", "Bo", "Fia")]
    opened = group.client.post(
        "/v1/sessions",
        json={"game": "polskt_pass", "players": names},
        headers={"Idempotency-Key": f"an evening of its own, {group.id}"},
    ).json
    session = SessionClient(group.client, opened["id"], opened["tokens"])
    paid = {"from": "p3", "to": "p1", "amount": 40}
    assert session.write("/transfers", paid, match="*").status_code == 201
    added = {"token": opened["tokens"]["host"], "members": {"p1": "m1", "p2": "m2"}}
    assert group.write(f"/sessions/{session.id}", added, method="PUT").status_code == 200
    [crowns] = open_balances(group)["currencies"]
    rows = [(row["id"], row["name"], row["amount"]) for row in crowns["balances"]]
    assert rows == [("m1", "Ada", -40), ("e1.p3", "Fia", 40)]
    assert crowns["transfers"] == [{"from": "m1", "to": "e1.p3", "amount": 40}]
