"""The worked evenings E1 and E3, deal by deal, over HTTP to a running server."""

import csv
import io

import pytest

from tests.support.api.http_client import RemoteSession
from tests.support.worked_evenings import CLOSED_E3, E1, E3, lines


def standing_of(state):
    """Return balances, pot and bets of a session's state, as a line of the table has them."""
    return (
        list(state["balances"].values()),
        state["pot"],
        [(bet["by"][0], bet["amount"]) for bet in state["bets"]],
    )


@pytest.mark.parametrize(("players", "text"), [(4, E1), (5, E3)], ids=["E1", "E3"])
def test_a_worked_evening_sent_deal_by_deal(server_url, players, text):
    phone = RemoteSession(server_url).open(players)
    for line in lines(text):
        answer = phone.act(*line.actions())
        assert answer.status == 201, answer.raw
        assert standing_of(phone.settled()) == (line.balances, line.pot, line.bets)
    audit = phone.get("/audit").json
    assert audit["clean"], audit


def test_the_same_evening_sent_action_by_action(server_url):
    phone = RemoteSession(server_url).open()
    for line in lines(E1):
        for action in line.actions():
            assert phone.act(action).status == 201
        assert standing_of(phone.settled()) == (line.balances, line.pot, line.bets)


def test_an_evening_looked_back_at_stands_as_it_stood(server_url):
    phone = RemoteSession(server_url).open()
    states = []
    for line in lines(E1):
        phone.act(*line.actions())
        states.append(phone.settled())
    for state in states:
        earlier_state = phone.get(f"?at={state['version']}").json
        assert earlier_state == state


@pytest.mark.parametrize("policy", CLOSED_E3)
def test_what_is_left_over_goes_by_the_policy(server_url, policy):
    phone = RemoteSession(server_url).open(5)
    for line in lines(E3):
        phone.act(*line.actions())
    version = phone.settled()["version"]
    answer = phone.write("/closure", {"leftover_policy": policy}, version=version)
    assert answer.status == 201, answer.raw
    state = answer.json["session"]
    assert list(state["balances"].values()) == CLOSED_E3[policy]
    assert state["status"] == "closed"
    refused = phone.act({"type": "open_deal", "number": 7})
    assert (refused.status, refused.json["code"]) == (409, "session_closed")


def test_a_statement_adds_up_to_the_balance(server_url):
    phone = RemoteSession(server_url).open()
    for line in lines(E1):
        phone.act(*line.actions())
    state = phone.settled()
    for player, balance in state["balances"].items():
        statement = phone.get(f"/statement?player={player}&format=json").json
        changes = [line["change"] for line in statement["lines"]]
        assert statement["opening"] + sum(changes) == statement["closing"] == balance
        text = phone.get(f"/statement?player={player}&format=csv").raw.decode()
        rows = list(csv.DictReader(io.StringIO(text)))
        assert sum(int(row["change"]) for row in rows if row["change"]) == balance
        assert int(rows[-1]["balance"]) == balance


def test_settling_up_brings_everybody_to_zero_with_the_fewest_transfers(server_url):
    phone = RemoteSession(server_url).open()
    for line in lines(E1):
        phone.act(*line.actions())
    balances = phone.settled()["balances"]
    plan = phone.get("/settlement").json["transfers"]
    assert len(plan) == 3  # four people, none of whom cancel each other
    for transfer in plan:
        sent = {**transfer, "method": "swish"}
        answer = phone.write("/transfers", sent, version=phone.state()["version"])
        assert answer.status == 201, answer.raw
        balances[transfer["from"]] += transfer["amount"]
        balances[transfer["to"]] -= transfer["amount"]
        assert answer.json["session"]["balances"] == balances
    assert set(balances.values()) == {0}


def test_every_posting_of_an_evening_is_explained(server_url):
    phone = RemoteSession(server_url).open()
    for line in lines(E1):
        phone.act(*line.actions())
    phone.settled()
    deal = phone.get("/deals/2").json
    reasons = [posting["why"] for posting in deal["postings"]]
    assert all(reasons)
    assert deal["outcome"]["text"] == "Ada vann 0,20\xa0kr. Disa var spelförare och satte bet."
    assert any("satt av Bo i giv 1" in sentence for sentence in reasons), reasons
    english = phone.get("/deals/2", **{"Accept-Language": "en"}).json
    assert "Ada" in english["outcome"]["text"]
    assert english["outcome"]["text"] != deal["outcome"]["text"]
