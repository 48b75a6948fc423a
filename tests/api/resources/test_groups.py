"""Groups: their members, sessions that carry another forward, and the season."""

from __future__ import annotations

from flask import Flask

from tests.support.api.cosigning import cosignature_body, put_cosignature
from tests.support.api.group_client import (
    GroupClient,
    create_group,
    find_tables_with_name,
    play_and_close_e3,
    play_deals,
    settle_payments,
)
from tests.support.api.session_client import SessionClient
from tests.support.proofs.verifier import verify


def test_an_evening_goes_on_where_the_last_one_ended(group: GroupClient) -> None:
    first = play_and_close_e3(group)
    second = group.open_session(carry=True, first_dealer="m2")
    state = second.state
    assert state["carried_from"] == first.id
    assert state["balances"] == {"p1": -70, "p2": 50, "p3": -60, "p4": -70, "p5": 20}
    assert (state["pot"], [(b["amount"], b["by"]) for b in state["bets"]]) == (
        0,
        [(40, ["p3"]), (40, ["p4"]), (50, ["p1"])],
    )
    assert first.state["carried_to"] == second.id
    # Bo stakes 10; Ada declares and wins it and the 40 that Cilla laid in the earlier session
    second.act({"type": "open_deal"}, {"type": "declare", "players": ["p1"]})
    assert second.state["amount_played_for"] == 50
    second.act({"type": "result", "winner": "p1"})
    assert second.state["balances"] == {"p1": -20, "p2": 40, "p3": -60, "p4": -70, "p5": 20}
    sentences = [posting["why"] for posting in second.get("/deals/1").json["postings"]]
    assert "satt av Cilla en tidigare kväll" in sentences[-1]
    for session in (first, second):
        assert session.get("/audit").json["findings"] == []


def test_an_absent_member_is_still_owed(group: GroupClient, app: Flask) -> None:
    """Disa owes and Emil is owed; they sit out, and take their seats again a deal later."""
    first = play_and_close_e3(group)
    second = group.open_session("m3", "m1", "m2", carry=True)
    state = second.state
    assert state["seats"] == ["p1", "p2", "p3"]
    names = [player["name"] for player in state["players"]]
    assert names == ["Cilla", "Ada", "Bo", "Disa", "Emil"]
    assert state["balances"] == {"p1": -60, "p2": -70, "p3": 50, "p4": -70, "p5": 20}
    assert [bet["by"] for bet in state["bets"]] == [["p1"], ["p4"], ["p2"]]
    second.act({"type": "open_deal"}, {"type": "all_pass"})
    answer = second.act({"type": "reseat", "players": ["p1", "p4", "p2", "p5", "p3"]})
    assert answer.status_code == 201
    for session in (first, second):
        assert session.get("/audit").json["findings"] == []


def test_a_carried_session_is_settled_in_its_continuation(group: GroupClient) -> None:
    first = play_and_close_e3(group)
    group.open_session(carry=True)
    paid = first.write("/transfers", {"from": "p1", "to": "p2", "amount": 10}, match="*")
    assert (paid.status_code, paid.json["code"]) == (409, "already_carried_forward")
    assert first.get("/settlement").json["transfers"] == []
    assert group.state["carry_forward"]["balances"]["m1"] == -70


def test_an_evening_is_carried_forward_once(group: GroupClient) -> None:
    play_and_close_e3(group)
    group.open_session(carry=True)
    second_session = group.write(
        "/sessions", {"game": "polskt_pass", "members": ["m1", "m2", "m3"], "carry": True}
    )
    assert (second_session.status_code, second_session.json["code"]) == (409, "session_is_open")


def test_a_refused_evening_leaves_the_earlier_one_as_it_was(group: GroupClient) -> None:
    first = play_and_close_e3(group)
    before = first.version
    for agreed, code in (
        ({"game": "polskpas", "members": ["m1", "m2", "m3"]}, "another_game"),
        ({"game": "spader", "members": ["m1", "m2", "m3", "m4"]}, "carried_into_points"),
        (
            {"game": "polskt_pass", "members": ["m1", "m2", "m3"], "currency": "DKK"},
            "another_currency",
        ),
        ({"game": "polskt_pass", "members": ["m1", "m2", "m9"]}, "unknown_member"),
    ):
        answer = group.write("/sessions", {"carry": True, **agreed})
        assert answer.json["code"] == code
    assert first.version == before
    assert len(group.state["sessions"]) == 1


def test_the_same_key_opens_one_evening(group: GroupClient) -> None:
    play_and_close_e3(group)
    body = {"game": "polskt_pass", "members": ["m1", "m2", "m3"], "carry": True}
    first = group.write("/sessions", body, key="tonight")
    second = group.write("/sessions", body, key="tonight")
    assert second.data == first.data
    assert second.headers["Idempotency-Replayed"] == "true"
    assert len(group.state["sessions"]) == 2
    conflicting = group.write("/sessions", {**body, "carry": False}, key="tonight")
    assert (conflicting.status_code, conflicting.json["code"]) == (422, "idempotency_key_reused")


