"""A random group: sessions that carry forward another one or not, absent and new players, deals
recorded wrongly and corrected, and payments in between. Refusals are ignored."""

from __future__ import annotations

from random import Random

from flask import Flask

from tests.support.api.group_client import GroupClient, create_group, settle_payments
from tests.support.api.session_client import SessionClient
from tests.support.player_names import FIVE_NAMES

EVENINGS = 4
DEALS = 4


def random_group_of_sessions(app: Flask, random: Random) -> GroupClient:
    group = create_group(app.test_client(), *FIVE_NAMES[: random.randint(3, 5)])
    members = [member["id"] for member in group.state["members"]]
    sessions: list[SessionClient] = []
    for _ in range(EVENINGS):
        sessions.append(_open_session(group, random, members))
        for _ in range(random.randint(1, DEALS)):
            _play_deal(sessions[-1], random)
        for session in random.sample(sessions, min(2, len(sessions))):
            _pay(session, random)
        if random.random() < 0.3:
            sessions[-1].write("/players", {"name": random.choice(FIVE_NAMES)}, match="*")
        settle_payments(app, sessions[-1])
        if random.random() < 0.8:
            policy = random.choice([{}, {}, {"leftover_policy": "split_equal"}])
            sessions[-1].write("/closure", policy, match="*")
    return group


def _open_session(group: GroupClient, random: Random, members: list[str]) -> SessionClient:
    seated = random.sample(members, random.randint(3, len(members)))
    options = {"stake": 10, "bet_payment": random.choice(["immediate", "on_collection"])}
    currency = "SEK" if random.random() < 0.85 else "DKK"
    body = {"game": "polskt_pass", "members": seated, "options": options, "currency": currency}
    answer = group.write("/sessions", {**body, "carry": True})
    if answer.status_code != 201:
        answer = group.write("/sessions", body)
    assert answer.status_code == 201, answer.json
    return SessionClient(group.client, answer.json["id"], answer.json["tokens"])


def _play_deal(session: SessionClient, random: Random) -> None:
    seats = session.state["seats"]
    deal = [{"type": "open_deal"}, *_random_actions(seats, random)]
    session.act(*deal)
    if random.random() < 0.25:
        session.act({"type": "undo"})
        session.act(*_random_actions(seats, random)[1:])
    number = session.state["deal"]["number"]
    if random.random() < 0.3 and number > 1:
        correction = {"actions": _random_actions(seats, random), "later": "void"}
        session.write(
            f"/deals/{random.randint(1, number - 1)}", correction, method="PUT", match="*"
        )
    if random.random() < 0.1 and number > 1:
        session.write(f"/deals/{number - 1}", method="DELETE", match="*")


def _random_actions(seats: list[str], random: Random) -> list[dict[str, object]]:
    declarer, winner = random.choice(seats), random.choice(seats)
    if random.random() < 0.15:
        vola = {"player": declarer, "won": random.random() < 0.6}
        return [
            {"type": "declare", "players": [declarer]},
            {"type": "result", "la_vola": vola},
        ]
    return [{"type": "declare", "players": [declarer]}, {"type": "result", "winner": winner}]


def _pay(session: SessionClient, random: Random) -> None:
    payer, payee = random.sample([player["id"] for player in session.state["players"]], 2)
    paid = {"from": payer, "to": payee, "amount": random.randint(1, 40)}
    session.write("/transfers", paid, match="*")
