"""The result of a session stays when all is paid; only the amounts to settle become zero."""

import csv
import io

import openpyxl
import pypdf
import pytest

from tests.support.api import hledger_reader
from tests.support.api.group_client import GroupClient, create_group

RESULTS = {"p1": -1000, "p2": 2000, "p3": 0, "p4": -1000}
ZEROS = dict.fromkeys(RESULTS, 0)
FORMATTED_RESULTS = ("Ada −10 kr", "Bo +20 kr", "Disa −10 kr")


def play_four_deals(session):
    """Ada and Disa deal, Bo wins both pots."""
    for dealer in range(4):
        winner = {0: "p2", 3: "p2"}.get(dealer)
        deal = [{"type": "declare", "players": [winner]}, {"type": "result", "winner": winner}]
        if winner is None:
            deal = [{"type": "declare", "players": [f"p{dealer + 1}"]},
                    {"type": "result", "winner": f"p{dealer + 1}"}]  # fmt: skip
        assert session.act({"type": "open_deal"}, *deal).status_code == 201
    return session


def close_and_pay(session):
    """Close the session and pay every line of the plan."""
    assert session.write("/closure", {}, match="*").status_code == 201
    for line in session.get("/settlement").json["transfers"]:
        assert session.write("/transfers", line, match="*").status_code == 201
    return session


@pytest.fixture
def settled_session(open_session):
    return close_and_pay(play_four_deals(open_session(options={"stake": 1000}, title="Fredag")))


def test_a_settled_session_still_has_its_result(settled_session):
    state = settled_session.state
    assert (state["results"], state["balances"]) == (RESULTS, ZEROS)
    plan = settled_session.get("/settlement").json
    assert (plan["results"], plan["balances"], plan["transfers"]) == (RESULTS, ZEROS, [])
    earlier = settled_session.get(
        f"?at={settled_session.version - 2}"
    ).json  # before the two payments
    assert earlier["results"] == earlier["balances"]


def test_every_statement_shows_result_and_balance(settled_session):
    statement = settled_session.get("/statement?format=json").json
    assert (statement["results"], statement["balances"]) == (RESULTS, ZEROS)
    rows = list(csv.DictReader(io.StringIO(settled_session.get("/statement?format=csv").text)))
    figures = {kind: {row["to"]: int(row["balance"]) for row in rows if row["kind"] == kind}
               for kind in ("result", "to_settle")}  # fmt: skip
    assert figures["result"] == {f"player:{p}": amount for p, amount in RESULTS.items()}
    assert figures["to_settle"] == {f"player:{p}": 0 for p in RESULTS}
    data = settled_session.get("/statement?format=xlsx&lang=en").data
    cells = [
        [cell.value for cell in row]
        for sheet in openpyxl.load_workbook(io.BytesIO(data)).worksheets
        for row in sheet.iter_rows()
    ]
    assert ["Bo", 20, 0] in [row[:3] for row in cells]
    journal = settled_session.get("/statement?format=hledger&lang=en").text
    assert "; Result – Bo: 20.00 SEK" in journal
    hledger_reader.parse_journal(journal)


@pytest.mark.parametrize("player", ["", "&player=p2"])
def test_pdf_and_page_show_result_and_balance(settled_session, player):
    data = settled_session.get(f"/statement?format=pdf&lang=en{player}").data
    pages = (page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)
    paper = " ".join(" ".join(pages).replace("\xa0", " ").split())
    page = settled_session.get(f"/statement?format=html&lang=en{player}").text.replace("\xa0", " ")
    result, left_to_settle = paper.split("Result of the evening")[1].split("Still to settle")
    for figure in FORMATTED_RESULTS:
        assert figure in result
    assert "Bo 0 kr" in left_to_settle
    assert "Result of the evening" in page
    assert "+20 kr" in page
    assert "Bo: 0 kr → 20 kr" in page, "the curve does not fall to zero"


def test_an_amount_carried_forward_is_not_part_of_the_result(client):
    group: GroupClient = create_group(client, "Ada", "Bo", "Cilla", "Disa")
    first = play_four_deals(group.open_session(options={"stake": 1000}))
    assert first.write("/closure", {}, match="*").status_code == 201
    second = group.open_session(carry=True, options={"stake": 1000}).state
    assert (second["results"], second["balances"]) == (ZEROS, RESULTS)


def test_a_group_statement_keeps_the_results(client):
    group: GroupClient = create_group(client, "Ada", "Bo", "Cilla", "Disa")
    close_and_pay(play_four_deals(group.open_session(options={"stake": 1000})))
    by_member = {f"m{p[1:]}": amount for p, amount in RESULTS.items()}
    statement = group.get("/statement?format=json").json
    assert (statement["results"], statement["balances"]) == (by_member, dict.fromkeys(by_member, 0))
    assert statement["sessions"][0]["results"] == by_member
    page = group.get("/statement?format=html&member=m2&lang=en").text.replace("\xa0", " ")
    assert "Bo: 0 kr → 20 kr" in page
    season = {m["id"]: m for m in group.get("/standings").json["members"]}
    assert {m: tally["result"].get("SEK", 0) for m, tally in season.items()} == by_member
    assert not any(tally["open"] for tally in season.values())


