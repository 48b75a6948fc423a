"""Three evenings of one circle, worked out by hand from the rules (§1.6–1.8, §5).

With an absent member, a bet of two, a claim that nobody has paid, a deal that was corrected and one
that was undone. A line says what happened and what stands after it: Ada, Bo, Cilla, Disa, Emil
(a dot: not there), the pot, and the bets with who laid them (a claim in brackets).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from tests.api.conftest import Table
from tests.api.test_circles import FIVE, Circle, founded

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

Step = Callable[[Table], Any]


def act(*said: Any) -> Step:
    """Actions, in which people are called by their places that evening."""
    return lambda table: table.act(*said)


def declared(who: list[str], winner: str) -> tuple[Any, ...]:
    return {"type": "declare", "players": who}, {"type": "result", "winner": winner}


OPEN, PASS = {"type": "open_deal"}, {"type": "all_pass"}
FIRST_STEPS: tuple[Step, ...] = (  # Ada p1, Bo p2, Cilla p3, Disa p4
    act(OPEN, *declared(["p3", "p4"], "p1")),
    act({"type": "merge"}),
    act(OPEN, PASS),
)
SECOND_STEPS: tuple[Step, ...] = (  # Bo p1, Ada p2, Emil p3, Cilla p4, and Disa p5
    lambda table: table.get(),
    act(OPEN, *declared(["p3"], "p2")),
    act(OPEN, PASS),
    lambda table: table.write(
        "/deals/1", {"actions": [*declared(["p3"], "p1")]}, method="PUT", match="*"
    ),
)
THIRD_STEPS: tuple[Step, ...] = (  # Disa p1, Cilla p2, Emil p3, and Bo p4, Ada p5
    lambda table: table.get(),
    act(OPEN, *declared(["p2"], "p2")),
    act({"type": "undo"}),
    act({"type": "result", "winner": "p1"}),
    lambda table: table.write("/closure", {"leftover_policy": "split_equal"}, match="*"),
)


def stands(table: Table) -> str:
    """As the tables say it."""
    state = table.state
    called = {player["id"]: player["name"] for player in state["players"]}
    has = {called[player]: amount for player, amount in state["balances"].items()}
    bets = [
        f"{''.join(sorted(called[p][0] for p in bet['by']))}{bet['amount']}"
        if bet.get("paid", True)
        else f"({called[bet['by'][0]][0]}{bet['amount']})"
        for bet in state["bets"]
    ]
    return line([has.get(name) for name in FIVE], f"pot {state['pot']:2}", " ".join(bets))


def line(amounts: list[int | None], *rest: str) -> str:
    told = " ".join("   ." if amount is None else f"{amount:4}" for amount in amounts)
    return " | ".join((told, *rest)).rstrip(" |")


def said(table: str) -> list[str]:
    """What each line says, without what happened."""
    rows = (row.split("|", 1)[1] for row in table.strip().splitlines())
    return [" | ".join(part.strip() for part in row.split("|")).rstrip(" |") for row in rows]


def plays(table: Table, steps: tuple[Step, ...], told: str) -> None:
    for step, expected in zip(steps, said(told), strict=True):
        answer = step(table)
        assert answer.status_code < 300, answer.json
        assert stands(table).strip() == expected.strip()


@pytest.fixture
def circle(app: Flask) -> Circle:
    return founded(app.test_client(), *FIVE)


def test_three_evenings_by_hand(circle: Circle) -> None:
    first = circle.gather("m1", "m2", "m3", "m4", first_dealer="m4")
    plays(first, FIRST_STEPS, FIRST)
    first.write("/closure", {}, match="*")
    claims = {"bet_payment": "on_collection"}
    second = circle.gather("m2", "m1", "m5", "m3", carry=True, options=claims)
    plays(second, SECOND_STEPS, SECOND)
    second.write("/closure", {}, match="*")
    third = circle.gather("m4", "m3", "m5", carry=True)
    plays(third, THIRD_STEPS, THIRD)

    nights = circle.get("/standings").json["evenings"]
    told = [
        line(
            [night["results"].get(f"m{place}") for place in range(1, 6)],
            f"on the table {night['on_table']:3}",
        )
        for night in nights
    ]
    assert [row.strip() for row in told] == said(SEASON)
    season = circle.season
    assert {m: s["result"] for m, s in season.items()} == {
        "m1": {"SEK": -10},
        "m2": {"SEK": 30},
        "m3": {"SEK": -50},
        "m4": {"SEK": 50},
        "m5": {"SEK": -20},
    }
    assert {m: s["open"] for m, s in season.items()} == {m: s["result"] for m, s in season.items()}
    assert {m: (s["evenings"], s["deals"]) for m, s in season.items()} == {
        "m1": (2, 4),
        "m2": (2, 4),
        "m3": (3, 5),
        "m4": (2, 3),
        "m5": (2, 3),
    }
    for table in (first, second, third):
        assert table.get("/audit").json["findings"] == []


def test_money_of_one_currency_is_never_added_to_another_s(circle: Circle) -> None:
    """Nor points to money, unless a point was agreed to be worth some."""
    for agreed in ({}, {"currency": "DKK"}):
        table = circle.gather("m1", "m2", "m3", **agreed)
        said = ({"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p2"})
        table.act({"type": "open_deal"}, *said)
        table.write("/closure", {}, match="*")
    points = {"game": "knektpass"}
    for options in ({}, {"point_value": 10}):
        table = circle.gather("m1", "m2", "m3", **points, options=options)
        table.write("/closure", {}, match="*")
    told = circle.get("/standings").json
    assert [night["currency"] for night in told["evenings"]] == ["SEK", "DKK", None, "SEK"]
    assert [night["results"] is None for night in told["evenings"]] == [False, False, True, False]
    assert told["evenings"][1]["totals"] == {"m1": -10, "m2": 10, "m3": 0}
    assert circle.season["m2"]["result"] == {"SEK": 10, "DKK": 10}
    assert circle.season["m2"]["open"] == {"SEK": 10, "DKK": 10}
