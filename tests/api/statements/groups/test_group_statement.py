"""One statement over many sessions: every krona is counted once, in any period."""

from random import Random
from urllib.parse import urlsplit

import pytest

from api.statements.saved_statement_check import check_saved_statement
from ledger.store.read_stream import StreamReader
from tests.support.api.group_client import create_group, play_and_close_e3
from tests.support.api.random_group import random_group_of_sessions
from tests.support.api.statement_text import STATEMENT_FORMATS, statement_text
from tests.support.api.two_sessions import WON_DEAL, get_statement, play_two_sessions, read_journal
from tests.support.player_names import FIVE_NAMES


@pytest.fixture
def group(app):
    return create_group(app.test_client(), *FIVE_NAMES)


@pytest.fixture
def two_sessions(group):
    return play_two_sessions(group)


def assert_adds_up(statement) -> None:
    """Assert that opening balance and lines give the closing one, session after session, and
    that all balances sum to zero."""
    balance = statement["opening"]
    for evening in statement["sessions"]:
        assert evening["opening"] == balance
        for line in statement["lines"]:
            if line["session_number"] == evening["number"] and statement["member"]:
                balance += line["change"]
                assert line["balance"] == balance
        assert evening["closing"] == balance
    assert balance == statement["closing"]
    assert statement["closing"] == statement["balances"].get(statement["member"], 0)
    assert sum(statement["balances"].values()) + statement["others"] + statement["on_tables"] == 0
    numbers = [evening["number"] for evening in statement["sessions"]]
    assert [n for n in numbers if n in {x["session_number"] for x in statement["lines"]}] == list(
        dict.fromkeys(line["session_number"] for line in statement["lines"])
    )


def test_members_stand_in_the_order_of_the_group(group):
    for seated in (["m4", "m2", "m3"], ["m5", "m1", "m2"]):
        group.open_session(*seated).act({"type": "open_deal"}, {"type": "all_pass"})
    assert [*get_statement(group)["results"]] == ["m1", "m2", "m3", "m4", "m5"]


def test_an_amount_carried_forward_is_counted_once(two_sessions):
    statement = get_statement(two_sessions, "?member=m1")
    assert [line["change"] for line in statement["lines"]] == [-10, -50, -10, 10, 40]
    assert [(e["opening"], e["closing"]) for e in statement["sessions"]] == [(0, -70), (-70, -20)]
    first, second = (evening["session"] for evening in statement["sessions"])
    assert (first, second) == tuple(session.id for session in two_sessions.sessions)
    assert statement["sessions"][1]["carried_from"] == first
    assert statement["sessions"][0]["carried_to"] == second
    assert statement["balances"] == {"m1": -20, "m2": -30, "m3": -60, "m4": 0, "m5": 20}
    assert (statement["others"], statement["on_tables"]) == (0, 90)
    group_statement = get_statement(two_sessions)
    assert {line["kind"] for line in group_statement["lines"]}.isdisjoint({"brought_forward"})
    for member in ("m1", "m2", "m3", "m4", "m5", None):
        assert_adds_up(get_statement(two_sessions, f"?member={member}" if member else ""))


def test_a_member_ends_with_what_the_season_shows_as_open(two_sessions):
    for member, tally in two_sessions.standings_by_member.items():
        assert get_statement(two_sessions, f"?member={member}")["closing"] == tally["open"].get(
            "SEK", 0
        )


def test_an_absent_member_keeps_the_balance(group):
    play_and_close_e3(group)
    second = group.open_session("m3", "m1", "m2", carry=True)
    second.act({"type": "open_deal"}, {"type": "all_pass"})
    statement = get_statement(group, "?member=m5")
    assert [(e["opening"], e["closing"]) for e in statement["sessions"]] == [(0, 20), (20, 20)]
    group.open_session("m1", "m2", "m3")
    assert [e["closing"] for e in get_statement(group, "?member=m5")["sessions"]] == [20, 20, 20]


