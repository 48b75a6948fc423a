"""One statement over many evenings: every krona counted once, in any period."""

from random import Random

import pytest

from tests.api.random_circle import circle_at_random
from tests.api.test_circles import FIVE, e3_closed, founded
from tests.api.test_statement_forms import FORMS, words
from tests.api.two_evenings import WON, hledger, told, went_on


@pytest.fixture
def circle(app):
    return founded(app.test_client(), *FIVE)


@pytest.fixture
def two(circle):
    return went_on(circle)


def adds_up(made) -> None:
    """Opening and lines are closing, evening after evening, and nothing was made or lost."""
    balance = made["opening"]
    for evening in made["evenings"]:
        assert evening["opening"] == balance
        for line in made["lines"]:
            if line["evening"] == evening["number"] and made["member"]:
                balance += line["change"]
                assert line["balance"] == balance
        assert evening["closing"] == balance
    assert balance == made["closing"]
    assert made["closing"] == made["balances"].get(made["member"], 0)
    assert sum(made["balances"].values()) + made["others"] + made["on_tables"] == 0
    numbers = [evening["number"] for evening in made["evenings"]]
    assert [n for n in numbers if n in {x["evening"] for x in made["lines"]}] == list(
        dict.fromkeys(line["evening"] for line in made["lines"])
    )


def test_what_goes_on_is_counted_once(two):
    made = told(two, "?member=m1")
    assert [line["change"] for line in made["lines"]] == [-10, -50, -10, 10, 40]
    assert [(e["opening"], e["closing"]) for e in made["evenings"]] == [(0, -70), (-70, -20)]
    first, second = (evening["session"] for evening in made["evenings"])
    assert (first, second) == tuple(table.id for table in two.evenings)
    assert made["evenings"][1]["brought_from"] == first
    assert made["evenings"][0]["carried_to"] == second
    assert made["balances"] == {"m1": -20, "m2": -30, "m3": -60, "m4": 0, "m5": 20}
    assert (made["others"], made["on_tables"]) == (0, 90)
    whole = told(two)
    assert {line["kind"] for line in whole["lines"]}.isdisjoint({"brought_forward"})
    for member in ("m1", "m2", "m3", "m4", "m5", None):
        adds_up(told(two, f"?member={member}" if member else ""))


def test_a_member_ends_with_what_the_season_says_is_open(two):
    for member, told_of in two.season.items():
        assert told(two, f"?member={member}")["closing"] == told_of["open"].get("SEK", 0)


def test_who_was_not_there_keeps_what_he_had(circle):
    e3_closed(circle)
    second = circle.gather("m3", "m1", "m2", carry=True)
    second.act({"type": "open_deal"}, {"type": "all_pass"})
    made = told(circle, "?member=m5")
    assert [(e["opening"], e["closing"]) for e in made["evenings"]] == [(0, 20), (20, 20)]
    circle.gather("m1", "m2", "m3")
    assert [e["closing"] for e in told(circle, "?member=m5")["evenings"]] == [20, 20, 20]


@pytest.mark.parametrize("seed", range(8))
def test_any_circle_adds_up_in_any_period(app, seed):
    """Transfers, undo, corrections, la volas, evenings that go on or not, people who are away."""
    random = Random(seed)
    circle = circle_at_random(app, random)
    whole = told(circle, "?currency=SEK")
    adds_up(whole)
    assert whole["balances"] == {
        member: season["open"].get("SEK", 0) for member, season in circle.season.items()
    }
    moments = sorted({line["at"] for line in whole["lines"]})
    cut, *_ = random.sample(moments, 1)
    for member in (*random.sample(sorted(whole["balances"]), 2), None):
        query = "?currency=SEK" + (f"&member={member}" if member else "")
        made, early, late = (told(circle, query + p) for p in ("", f"&to={cut}", f"&from={cut}"))
        for one in (made, early, late):
            adds_up(one)
        assert early["closing"] == late["opening"]
        assert (made["opening"], made["closing"]) == (0, late["closing"])
        assert late["balances"] == made["balances"]
        lines = [(x["evening"], x["version"], x["amount"]) for x in made["lines"]]
        joined = early["lines"] + late["lines"]
        assert sorted((x["evening"], x["version"], x["amount"]) for x in joined) == sorted(lines)
        for period in ("", f"&to={cut}", f"&from={cut}"):
            hledger(circle.get(f"/statement{query}{period}&format=hledger").text)


