"""A session driven through Flask's test client."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

keys = count(1)


@dataclass
class TokenClient:
    """A session or group on Flask's test client, with the tokens of its roles."""

    client: FlaskClient
    id: str
    tokens: dict[str, str]
    role: str = "host"

    @property
    def path(self) -> str:
        raise NotImplementedError

    def get(self, path: str = "", role: str | None = None, **headers: str) -> TestResponse:
        return self.client.get(self.path + path, headers={**self._authorization(role), **headers})

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
        headers = {**self._authorization(role), "Idempotency-Key": key or f"key-{next(keys)}"}
        if match is not None:
            headers["If-Match"] = match
        request_body = {} if body is None else {"json": body}
        return self.client.open(self.path + path, method=method, headers=headers, **request_body)

    @property
    def state(self) -> Any:
        return self.get().json

    def _authorization(self, role: str | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[role or self.role]}"}


@dataclass
class SessionClient(TokenClient):
    """A session on Flask's test client."""

    @property
    def path(self) -> str:
        return f"/v1/sessions/{self.id}"

    def act(self, *actions: dict[str, Any], **more: Any) -> TestResponse:
        more.setdefault("match", f'"{self.version}"')
        return self.write("/actions", {"actions": list(actions)}, **more)

    @property
    def version(self) -> int:
        return self.state["version"]


def create_session(client: FlaskClient, body: Any, key: str | None = None) -> SessionClient:
    headers = {"Idempotency-Key": key or f"an evening of its own {next(keys)}"}
    response = client.post("/v1/sessions", json=body, headers=headers)
    assert response.status_code == 201, response.json
    return SessionClient(client, response.json["id"], response.json["tokens"])


def add_device(session: SessionClient, label: str, by: str | None = None, **more: Any) -> Any:
    answer = session.write("/devices", {"label": label, **more}, role=by)
    assert answer.status_code == 201, answer.json
    session.tokens[label] = answer.json["token"]
    return answer.json


def request_to_join(session: SessionClient, code: str, key: str | None = None, **more: Any) -> Any:
    return session.client.post(
        "/v1/join-requests",
        json={"code": code, "label": "Bos telefon", **more},
        headers={"Idempotency-Key": key or f"a request to join, number {next(keys)}"},
    )


def get_join_request(session: SessionClient, token: str) -> Any:
    return session.client.get(
        f"{session.path}/join-request", headers={"Authorization": f"Bearer {token}"}
    )
