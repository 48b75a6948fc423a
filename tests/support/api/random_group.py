"""A circle at random: evenings that go on where another ended or not, people who are away or come
along, deals told wrong and put right, and money paid in between. What is refused is left undone.
"""

from __future__ import annotations

from random import Random

from flask import Flask

from tests.api.conftest import Table
from tests.api.test_circles import FIVE, Circle, founded, settle

EVENINGS = 4
DEALS = 4


def circle_at_random(app: Flask, random: Random) -> Circle:
    circle = founded(app.test_client(), *FIVE[: random.randint(3, 5)])
    members = [member["id"] for member in circle.state["members"]]
    tables: list[Table] = []
    for _ in range(EVENINGS):
        tables.append(_gathered(circle, random, members))
        for _ in range(random.randint(1, DEALS)):
            _deal(tables[-1], random)
        for table in random.sample(tables, min(2, len(tables))):
            _pay(table, random)
        if random.random() < 0.3:
            tables[-1].write("/players", {"name": random.choice(FIVE)}, match="*")
        settle(app, tables[-1])
        if random.random() < 0.8:
            policy = random.choice([{}, {}, {"leftover_policy": "split_equal"}])
            tables[-1].write("/closure", policy, match="*")
    return circle


def _gathered(circle: Circle, random: Random, members: list[str]) -> Table:
    seated = random.sample(members, random.randint(3, len(members)))
    options = {"stake": 10, "bet_payment": random.choice(["immediate", "on_collection"])}
    currency = "SEK" if random.random() < 0.85 else "DKK"
    body = {"game": "polskt_pass", "members": seated, "options": options, "currency": currency}
    answer = circle.write("/evenings", {**body, "carry": True})
    if answer.status_code != 201:
        answer = circle.write("/evenings", body)
    assert answer.status_code == 201, answer.json
    return Table(circle.client, answer.json["id"], answer.json["tokens"])


def _deal(table: Table, random: Random) -> None:
    seats = table.state["seats"]
    deal = [{"type": "open_deal"}, *_played(seats, random)]
    table.act(*deal)
    if random.random() < 0.25:
        table.act({"type": "undo"})
        table.act(*_played(seats, random)[1:])
    number = table.state["deal"]["number"]
    if random.random() < 0.3 and number > 1:
        told = {"actions": _played(seats, random), "later": "void"}
        table.write(f"/deals/{random.randint(1, number - 1)}", told, method="PUT", match="*")
    if random.random() < 0.1 and number > 1:
        table.write(f"/deals/{number - 1}", method="DELETE", match="*")


def _played(seats: list[str], random: Random) -> list[dict[str, object]]:
    declarer, winner = random.choice(seats), random.choice(seats)
    if random.random() < 0.15:
        vola = {"player": declarer, "won": random.random() < 0.6}
        return [
            {"type": "declare", "players": [declarer]},
            {"type": "result", "la_vola": vola},
        ]
    return [{"type": "declare", "players": [declarer]}, {"type": "result", "winner": winner}]


def _pay(table: Table, random: Random) -> None:
    payer, payee = random.sample([player["id"] for player in table.state["players"]], 2)
    paid = {"from": payer, "to": payee, "amount": random.randint(1, 40)}
    table.write("/transfers", paid, match="*")
