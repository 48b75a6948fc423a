"""A departure over HTTP settles, hands over or writes off the balances, or it is refused."""

import pytest

from tests.support.api.group_client import create_group, has_no_findings, open_session_with_payments
from tests.support.api.openapi_contract import SCHEMAS, find_errors
from tests.support.api.session_client import create_session


@pytest.fixture
def group(app):
    return create_group(app.test_client(), "Ada", "Bo", "Cilla", "Disa")


def leave(group, member, role="host", key=None, **agreed):
    more = {"key": key} if key else {}
    return group.write(f"/members/{member}/departure", agreed, role=role, **more)


def preview(group, member, **agreed):
    return group.client.post(
        f"{group.path}/members/{member}/departure/preview",
        json=agreed,
        headers={"Authorization": f"Bearer {group.tokens['host']}"},
    )


def amounts(answer, currency="SEK"):
    found = [c for c in answer.json["currencies"] if c["currency"] == currency]
    return {row["id"]: row["amount"] for row in found[0]["balances"]}


def refused(answer):
    return answer.status_code, answer.json["code"]


def test_a_member_without_a_balance_leaves_and_returns(group):
    left = leave(group, "m4", key="goodbye")
    assert (left.status_code, left.json["former_members"]) == (201, ["m4"])
    assert leave(group, "m4", key="goodbye").data == left.data
    assert group.state["members"][3] == {"id": "m4", "name": "Disa", "has_left": True}
    assert refused(leave(group, "m4")) == (409, "member_has_left")
    returned = group.write("/members/m4/departure", method="DELETE", role="host")
    assert (returned.status_code, returned.json["former_members"]) == (200, [])
    again = group.write("/members/m4/departure", method="DELETE", role="host")
    assert refused(again) == (409, "member_has_not_left")


def test_an_open_balance_needs_an_agreement(group):
    open_session_with_payments(group, ("p1", "p4", 100))
    answer = leave(group, "m4")
    assert refused(answer) == (409, "balance_is_open")
    assert "Disa" in answer.json["detail"]
    assert group.state["members"][3] == {"id": "m4", "name": "Disa"}


def test_settling_records_the_payments_of_the_plan(group):
    open_session_with_payments(group, ("p1", "p4", 100), ("p2", "p4", 30))
    open_session_with_payments(group, ("p4", "p1", 7), currency="DKK")
    would_be = preview(group, "m4", agreement="settle").json["events"]
    assert [event["type"] for event in would_be] == [
        *["group_transfer_recorded"] * 3,
        "member_left",
    ]
    left = leave(group, "m4", agreement="settle")
    assert left.status_code == 201
    assert amounts(left) == {"m1": 0, "m2": 0, "m4": 0}
    assert amounts(left, "DKK") == {"m1": 0, "m4": 0}
    assert has_no_findings(group)


def test_a_member_who_has_left_is_not_seated_for_a_balance_carried_forward(group):
    open_session_with_payments(group, ("p1", "p4", 300))
    assert leave(group, "m4", agreement="settle").status_code == 201
    session = group.open_session("m1", "m2", "m3", carry=True)
    version = session.version
    sits_down = {"type": "reseat", "players": ["p1", "p2", "p4"]}
    answer = session.act({"type": "open_deal"}, {"type": "all_pass"}, sits_down)
    assert (answer.status_code, answer.json["code"]) == (409, "member_has_left")
    assert (answer.json["member"], answer.json["action"]) == ("Disa", 2)
    assert session.version == version
    assert session.act({"type": "reseat", "players": ["p3", "p2", "p1"]}).status_code == 201
    group.write("/members/m4/departure", method="DELETE")
    assert session.act(sits_down).status_code == 201


def test_nobody_settles_with_a_member_who_has_left(group):
    session = open_session_with_payments(group, ("p1", "p4", 100))
    leave(group, "m1", agreement="settle")
    late = {"from": "p2", "to": "p1", "amount": 30}
    assert session.write("/transfers", late, match="*").status_code == 201
    answer = leave(group, "m2", agreement="settle")
    assert refused(answer) == (409, "member_has_left")
    assert "Ada" in answer.json["detail"]
    assert refused(preview(group, "m2", agreement="settle")) == (409, "member_has_left")
    assert group.write("/members/m1/departure", method="DELETE", role="host").status_code == 200
    assert amounts(leave(group, "m2", agreement="settle"))["m1"] == 0


def test_a_balance_is_handed_over(group):
    open_session_with_payments(group, ("p1", "p4", 100))
    left = leave(group, "m4", agreement="hand_over", recipient="m2")
    assert amounts(left) == {"m1": 100, "m2": -100, "m4": 0}
    assert refused(leave(group, "m3", agreement="hand_over", recipient="m4")) == (
        409,
        "member_has_left",
    )


