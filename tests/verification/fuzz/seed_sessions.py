"""Evenings of every game in many states, and groups with a history: the start of the fuzzing.

They are played over HTTP by a client that draws from `legal_actions`, as any client could.
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
from tests.support.player_names import FIVE_NAMES
from tests.verification.fuzz.client_knowledge import ClientKnowledge, KnownResource

Send = Callable[[str, str, dict[str, str], bytes | None], tuple[int, dict[str, str], bytes]]
"""Method, path, headers, body → status, headers in lower case, body."""


class SeedClient:
    """A client with the right tokens."""

    def __init__(self, send: Send, knowledge: ClientKnowledge, die: Random) -> None:
        self.send, self.knowledge, self.die, self.keys = send, knowledge, die, count(1)

    def write(self, path: str, body: Any = None, token: str = "", method: str = "POST") -> Any:
        headers = {
            "Idempotency-Key": f"seeded, and by chance {self.die.random()}-{next(self.keys)}"
        }
        headers |= {"If-Match": "*", "Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        raw = None if body is None else json.dumps(body).encode()
        status, answer_headers, answer = self.send(method, path, headers, raw)
        document = (
            json.loads(answer)
            if answer and "json" in answer_headers.get("content-type", "")
            else None
        )
        self.knowledge.learn(path, status, answer_headers, document)
        return document if status < 300 else None

    def create(self, path: str, body: Any, token: str = "") -> KnownResource:
        created = self.write(path, body, token)
        assert created is not None, (path, body)
        return self.knowledge.resources[created["id"]]

    def play(self, resource: KnownResource, actions: int) -> None:
        """Take `actions` random legal actions, or fewer if none is legal any more."""
        player = RandomPlayer(self.die)
        for _ in range(actions):
            if not resource.legal:
                return
            action = random_action(resource.legal, player)
            path = f"/v1/sessions/{resource.id}/actions"
            self.write(path, {"actions": [action]}, resource.tokens["host"])

    def close(self, resource: KnownResource) -> None:
        self.write(f"/v1/sessions/{resource.id}/closure", {}, resource.tokens["host"])


def random_action(legal: list[dict[str, Any]], player: RandomPlayer) -> dict[str, Any]:
    """Return a random legal action, as it is sent."""
    weights = [1 / RARE.get(action["type"], 1) for action in legal]
    chosen = player.die.choices(legal, weights)[0]
    allowed = LegalAction(
        type=chosen["type"], fields=chosen["fields"], optional=tuple(chosen["optional"])
    )
    return {"type": allowed.type, **player.fields(allowed)}


def seed_sessions(client: SeedClient, evenings: int) -> None:
    """Play `evenings` evenings of each game, the last of them closed, and two groups, one of which
    carries forward."""
    for key, game in GAMES.items():
        for number in range(evenings):
            seats = client.die.choice([n for n in game.player_counts if n <= len(FIVE_NAMES)])
            names = [{"name": name} for name in FIVE_NAMES[:seats]]
            body = {"game": key, "players": names, "title": "Friday"}
            resource = client.create("/v1/sessions", body)
            client.play(resource, number * 12)
            if number == evenings - 1:
                client.close(resource)
    for carry in (False, True):
        members = [{"name": name} for name in FIVE_NAMES]
        group = client.create("/v1/groups", {"name": "Thursdays", "members": members})
        for _ in range(2):
            body = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4"], "carry": carry}
            path = f"/v1/groups/{group.id}/sessions"
            evening = client.write(path, body, group.tokens["host"])
            if evening is None:
                break
            client.play(client.knowledge.resources[evening["id"]], 40)
            client.close(client.knowledge.resources[evening["id"]])
    client.knowledge.seeding = False
