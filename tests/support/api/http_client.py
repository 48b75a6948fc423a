"""A client of a running server: single requests, and a session that is recorded through it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.player_names import FIVE_NAMES
from tests.support.polling import wait_until


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.raw)


def ask(
    url: str, method: str = "GET", body: Any = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """Send one request and return the response, also when it is a refusal."""
    data = None if body is None else json.dumps(body).encode()
    request_headers = {"Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(url, data, request_headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return Answer(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.headers, error.read())


@dataclass
class RemoteSession:
    """A session on a running server, with its tokens."""

    url: str
    id: str = ""
    token: str = ""
    tokens: dict[str, str] = field(default_factory=dict)

    def open(self, players: int = 4, **more: Any) -> RemoteSession:
        names = [{"name": name} for name in FIVE_NAMES[:players]]
        body = {"game": "polskt_pass", "players": names, "options": {"stake": 10}, **more}
        answer = ask(f"{self.url}/v1/sessions", "POST", body, {"Idempotency-Key": new_key()})
        assert answer.status == 201, answer.raw
        self.id, self.tokens = answer.json["id"], answer.json["tokens"]
        self.token = self.tokens["host"]
        return self

    @property
    def session_url(self) -> str:
        return f"{self.url}/v1/sessions/{self.id}"

    def get(self, path: str = "", **headers: str) -> Answer:
        return ask(
            self.session_url + path, headers={"Authorization": f"Bearer {self.token}", **headers}
        )

    def write(
        self,
        path: str,
        body: Any,
        *,
        key: str | None = None,
        version: int | None = None,
        method: str = "POST",
    ) -> Answer:
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Idempotency-Key": key or new_key(),
        }
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        return ask(self.session_url + path, method, body, headers)

    def preview(self, deal: int, body: Any, *, token: str | None = None) -> Answer:
        """Return what a correction of this deal would change."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        return ask(f"{self.session_url}/deals/{deal}/preview", "POST", body, headers)

    def act(self, *actions: dict[str, Any], **more: Any) -> Answer:
        """Send actions; if no version is given, on top of the present version."""
        opens = actions[0]["type"] == "open_deal" and "number" in actions[0]
        if "version" not in more and not opens:
            more["version"] = self.state()["version"]
        return self.write("/actions", {"actions": list(actions)}, **more)

    def state(self) -> Any:
        return self.get().json

    def settled(self) -> Any:
        """Return the state once no payment is due. The deadline only ends a test that hangs."""

        def settled_state() -> Any:
            state = self.state()
            is_settled = all(payment["status"] != "due" for payment in state["payments"])
            return state if is_settled else None

        return wait_until(settled_state, lambda: self.state()["payments"])


def new_key() -> str:
    return str(uuid.uuid4())