def test_a_balance_is_written_off_and_the_odd_units_go_round(group):
    open_session_with_payments(group, ("p1", "p4", 100))
    open_session_with_payments(group, ("p1", "p4", 100), currency="DKK")
    bearers = ["m1", "m2", "m3"]
    left = leave(group, "m4", agreement="write_off", borne_by=bearers)
    assert amounts(left, "DKK") == {"m1": 66, "m2": -33, "m3": -33, "m4": 0}
    assert amounts(left, "SEK") == {"m1": 67, "m2": -34, "m3": -33, "m4": 0}
    assert has_no_findings(group)


@pytest.mark.parametrize(
    ("agreed", "status"),
    [
        ({"agreement": None, "recipient": None, "borne_by": None}, 200),
        ({"agreement": "hand_over", "recipient": "m1", "borne_by": None}, 200),
        ({"agreement": "write_off", "recipient": None, "borne_by": ["m1"]}, 200),
        ({"agreement": "write_off", "borne_by": None}, 422),
    ],
)
def test_null_says_the_same_as_a_missing_field(group, agreed, status):
    assert preview(group, "m4", **agreed).status_code == status
    assert (find_errors(agreed, SCHEMAS["Departure"]) == []) == (status == 200)


def test_a_preview_records_nothing(group):
    open_session_with_payments(group, ("p1", "p4", 100))
    answer = preview(group, "m4", agreement="write_off", borne_by=["m1", "m2"])
    assert answer.json["events"] == [
        {
            "type": "balance_written_off",
            "member": "m4",
            "amount": -100,
            "currency": "SEK",
            "borne_by": [{"member": "m1", "amount": -50}, {"member": "m2", "amount": -50}],
        },
        {"type": "member_left", "member": "m4"},
    ]
    assert group.get("/open-balances").json["former_members"] == []
    assert refused(preview(group, "m4")) == (409, "balance_is_open")


def test_nobody_leaves_in_the_middle_of_an_evening(group):
    open_session_with_payments(group, closed=False)
    answer = leave(group, "m4")
    assert (*refused(answer), answer.json["number"]) == (409, "evening_is_open", 1)


def test_nobody_leaves_while_their_money_is_on_the_table(group):
    session = group.open_session("m1", "m2", "m3", "m4")
    lost = {"type": "result", "winner": "p3"}
    session.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]}, lost)
    assert session.write("/closure", {}, match="*").status_code == 201
    assert session.state["bets"][0]["by"] == ["p2"]
    answer = leave(group, "m2", agreement="settle")
    assert (*refused(answer), answer.json["number"]) == (409, "money_is_on_table", 1)


def test_a_member_who_left_is_not_seated_again(group):
    session = open_session_with_payments(group, closed=False)
    assert leave(group, "m3").json["code"] == "evening_is_open"
    assert session.write("/closure", {}, match="*").status_code == 201
    assert leave(group, "m3").status_code == 201
    body = {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}
    assert refused(group.write("/sessions", body)) == (409, "member_has_left")
    running = group.open_session("m1", "m2", "m4")
    joining = running.write("/players", {"name": "cilla"}, match="*")
    assert refused(joining) == (409, "member_has_left")
    assert "cilla" in joining.json["detail"]
    assert {m["id"] for m in group.get("/standings").json["members"]} == {"m1", "m2", "m3", "m4"}


def test_an_evening_from_elsewhere_brings_no_former_member_back(group):
    names = [{"name": name} for name in ("Ada", "Bo", "Disa")]
    alone = create_session(group.client, {"game": "polskt_pass", "players": names})
    assert leave(group, "m4").status_code == 201
    added = {"token": alone.tokens["host"], "members": {"p1": "m1", "p3": "m4"}}
    answer = group.write(f"/sessions/{alone.id}", added, method="PUT")
    assert refused(answer) == (404, "unknown_member")
    assert "Disa" in answer.json["detail"]


def test_only_the_host_lets_a_member_go(group):
    assert leave(group, "m4", role="scorer").status_code == 403
    answer = group.write("/members/m4/departure", method="DELETE", role="scorer")
    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("agreed", "status", "code"),
    [
        ({"agreement": "forget"}, 422, "wrong_shape"),
        ({"agreement": "hand_over"}, 422, "wrong_shape"),
        ({"agreement": "write_off"}, 422, "wrong_shape"),
        ({"agreement": "write_off", "borne_by": []}, 422, "wrong_shape"),
        ({"agreement": "write_off", "borne_by": ["m1", "m1"]}, 422, "wrong_shape"),
        ({"agreement": "settle", "recipient": "m1"}, 422, "wrong_shape"),
        ({"agreement": "hand_over", "recipient": "m4"}, 409, "goes_to_self"),
        ({"agreement": "hand_over", "recipient": "m9"}, 404, "unknown_member"),
        ({"agreement": "write_off", "borne_by": ["m1", "m4"]}, 409, "goes_to_self"),
    ],
)
def test_an_agreement_that_cannot_be_is_refused(group, agreed, status, code):
    open_session_with_payments(group, ("p1", "p4", 100))
    assert refused(leave(group, "m4", **agreed)) == (status, code)
    assert refused(preview(group, "m4", **agreed)) == (status, code)
    assert group.state["members"][3] == {"id": "m4", "name": "Disa"}
