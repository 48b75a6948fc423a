"""A deal corrected over HTTP: one event, its differences, and the outcomes before and after."""

import pytest

from tests.support.api.http_client import RemoteSession
from tests.support.api.openapi_contract import SCHEMAS, find_errors
from tests.support.worked_evenings import E1, lines

DEAL_2 = [
    {"type": "declare", "players": ["p4"]},
    *({"type": "trick", "winner": winner} for winner in ("p2", "p1", "p2", "p4", "p4")),
]


def record_e1(url):
    phone = RemoteSession(url).open()
    for line in lines(E1):
        phone.act(*line.actions())
    phone.settled()
    return phone


def put_deal(phone, deal, body, **more):
    version = more.pop("version", None) or phone.state()["version"]
    return phone.write(f"/deals/{deal}", body, version=version, method="PUT", **more)


def test_e1_with_deal_2_corrected_after_deal_7(server_url):
    phone = record_e1(server_url)
    answer = put_deal(phone, 2, {"actions": DEAL_2, "reason": "Bo tog det första sticket"})
    assert answer.status == 200, answer.raw
    (event,) = answer.json["events"]
    assert (event["type"], event["data"]["deal"]) == ("deal_corrected", 2)
    assert list(answer.json["session"]["balances"].values()) == [-70, -20, 150, -60]
    deal = phone.get("/deals/2", **{"Accept-Language": "sv"}).json
    (before,) = deal["before"]
    assert before["reason"] == "Bo tog det första sticket"
    assert (before["outcome"]["winner"], deal["outcome"]["winner"]) == ("p1", "p2")
    assert before["version"] == event["version"]
    statement = phone.get("/statement?player=p1").json
    last = statement["lines"][-1]
    assert (last["kind"], last["change"], last["deal"]) == ("deal_corrected", -20, 2)
    assert last["why"].startswith("Rättelse av giv 2")
    assert statement["closing"] == -70
    audit = phone.get("/audit").json
    assert audit["clean"], audit["findings"]


def la_vola_payments(record):
    """Return the payments of la vola among the postings: from, to, amount."""
    return [
        (p["from"], p["to"], p["amount"])
        for p in record["postings"]
        if p["from"].startswith("player:") and p["to"].startswith("player:")
    ]


def paid_by_all(amount):
    return [(f"player:{p}", "player:p3", amount) for p in ("p4", "p1", "p2")]


def test_outcomes_before_and_after_list_their_own_la_vola_payments(server_url):
    phone = record_e1(server_url)
    assert la_vola_payments(phone.get("/deals/5").json) == paid_by_all(50)
    won = [{"type": "declare", "players": ["p4"]}, {"type": "result", "winner": "p4"}]
    put_deal(phone, 2, {"actions": won})  # so that deal 5 is played for 30
    phone.settled()
    deal = phone.get("/deals/5").json
    assert [la_vola_payments(outcome) for outcome in deal["before"]] == [paid_by_all(50)]
    assert la_vola_payments(deal) == paid_by_all(30)
    put_deal(phone, 5, {"actions": [{"type": "all_pass"}]})
    phone.settled()
    deal = phone.get("/deals/5").json
    assert [la_vola_payments(outcome) for outcome in deal["before"]] == [
        paid_by_all(50),
        paid_by_all(30),
    ]
    assert la_vola_payments(deal) == []
    assert phone.get("/audit").json["clean"]


def test_a_preview_shows_the_changes_and_writes_nothing(server_url):
    phone = record_e1(server_url)
    state = phone.state()
    preview = phone.preview(2, {"actions": DEAL_2})
    assert preview.status == 200, preview.raw
    assert find_errors(preview.json, SCHEMAS["CorrectionPreview"]) == []
    assert preview.json["balance_changes"] == {"p1": -20, "p2": 20, "p3": 0, "p4": 0}
    assert (preview.json["score_changes"], preview.json["rescored"]) == (None, [2])
    assert phone.state() == state
    balances = state["balances"]
    corrected = put_deal(phone, 2, {"actions": DEAL_2}).json["session"]["balances"]
    assert {p: corrected[p] - balances[p] for p in balances} == preview.json["balance_changes"]


