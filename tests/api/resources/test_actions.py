"""Writes: one effect per key, no lost update, all or nothing."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from tests.support.ledger.store_session import settle_payment
from tests.support.player_names import FOUR_PLAYERS

OPEN = {"type": "open_deal", "number": 1}
DECLARE = {"type": "declare", "players": ["p2"]}


def tricks(letters):
    return [{"type": "trick", "winner": f"p{'ABCDE'.index(x) + 1}"} for x in letters]


def test_a_whole_deal_in_one_batch(session):
    answer = session.act(OPEN, DECLARE, *tricks("CCDCB"))
    assert answer.status_code == 201
    assert [event["type"] for event in answer.json["events"]][-3:] == [
        "pot_taken",
        "bet_laid",
        "deal_closed",
    ]
    state, receipt = answer.json["session"], answer.json["receipt"]
    assert answer.headers["ETag"] == f'"{state["version"]}"'
    assert receipt["version"] == state["version"] == answer.json["events"][-1]["version"]
    assert receipt["hash"] == answer.json["events"][-1]["hash"]
    assert state["balances"] == {"p1": -10, "p2": -10, "p3": 10, "p4": 0}
    assert state["bets"] == [{"id": "b1", "amount": 10, "by": ["p2"], "deal": 1}]
    assert session.get().json == state


def test_a_refused_action_refuses_the_whole_batch(session):
    refused = session.act(OPEN, DECLARE, {"type": "la_vola", "player": "p2"})
    assert (refused.status_code, refused.json["code"]) == (409, "la_vola_needs_first_two_tricks")
    assert refused.json["action"] == 2
    assert session.version == 1


def test_the_same_key_gets_the_same_bytes_and_one_effect(session):
    first = session.act(OPEN, key="once", match=None)
    second = session.act(OPEN, key="once", match=None)
    quoted = session.act(OPEN, key='"once"', match='"1"')
    assert first.status_code == second.status_code == quoted.status_code == 201
    assert first.data == second.data == quoted.data
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert second.headers["ETag"] == first.headers["ETag"]
    assert session.version == 2


def test_a_replay_gets_the_first_answer_however_far_the_session_went(session):
    first = session.act(OPEN, key="once")
    session.act(DECLARE)
    assert session.act(OPEN, key="once", match='"1"').data == first.data


def test_the_same_key_for_another_body_is_refused(session):
    session.act(OPEN, key="once")
    refused = session.act(DECLARE, key="once")
    assert (refused.status_code, refused.json["code"]) == (422, "idempotency_key_reused")


def test_a_refusal_leaves_its_key_free(session):
    assert session.act({"type": "trick", "winner": "p1"}, key="later").status_code == 409
    assert session.act(OPEN, key="later").status_code == 201


FRIDAY = "friday, with the same four"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("sessions", {"game": "polskt_pass", "players": FOUR_PLAYERS}),
        ("groups", {"name": "Torsdagar", "members": FOUR_PLAYERS}),
        ("imports", {}),
        ("join-requests", {"code": "KUNG 4711", "label": "Emil"}),
    ],
)
def test_a_key_that_protects_tokens_must_be_long(client, path, body):
    """Two strangers could both send `friday` with the example body of the manual."""
    details = set()
    for key in ("friday", "k" * 21, f'"{"k" * 21}"'):
        for language in ("sv", "en", "da", "de"):
            headers = {"Idempotency-Key": key, "Accept-Language": language}
            refused = client.post(f"/v1/{path}", json=body, headers=headers)
            assert refused.status_code == 400, refused.text
            assert refused.json["code"] == "idempotency_key_too_short"
            assert refused.json["least"] == 22
            assert "22" in refused.json["detail"]
            details.add(refused.json["detail"])
    assert len(details) == 4
    for key in ("k" * 22, f'"{"k" * 22}"'):
        answer = client.post(f"/v1/{path}", json=body, headers={"Idempotency-Key": key})
        assert answer.status_code in (201, 404, 422)


def test_one_key_opens_one_session_with_the_same_tokens(client):
    body = {"game": "polskt_pass", "players": FOUR_PLAYERS[:3]}
    first, second = (
        client.post("/v1/sessions", json=body, headers={"Idempotency-Key": FRIDAY})
        for _ in range(2)
    )
    assert first.status_code == second.status_code == 201
    assert first.data == second.data
    assert set(first.json["tokens"]) == {"host", "scorer", "viewer"}
    changed = {**body, "title": "Lördag"}
    refused = client.post("/v1/sessions", json=changed, headers={"Idempotency-Key": FRIDAY})
    assert refused.status_code == 422


@pytest.mark.parametrize(
    ("collection", "body", "member_path", "member_body"),
    [
        (
            "sessions",
            {"game": "polskt_pass", "players": FOUR_PLAYERS},
            "actions",
            {"actions": [OPEN]},
        ),
        ("groups", {"name": "Torsdagar", "members": FOUR_PLAYERS}, "members", {"name": "Emil"}),
    ],
)
def test_a_session_and_a_group_have_keys_of_their_own(
    client, collection, body, member_path, member_body
):
    """A client may count 1, 2, 3 in each place."""
    headers = {"Idempotency-Key": f"one key for both: {collection}"}
    first = client.post(f"/v1/{collection}", json=body, headers=headers)
    assert first.status_code == 201
    credentials = {
        "Authorization": f"Bearer {first.json['tokens']['host']}",
        "If-Match": "*",
        **headers,
    }
    written = client.post(
        f"/v1/{collection}/{first.json['id']}/{member_path}", json=member_body, headers=credentials
    )
    assert written.status_code == 201, written.text
    assert client.post(f"/v1/{collection}", json=body, headers=headers).data == first.data


def test_fifty_requests_with_one_key_record_one_deal(app, session):
    headers = {"Authorization": f"Bearer {session.tokens['scorer']}", "Idempotency-Key": "all"}

    def send(_):
        client = app.test_client()
        return client.post(f"{session.path}/actions", json={"actions": [OPEN]}, headers=headers)

    with ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(send, range(50)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.data for answer in answers}) == 1
    assert session.version == 2


def test_the_second_device_recording_a_deal_gets_the_recorded_one(session):
    session.act(OPEN, DECLARE, *tricks("CCDCB"), match=None)
    refused = session.act(OPEN, {"type": "all_pass"}, match=None)
    assert (refused.status_code, refused.json["code"]) == (409, "deal_taken")
    assert refused.json["deal"]["number"] == 1
    assert refused.json["deal"]["outcome"]["winner"] == "p3"


def test_the_number_of_a_misdeal_is_refused_with_the_voided_deal(session):
    session.act(OPEN)
    session.write("/deals/1", method="DELETE", match="*")
    refused = session.act(OPEN, match=None)
    assert (refused.status_code, refused.json["code"]) == (409, "deal_taken")
    assert (refused.json["deal"]["number"], refused.json["deal"]["status"]) == (1, "voided")


def test_a_number_undone_below_a_misdeal_is_refused_with_the_next_one(session):
    """No deal has number 1, and it is not used again, so no deal can be shown."""
    session.act(OPEN, {"type": "all_pass"})
    session.act({"type": "open_deal"})
    session.write("/deals/2", method="DELETE", match="*")
    session.act({"type": "undo"}, {"type": "undo"})
    refused = session.act(OPEN, match=None)
    assert (refused.status_code, refused.json["code"]) == (409, "deal_not_next")
    assert (refused.json["deal"], refused.json["next"], refused.json["action"]) == (1, 3, 0)
    assert session.act({"type": "open_deal", "number": 3}, match=None).status_code == 201
    refused = session.act(OPEN, match=None)
    assert (refused.json["code"], refused.json["deal"], refused.json["next"]) == (
        "deal_not_next",
        1,
        4,
    )


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ([], {"code": "deal_is_open", "deal": 1, "action": 1}),
        ([{"type": "all_pass"}], {"code": "deal_not_next", "deal": 1, "next": 2, "action": 2}),
    ],
)
def test_a_batch_that_opens_a_deal_twice_names_no_deal_as_recorded(session, between, expected):
    answer = session.act(OPEN, *between, OPEN, match=None)
    assert answer.status_code == 409
    assert {name: answer.json[name] for name in expected} == expected
    assert session.version == 1


METADATA_WRITES = [
    ("DELETE", "/players/p3/name", None),
    ("POST", "/devices", {"label": "Bos telefon"}),
    ("DELETE", "/devices/phone1", None),
    ("POST", "/links/scorer/rotation", {}),
    ("POST", "/join-code", {}),
    ("DELETE", "/join-code", None),
    ("POST", "/join-requests/1/approval", {}),
    ("DELETE", "/join-requests/1", None),
]


@pytest.mark.parametrize(("method", "path", "body"), METADATA_WRITES)
def test_a_metadata_write_checks_the_version_only_if_one_is_given(session, method, path, body):
    session.write("/devices", {"label": "Adas telefon"})
    code = session.write("/join-code", {}).json["code"]
    knock = {"code": code, "label": "Cillas telefon"}
    session.client.post(
        "/v1/join-requests", json=knock, headers={"Idempotency-Key": f"knock {session.id}"}
    )
    before = session.version
    session.act(OPEN)
    current = f'"{session.version}"'
    for stale in (f'"{before}"', '"99"'):
        refused = session.write(path, body, method=method, key="once", match=stale)
        assert (refused.status_code, refused.json["code"]) == (412, "stale_version"), refused.text
        assert (refused.json["actual"], refused.headers["ETag"]) == (session.version, current)
    answer = session.write(path, body, method=method, key="once", match=current)
    assert answer.status_code < 300, answer.text
    session.act(DECLARE)
    replay = session.write(path, body, method=method, key="once", match=current)
    assert replay.data == answer.data, "a repeat comes before the version"


@pytest.mark.parametrize("match", [None, "*"])
def test_a_metadata_write_needs_no_version(session, match):
    session.act(OPEN)
    for method, path, body in METADATA_WRITES[:6]:
        if path != "/devices/phone1":
            answer = session.write(path, body, method=method, match=match)
            assert answer.status_code < 300, answer.text


def test_a_settled_payment_makes_no_metadata_write_stale(session, app):
    session.act(OPEN, DECLARE, *tricks("CC"), {"type": "la_vola", "player": "p3"}, *tricks("CCC"))
    etag = f'"{session.version}"'
    assert app.extensions["store"].settle(UUID(session.id)) == 3
    assert session.write("/players/p3/name", method="DELETE", match=etag).status_code == 200


def test_a_settled_payment_makes_no_other_write_stale(app, session):
    won = [*tricks("CC"), {"type": "la_vola", "player": "p3"}, *tricks("CCC")]
    version = session.act(OPEN, DECLARE, *won).json["session"]["version"]
    store = app.extensions["store"]
    for payment in session.state["payments"]:
        assert settle_payment(store, session_uuid(session), payment["id"])
    assert session.version == version + 3
    following = {"type": "open_deal"}
    assert session.act(following, match=f'"{version - 1}"').status_code == 412
    assert session.act(following, match=f'"{version}"').status_code == 201


def session_uuid(session):
    from uuid import UUID

    return UUID(session.id)


def test_undo_of_a_settled_la_vola_pays_it_back(app, session):
    won = [*tricks("CC"), {"type": "la_vola", "player": "p3"}, *tricks("CCC")]
    session.act(OPEN, DECLARE, *won)
    store = app.extensions["store"]
    first = session.state["payments"][0]
    assert settle_payment(store, session_uuid(session), first["id"])
    undone = session.act({"type": "undo"}).json["session"]
    by_id = {payment["id"]: payment for payment in undone["payments"]}
    assert [p["status"] for p in by_id.values()] == ["settled", "cancelled", "cancelled", "due"]
    reversal = next(p for p in by_id.values() if "reverses" in p)
    assert (reversal["from"], reversal["to"], reversal["reverses"]) == (
        first["to"],
        first["from"],
        first["id"],
    )
    assert store.settle(session_uuid(session)) == 1
    assert set(session.state["balances"].values()) == {0, -10}
    assert session.act(*tricks("A")).status_code == 201  # the deal goes on without the last trick


def test_a_misdeal_never_counted_and_its_number_is_not_used_again(session):
    session.act(OPEN, DECLARE)
    voided = session.write("/deals/1?reason=felgiv", method="DELETE", match=f'"{session.version}"')
    assert voided.status_code == 200, voided.json
    assert set(voided.json["session"]["balances"].values()) == {0}
    assert voided.json["session"]["deal"] == {"number": 2, "dealer": "p1", "phase": "waiting"}
    assert session.get("/deals/1").json["status"] == "voided"


def test_players_join_and_leave_between_deals(session):
    joined = session.write("/players", {"name": "Emil"}, match='"1"')
    assert (joined.status_code, joined.json["id"]) == (201, "p5")
    assert joined.json["session"]["players"][-1] == {"id": "p5", "name": "Emil"}
    seats = ["p2", "p3", "p5", "p4"]
    reseated = session.act({"type": "reseat", "players": seats}).json["session"]
    assert reseated["seats"] == seats
    assert reseated["deal"]["dealer"] == "p2"  # Ada, who was to deal, has left
    refused = session.write("/players", {"name": "emil"}, match=f'"{session.version}"')
    assert refused.status_code == 422


def test_a_join_sent_again_gets_the_same_answer(session):
    first = session.write("/players", {"name": "Emil"}, match='"1"', key="emil")
    second = session.write("/players", {"name": "Emil"}, match='"1"', key="emil")
    assert (second.status_code, second.data) == (201, first.data)


def test_a_deal_is_described_in_the_readers_language(session):
    session.act({"type": "open_deal"}, {"type": "all_pass"})
    danish = session.get("/deals/1", **{"Accept-Language": "da"})
    assert danish.headers["Content-Language"] == "da"
    assert "Accept-Language" in danish.headers["Vary"]


def test_players_who_join_at_the_same_time_all_join(app, session):
    def join(number):
        headers = {
            "Authorization": f"Bearer {session.tokens['scorer']}",
            "Idempotency-Key": f"join-{number}",
            "If-Match": "*",
        }
        body = {"name": f"Emil {number}"}
        return app.test_client().post(f"{session.path}/players", json=body, headers=headers)

    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(join, range(12)))
    assert [answer.status_code for answer in answers] == [201] * 12
    assert len({answer.json["id"] for answer in answers}) == 12


def test_a_session_is_not_opened_with_two_players_of_one_name(client):
    players = [{"name": name} for name in ("Ada", "Bo", " ADA", "Cilla")]
    refused = client.post(
        "/v1/sessions",
        json={"game": "polskt_pass", "players": players},
        headers={"Idempotency-Key": "two players of one name"},
    )
    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json["errors"]] == ["/players/2/name"]


def test_a_player_added_twice_is_refused_the_second_time(session):
    session.write("/players", {"name": "Emil"}, match="*")
    refused = session.write("/players", {"name": "EMIL"}, match="*")
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/name")
    assert len(session.state["players"]) == 5


def test_a_session_id_has_one_spelling(client, session):
    credentials = {"Authorization": f"Bearer {session.tokens['host']}"}
    for spelling in (session.id.upper(), "{" + session.id + "}", f"urn:uuid:{session.id}"):
        assert client.get(f"/v1/sessions/{spelling}", headers=credentials).status_code == 404