@pytest.mark.parametrize("seed", range(5))
def test_any_group_adds_up_in_any_period(app, seed):
    """Transfers, undo, corrections, la volas, sessions carried forward or not, absent members."""
    random = Random(seed)
    group = random_group_of_sessions(app, random)
    group_statement = get_statement(group, "?currency=SEK")
    assert_adds_up(group_statement)
    assert group_statement["balances"] == {
        member: season["open"].get("SEK", 0) for member, season in group.standings_by_member.items()
    }
    moments = sorted({line["at"] for line in group_statement["lines"]})
    cut, *_ = random.sample(moments, 1)
    for member in (*random.sample(sorted(group_statement["balances"]), 2), None):
        query = "?currency=SEK" + (f"&member={member}" if member else "")
        statement, before_cut, after_cut = (
            get_statement(group, query + p) for p in ("", f"&to={cut}", f"&from={cut}")
        )
        for part in (statement, before_cut, after_cut):
            assert_adds_up(part)
        assert before_cut["closing"] == after_cut["opening"]
        assert (statement["opening"], statement["closing"]) == (0, after_cut["closing"])
        assert after_cut["balances"] == statement["balances"]
        lines = [(x["session_number"], x["version"], x["amount"]) for x in statement["lines"]]
        joined = before_cut["lines"] + after_cut["lines"]
        cut_lines = [(x["session_number"], x["version"], x["amount"]) for x in joined]
        assert sorted(cut_lines) == sorted(lines)
        for period in ("", f"&to={cut}", f"&from={cut}"):
            read_journal(group.get(f"/statement{query}{period}&format=hledger").text)


def test_a_session_before_the_period_is_in_the_opening_alone(two_sessions):
    cut = get_statement(two_sessions)["sessions"][1]["created_at"]
    statement = get_statement(two_sessions, f"?member=m1&from={cut}")
    assert [evening["number"] for evening in statement["sessions"]] == [2]
    assert (statement["opening"], statement["closing"]) == (-70, -20)
    earlier = get_statement(two_sessions, f"?member=m1&to={cut}")
    assert [evening["number"] for evening in earlier["sessions"]] == [1]
    assert (earlier["closing"], earlier["on_tables"]) == (-70, 130)


def test_currencies_are_never_added_up(two_sessions):
    kroner = two_sessions.open_session("m1", "m2", "m3", currency="DKK")
    kroner.act(*WON_DEAL)
    statement = get_statement(two_sessions)
    assert (statement["currency"], [e["number"] for e in statement["sessions"]]) == ("DKK", [3])
    assert_adds_up(statement)
    assert [e["number"] for e in get_statement(two_sessions, "?currency=SEK")["sessions"]] == [1, 2]
    refused = two_sessions.get("/statement?currency=EUR")
    assert (refused.status_code, refused.json["code"]) == (422, "wrong_shape")


def test_a_period_before_the_first_evening_of_a_currency_is_empty(app, group):
    group.open_session(currency="EUR")
    group.open_session("m1", "m2", "m3", currency="DKK")
    before = "to=2020-01-01"
    assert get_statement(group, f"?{before}")["currency"] == "DKK"
    for currency in ("EUR", "DKK"):
        answer = group.get(f"/statement?currency={currency}&{before}")
        assert answer.status_code == 200, answer.json
        statement = answer.json
        assert (statement["currency"], statement["sessions"]) == (currency, [])
        assert list(check_saved_statement(app, answer.data)) == []
        page = group.client.get(urlsplit(statement["page"]).path)
        assert 'class="verdict holds"' in page.text
    assert group.get(f"/statement?currency=USD&{before}").status_code == 422


def test_points_count_only_with_their_value_in_money(group):
    group.open_session("m1", "m2", "m3", "m4", game="spader")
    assert get_statement(group)["sessions"] == []
    session = group.open_session("m1", "m2", "m3", game="knektpass", options={"point_value": 100})
    passes = [{"type": "pass", "player": player} for player in ("p3", "p1")]
    session.act({"type": "open_deal"}, {"type": "stay", "player": "p2"}, *passes)
    assert session.write("/closure", {}, match="*").status_code == 201
    statement = get_statement(group)
    assert_adds_up(statement)
    assert {line["kind"] for line in statement["lines"]} == {"points_paid"}
    assert statement["balances"]["m2"] == 2 * 500
    assert statement["on_tables"] == 0