def test_a_preview_counts_payments_that_a_correction_makes_due(server_url):
    phone = record_e1(server_url)
    before = phone.state()
    preview = phone.preview(5, {}).json  # the deal is voided, with its la vola
    assert preview["voided"] == [5]
    assert preview["bets"]["before"] == before["bets"]
    voided = phone.write("/deals/5", None, version=before["version"], method="DELETE").json[
        "session"
    ]
    phone.settled()
    after = phone.state()
    assert preview["bets"]["after"] == voided["bets"]
    assert preview["pot"] == {"before": before["pot"], "after": after["pot"]}
    assert preview["balance_changes"] == {
        p: after["balances"][p] - before["balances"][p] for p in before["balances"]
    }


def test_a_preview_of_voiding_an_open_deal_returns_the_stake(server_url):
    phone = RemoteSession(server_url).open()
    phone.act({"type": "open_deal"})
    preview = phone.preview(1, {}).json
    assert preview["balance_changes"] == {"p1": 10, "p2": 0, "p3": 0, "p4": 0}
    assert (preview["pot"], preview["voided"]) == ({"before": 10, "after": 0}, [1])


def test_a_preview_in_a_game_for_points_shows_the_points(server_url):
    phone = RemoteSession(server_url).open(game="knektpass", options={})
    tricks = {"type": "tricks", "taken": {"p2": 3, "p3": 2}}
    declarations = [{"type": t, "player": p} for t, p in (("stay", "p2"), ("stay", "p3"))]
    declarations += [{"type": "pass", "player": p} for p in ("p4", "p1")]
    phone.act({"type": "open_deal"}, *declarations, tricks)
    corrected_tricks = {"type": "tricks", "taken": {"p2": 2, "p3": 3}}
    preview = phone.preview(1, {"actions": [*declarations, corrected_tricks]}).json
    assert preview["score_changes"] == {"p1": 0, "p2": 1, "p3": -1, "p4": 0}
    assert (preview["balance_changes"], preview["pot"], preview["bets"]) == (None, None, None)


def test_a_preview_is_refused_as_the_correction_would_be(server_url):
    phone = RemoteSession(server_url).open(game="knektpass", options={"start": 5})
    pass_deals(phone, 3)
    actions = [{"type": "stay", "player": "p3"}]
    actions += [{"type": "pass", "player": player} for player in ("p4", "p1", "p2")]
    refused = phone.preview(2, {"actions": actions})
    assert (refused.status, refused.json["code"]) == (409, "later_deals_break")
    assert refused.json["deals"] == [3]
    preview = phone.preview(2, {"actions": actions, "later": "void"}).json
    assert (preview["rescored"], preview["voided"]) == ([2], [3])
    cases = [
        (phone.preview(20, {}), 404, "unknown_deal"),
        (phone.preview(2, {"actions": []}), 422, "wrong_shape"),
        (phone.preview(2, {"reason": "x"}), 422, "wrong_shape"),
        (phone.preview(2, {}, token=phone.tokens["viewer"]), 403, "role_too_low"),
    ]
    for answer, status, code in cases:
        assert (answer.status, answer.json["code"]) == (status, code)


def undo_action(state):
    return next(action for action in state["legal_actions"] if action["type"] == "undo")