def test_two_groups_may_open_an_evening_under_the_same_key(group: GroupClient) -> None:
    other = create_group(group.client, "Ada", "Bo", "Cilla")
    body = {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}
    for each in (group, other):
        opened = each.write("/sessions", body, key="tonight", role="scorer")
        assert opened.status_code == 201, opened.json
        session = SessionClient(group.client, opened.json["id"], opened.json["tokens"])
        (first,) = session.get("/events").json["events"]
        assert first["by"] == "host.0", "whoever opens a session is its host"
        assert len(each.state["sessions"]) == 1


def test_nothing_goes_over_while_a_la_vola_is_being_settled(group: GroupClient, app: Flask) -> None:
    first = group.open_session("m1", "m2", "m3")
    vola = {"type": "result", "la_vola": {"player": "p2", "won": True}}
    first.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]}, vola)
    first.write("/closure", {}, match="*")
    body = {"game": "polskt_pass", "members": ["m1", "m2", "m3"], "carry": True}
    waits = group.write("/sessions", body)
    assert (waits.status_code, waits.json["code"]) == (409, "payments_are_due")
    settle_payments(app, first)
    assert group.write("/sessions", body).json["balances"] == {"p1": -20, "p2": 30, "p3": -10}


def test_a_claim_that_nobody_has_paid_goes_over_unpaid(group: GroupClient) -> None:
    first = group.open_session("m1", "m2", "m3", "m4", options={"bet_payment": "on_collection"})
    first.act(
        {"type": "open_deal"},
        {"type": "declare", "players": ["p2"]},
        {"type": "result", "winner": "p3"},
    )
    first.write("/closure", {}, match="*")
    second = group.open_session(
        "m1", "m2", "m3", "m4", options={"bet_payment": "on_collection"}, carry=True
    )
    assert second.state["bets"] == [
        {"id": "b1", "amount": 10, "by": ["p2"], "deal": 0, "paid": False}
    ]
    second.act(
        {"type": "open_deal"},
        {"type": "declare", "players": ["p1"]},
        {"type": "result", "winner": "p1"},
    )
    assert second.state["balances"] == {"p1": 0, "p2": -10, "p3": 10, "p4": 0}
    assert second.get("/audit").json["findings"] == []


def test_what_was_brought_is_shared_when_the_evening_ends_at_once(group: GroupClient) -> None:
    """Before the first deal, the seated players share what was carried forward equally."""
    play_and_close_e3(group)
    second = group.open_session(carry=True, first_dealer="m5")
    second.write("/closure", {"leftover_policy": "split_equal"}, match="*")
    assert second.state["balances"] == {"p1": -44, "p2": 76, "p3": -34, "p4": -44, "p5": 46}
    assert second.get("/audit").json["findings"] == []


def test_corrections_begin_with_what_was_brought(group: GroupClient) -> None:
    play_and_close_e3(group)
    second = group.open_session(carry=True, first_dealer="m2")
    won = [{"type": "declare", "players": ["p1"]}, {"type": "result", "winner": "p1"}]
    second.act({"type": "open_deal"}, *won)
    second.act({"type": "open_deal"}, {"type": "all_pass"})
    lost = [{"type": "declare", "players": ["p1"]}, {"type": "result", "winner": "p3"}]
    answer = second.write("/deals/1", {"actions": lost}, method="PUT", match="*")
    assert answer.status_code == 200, answer.json
    state = second.state
    assert state["balances"] == {"p1": -120, "p2": 40, "p3": -20, "p4": -70, "p5": 20}
    assert [(b["amount"], b["deal"]) for b in state["bets"]] == [(40, 0), (50, 0), (50, 1)]
    assert second.get("/audit").json["findings"] == []


def test_undo_stops_at_what_was_brought(group: GroupClient) -> None:
    play_and_close_e3(group)
    second = group.open_session(carry=True)
    second.act({"type": "open_deal"})
    assert second.act({"type": "undo"}).status_code == 201
    assert second.act({"type": "undo"}).json["code"] == "nothing_to_undo"