def test_a_player_who_is_no_member_has_an_account_in_the_session(group, session):
    session.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]})
    session.act({"type": "result", "winner": "p4"})
    body = {"token": session.tokens["host"], "members": {"p1": "m1", "p2": "m2"}}
    group.write(f"/sessions/{session.id}", body, method="PUT")
    statement = get_statement(group)
    assert_adds_up(statement)
    assert [line["to"] for line in statement["lines"]] == ["pot", "guest:1.p4", "bet:1"]
    assert (statement["balances"]["m1"], statement["others"]) == (-10, 10)
    assert "assets:players:1.p4 Disa" in group.get("/statement?format=hledger").text
    read_journal(group.get("/statement?format=hledger").text)
    assert "Andra än medlemmar" in group.get("/statement?format=html").text


def test_members_have_their_group_names_and_erased_ones_numbers(two_sessions):
    two_sessions.write("/members/m3/name", method="DELETE")
    for form in STATEMENT_FORMATS:
        for query in ("", "&member=m3", "&member=m1"):
            text = statement_text(two_sessions.get(f"/statement?format={form}&lang=en{query}"))
            assert "Cilla" not in text
            if form != "hledger" and query == "&member=m3":
                assert "Member3" in text
    journal = two_sessions.get("/statement?format=hledger").text
    assert "account assets:players:m3\n" in journal
    read_journal(journal)


def test_the_results_of_several_evenings_are_not_called_those_of_one(two_sessions):
    for form in STATEMENT_FORMATS:
        text = statement_text(two_sessions.get(f"/statement?format={form}&lang=en"))
        assert "Resultoftheevening" not in text, form


def test_a_group_without_sessions_has_an_empty_statement(group):
    statement = get_statement(group, "?member=m1")
    assert (statement["sessions"], statement["lines"], statement["closing"]) == ([], [], 0)
    for form in STATEMENT_FORMATS:
        for query in ("", "&member=m1"):
            assert group.get(f"/statement?format={form}{query}").status_code == 200


def test_only_tokens_of_the_group_read_its_statement(two_sessions, app):
    other_group = create_group(app.test_client(), "Ada", "Bo", "Cilla")
    for token in (other_group.tokens["host"], two_sessions.sessions[0].tokens["host"]):
        credentials = {"Authorization": f"Bearer {token}"}
        answer = two_sessions.client.get(f"{two_sessions.path}/statement", headers=credentials)
        assert (answer.status_code, answer.json["code"]) == (404, "unknown_group")
    for query, status, code in (
        ("?member=m9", 404, "unknown_member"),
        ("?member=p1", 404, "unknown_member"),
        ("?format=doc", 406, "not_acceptable"),
        ("?format=pdf&profile=excel", 422, "wrong_shape"),
        ("?from=yesterday", 422, "wrong_shape"),
        ("?currency=sek", 422, "wrong_shape"),
    ):
        answer = two_sessions.get(f"/statement{query}")
        assert (answer.status_code, answer.json["code"]) == (status, code), query
    assert two_sessions.get("/statement", Host='evil"><script>').status_code == 400


def test_the_etag_changes_with_any_session(two_sessions):
    tag = two_sessions.get("/statement?format=csv").headers["ETag"]
    assert two_sessions.get("/statement?format=csv").headers["ETag"] == tag
    two_sessions.sessions[1].act({"type": "open_deal"})
    assert two_sessions.get("/statement?format=csv").headers["ETag"] != tag


def test_a_statement_made_while_two_sessions_go_on_is_made_again_alike(app, monkeypatch):
    group = create_group(app.test_client(), *FIVE_NAMES, "Fia")
    first, second = group.open_session("m1", "m2", "m3"), group.open_session("m4", "m5", "m6")
    load, recorded = StreamReader.load, []

    def load_and_record(store, session_id, at=None):
        session = load(store, session_id, at)
        if str(session_id) == first.id and not recorded:
            recorded.append(session.version)
            for each in (first, second):
                each.act({"type": "open_deal"}, {"type": "all_pass"})
        return session

    monkeypatch.setattr(StreamReader, "load", load_and_record)
    answer = group.get("/statement?lang=en")
    monkeypatch.undo()
    assert recorded == [1]
    assert [session["version"] for session in answer.json["sessions"]] == [4, 4]
    assert list(check_saved_statement(app, answer.data)) == []


def test_an_empty_member_is_refused(group):
    refused = group.get("/statement?member=")
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "?member")