def test_an_undo_names_the_correction_that_it_takes_back(server_url):
    phone = record_e1(server_url)
    before = phone.get("/deals/2").json
    assert undo_action(phone.state())["takes_back"] == {"type": "trick", "deal": 7, "trick": 5}
    corrected = put_deal(phone, 2, {"actions": DEAL_2, "reason": "Bo tog det första sticket"}).json
    assert undo_action(corrected["session"])["takes_back"] == {"type": "correct", "deal": 2}
    undone = phone.act({"type": "undo"})
    (event,) = undone.json["events"]
    assert (event["type"], event["data"]["deal"]) == ("correction_undone", 2)
    assert list(undone.json["session"]["balances"].values()) == [-50, -40, 150, -60]
    assert undo_action(undone.json["session"])["takes_back"] == {
        "type": "trick",
        "deal": 7,
        "trick": 5,
    }
    assert phone.get("/deals/2").json == before
    last = phone.get("/statement?player=p1", **{"Accept-Language": "sv"}).json["lines"][-1]
    assert (last["kind"], last["change"], last["deal"]) == ("correction_undone", 20, 2)
    assert last["why"].startswith("Rättelsen av giv 2 ångrades")
    audit = phone.get("/audit").json
    assert audit["clean"], audit["findings"]


def test_a_voided_deal_counts_again_after_an_undo(server_url):
    phone = record_e1(server_url)
    before = [phone.get(path).json for path in ("/deals/5", "/balances", "/bets", "/pot")]
    version = phone.state()["version"]
    voided = phone.write("/deals/5", None, version=version, method="DELETE")
    assert undo_action(voided.json["session"])["takes_back"] == {"type": "void", "deal": 5}
    phone.settled()
    phone.act({"type": "undo"})
    phone.settled()
    after = [phone.get(path).json for path in ("/deals/5", "/balances", "/bets", "/pot")]
    assert [answer.get("status") for answer in after] == ["closed", None, None, None]
    assert after[1]["balances"] == before[1]["balances"]
    assert (after[2]["bets"], after[3]["pot"]) == (before[2]["bets"], before[3]["pot"])
    assert phone.get("/audit").json["clean"]


def test_a_correction_sent_twice_is_one_correction(server_url):
    phone = record_e1(server_url)
    version = phone.state()["version"]
    first, second = (
        put_deal(phone, 2, {"actions": DEAL_2}, key="the-same", version=version) for _ in range(2)
    )
    assert (first.status, second.raw) == (200, first.raw)
    assert phone.state()["version"] == version + 1


def test_a_closed_deal_can_be_voided_with_its_stake(server_url):
    phone = RemoteSession(server_url).open()
    phone.act({"type": "open_deal"}, {"type": "all_pass"})
    phone.act({"type": "open_deal"}, {"type": "all_pass"})
    version = phone.state()["version"]
    voided = phone.write("/deals/1?reason=fel%20kort", None, version=version, method="DELETE")
    assert voided.status == 200, voided.raw
    state = voided.json["session"]
    assert (state["pot"], list(state["balances"].values())) == (10, [0, -10, 0, 0])
    assert phone.get("/deals/1").json["status"] == "voided"
    assert phone.get("/audit").json["clean"]


def test_later_deals_that_break_are_named_and_voided_on_request(server_url):
    phone = RemoteSession(server_url).open(game="knektpass", options={"start": 5})
    for _ in range(3):
        phone.act({"type": "open_deal"}, {"type": "all_pass"})
    actions = [
        {"type": "stay", "player": "p3"},
        *({"type": "pass", "player": player} for player in ("p4", "p1", "p2")),
    ]
    refused = put_deal(phone, 2, {"actions": actions})
    assert (refused.status, refused.json["code"]) == (409, "later_deals_break")
    assert refused.json["deals"] == [3]
    corrected = put_deal(phone, 2, {"actions": actions, "later": "void"})
    assert corrected.status == 200
    assert corrected.json["session"]["winner"] == ["p3"]
    assert phone.get("/deals/3").json["status"] == "voided"
    assert phone.get("/audit").json["clean"]