def test_a_season_counts_what_the_cards_brought(group: GroupClient, app: Flask) -> None:
    first = play_and_close_e3(group)
    second = group.open_session(carry=True, first_dealer="m2")
    second.act(
        {"type": "open_deal"},
        {"type": "declare", "players": ["p1"]},
        {"type": "result", "winner": "p1"},
    )
    second.write("/transfers", {"from": "p4", "to": "p2", "amount": 70}, match="*")
    season = group.get("/standings").json
    nights = season["sessions"]
    assert [night["results"] for night in nights] == [
        {"m1": -70, "m2": 50, "m3": -60, "m4": -70, "m5": 20},
        {"m1": 50, "m2": -10, "m3": 0, "m4": 0, "m5": 0},
    ]
    assert [night["on_table"] for night in nights] == [130, -40]
    assert nights[1]["totals"] == {"m1": -20, "m2": 40, "m3": -60, "m4": -70, "m5": 20}
    season = group.standings_by_member
    assert season["m1"]["open"] == {"SEK": -20}
    assert season["m4"]["open"] == {}
    assert season["m2"]["open"] == {"SEK": -30}
    assert {m: (s["deals"], s["declared"], s["won_declaring"]) for m, s in season.items()} == {
        "m1": (7, 2, 1),
        "m2": (7, 0, 0),
        "m3": (7, 2, 0),
        "m4": (7, 2, 0),
        "m5": (7, 1, 1),
    }
    assert season["m1"]["bets_laid"] == 1
    assert season["m1"]["laid"] == {"SEK": 50}
    assert first.id == nights[0]["session"]


def test_who_beats_whom_follows_the_sessions_of_the_period(group: GroupClient) -> None:
    play_and_close_e3(group)
    second = group.open_session()
    second.act(
        {"type": "open_deal"},
        {"type": "declare", "players": ["p2"]},
        {"type": "result", "la_vola": {"player": "p2", "won": True}},
    )
    found = group.get("/head-to-head").json
    assert found["members"][0] == {"id": "m1", "name": "Ada"}
    pairs = {tuple(pair["members"]): pair for pair in found["pairs"]}
    # first session: m1 -70, m2 50, m3 -60, m4 -70, m5 20; in the second, m2 wins from all
    assert pairs["m1", "m2"]["sessions_ahead"] == {"m1": 0, "m2": 2}
    assert pairs["m3", "m4"]["sessions_ahead"] == {"m3": 1, "m4": 0}
    assert pairs["m3", "m5"]["sessions_ahead"] == {"m3": 0, "m5": 1}
    streaks = {streak["member"]: streak["current"] for streak in found["streaks"]}
    assert streaks == {"m1": -2, "m2": 2, "m3": -2, "m4": -2, "m5": -1}
    la_volas = [(won["number"], won["deal"], won["member"]) for won in found["la_volas"]]
    assert la_volas == [(2, 1, "m2")]
    later = group.get("/head-to-head?from=2999-01-01").json
    assert (later["pairs"], later["streaks"], later["la_volas"]) == ([], [], [])
    tag = group.get("/head-to-head").headers["ETag"]
    assert group.get("/head-to-head", **{"If-None-Match": tag}).status_code == 304


def test_a_player_who_joins_a_session_becomes_a_member(group: GroupClient) -> None:
    session = group.open_session("m1", "m2", "m3")
    assert session.write("/players", {"name": "Disa"}, match="*").status_code == 201
    assert session.write("/players", {"name": "Fanny"}, match="*").status_code == 201
    state = group.state
    assert state["sessions"][0]["members"] == {
        "p1": "m1",
        "p2": "m2",
        "p3": "m3",
        "p4": "m4",
        "p5": "m6",
    }
    assert state["members"][-1] == {"id": "m6", "name": "Fanny"}


def test_an_evening_that_began_by_itself_can_be_added(
    group: GroupClient, session: SessionClient
) -> None:
    play_deals(session, "B CCDCB | -10 -10 10 0 | pot 0 | B10")
    members = {"p1": "m1", "p2": "m2", "p3": "m3", "p4": "m4"}
    body = {"token": session.tokens["host"], "members": members}
    added = group.write(f"/sessions/{session.id}", body, method="PUT")
    assert added.status_code == 200, added.json
    assert group.standings_by_member["m3"]["result"] == {"SEK": 10}
    assert session.get("/links").json["group"] == group.id
    refused = group.write(f"/sessions/{session.id}", body, method="PUT")
    assert (refused.status_code, refused.json["code"]) == (409, "in_another_group")


def test_carrying_forward_adds_players_with_money_at_stake_as_members(
    group: GroupClient, session: SessionClient
) -> None:
    """Cilla owes and Disa laid a bet; the request named only Ada and Bo as members."""
    play_deals(session, "B CCDCB | 0 | pot 0 | B10\nD AABDD | 0 | pot 0 | D20")
    session.write("/closure", {}, match="*")
    members = {"p1": "m1", "p2": "m2"}
    body = {"token": session.tokens["host"], "members": members}
    assert group.write(f"/sessions/{session.id}", body, method="PUT").status_code == 200
    assert session.write("/players/p4/name", method="DELETE").status_code == 200
    second = group.open_session("m1", "m2", "m5", carry=True)
    assert group.state["sessions"][0]["members"] == {**members, "p3": "m3", "p4": "m6"}
    assert [m["name"] for m in group.state["members"]][-1] == "Medlem 6"
    assert second.state["balances"] == {"p1": 10, "p2": -20, "p3": 0, "p4": 10, "p5": -20}
    for evening in (session, second):
        assert evening.get("/audit").json["findings"] == []


