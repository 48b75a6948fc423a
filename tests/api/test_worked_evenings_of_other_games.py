"""The worked evenings E5, E7 and E8 over HTTP to a running server: points, payments, findings."""

import csv
import io

import pytest

from engine.values import clockwise_from
from tests.support.api.http_client import RemoteSession
from tests.support.api.point_games import (
    SIDES,
    check_accepted,
    count_tricks,
    knektpass_deal,
    open_session,
    record_both_games,
    spader_deal,
)
from tests.support.engine import knektpass_deals, spader_deals
from tests.support.worked_evenings import E5, polskpas_lines


@pytest.mark.parametrize("depth", ["actions", "result"])
def test_an_evening_of_polskpas(server_url, depth):
    phone = open_session(server_url, "polskpas", stake=5)
    for line in polskpas_lines(E5):
        check_accepted(phone.act(*getattr(line, depth)()))
        state = phone.settled()
        assert (list(state["balances"].values()), state["pot"]) == (line.balances, line.pot)
        assert state["bets"] == []
    assert phone.get("/audit").json["clean"]


@pytest.mark.parametrize(
    "record", [count_tricks, spader_deals.trick_commands], ids=["result", "tricks"]
)
def test_an_evening_of_spader(server_url, record):
    phone = open_session(server_url, "spader")
    for number, (n, e, tricks, points, overtricks) in enumerate(spader_deals.parse_e7(), start=1):
        state = check_accepted(phone.act(*spader_deal(number, n, e, tricks, record)))
        assert state["scores"] == dict(zip(SIDES, points, strict=True))
        assert state["overtricks"] == dict(zip(SIDES, overtricks, strict=True))
        assert [state[x] for x in ("pot", "bets", "balances", "winner")] == [None] * 4
    assert phone.get("/audit").json["clean"]


@pytest.mark.parametrize(
    "record",
    [knektpass_deals.count_command, knektpass_deals.trick_commands],
    ids=["result", "tricks"],
)
def test_an_evening_of_knektpass(server_url, record):
    phone = open_session(server_url, "knektpass")
    for number, line in enumerate(knektpass_deals.parse_deals(knektpass_deals.E8), start=1):
        staying, tricks, scores, winners = line
        state = check_accepted(phone.act(*knektpass_deal(number, staying, tricks, record)))
        assert list(state["scores"].values()) == scores
        assert state["winner"] == (list(winners) or None)
    refused = phone.act({"type": "open_deal", "number": 7})
    assert (refused.status, refused.json["code"]) == (409, "game_is_won")
    assert "Cilla" in refused.json["detail"]
    assert phone.get("/audit").json["clean"]


def test_the_statement_of_a_score_adds_up_and_says_why(server_url):
    for phone in record_both_games(server_url):
        state = phone.state()
        for contestant, points in state["scores"].items():
            for player in contestant.split("+"):
                statement = phone.get(f"/statement?player={player}").json
                assert statement["unit"] == "points"
                changes = [line["change"] for line in statement["lines"]]
                assert statement["opening"] + sum(changes) == statement["closing"] == points
                assert all(line["why"] for line in statement["lines"])
                text = phone.get(f"/statement?player={player}&format=csv").raw.decode()
                rows = list(csv.DictReader(io.StringIO(text)))
                assert sum(int(row["change"]) for row in rows if row["change"]) == points
                page = phone.get(f"/statement?player={player}&format=html")
                assert page.status == 200


def test_a_deal_for_points_says_what_each_line_was_given_for(server_url):
    spader, knektpass = record_both_games(server_url)
    last = spader.get("/deals/7", **{"Accept-Language": "en"}).json
    assert last["outcome"]["points"] == {"p1+p3": -69, "p2+p4": -96}
    assert last["amount_played_for"] is None
    sentences = {(p["to"], p["amount"]): p["why"] for p in last["postings"]}
    assert sentences["score:p1+p3", 31].startswith("Ada and Cilla bid 3 and took 4")
    assert {p["unit"] for p in last["postings"]} == {"points"}
    fifth = knektpass.get("/deals/5", **{"Accept-Language": "sv"}).json
    assert "Bo bytte 5 kort" in " ".join(posting["why"] for posting in fifth["postings"])
    assert fifth["outcome"]["text"].endswith(".")