@pytest.mark.parametrize("policy", ["carry", "refund_bets", "split_equal"])
def test_the_preview_of_a_closing_equals_the_closing(open_session, policy):
    session = open_session(options={"stake": 1000})
    session.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]},
              {"type": "result", "winner": "p3"})  # fmt: skip
    session.act({"type": "open_deal"}, {"type": "all_pass"})
    before = session.version
    for query in ("", "&through=p4"):
        preview = session.get(f"/settlement?leftover_policy={policy}{query}").json
        assert (preview.pop("leftover_policy"), preview.pop("version")) == (policy, before)
        session.write("/closure", {"leftover_policy": policy}, match="*")
        closed = session.get(f"/settlement?{query}").json
        del closed["version"]
        assert preview == closed
        assert session.write("/closure", method="DELETE", match="*").status_code == 200
        before += 2 if policy == "carry" else 4


def test_the_preview_of_a_closing_is_refused_as_the_closing_is(open_session):
    session = open_session(options={"stake": 1000})
    session.act({"type": "open_deal"})
    query = "/settlement?leftover_policy="
    assert session.get(f"{query}carry").json["code"] == "deal_is_open"
    session.act({"type": "all_pass"})
    assert session.get(f"{query}play_on").json["code"] == "leftovers_to_play_for"
    assert session.get(f"{query}lottery").status_code == 422
    session.write("/closure", {}, match="*")
    assert session.get(f"{query}carry").json["code"] == "session_closed"


def test_only_the_host_reopens_a_session_naming_its_version(open_session):
    session = play_four_deals(open_session())
    session.write("/closure", {}, match="*")
    assert session.state["closure"] == {"leftover_policy": "carry", "reopenable": True}
    version = session.version

    def reopen(**more):
        return session.write("/closure", method="DELETE", **more)

    assert reopen(match=f'"{version}"', role="scorer").json["code"] == "role_too_low"
    assert reopen().status_code == 428
    assert reopen(match=f'"{version - 1}"').status_code == 412
    reopened = reopen(match=f'"{version}"', key="once")
    assert (reopened.status_code, reopened.json["session"]["status"]) == (200, "open")
    assert "closure" not in reopened.json["session"]
    replay = reopen(match=f'"{version}"', key="once")
    assert (replay.data, replay.headers["Idempotency-Replayed"]) == (reopened.data, "true")
    assert reopen(match="*").json["code"] == "session_not_closed"
    assert session.get("/audit").json["findings"] == []
    assert session.get("/statement?format=json").json["closing"] == 0


def test_a_session_that_was_carried_forward_cannot_be_reopened(client):
    group: GroupClient = create_group(client, "Ada", "Bo", "Cilla", "Disa")
    first = play_four_deals(group.open_session(options={"stake": 1000}))
    first.write("/closure", {}, match="*")
    first.write("/closure", method="DELETE", match="*")
    refused = group.write("/sessions", {"game": "polskt_pass", "members": ["m1", "m2", "m3"],
                                         "carry": True})  # fmt: skip
    assert refused.json["code"] == "session_is_open"
    first.write("/closure", {}, match="*")
    group.open_session(carry=True)
    assert first.state["closure"]["reopenable"] is False
    refused = first.write("/closure", method="DELETE", match="*")
    assert (refused.status_code, refused.json["code"]) == (409, "already_carried_forward")
    assert first.get("/audit").json["findings"] == []


def test_a_closed_session_says_whether_it_reopens_or_goes_on(client):
    group: GroupClient = create_group(client, "Ada", "Bo", "Cilla", "Disa")
    first = play_four_deals(group.open_session(options={"stake": 1000}))
    first.write("/closure", {}, match="*")

    def sentences():
        cost = {"payer": "p1", "amount": 500}
        refused = [
            first.get("/settlement?leftover_policy=carry&lang=en"),
            first.write("/actions?lang=en", {"actions": [{"type": "open_deal"}]}, match="*"),
            first.write("/deals/1?lang=en", method="DELETE", match="*"),
            first.write("/costs?lang=en", cost, match="*"),
            first.write("/players?lang=en", {"name": "Emil"}, match="*"),
        ]
        assert {answer.json["code"] for answer in refused} == {"session_closed"}
        return {answer.json["detail"] for answer in refused}

    reopens = "The evening is closed; it must be reopened before anything can change."
    assert sentences() == {reopens}
    group.open_session(carry=True)
    (goes_on,) = sentences()
    assert "carried forward to the next one. Go on there." in goes_on
