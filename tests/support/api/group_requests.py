"""Requests to a group, and the links in their responses."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from werkzeug.test import TestResponse

from tests.support.api.group_client import GroupClient
from tests.support.api.session_client import keys

OPERATIONS: dict[str, tuple[str, str, Any, str]] = {
    "look": ("GET", "", None, "viewer"),
    "standings": ("GET", "/standings", None, "viewer"),
    "cookie": ("PUT", "/cookie", None, "viewer"),
    "links": ("GET", "/links", None, "host"),
    "end": ("POST", "/links/nobody/rotation", {}, "host"),
    "join": ("POST", "/members", {"name": "Fia"}, "scorer"),
    "forget": ("DELETE", "/members/m5/name", None, "host"),
    "gather": ("POST", "/sessions", {"game": "polskt_pass", "members": ["m1", "m2", "m3"]},
               "scorer"),
    "add": ("PUT", f"/sessions/{uuid4()}", {"token": "x", "members": {}}, "scorer"),
}  # fmt: skip
ROLE_RANKS = {"viewer": 1, "scorer": 2, "host": 3}


def send_operation(client: Any, group_id: str, operation: str, **headers: str) -> TestResponse:
    method, path, body, _ = OPERATIONS[operation]
    request_body = {} if body is None else {"json": {**body}}
    if operation == "join":
        request_body["json"]["name"] += f" {next(keys)}"
    headers = {"Idempotency-Key": f"a group's own, this once {next(keys)}", **headers}
    answer: TestResponse = client.open(
        f"/v1/groups/{group_id}{path}", method=method, headers=headers, **request_body
    )
    return answer


def end_link(
    group: GroupClient, link: str, role: str = "host", body: Any = None, **more: Any
) -> TestResponse:
    more.setdefault("key", str(uuid4()))
    return group.write(f"/links/{link}/rotation", body or {}, role=role, **more)


def tokens_by_role(links: Any) -> dict[str, str]:
    """Return the token of each role's link."""
    return {link["role"]: link["path"].rpartition("/")[2] for link in links["links"]}


def client_with_new_links(group: GroupClient, answer: TestResponse) -> GroupClient:
    """Return the group's client with the links in this response."""
    assert answer.status_code == 201, answer.text
    return GroupClient(group.client, group.id, tokens_by_role(answer.json))


def status_and_code(answer: TestResponse) -> tuple[int, str | None]:
    document: Any = answer.json
    return answer.status_code, document.get("code") if answer.status_code >= 400 else None
