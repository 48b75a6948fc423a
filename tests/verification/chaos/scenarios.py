"""Somebody to whom nothing happens, and the evenings and circles that he prepares for others.

What is asked is a function of a phone and a key, so that it can be asked again and by others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import UUID

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

Ask = Callable[[FlaskClient, str], TestResponse]
Action = dict[str, Any]
Settle = Callable[[UUID], object]

FOUR = ("Ada", "Bo", "Cilla", "Disa")
RIVAL = "Emil"
"""Who joins a circle or a table as a rival's doing."""
RIVAL_PAYS = 777
"""What a rival says that Ada has paid Bo; no command here says so."""

VOLA: Action = {"type": "result", "la_vola": {"player": "p2", "won": True}}
WON: Action = {"type": "result", "winner": "p1"}
DEAL: list[Action] = [{"type": "open_deal"}, {"type": "declare", "players": ["p2"]}]

keys = count(1)


@dataclass(kw_only=True)
class Scene:
    """Where a command is asked. `evenings`: those that are there before."""

    ask: Ask
    rival: Ask
    evenings: list[UUID] = field(default_factory=list)
    circle: UUID | None = None
    gone: str = ""  # a name that stands nowhere afterwards
    opens: str = ""  # what is counted: one more of them, and one for a rival of the same kind


@dataclass
class Place:
    """An evening or a circle, and the right to it."""

    path: str
    token: str

    def asking(
        self, path: str, body: Any = None, method: str = "POST"
    ) -> Callable[[FlaskClient, str], TestResponse]:
        headers = {"Authorization": f"Bearer {self.token}", "If-Match": "*"}
        given = {} if body is None else {"json": body}

        def ask(client: FlaskClient, key: str) -> TestResponse:
            told = {**headers, "Idempotency-Key": key}
            return client.open(self.path + path, method=method, headers=told, **given)

        return ask

    @property
    def id(self) -> UUID:
        return UUID(self.path.rpartition("/")[2])

    def pays(self) -> Ask:
        return self.asking("/transfers", {"from": "p1", "to": "p2", "amount": RIVAL_PAYS})


@dataclass
class Host:
    """Prepares what commands need."""

    client: FlaskClient
    settle: Settle

    def made(self, ask: Ask) -> TestResponse:
        answer = ask(self.client, f"before all the others, {next(keys)}")
        assert answer.status_code < 300, answer.text
        return answer

    def table(self, *deals: list[Action]) -> Place:
        return self._played(_place("sessions", self.made(opening("Fredag"))), deals)

    def circle(self, *names: str) -> Place:
        return _place("circles", self.made(founding("Torsdagar", *names or FOUR)))

    def gathered(self, circle: Place, *deals: list[Action]) -> Place:
        return self._played(
            _place("sessions", self.made(circle.asking("/evenings", AGREED))), deals
        )

    def closed(self, table: Place) -> None:
        self.made(table.asking("/closure", {}))

    def _played(self, table: Place, deals: tuple[list[Action], ...]) -> Place:
        for deal in deals:
            self.made(acting(table, *deal))
            self.settle(table.id)
        return table


AGREED = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4"], "options": {"stake": 10}}


def _place(kind: str, answer: TestResponse) -> Place:
    reply: Any = answer.json
    return Place(f"/v1/{kind}/{reply['id']}", reply["tokens"]["host"])


def opening(title: str) -> Ask:
    people = [{"name": name} for name in FOUR]
    body = {"game": "polskt_pass", "players": people, "options": {"stake": 10}, "title": title}
    return lambda c, key: c.post("/v1/sessions", json=body, headers={"Idempotency-Key": key})


def founding(name: str, *names: str) -> Ask:
    body = {"name": name, "members": [{"name": one} for one in names]}
    return lambda c, key: c.post("/v1/circles", json=body, headers={"Idempotency-Key": key})


def acting(table: Place, *actions: Action) -> Ask:
    return table.asking("/actions", {"actions": list(actions)})


def at_table(table: Place, ask: Ask, gone: str = "") -> Scene:
    return Scene(ask=ask, rival=table.pays(), evenings=[table.id], gone=gone)