def test_only_its_host_can_add_an_evening(group: GroupClient, session: SessionClient) -> None:
    for token in (session.tokens["scorer"], "host0.x", group.tokens["host"]):
        answer = group.write(
            f"/sessions/{session.id}", {"token": token, "members": {"p1": "m1"}}, method="PUT"
        )
        assert (answer.status_code, answer.json["code"]) == (404, "unknown_session")


def test_a_forgotten_member_is_gone_from_every_evening(group: GroupClient, app: Flask) -> None:
    first = play_and_close_e3(group)
    second = group.open_session(carry=True)
    erased = group.write("/members/m3/name", method="DELETE")
    assert (erased.status_code, erased.json) == (200, {"id": "m3", "name": "Medlem 3"})
    third = group.open_session("m1", "m2", "m4")
    bodies = [
        group.get().data,
        group.get("/standings").data,
        group.get("/head-to-head").data,
        *(
            session.get(path).data
            for session in (first, second, third)
            for path in ("", "/deals", "/statement?format=html", "/events")
        ),
    ]
    assert not [text for text in bodies if b"Cilla" in text]
    assert second.state["players"][2] == {"id": "p3", "name": "Spelare 3"}
    for session in (first, second, third):
        assert session.get("/audit").json["findings"] == []
    assert (
        group.write("/sessions", {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}).json[
            "code"
        ]
        == "unknown_member"
    )
    assert find_tables_with_name(app, "Cilla", group.id, first.id, second.id, third.id) == []


def test_an_erased_member_is_still_owed(group: GroupClient) -> None:
    play_and_close_e3(group)
    group.write("/members/m5/name", method="DELETE")
    second = group.open_session("m1", "m2", "m3", "m4", carry=True)
    assert second.state["players"][4] == {"id": "p5", "name": "Spelare 5"}
    assert second.state["balances"]["p5"] == 20
    assert second.get("/audit").json["findings"] == []


def test_a_token_gives_access_to_one_group_or_session(group: GroupClient, app: Flask) -> None:
    other_group = create_group(app.test_client(), "Ada", "Bo", "Cilla")
    evening = other_group.open_session()
    for wrong in (other_group.tokens["host"], evening.tokens["host"], "host0.x"):
        answer = group.client.get(group.path, headers={"Authorization": f"Bearer {wrong}"})
        assert (answer.status_code, answer.json["code"]) == (404, "unknown_group")
    credentials = {"Authorization": f"Bearer {other_group.tokens['host']}"}
    assert group.client.get(evening.path, headers=credentials).status_code == 404
    assert group.get("/links", role="scorer").status_code == 403
    assert group.write("/members", {"name": "Fanny"}, role="viewer").status_code == 403


def test_a_session_link_has_the_role_of_the_group_token(group: GroupClient) -> None:
    session = group.open_session("m1", "m2", "m3")
    for role in ("host", "scorer", "viewer"):
        [evening] = group.get(role=role).json["sessions"]
        assert evening["path"] == f"/#/s/{session.id}/{session.tokens[role]}"


def test_a_group_has_no_two_members_of_one_name(group: GroupClient, app: Flask) -> None:
    assert group.write("/members", {"name": " ADA"}).json["errors"][0]["pointer"] == "/name"
    body = {"name": "Vi", "members": [{"name": "Bo"}, {"name": "bo"}]}
    answer = app.test_client().post(
        "/v1/groups", json=body, headers={"Idempotency-Key": "two with the same name"}
    )
    assert answer.json["errors"][0]["pointer"] == "/members/1/name"


def test_an_unchanged_group_is_answered_with_304(group: GroupClient) -> None:
    tag = group.get().headers["ETag"]
    assert group.get(**{"If-None-Match": tag}).status_code == 304
    group.open_session("m1", "m2", "m3")
    assert group.get(**{"If-None-Match": tag}).status_code == 200


def test_a_statement_of_the_group_carries_the_cosignatures_of_each_session(
    group: GroupClient,
) -> None:
    first, second = play_and_close_e3(group), group.open_session()
    before = group.get("/statement?format=json")
    confirmed = first.version
    assert put_cosignature(first, cosignature_body(first, "p1", confirmed)).status_code == 200
    etag = {"If-None-Match": before.headers["ETag"]}
    statement = group.get("/statement?format=json", **etag)
    by_session = {summary["session"]: summary for summary in statement.json["sessions"]}
    assert by_session[first.id]["witnessed"]["version"] == confirmed
    assert "witnessed" not in by_session[second.id]
    assert verify.verify_document(statement.data)[0] == 0
