"""The contract as it is served, and a client that checks requests and responses against it."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import yaml
from flask.testing import FlaskClient
from openapi_schema_validator import OAS31Validator
from werkzeug.test import TestResponse

import api.app  # noqa: F401  # loads every module that defines a RuleViolation
from api.representations.openapi_document import LOADER, encode_document
from engine.errors import RuleViolation
from ledger.session import command_handlers as handling
from tests.support.player_names import FOUR_PLAYERS

ROOT = Path(__file__).parents[3]
SPEC = yaml.load(encode_document(), LOADER)
SCHEMAS, PROBLEMS = SPEC["components"]["schemas"], SPEC["components"]["x-problems"]
METHODS = ("get", "post", "put", "delete")
ENGLISH = {"Accept-Language": "en"}

idempotency_keys = (f"a key of its own, number {number}" for number in count(1))


def read_operations() -> dict[str, dict[str, Any]]:
    """Return every operation of the contract with its path and method, by its id."""
    operations = [
        {"path": path, "method": method, **item[method]}
        for path, item in SPEC["paths"].items()
        for method in METHODS
        if method in item
    ]
    assert len({o["operationId"] for o in operations}) == len(operations)
    return {o["operationId"]: o for o in operations}


OPERATIONS = read_operations()
DOCUMENTED_PROBLEMS = {(p["code"], p["status"]) for p in PROBLEMS}
"""The code and status of every problem."""
COMMON_PROBLEMS = {(p["code"], p["status"]) for p in PROBLEMS if p.get("anywhere")}
"""Those that any operation may have, without listing them."""


def resolve(node: dict[str, Any]) -> dict[str, Any]:
    """Return the node merged over what its `$ref` points to."""
    if "$ref" not in node:
        return node
    target: Any = SPEC
    for part in node["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    return {**resolve(target), **{k: v for k, v in node.items() if k != "$ref"}}


def find_errors(value: Any, schema: dict[str, Any]) -> list[str]:
    """Return the errors of this value against the schema, in the dialect of OpenAPI 3.1."""
    checker = OAS31Validator({**schema, "components": SPEC["components"]})
    return [f"{list(x.absolute_path)}: {x.message[:300]}" for x in checker.iter_errors(value)]


def assert_documented(operation: str, response: TestResponse) -> TestResponse:
    """Assert that openapi.yaml documents this response of the operation."""
    promised = OPERATIONS[operation]
    status = str(response.status_code)
    assert status in promised["responses"] or response.status_code >= 400, (operation, status)
    documented = resolve(promised["responses"].get(status, promised["responses"]["default"]))
    for name, header in documented.get("headers", {}).items():
        header = resolve(header)
        if name in response.headers:
            assert not find_errors(response.headers[name], header["schema"]), (operation, name)
        else:
            assert not header.get("required"), (operation, response.status_code, name)
    if "content" not in documented:
        assert response.data == b""
        return response
    media = documented["content"][response.mimetype]
    value = response.data.decode("utf-8", "replace")  # a workbook is not text
    if "json" in response.mimetype:
        value = response.get_json()
    errors = find_errors(value, media["schema"])
    assert errors == [], (operation, response.status_code, errors[:3])
    if response.mimetype == "application/problem+json":
        problem = (value["code"], value["status"])
        assert response.status_code == value["status"]
        assert problem in COMMON_PROBLEMS or value["code"] in promised["x-problems"], (
            operation,
            problem,
        )
        assert problem in DOCUMENTED_PROBLEMS
    return response


class ContractClient:
    """A test client that checks every request and response against openapi.yaml."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.seen: set[tuple[str, int, str | None]] = set()
        self.path: dict[str, object] = {}
        self.tokens: dict[str, str] = {}
        self.version = 0

    def __call__(
        self, operation: str, body: Any = None, role: str | None = "host", **parts: Any
    ) -> Any:
        """Send the request of an operation. `headers` replace the usual ones, and None removes one;
        the other arguments fill in the URL."""
        promised = OPERATIONS[operation]
        headers: dict[str, str | None] = dict(ENGLISH)
        if role and role in self.tokens:
            headers["Authorization"] = f"Bearer {self.tokens[role]}"
        if promised["method"] in ("post", "put", "delete"):
            headers |= {"Idempotency-Key": next(idempotency_keys), "If-Match": f'"{self.version}"'}
        own_headers = parts.pop("headers", {})
        headers |= own_headers
        raw, query = parts.pop("raw", None), parts.pop("query", None)
        response = self.client.open(
            promised["path"].format(**{**self.path, **parts}),
            method=promised["method"].upper(),
            query_string=query,
            headers={name: value for name, value in headers.items() if value is not None},
            **({"data": raw} if raw is not None else {} if body is None else {"json": body}),
        )
        if body is not None and response.status_code < 300:
            media = promised["requestBody"]["content"]["application/json"]
            errors = find_errors(body, media["schema"])
            assert errors == [], (operation, errors[:3])
        assert_documented(operation, response)
        self.seen.add((operation, response.status_code, response.mimetype))
        if "ETag" in response.headers and promised["method"] != "get":
            self.version = int(response.headers["ETag"].strip('"'))
        if promised["method"] == "get" and response.status_code == 200 and not own_headers:
            self.check_conditional_read(operation, response)
        if response.status_code == 201:
            self.check_location(response, str(headers.get("Authorization")))
        return response

    def check_conditional_read(self, operation: str, response: Any) -> None:
        """Assert that a client with this representation need not receive it again."""
        tag = response.headers.get("ETag")
        if tag is None:
            return
        sent = response.request
        headers = {**dict(sent.headers), "If-None-Match": tag}
        repeated = self.client.get(sent.full_path, headers=headers)
        names_changed = operation == "getSession" and repeated.status_code == 200
        assert repeated.status_code == 304 or names_changed, operation
        assert_documented(operation, repeated)
        self.seen.add((operation, repeated.status_code, repeated.mimetype))
        other = self.client.get(sent.full_path, headers={**headers, "If-Match": '"other"'})
        assert other.status_code == (200 if names_changed else 412), operation

    def check_location(self, response: Any, authorization: str) -> None:
        """Assert that `Location` is the URL of something that can be read."""
        document = response.get_json()
        location = response.headers["Location"]
        token = document.get("tokens", {}).get("host")
        if location.endswith("/join-request"):
            token = document["token"]
        headers = {"Authorization": f"Bearer {token}" if token else authorization}
        created = self.client.get(location, headers=headers)
        assert created.status_code == 200, (location, created.text)

    def open_session(self, **more: Any) -> dict[str, Any]:
        names = FOUR_PLAYERS
        body = {"game": "polskt_pass", "players": names, **more}
        opened = self("openSession", body, headers={"If-Match": None}).get_json()
        self.path = {"session": opened["id"], "page": "Qm3xk9"}
        self.tokens = opened["tokens"]
        return dict(opened)

    def play(self, *actions: dict[str, Any], **parts: Any) -> Any:
        return self("recordActions", {"actions": list(actions)}, **parts)


def action(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def rule_violations_by_code() -> dict[str, type[RuleViolation]]:
    """Return every class of refusals by a rule, by its code."""

    def list_subclasses(kind: type[RuleViolation]) -> Iterator[type[RuleViolation]]:
        for subclass in kind.__subclasses__():
            yield subclass
            yield from list_subclasses(subclass)

    assert handling.SamePlayer in RuleViolation.__subclasses__()
    return {kind.code: kind for kind in list_subclasses(RuleViolation)}
