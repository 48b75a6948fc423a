"""A client that speaks as a scorer's phone does, over a fresh database."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

FOUR = [{"name": name} for name in ("Ada", "Bo", "Cilla", "Disa")]
keys = count(1)


@dataclass
class Table:
    """An evening through the test client."""

    client: FlaskClient
    id: str
    tokens: dict[str, str]
    role: str = "host"
    sent: list[str] = field(default_factory=list)

    @property
    def here(self) -> str:
        return f"/v1/sessions/{self.id}"

    def get(self, path: str = "", role: str | None = None, **headers: str) -> TestResponse:
        return self.client.get(self.here + path, headers={**self._right(role), **headers})

    def write(
        self,
        path: str,
        body: Any = None,
        *,
        method: str = "POST",
        key: str | None = None,
        match: str | None = None,
        role: str | None = None,
    ) -> TestResponse:
        headers = {**self._right(role), "Idempotency-Key": key or f"key-{next(keys)}"}
        if match is not None:
            headers["If-Match"] = match
        given = {} if body is None else {"json": body}
        return self.client.open(self.here + path, method=method, headers=headers, **given)

    def act(self, *actions: dict[str, Any], **more: Any) -> TestResponse:
        more.setdefault("match", f'"{self.version}"')
        return self.write("/actions", {"actions": list(actions)}, **more)

    @property
    def version(self) -> int:
        return self.state["version"]

    @property
    def state(self) -> Any:
        return self.get().json

    def _right(self, role: str | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[role or self.role]}"}


@pytest.fixture
def client(app) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def open_table(client):
    def opened(**more: Any) -> Table:
        body = {"game": "polskt_pass", "players": FOUR, "options": {"stake": 10}, **more}
        headers = {"Idempotency-Key": f"open-{next(keys)}"}
        made = client.post("/v1/sessions", json=body, headers=headers)
        assert made.status_code == 201, made.json
        return Table(client, made.json["id"], made.json["tokens"])

    return opened


@pytest.fixture
def table(open_table) -> Table:
    return open_table()
