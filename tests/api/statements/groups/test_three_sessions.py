"""Three sessions of one group, worked out by hand from the rules (§1.6–1.8, §5): with an absent
member, a bet of two, an unpaid claim, a deal that is corrected and one that is undone. A line
says what happened and the state after it: Ada, Bo, Cilla, Disa, Emil (a dot: absent), the pot,
and the bets with their owners (a claim in brackets)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from tests.support.api.group_client import GroupClient, create_group
from tests.support.api.session_client import SessionClient
from tests.support.player_names import FIVE_NAMES

FIRST = """
Disa stakes, she and Cilla lose to Ada |  10    0  -10  -20    . | pot  0 | C10 D10
their bets are put together            |  10    0  -10  -20    . | pot  0 | CD20
Ada stakes 10 and all pass             |   0    0  -10  -20    . | pot 10 | CD20
"""
SECOND = """
it goes on, Disa is not there          |   0    0  -10  -20    0 | pot 10 | CD20
Bo stakes 10, Emil loses 40 to Ada     |  40  -10  -10  -20    0 | pot  0 | (E40)
Ada stakes 10 and all pass             |  30  -10  -10  -20    0 | pot 10 | (E40)
no, it was Bo who won the 40           | -10   30  -10  -20    0 | pot 10 | (E40)
"""
THIRD = """
it goes on, Ada and Bo are not there   | -10   30  -10  -20    0 | pot 10 | (E40)
Disa stakes 10, Cilla wins the 60      | -10   30   50  -30  -40 | pot  0 |
undone                                 | -10   30  -10  -30    0 | pot 20 | (E40)
Disa wins the 60, Cilla lays 60        | -10   30  -70   30  -40 | pot  0 | C60
it closes, those who sit share the 60  | -10   30  -50   50  -20 | pot  0 |
"""
SEASON = """
first       |   0    0  -10  -20    . | on the table  30
second      | -10   30    0    0    0 | on the table -20
third       |   0    0  -40   70  -20 | on the table -10
"""

Step = Callable[[SessionClient], Any]


def act(*actions: Any) -> Step:
    """Return a step that sends actions; players are called by their ids in that session."""
    return lambda session: session.act(*actions)


def declare(players: list[str], winner: str) -> tuple[Any, ...]:
    return {"type": "declare", "players": players}, {"type": "result", "winner": winner}


OPEN, PASS = {"type": "open_deal"}, {"type": "all_pass"}
FIRST_STEPS: tuple[Step, ...] = (  # Ada p1, Bo p2, Cilla p3, Disa p4
    act(OPEN, *declare(["p3", "p4"], "p1")),
    act({"type": "merge"}),
    act(OPEN, PASS),
)
SECOND_STEPS: tuple[Step, ...] = (  # Bo p1, Ada p2, Emil p3, Cilla p4, and Disa p5
    lambda session: session.get(),
    act(OPEN, *declare(["p3"], "p2")),
    act(OPEN, PASS),
    lambda session: session.write(
        "/deals/1", {"actions": [*declare(["p3"], "p1")]}, method="PUT", match="*"
    ),
)
THIRD_STEPS: tuple[Step, ...] = (  # Disa p1, Cilla p2, Emil p3, and Bo p4, Ada p5
    lambda session: session.get(),
    act(OPEN, *declare(["p2"], "p2")),
    act({"type": "undo"}),
    act({"type": "result", "winner": "p1"}),
    lambda session: session.write("/closure", {"leftover_policy": "split_equal"}, match="*"),
)


def state_line(session: SessionClient) -> str:
    """Return the state of the session as a line of the tables above."""
    state = session.state
    names = {player["id"]: player["name"] for player in state["players"]}
    balances_by_name = {names[player]: amount for player, amount in state["balances"].items()}
    bets = [
        f"{''.join(sorted(names[p][0] for p in bet['by']))}{bet['amount']}"
        if bet.get("paid", True)
        else f"({names[bet['by'][0]][0]}{bet['amount']})"
        for bet in state["bets"]
    ]
    return format_line(
        [balances_by_name.get(name) for name in FIVE_NAMES], f"pot {state['pot']:2}", " ".join(bets)
    )


def format_line(amounts: list[int | None], *rest: str) -> str:
    cells = " ".join("   ." if amount is None else f"{amount:4}" for amount in amounts)
    return " | ".join((cells, *rest)).rstrip(" |")


def state_lines(session: str) -> list[str]:
    """Return the state of each line, without what happened."""
    rows = (row.split("|", 1)[1] for row in session.strip().splitlines())
    return [" | ".join(part.strip() for part in row.split("|")).rstrip(" |") for row in rows]


def play_steps(session: SessionClient, steps: tuple[Step, ...], expected_lines: str) -> None:
    for step, expected in zip(steps, state_lines(expected_lines), strict=True):
        answer = step(session)
        assert answer.status_code < 300, answer.json
        assert state_line(session).strip() == expected.strip()


@pytest.fixture
def group(app: Flask) -> GroupClient:
    return create_group(app.test_client(), *FIVE_NAMES)


def test_three_sessions_worked_out_by_hand(group: GroupClient) -> None:
    first = group.open_session("m1", "m2", "m3", "m4", first_dealer="m4")
    play_steps(first, FIRST_STEPS, FIRST)
    first.write("/closure", {}, match="*")
    claims = {"bet_payment": "on_collection"}
    second = group.open_session("m2", "m1", "m5", "m3", carry=True, options=claims)
    play_steps(second, SECOND_STEPS, SECOND)
    second.write("/closure", {}, match="*")
    third = group.open_session("m4", "m3", "m5", carry=True)
    play_steps(third, THIRD_STEPS, THIRD)

    standings = group.get("/standings").json["sessions"]
    lines = [
        format_line(
            [night["results"].get(f"m{place}") for place in range(1, 6)],
            f"on the table {night['on_table']:3}",
        )
        for night in standings
    ]
    assert [row.strip() for row in lines] == state_lines(SEASON)
    season = group.standings_by_member
    assert {m: s["result"] for m, s in season.items()} == {
        "m1": {"SEK": -10},
        "m2": {"SEK": 30},
        "m3": {"SEK": -50},
        "m4": {"SEK": 50},
        "m5": {"SEK": -20},
    }
    assert {m: s["open"] for m, s in season.items()} == {m: s["result"] for m, s in season.items()}
    assert {m: (s["sessions"], s["deals"]) for m, s in season.items()} == {
        "m1": (2, 4),
        "m2": (2, 4),
        "m3": (3, 5),
        "m4": (2, 3),
        "m5": (2, 3),
    }
    for session in (first, second, third):
        assert session.get("/audit").json["findings"] == []


def test_currencies_are_never_added_up(group: GroupClient) -> None:
    """Points are not added to money either, unless a point has an agreed value."""
    for terms in ({}, {"currency": "DKK"}):
        session = group.open_session("m1", "m2", "m3", **terms)
        declaration = ({"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p2"})
        session.act({"type": "open_deal"}, *declaration)
        session.write("/closure", {}, match="*")
    points = {"game": "knektpass"}
    for options in ({}, {"point_value": 10}):
        session = group.open_session("m1", "m2", "m3", **points, options=options)
        session.write("/closure", {}, match="*")
    standings = group.get("/standings").json
    assert [night["currency"] for night in standings["sessions"]] == ["SEK", "DKK", None, "SEK"]
    assert [night["results"] is None for night in standings["sessions"]] == [
        False,
        False,
        True,
        False,
    ]
    assert standings["sessions"][1]["totals"] == {"m1": -10, "m2": 10, "m3": 0}
    assert group.standings_by_member["m2"]["result"] == {"SEK": 10, "DKK": 10}
    assert group.standings_by_member["m2"]["open"] == {"SEK": 10, "DKK": 10}