def test_an_evening_before_the_period_is_in_the_opening_alone(two):
    cut = told(two)["evenings"][1]["begun_at"]
    made = told(two, f"?member=m1&from={cut}")
    assert [evening["number"] for evening in made["evenings"]] == [2]
    assert (made["opening"], made["closing"]) == (-70, -20)
    early = told(two, f"?member=m1&to={cut}")
    assert [evening["number"] for evening in early["evenings"]] == [1]
    assert (early["closing"], early["on_tables"]) == (-70, 130)


def test_currencies_are_never_added_up(two):
    kroner = two.gather("m1", "m2", "m3", currency="DKK")
    kroner.act(*WON)
    made = told(two)
    assert (made["currency"], [e["number"] for e in made["evenings"]]) == ("DKK", [3])
    adds_up(made)
    assert [e["number"] for e in told(two, "?currency=SEK")["evenings"]] == [1, 2]
    refused = two.get("/statement?currency=EUR")
    assert (refused.status_code, refused.json["code"]) == (422, "wrong_shape")


def test_points_have_no_part_in_it_but_what_they_are_worth(circle):
    circle.gather("m1", "m2", "m3", "m4", game="spader")
    assert told(circle)["evenings"] == []
    worth = circle.gather("m1", "m2", "m3", game="knektpass", options={"point_value": 100})
    passed = [{"type": "pass", "player": player} for player in ("p3", "p1")]
    worth.act({"type": "open_deal"}, {"type": "stay", "player": "p2"}, *passed)
    assert worth.write("/closure", {}, match="*").status_code == 201
    made = told(circle)
    adds_up(made)
    assert {line["kind"] for line in made["lines"]} == {"points_paid"}
    assert made["balances"]["m2"] == 2 * 500
    assert made["on_tables"] == 0


def test_who_is_no_member_has_an_account_for_his_evening(circle, table):
    table.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]})
    table.act({"type": "result", "winner": "p4"})
    body = {"token": table.tokens["host"], "members": {"p1": "m1", "p2": "m2"}}
    circle.write(f"/evenings/{table.id}", body, method="PUT")
    made = told(circle)
    adds_up(made)
    assert [line["to"] for line in made["lines"]] == ["pot", "guest:1.p4", "bet:1"]
    assert (made["balances"]["m1"], made["others"]) == (-10, 10)
    assert "assets:players:1.p4 Disa" in circle.get("/statement?format=hledger").text
    hledger(circle.get("/statement?format=hledger").text)
    assert "Andra än medlemmar" in circle.get("/statement?format=html").text


def test_members_are_called_as_the_circle_calls_them_and_the_forgotten_by_number(two):
    two.write("/members/m3/name", method="DELETE")
    for form in FORMS:
        for whose in ("", "&member=m3", "&member=m1"):
            said = words(two.get(f"/statement?format={form}&lang=en{whose}"))
            assert "Cilla" not in said
            if form != "hledger" and whose == "&member=m3":
                assert "Member3" in said
    journal = two.get("/statement?format=hledger").text
    assert "account assets:players:m3\n" in journal
    hledger(journal)


def test_a_circle_without_evenings_has_an_empty_statement(circle):
    made = told(circle, "?member=m1")
    assert (made["evenings"], made["lines"], made["closing"]) == ([], [], 0)
    for form in FORMS:
        for whose in ("", "&member=m1"):
            assert circle.get(f"/statement?format={form}{whose}").status_code == 200


def test_only_who_is_let_in_to_the_circle_is_told(two, app):
    other = founded(app.test_client(), "Ada", "Bo", "Cilla")
    for token in (other.tokens["host"], two.evenings[0].tokens["host"]):
        right = {"Authorization": f"Bearer {token}"}
        answer = two.client.get(f"{two.here}/statement", headers=right)
        assert (answer.status_code, answer.json["code"]) == (404, "unknown_circle")
    for query, status, code in (
        ("?member=m9", 404, "unknown_member"),
        ("?member=p1", 404, "unknown_member"),
        ("?format=doc", 406, "not_acceptable"),
        ("?format=pdf&profile=excel", 422, "wrong_shape"),
        ("?from=yesterday", 422, "wrong_shape"),
        ("?currency=sek", 422, "wrong_shape"),
    ):
        answer = two.get(f"/statement{query}")
        assert (answer.status_code, answer.json["code"]) == (status, code), query
    assert two.get("/statement", Host='evil"><script>').status_code == 400


def test_its_tag_is_another_once_anything_has_happened(two):
    tag = two.get("/statement?format=csv").headers["ETag"]
    assert two.get("/statement?format=csv").headers["ETag"] == tag
    two.evenings[1].act({"type": "open_deal"})
    assert two.get("/statement?format=csv").headers["ETag"] != tag