def test_an_undone_deal_gives_back_every_point(server_url):
    _, phone = record_both_games(server_url)
    earlier = phone.state()
    undone = check_accepted(phone.act({"type": "undo"}))
    assert undone["winner"] is None
    assert undone["scores"] == {"p1": 8, "p2": 33, "p3": 2, "p4": 27}
    corrected = check_accepted(phone.act({"type": "tricks", "taken": {"p1": 3, "p3": 2}}))
    assert (corrected["scores"], corrected["winner"]) == (
        earlier["scores"],
        earlier["winner"],
    )
    assert phone.get("/audit").json["clean"]


def test_the_same_people_sit_the_whole_game(server_url):
    for phone in record_both_games(server_url):
        refused = phone.act({"type": "reseat", "players": ["p2", "p1", "p3", "p4"]})
        assert (refused.status, refused.json["code"]) == (409, "roster_is_fixed")
        version = phone.state()["version"]
        refused = phone.write("/players", {"name": "Emil"}, version=version)
        assert (refused.status, refused.json["code"]) == (409, "roster_is_fixed")


def test_points_agreed_to_be_worth_money_are_paid_when_the_evening_closes(server_url):
    """E8 at 50 öre a point: 5, 53, 0, 27. Each player pays every player who has fewer points."""
    phone = open_session(server_url, "knektpass", point_value=50)
    for number, (staying, tricks, *_) in enumerate(
        knektpass_deals.parse_deals(knektpass_deals.E8), start=1
    ):
        state = check_accepted(
            phone.act(*knektpass_deal(number, staying, tricks, knektpass_deals.count_command))
        )
    assert state["balances"] == {"p1": 0, "p2": 0, "p3": 0, "p4": 0}
    closed = check_accepted(phone.write("/closure", {}, version=state["version"]))
    # Ada: 48 from Bo, 22 from Disa, 5 to Cilla; Bo pays 48 + 53 + 26; Cilla 5 + 53 + 27
    points = {"p1": 65, "p2": -127, "p3": 85, "p4": 26 - 22 - 27}
    assert closed["balances"] == {player: 50 * count for player, count in points.items()}
    assert closed["scores"] == state["scores"], "what is paid does not change the score"
    money = phone.get("/statement?player=p1&unit=money").json
    assert (money["unit"], money["closing"]) == ("money", 50 * 65)
    assert phone.get("/settlement").json["left_over"] == 0
    assert phone.get("/audit").json["clean"]


def test_two_sides_settle_the_difference_player_by_player(server_url):
    phone = open_session(server_url, "spader", point_value=10)
    state = check_accepted(phone.act(*spader_deal(1, "5", "7", "AAAAABBBCCCDD", count_tricks)))
    closed = check_accepted(phone.write("/closure", {}, version=state["version"]))
    assert state["scores"] == {"p1+p3": 53, "p2+p4": -20}
    assert closed["balances"] == {"p1": 730, "p2": -730, "p3": 730, "p4": -730}
    lines = phone.get("/statement?unit=money&lang=en").json["lines"]
    assert {line["why"][-7:] for line in lines} == {" (§3.4)"}
    for unit, sums in (("money", "All balances"), ("points", "All points and the score sheet")):
        page = phone.get(f"/statement?unit={unit}&lang=en&format=html").raw.decode()
        assert f"{sums} add up to zero" in page


def test_a_revoke_that_later_cards_prove_is_a_finding_of_that_deal(server_url):
    """Bo leads hearts, Cilla ruffs and shows a heart later, which the players did not notice."""
    phone = RemoteSession(server_url).open()
    declared = {"type": "declare", "players": ["p2"], "trump": "S"}
    check_accepted(phone.act({"type": "open_deal", "number": 1}, declared))
    for trick in ("AH 9S KH QH", "9H KC QC 10C", "JC JS JH JD", "AD KD QD 10D"):
        turn = phone.state()["deal"]["turn"]
        order = clockwise_from(turn, ("p1", "p2", "p3", "p4"))
        cards = zip(order, trick.split(), strict=True)
        check_accepted(
            phone.act(*({"type": "play", "player": p, "card": card} for p, card in cards))
        )
    (finding,) = phone.get("/deals/1", **{"Accept-Language": "en"}).json["findings"]
    assert (finding["player"], finding["card"], finding["trick"]) == ("p3", "9S", 1)
    assert finding["legal"] == ["9H"]
    assert finding["text"] == "Cilla played 9 of spades to trick 1 while holding 9 of hearts"
    audit = phone.get("/audit").json
    assert audit["clean"], "the book is right; it is the play that was not"
    assert [(f["code"], f["about"], f["deal"]) for f in audit["findings"]] == [
        ("revoke", "play", 1)
    ]
