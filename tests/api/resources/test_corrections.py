"""A deal corrected over HTTP: one event, the differences, and before and after side by side."""

import pytest

from tests.api.test_openapi import SCHEMAS, errors
from tests.evenings import E1, lines
from tests.phone import Phone

DEAL_2 = [
    {"type": "declare", "players": ["p4"]},
    *({"type": "trick", "winner": winner} for winner in ("p2", "p1", "p2", "p4", "p4")),
]


def e1(url):
    phone = Phone(url).open()
    for line in lines(E1):
        phone.act(*line.actions())
    phone.settled()
    return phone


def put(phone, deal, body, **more):
    version = more.pop("version", None) or phone.state()["version"]
    return phone.write(f"/deals/{deal}", body, version=version, method="PUT", **more)


def test_e1_with_deal_2_corrected_after_deal_7(server_url):
    phone = e1(server_url)
    answer = put(phone, 2, {"actions": DEAL_2, "reason": "Bo tog det första sticket"})
    assert answer.status == 200, answer.raw
    (event,) = answer.json["events"]
    assert (event["type"], event["data"]["deal"]) == ("deal_corrected", 2)
    assert list(answer.json["session"]["balances"].values()) == [-70, -20, 150, -60]
    deal = phone.get("/deals/2", **{"Accept-Language": "sv"}).json
    (before,) = deal["before"]
    assert before["reason"] == "Bo tog det första sticket"
    assert (before["outcome"]["winner"], deal["outcome"]["winner"]) == ("p1", "p2")
    assert before["version"] == event["version"]
    made = phone.get("/statement?player=p1").json
    last = made["lines"][-1]
    assert (last["kind"], last["change"], last["deal"]) == ("deal_corrected", -20, 2)
    assert last["why"].startswith("Rättelse av giv 2")
    assert made["closing"] == -70
    audit = phone.get("/audit").json
    assert audit["clean"], audit["findings"]


def test_a_correction_sent_twice_is_one_correction(server_url):
    phone = e1(server_url)
    version = phone.state()["version"]
    first, again = (
        put(phone, 2, {"actions": DEAL_2}, key="the-same", version=version) for _ in range(2)
    )
    assert (first.status, again.raw) == (200, first.raw)
    assert phone.state()["version"] == version + 1


def test_a_closed_deal_that_never_counted_is_deleted_with_its_stake(server_url):
    phone = Phone(server_url).open()
    phone.act({"type": "open_deal"}, {"type": "all_pass"})
    phone.act({"type": "open_deal"}, {"type": "all_pass"})
    version = phone.state()["version"]
    gone = phone.write("/deals/1?reason=fel%20kort", None, version=version, method="DELETE")
    assert gone.status == 200, gone.raw
    state = gone.json["session"]
    assert (state["pot"], list(state["balances"].values())) == (10, [0, -10, 0, 0])
    assert phone.get("/deals/1").json["status"] == "voided"
    assert phone.get("/audit").json["clean"]


def test_later_deals_that_break_are_named_and_go_when_they_are_let_go(server_url):
    phone = Phone(server_url).open(game="knektpass", options={"start": 5})
    for _ in range(3):
        phone.act({"type": "open_deal"}, {"type": "all_pass"})
    alone = [
        {"type": "stay", "player": "p3"},
        *({"type": "pass", "player": player} for player in ("p4", "p1", "p2")),
    ]
    refused = put(phone, 2, {"actions": alone})
    assert (refused.status, refused.json["code"]) == (409, "later_deals_break")
    assert refused.json["deals"] == [3]
    done = put(phone, 2, {"actions": alone, "later": "void"})
    assert done.status == 200
    assert done.json["session"]["winner"] == ["p3"]
    assert phone.get("/deals/3").json["status"] == "voided"
    assert phone.get("/audit").json["clean"]


