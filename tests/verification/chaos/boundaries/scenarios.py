"""The host, a client without faults, and the evenings and groups that it prepares for commands.

A request is a function of a client and a key, so that it can be repeated, also by another client.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar
from uuid import UUID

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.player_names import FOUR_NAMES, FOUR_PLAYERS

Ask = Callable[[FlaskClient, str], TestResponse]
Action = dict[str, Any]
Settle = Callable[[UUID], object]

RIVAL = "Emil"
"""The player whom a rival adds to a group or table."""
RIVAL_PAYS = 777
"""The amount of a rival's transfer from Ada to Bo; no command here uses it."""

VOLA: Action = {"type": "result", "la_vola": {"player": "p2", "won": True}}
WON: Action = {"type": "result", "winner": "p1"}
DEAL: list[Action] = [{"type": "open_deal"}, {"type": "declare", "players": ["p2"]}]

Function = TypeVar("Function", bound=Callable[..., object])

keys = count(1)


@dataclass(kw_only=True)
class Scenario:
    """A command's request and its rival; `evenings` are those that exist before it."""

    ask: Ask
    rival: Ask
    evenings: list[UUID] = field(default_factory=list)
    group: UUID | None = None
    erased_name: str = ""  # a name that must be nowhere afterwards
    opens: str = ""  # what it opens: one, and one more for a rival of the same kind


@dataclass
class Target:
    """An evening or a group, and a token for it."""

    path: str
    token: str

    def request(
        self, path: str, body: Any = None, method: str = "POST"
    ) -> Callable[[FlaskClient, str], TestResponse]:
        headers = {"Authorization": f"Bearer {self.token}", "If-Match": "*"}
        body_argument = {} if body is None else {"json": body}

        def ask(client: FlaskClient, key: str) -> TestResponse:
            all_headers = {**headers, "Idempotency-Key": key}
            return client.open(
                self.path + path, method=method, headers=all_headers, **body_argument
            )

        return ask

    @property
    def id(self) -> UUID:
        return UUID(self.path.rpartition("/")[2])

    def rival_transfer(self) -> Ask:
        return self.request("/transfers", {"from": "p1", "to": "p2", "amount": RIVAL_PAYS})


@dataclass
class Host:
    """A client that prepares what commands need."""

    client: FlaskClient
    settle: Settle

    def send(self, ask: Ask) -> TestResponse:
        answer = ask(self.client, f"before all the others, {next(keys)}")
        assert answer.status_code < 300, answer.text
        return answer

    def table(self, *deals: list[Action]) -> Target:
        return self._play(_place("sessions", self.send(session_request("Fredag"))), deals)

    def group(self, *names: str) -> Target:
        return _place("groups", self.send(group_request("Torsdagar", *names or FOUR_NAMES)))

    def group_session(self, group: Target, *deals: list[Action]) -> Target:
        return self._play(_place("sessions", self.send(group.request("/sessions", AGREED))), deals)

    def close(self, table: Target) -> None:
        self.send(table.request("/closure", {}))

    def _play(self, table: Target, deals: tuple[list[Action], ...]) -> Target:
        for deal in deals:
            self.send(actions_request(table, *deal))
            self.settle(table.id)
        return table


AGREED = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4"], "options": {"stake": 10}}


def _place(kind: str, answer: TestResponse) -> Target:
    reply: Any = answer.json
    return Target(f"/v1/{kind}/{reply['id']}", reply["tokens"]["host"])


def session_request(title: str) -> Ask:
    body = {
        "game": "polskt_pass",
        "players": FOUR_PLAYERS,
        "options": {"stake": 10},
        "title": title,
    }
    return lambda c, key: c.post("/v1/sessions", json=body, headers={"Idempotency-Key": key})


def group_request(name: str, *names: str) -> Ask:
    body = {"name": name, "members": [{"name": member_name} for member_name in names]}
    return lambda c, key: c.post("/v1/groups", json=body, headers={"Idempotency-Key": key})


def actions_request(table: Target, *actions: Action) -> Ask:
    return table.request("/actions", {"actions": list(actions)})


def table_scenario(table: Target, ask: Ask, erased_name: str = "") -> Scenario:
    return Scenario(
        ask=ask, rival=table.rival_transfer(), evenings=[table.id], erased_name=erased_name
    )


def by_name(*functions: Function) -> dict[str, Function]:
    """Return these functions by their names in words."""
    return {function.__name__.replace("_", " "): function for function in functions}
