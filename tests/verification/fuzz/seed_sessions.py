"""Evenings of every game in many states, and circles with a history: where fuzzing begins.

Played over HTTP by somebody who reads `legal_actions` and throws a die, as any client could.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

from engine.games.registry import GAMES
from engine.table_view import LegalAction
from tests.support.engine.random_player import RARE, RandomPlayer
from tests.verification.fuzz.client_knowledge import Known, Thing

Send = Callable[[str, str, dict[str, str], bytes | None], tuple[int, dict[str, str], bytes]]
"""Method, path, headers, body → status, headers in lower case, body."""

NAMES = ("Ada", "Bo", "Cilla", "Disa", "Emil")


class Hand:
    """Somebody with the right tokens."""

    def __init__(self, send: Send, known: Known, die: Random) -> None:
        self.send, self.known, self.die, self.keys = send, known, die, count(1)

    def write(self, path: str, body: Any = None, token: str = "", method: str = "POST") -> Any:
        headers = {
            "Idempotency-Key": f"seeded, and by chance {self.die.random()}-{next(self.keys)}"
        }
        headers |= {"If-Match": "*", "Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        raw = None if body is None else json.dumps(body).encode()
        status, told, answer = self.send(method, path, headers, raw)
        said = json.loads(answer) if answer and "json" in told.get("content-type", "") else None
        self.known.learn(path, status, told, said)
        return said if status < 300 else None

    def thing(self, path: str, body: Any, token: str = "") -> Thing:
        made = self.write(path, body, token)
        assert made is not None, (path, body)
        return self.known.things[made["id"]]

    def play(self, thing: Thing, actions: int) -> None:
        """So many things that may be done, or until there is nothing more to do."""
        anyone = RandomPlayer(self.die)
        for _ in range(actions):
            if not thing.legal:
                return
            said = spoken(thing.legal, anyone)
            self.write(
                f"/v1/sessions/{thing.id}/actions", {"actions": [said]}, thing.tokens["host"]
            )

    def close(self, thing: Thing) -> None:
        self.write(f"/v1/sessions/{thing.id}/closure", {}, thing.tokens["host"])


def spoken(legal: list[dict[str, Any]], anyone: RandomPlayer) -> dict[str, Any]:
    """An action that may be done, as it is sent."""
    weights = [1 / RARE.get(action["type"], 1) for action in legal]
    chosen = anyone.die.choices(legal, weights)[0]
    allowed = LegalAction(
        type=chosen["type"], fields=chosen["fields"], optional=tuple(chosen["optional"])
    )
    return {"type": allowed.type, **anyone.fields(allowed)}


def seeded(hand: Hand, evenings: int) -> None:
    """So many evenings of each game, the last of them closed; two circles, one with a past."""
    for key, game in GAMES.items():
        for number in range(evenings):
            seats = hand.die.choice([n for n in game.player_counts if n <= len(NAMES)])
            names = [{"name": name} for name in NAMES[:seats]]
            thing = hand.thing("/v1/sessions", {"game": key, "players": names, "title": "Friday"})
            hand.play(thing, number * 12)
            if number == evenings - 1:
                hand.close(thing)
    for carry in (False, True):
        members = [{"name": name} for name in NAMES]
        circle = hand.thing("/v1/circles", {"name": "Thursdays", "members": members})
        for _ in range(2):
            gathered = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4"], "carry": carry}
            path = f"/v1/circles/{circle.id}/evenings"
            evening = hand.write(path, gathered, circle.tokens["host"])
            if evening is None:
                break
            hand.play(hand.known.things[evening["id"]], 40)
            hand.close(hand.known.things[evening["id"]])
    hand.known.seeding = False