def test_a_refused_correction_writes_nothing(server_url):
    phone = record_e1(server_url)
    version = phone.state()["version"]
    short = {"actions": DEAL_2[:2]}
    wrong = {"actions": [{"type": "trick", "winner": "p9"}], "reason": ""}
    cases = [
        (put_deal(phone, 2, short), 409, "deal_not_closed"),
        (put_deal(phone, 2, wrong), 422, "wrong_shape"),
        (put_deal(phone, 20, {"actions": DEAL_2}), 404, "unknown_deal"),
        (put_deal(phone, 2, {"actions": []}), 422, "wrong_shape"),
        (put_deal(phone, 2, {"actions": [{"type": "undo"}]}), 409, "not_now"),
        (put_deal(phone, 2, {"actions": DEAL_2}, version=1), 412, "stale_version"),
    ]
    for answer, status, code in cases:
        assert (answer.status, answer.json["code"]) == (status, code)
    assert phone.state()["version"] == version


def test_an_action_not_allowed_in_a_correction_is_refused_with_its_index(server_url):
    phone = record_e1(server_url)
    refused = put_deal(phone, 2, {"actions": [*DEAL_2, {"type": "undo"}]})
    assert (refused.status, refused.json["code"], refused.json["action"]) == (409, "not_now", 6)
    assert find_errors(refused.json, SCHEMAS["Problem"]) == []


def test_a_reversed_payment_has_an_id_of_the_documented_form(server_url):
    phone = record_e1(server_url)
    version = phone.state()["version"]
    voided = phone.write(
        "/deals/5", None, version=version, method="DELETE"
    )  # its la vola was settled
    assert voided.status == 200, voided.raw
    reversals = [p for p in voided.json["session"]["payments"] if p.get("reverses")]
    assert len(reversals) == 3
    assert [find_errors(p["id"], SCHEMAS["PaymentId"]) for p in reversals] == [[], [], []]
    assert find_errors(voided.json["session"], SCHEMAS["State"]) == []


def pass_deals(phone, deals):
    for _ in range(deals):
        phone.act({"type": "open_deal"}, {"type": "all_pass"})


def void_deal(phone, deal):
    version = phone.state()["version"]
    return phone.write(f"/deals/{deal}", None, version=version, method="DELETE")


def next_dealer(phone):
    """Return who deals next; the audit must be clean."""
    audit = phone.get("/audit").json
    assert audit["clean"], audit["findings"]
    return phone.state()["deal"]["dealer"]


ALL_PASS = [{"type": "all_pass"}]
BO_WINS = [{"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p2"}]


@pytest.mark.parametrize("actions", [ALL_PASS, BO_WINS], ids=["as it was", "otherwise"])
def test_a_correction_keeps_the_turn_after_voided_deals(server_url, actions):
    phone = RemoteSession(server_url).open()
    pass_deals(phone, 3)
    for deal in (2, 3):
        assert void_deal(phone, deal).status == 200
    assert next_dealer(phone) == "p3"
    assert put_deal(phone, 1, {"actions": actions}).status == 200
    assert next_dealer(phone) == "p3"
    assert phone.act({"type": "open_deal"}).json["session"]["deal"]["dealer"] == "p3"


@pytest.mark.parametrize("actions", [ALL_PASS, BO_WINS], ids=["as it was", "otherwise"])
def test_a_correction_keeps_the_turn_after_a_misdeal(server_url, actions):
    phone = RemoteSession(server_url).open(options={"misdeal_policy": "next_dealer"})
    pass_deals(phone, 1)
    phone.act({"type": "open_deal"})
    assert void_deal(phone, 2).status == 200
    assert next_dealer(phone) == "p3"
    assert put_deal(phone, 1, {"actions": actions}).status == 200
    assert next_dealer(phone) == "p3"


def test_a_correction_below_an_open_deal_keeps_its_dealer(server_url):
    phone = RemoteSession(server_url).open()
    pass_deals(phone, 2)
    assert void_deal(phone, 2).status == 200
    phone.act({"type": "open_deal"})
    assert next_dealer(phone) == "p2"
    assert put_deal(phone, 1, {"actions": BO_WINS}).status == 200
    assert next_dealer(phone) == "p2"
    phone.act({"type": "all_pass"})
    assert next_dealer(phone) == "p3"