def test_a_correction_that_is_refused_writes_nothing(server_url):
    phone = e1(server_url)
    version = phone.state()["version"]
    short = {"actions": DEAL_2[:2]}
    wrong = {"actions": [{"type": "trick", "winner": "p9"}], "reason": ""}
    told = [
        (put(phone, 2, short), 409, "deal_not_closed"),
        (put(phone, 2, wrong), 422, "wrong_shape"),
        (put(phone, 20, {"actions": DEAL_2}), 404, "unknown_deal"),
        (put(phone, 2, {"actions": []}), 422, "wrong_shape"),
        (put(phone, 2, {"actions": [{"type": "undo"}]}), 409, "not_now"),
        (put(phone, 2, {"actions": DEAL_2}, version=1), 412, "stale_version"),
    ]
    for answer, status, code in told:
        assert (answer.status, answer.json["code"]) == (status, code)
    assert phone.state()["version"] == version


def test_an_action_that_no_correction_takes_is_refused_by_its_place(server_url):
    phone = e1(server_url)
    refused = put(phone, 2, {"actions": [*DEAL_2, {"type": "undo"}]})
    assert (refused.status, refused.json["code"], refused.json["action"]) == (409, "not_now", 6)
    assert errors(refused.json, SCHEMAS["Problem"]) == []


def test_a_payment_that_a_correction_takes_back_has_an_id_as_promised(server_url):
    phone = e1(server_url)
    version = phone.state()["version"]
    gone = phone.write("/deals/5", None, version=version, method="DELETE")  # its la vola was paid
    assert gone.status == 200, gone.raw
    back = [p for p in gone.json["session"]["payments"] if p.get("reverses")]
    assert len(back) == 3
    assert [errors(p["id"], SCHEMAS["PaymentId"]) for p in back] == [[], [], []]
    assert errors(gone.json["session"], SCHEMAS["State"]) == []


def passed(phone, deals):
    for _ in range(deals):
        phone.act({"type": "open_deal"}, {"type": "all_pass"})


def struck(phone, deal):
    version = phone.state()["version"]
    return phone.write(f"/deals/{deal}", None, version=version, method="DELETE")


def turn(phone):
    """Who deals next, and that the auditor has nothing against it."""
    audit = phone.get("/audit").json
    assert audit["clean"], audit["findings"]
    return phone.state()["deal"]["dealer"]


ALL_PASS = [{"type": "all_pass"}]
BO_WINS = [{"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p2"}]


@pytest.mark.parametrize("actions", [ALL_PASS, BO_WINS], ids=["as it was", "otherwise"])
def test_a_correction_leaves_the_turn_where_voided_deals_have_put_it(server_url, actions):
    phone = Phone(server_url).open()
    passed(phone, 3)
    for deal in (2, 3):
        assert struck(phone, deal).status == 200
    assert turn(phone) == "p3"
    assert put(phone, 1, {"actions": actions}).status == 200
    assert turn(phone) == "p3"
    assert phone.act({"type": "open_deal"}).json["session"]["deal"]["dealer"] == "p3"


@pytest.mark.parametrize("actions", [ALL_PASS, BO_WINS], ids=["as it was", "otherwise"])
def test_a_correction_leaves_the_turn_where_a_misdeal_has_put_it(server_url, actions):
    phone = Phone(server_url).open(options={"misdeal_policy": "next_dealer"})
    passed(phone, 1)
    phone.act({"type": "open_deal"})
    assert struck(phone, 2).status == 200
    assert turn(phone) == "p3"
    assert put(phone, 1, {"actions": actions}).status == 200
    assert turn(phone) == "p3"


def test_a_correction_beneath_an_open_deal_leaves_its_dealer(server_url):
    phone = Phone(server_url).open()
    passed(phone, 2)
    assert struck(phone, 2).status == 200
    phone.act({"type": "open_deal"})
    assert turn(phone) == "p2"
    assert put(phone, 1, {"actions": BO_WINS}).status == 200
    assert turn(phone) == "p2"
    phone.act({"type": "all_pass"})
    assert turn(phone) == "p3"
