"""The examples of the contract are understood when sent unchanged, and its links lead somewhere.

test_openapi_document.py checks that every example has the shape of its schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from flask import Flask

from tests.support.api.openapi_contract import (
    OPERATIONS,
    SPEC,
    assert_documented,
    find_errors,
    resolve,
)
from tests.support.player_names import FOUR_PLAYERS
from tests.verification.fuzz.client_knowledge import ClientKnowledge, KnownResource
from tests.verification.fuzz.contract import path_owner
from tests.verification.fuzz.run import in_process
from tests.verification.fuzz.seed_sessions import SeedClient, seed_sessions

PATHS = {o["operationId"]: SPEC["paths"][o["path"]] for o in OPERATIONS.values()}
OF_ANOTHER = {"importSession", "addSession", "createJoinRequest"}
"""Operations whose examples have a hash, a token or a code that only another book can give."""


def parameters(name: str) -> list[dict[str, Any]]:
    listed = [*PATHS[name].get("parameters", ()), *OPERATIONS[name].get("parameters", ())]
    return [resolve(parameter) for parameter in listed]


def links() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the operation, the name and the content of each link."""
    for name, operation in OPERATIONS.items():
        for response in operation["responses"].values():
            for link_name, link in resolve(response).get("links", {}).items():
                yield name, link_name, resolve(link)


def test_every_parameter_and_header_has_an_example_of_its_shape() -> None:
    for name in OPERATIONS:
        for parameter in parameters(name):
            assert "example" in parameter, (name, parameter["name"])
            assert find_errors(parameter["example"], parameter["schema"]) == [], parameter["name"]


@pytest.fixture(scope="module")
def app(module_app: Flask) -> Flask:
    """An app with its own database, because a session can be imported only once into each."""
    return module_app


@pytest.fixture(scope="module")
def book(app: Flask) -> ClientKnowledge:
    """Sessions, one of them closed, and a group."""
    book = ClientKnowledge(Random(1))
    client = SeedClient(in_process(app), book, Random(1))
    seed_sessions(client, 2)
    for resource in [resource for resource in book.resources.values() if resource.kind == "group"]:
        del book.resources[resource.id]  # they already have all players of the examples
    members = FOUR_PLAYERS[:3]
    client.create("/v1/groups", {"name": "Thursdays", "members": members})
    return book


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_request_as_in_the_examples_is_understood(
    name: str, app: Flask, book: ClientKnowledge
) -> None:
    """Each parameter is sent separately, and with the body. Whatever the response is, it does not
    say that the request is malformed, and the contract documents it."""
    operation = OPERATIONS[name]
    kind = path_owner(operation["path"])
    resource = book.choose(kind) if kind else None
    listed = parameters(name)
    path = {p["name"]: p["example"] for p in listed if p["in"] == "path"}
    ids = {thing_of_kind.kind: thing_of_kind.id for thing_of_kind in book.resources.values()}
    path |= {parameter: ids[parameter] for parameter in path if parameter in ids}
    if resource is not None:
        path[resource.kind] = resource.id
    queries = [p for p in listed if p["in"] == "query"]
    required = {p["name"]: p["example"] for p in queries if p.get("required")}
    for query in queries or [None]:
        arguments = {**required, **({query["name"]: query["example"]} if query else {})}
        if arguments.get("kind") == "swish":
            arguments["number"] = next(q["example"] for q in queries if q["name"] == "number")
        if "profile" in arguments:
            arguments["format"] = "csv"  # as its description says
        if "unit" in arguments and resource is not None:
            arguments["unit"] = resource.unit  # points where it is played for points
        text = {
            parameter: str(v).lower() if isinstance(v, bool) else v
            for parameter, v in arguments.items()
        }
        answer = send_example(app, name, path, text, resource)
        if answer.mimetype == "text/event-stream":
            answer.close()  # it would last a minute
            assert answer.mimetype in operation["responses"]["200"]["content"]
            continue
        assert_documented(name, answer)
        assert answer.status_code not in (400, 406, 415, 500), (name, arguments, answer.text[:300])
        document = answer.get_json(silent=True) or {}
        assert answer.status_code != 422 or name in OF_ANOTHER, (name, arguments, document)


def send_example(
    app: Flask,
    name: str,
    path: dict[str, Any],
    query: dict[str, Any],
    resource: KnownResource | None,
) -> Any:
    operation = OPERATIONS[name]
    headers = {p["name"]: p["example"] for p in parameters(name) if p["in"] == "header"}
    headers |= {"If-Match": "*"} if "If-Match" in headers else {}
    if "Idempotency-Key" in headers:
        headers["Idempotency-Key"] = f"an example of this one: {name} {path} {query}"[:255]
    if resource is not None:
        headers["Authorization"] = f"Bearer {resource.tokens['host']}"
    body = {}
    if "requestBody" in operation:
        body = {"json": operation["requestBody"]["content"]["application/json"]["example"]}
    return app.test_client().open(
        operation["path"].format(**path),
        method=operation["method"].upper(),
        query_string=query,
        headers=headers,
        **body,
    )


def test_every_link_leads_to_an_operation_with_what_it_needs() -> None:
    for name, link_name, link in links():
        assert link["operationId"] in OPERATIONS, (name, link_name)
        assert link["description"], (name, link_name)
        parameters_by_name = {p["name"]: p for p in parameters(link["operationId"])}
        given_names = set(link.get("parameters", ()))
        assert given_names <= set(parameters_by_name), (name, link_name)
        needed = {p["name"] for p in parameters_by_name.values() if p["in"] == "path"}
        assert needed <= given_names, (name, link_name)


def test_operations_on_created_things_are_linked_to() -> None:
    reached = {link["operationId"] for _, _, link in links()}
    owned = {name for name, operation in OPERATIONS.items() if path_owner(operation["path"])}
    assert owned - reached == {"addSession"}, (  # needs a session and a group
        "name the operation in `links` of a response that has what its path needs"
    )
    assert len(list(links())) > 90
