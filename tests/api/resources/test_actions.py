"""Writes: one effect per key, no lost update, all or nothing (contract.md §1 and §3)."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from tests.api.conftest import FOUR

OPEN = {"type": "open_deal", "number": 1}
DECLARE = {"type": "declare", "players": ["p2"]}


def tricks(letters):
    return [{"type": "trick", "winner": f"p{'ABCDE'.index(x) + 1}"} for x in letters]


def test_a_whole_deal_in_one_batch(table):
    made = table.act(OPEN, DECLARE, *tricks("CCDCB"))
    assert made.status_code == 201
    assert [event["type"] for event in made.json["events"]][-3:] == [
        "pot_taken",
        "bet_laid",
        "deal_closed",
    ]
    state, receipt = made.json["session"], made.json["receipt"]
    assert made.headers["ETag"] == f'"{state["version"]}"'
    assert receipt["version"] == state["version"] == made.json["events"][-1]["version"]
    assert receipt["hash"] == made.json["events"][-1]["hash"]
    assert state["balances"] == {"p1": -10, "p2": -10, "p3": 10, "p4": 0}
    assert state["bets"] == [{"id": "b1", "amount": 10, "by": ["p2"], "deal": 1}]
    assert table.get().json == state


def test_an_action_refused_takes_the_whole_batch_with_it(table):
    refused = table.act(OPEN, DECLARE, {"type": "la_vola", "player": "p2"})
    assert (refused.status_code, refused.json["code"]) == (409, "la_vola_needs_first_two_tricks")
    assert refused.json["action"] == 2
    assert table.version == 1


def test_the_same_key_gets_the_same_bytes_and_one_effect(table):
    first = table.act(OPEN, key="once", match=None)
    again = table.act(OPEN, key="once", match=None)
    quoted = table.act(OPEN, key='"once"', match='"1"')
    assert first.status_code == again.status_code == quoted.status_code == 201
    assert first.data == again.data == quoted.data
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["ETag"] == first.headers["ETag"]
    assert table.version == 2


def test_a_repeat_after_the_evening_has_gone_on_still_gets_the_first_answer(table):
    first = table.act(OPEN, key="once")
    table.act(DECLARE)
    assert table.act(OPEN, key="once", match='"1"').data == first.data


def test_the_same_key_for_another_body_is_refused(table):
    table.act(OPEN, key="once")
    refused = table.act(DECLARE, key="once")
    assert (refused.status_code, refused.json["code"]) == (422, "idempotency_key_reused")


def test_a_refusal_leaves_its_key_free(table):
    assert table.act({"type": "trick", "winner": "p1"}, key="later").status_code == 409
    assert table.act(OPEN, key="later").status_code == 201


def test_opening_an_evening_twice_with_one_key_opens_one_and_gives_the_same_tokens(client):
    body = {"game": "polskt_pass", "players": [{"name": n} for n in ("Ada", "Bo", "Cilla")]}
    first, again = (
        client.post("/v1/sessions", json=body, headers={"Idempotency-Key": "friday"})
        for _ in range(2)
    )
    assert first.status_code == again.status_code == 201
    assert first.data == again.data
    assert set(first.json["tokens"]) == {"host", "scorer", "viewer"}
    other = {**body, "title": "Lördag"}
    refused = client.post("/v1/sessions", json=other, headers={"Idempotency-Key": "friday"})
    assert refused.status_code == 422


@pytest.mark.parametrize(
    ("opened", "body", "inside", "more"),
    [
        ("sessions", {"game": "polskt_pass", "players": FOUR}, "actions", {"actions": [OPEN]}),
        ("circles", {"name": "Torsdagar", "members": FOUR}, "members", {"name": "Emil"}),
    ],
)
def test_what_is_opened_has_keys_of_its_own(client, opened, body, inside, more):
    """Somebody may count 1, 2, 3 in each place."""
    one = {"Idempotency-Key": f"one of {opened}"}
    first = client.post(f"/v1/{opened}", json=body, headers=one)
    assert first.status_code == 201
    right = {"Authorization": f"Bearer {first.json['tokens']['host']}", "If-Match": "*", **one}
    written = client.post(f"/v1/{opened}/{first.json['id']}/{inside}", json=more, headers=right)
    assert written.status_code == 201, written.text
    assert client.post(f"/v1/{opened}", json=body, headers=one).data == first.data


def test_fifty_phones_with_one_key_make_one_deal_and_all_get_the_same_bytes(app, table):
    headers = {"Authorization": f"Bearer {table.tokens['scorer']}", "Idempotency-Key": "all"}

    def send(_):
        client = app.test_client()
        return client.post(f"{table.here}/actions", json={"actions": [OPEN]}, headers=headers)

    with ThreadPoolExecutor(10) as phones:
        answers = list(phones.map(send, range(50)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.data for answer in answers}) == 1
    assert table.version == 2


def test_of_two_phones_recording_the_same_deal_one_is_told_so_with_the_deal(table):
    table.act(OPEN, DECLARE, *tricks("CCDCB"), match=None)
    late = table.act(OPEN, {"type": "all_pass"}, match=None)
    assert (late.status_code, late.json["code"]) == (409, "deal_taken")
    assert late.json["deal"]["number"] == 1
    assert late.json["deal"]["outcome"]["winner"] == "p3"


def test_a_number_used_up_by_a_misdeal_is_told_with_the_deal_that_was_voided(table):
    table.act(OPEN)
    table.write("/deals/1", method="DELETE", match="*")
    late = table.act(OPEN, match=None)
    assert (late.status_code, late.json["code"]) == (409, "deal_taken")
    assert (late.json["deal"]["number"], late.json["deal"]["status"]) == (1, "voided")


def test_a_number_that_was_undone_below_a_misdeal_is_told_which_one_is_next(table):
    """Nothing stands under 1, and it does not come back: no deal can be shown that has it."""
    table.act(OPEN, {"type": "all_pass"})
    table.act({"type": "open_deal"})
    table.write("/deals/2", method="DELETE", match="*")
    table.act({"type": "undo"}, {"type": "undo"})
    late = table.act(OPEN, match=None)
    assert (late.status_code, late.json["code"]) == (409, "deal_not_next")
    assert (late.json["deal"], late.json["next"], late.json["action"]) == (1, 3, 0)
    assert table.act({"type": "open_deal", "number": 3}, match=None).status_code == 201
    late = table.act(OPEN, match=None)
    assert (late.json["code"], late.json["deal"], late.json["next"]) == ("deal_not_next", 1, 4)


@pytest.mark.parametrize(
    ("between", "refused"),
    [
        ([], {"code": "deal_is_open", "deal": 1, "action": 1}),
        ([{"type": "all_pass"}], {"code": "deal_not_next", "deal": 1, "next": 2, "action": 2}),
    ],
)
def test_a_batch_that_opens_a_deal_twice_is_not_told_of_one_that_nobody_recorded(
    table, between, refused
):
    twice = table.act(OPEN, *between, OPEN, match=None)
    assert twice.status_code == 409
    assert {name: twice.json[name] for name in refused} == refused
    assert table.version == 1


BESIDE = [
    ("DELETE", "/players/p3/name", None),
    ("POST", "/phones", {"label": "Bos telefon"}),
    ("DELETE", "/phones/phone1", None),
    ("DELETE", "/links/scorer", None),
    ("PUT", "/players/p2/pin", {"pin": "1774"}),
    ("DELETE", "/players/p2/pin", None),
    ("POST", "/code", {}),
    ("DELETE", "/code", None),
    ("PUT", "/knocks/1", {}),
    ("DELETE", "/knocks/1", None),
]


@pytest.mark.parametrize(("method", "path", "body"), BESIDE)
def test_what_appends_nothing_is_held_to_a_version_only_if_one_is_named(table, method, path, body):
    table.write("/phones", {"label": "Adas telefon"})
    code = table.write("/code", {}).json["code"]
    knock = {"code": code, "label": "Cillas telefon"}
    table.client.post("/v1/knocks", json=knock, headers={"Idempotency-Key": f"knock {table.id}"})
    before = table.version
    table.act(OPEN)
    now = f'"{table.version}"'
    for stale in (f'"{before}"', '"99"'):
        late = table.write(path, body, method=method, key="once", match=stale)
        assert (late.status_code, late.json["code"]) == (412, "stale_version"), late.text
        assert (late.json["actual"], late.headers["ETag"]) == (table.version, now)
    done = table.write(path, body, method=method, key="once", match=now)
    assert done.status_code < 300, done.text
    table.act(DECLARE)
    again = table.write(path, body, method=method, key="once", match=now)
    assert again.data == done.data, "a repeat comes before the version"


@pytest.mark.parametrize("match", [None, "*"])
def test_what_appends_nothing_needs_no_version(table, match):
    table.act(OPEN)
    for method, path, body in BESIDE[:8]:
        if path != "/phones/phone1":
            done = table.write(path, body, method=method, match=match)
            assert done.status_code < 300, done.text


def test_a_payment_that_was_settled_makes_no_write_stale_beside_the_evening_either(table, app):
    table.act(OPEN, DECLARE, *tricks("CC"), {"type": "la_vola", "player": "p3"}, *tricks("CCC"))
    seen = f'"{table.version}"'
    assert app.extensions["store"].settle(UUID(table.id)) == 3
    assert table.write("/players/p3/name", method="DELETE", match=seen).status_code == 200


@pytest.mark.parametrize(
    ("match", "status", "code"),
    [
        (None, 428, "version_required"),
        ('"1"', 412, "stale_version"),
        ('"99"', 412, "stale_version"),
        ("2", 400, "if_match_malformed"),
        ('W/"2"', 400, "if_match_malformed"),
        ('"two"', 400, "if_match_malformed"),
        ('"2"', 201, None),
        ("*", 201, None),
    ],
)
def test_a_change_says_which_version_it_was_based_on(table, match, status, code):
    table.act(OPEN)
    answer = table.act(DECLARE, match=match)
    assert answer.status_code == status
    if status != 201:
        assert answer.json["code"] == code
        assert table.version == 2
    if status == 412:
        assert answer.json["actual"] == 2


def test_a_settled_payment_alone_makes_no_write_stale(app, table):
    won = [*tricks("CC"), {"type": "la_vola", "player": "p3"}, *tricks("CCC")]
    version = table.act(OPEN, DECLARE, *won).json["session"]["version"]
    store = app.extensions["store"]
    for payment in table.state["payments"]:
        assert store.settle(store.read(table_id(table)).id, payment["id"])
    assert table.version == version + 3
    following = {"type": "open_deal"}
    assert table.act(following, match=f'"{version - 1}"').status_code == 412
    assert table.act(following, match=f'"{version}"').status_code == 201


def table_id(table):
    from uuid import UUID

    return UUID(table.id)


def test_undo_of_a_settled_la_vola_pays_it_back(app, table):
    won = [*tricks("CC"), {"type": "la_vola", "player": "p3"}, *tricks("CCC")]
    table.act(OPEN, DECLARE, *won)
    store = app.extensions["store"]
    first = table.state["payments"][0]
    store.settle(table_id(table), first["id"])
    undone = table.act({"type": "undo"}).json["session"]
    by_id = {payment["id"]: payment for payment in undone["payments"]}
    assert [p["status"] for p in by_id.values()] == ["settled", "cancelled", "cancelled", "due"]
    back = next(p for p in by_id.values() if "reverses" in p)
    assert (back["from"], back["to"], back["reverses"]) == (first["to"], first["from"], first["id"])
    assert store.settle(table_id(table), back["id"])
    assert set(table.state["balances"].values()) == {0, -10}
    assert table.act(*tricks("A")).status_code == 201  # the deal goes on without the last trick


def test_a_misdeal_never_counted_and_its_number_is_not_used_again(table):
    table.act(OPEN, DECLARE)
    voided = table.write("/deals/1?reason=felgiv", method="DELETE", match=f'"{table.version}"')
    assert voided.status_code == 200, voided.json
    assert set(voided.json["session"]["balances"].values()) == {0}
    assert voided.json["session"]["deal"] == {"number": 2, "dealer": "p1", "phase": "waiting"}
    assert table.get("/deals/1").json["status"] == "voided"


def test_people_come_and_go_between_deals(table):
    joined = table.write("/players", {"name": "Emil"}, match='"1"')
    assert (joined.status_code, joined.json["id"]) == (201, "p5")
    assert joined.json["session"]["players"][-1] == {"id": "p5", "name": "Emil"}
    seats = ["p2", "p3", "p5", "p4"]
    reseated = table.act({"type": "reseat", "players": seats}).json["session"]
    assert reseated["seats"] == seats
    assert reseated["deal"]["dealer"] == "p2"  # Ada, who was to deal, has left
    again = table.write("/players", {"name": "emil"}, match=f'"{table.version}"')
    assert again.status_code == 422


def test_a_join_sent_again_gets_the_same_answer(table):
    first = table.write("/players", {"name": "Emil"}, match='"1"', key="emil")
    again = table.write("/players", {"name": "Emil"}, match='"1"', key="emil")
    assert (again.status_code, again.data) == (201, first.data)


def test_a_deal_is_told_in_the_readers_language_and_says_which(table):
    table.act({"type": "open_deal"}, {"type": "all_pass"})
    danish = table.get("/deals/1", **{"Accept-Language": "da"})
    assert danish.headers["Content-Language"] == "da"
    assert "Accept-Language" in danish.headers["Vary"]


def test_many_people_joining_at_once_all_join(app, table):
    def join(number):
        headers = {
            "Authorization": f"Bearer {table.tokens['scorer']}",
            "Idempotency-Key": f"join-{number}",
            "If-Match": "*",
        }
        body = {"name": f"Emil {number}"}
        return app.test_client().post(f"{table.here}/players", json=body, headers=headers)

    with ThreadPoolExecutor(12) as phones:
        answers = list(phones.map(join, range(12)))
    assert [answer.status_code for answer in answers] == [201] * 12
    assert len({answer.json["id"] for answer in answers}) == 12


def test_of_two_phones_adding_the_same_person_one_is_told(table):
    table.write("/players", {"name": "Emil"}, match="*")
    refused = table.write("/players", {"name": "EMIL"}, match="*")
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/name")
    assert len(table.state["players"]) == 5


def test_an_evening_has_one_address(client, table):
    right = {"Authorization": f"Bearer {table.tokens['host']}"}
    for other in (table.id.upper(), "{" + table.id + "}", f"urn:uuid:{table.id}"):
        assert client.get(f"/v1/sessions/{other}", headers=right).status_code == 404
