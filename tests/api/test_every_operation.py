"""Every operation of openapi.yaml with every kind of credential and every kind of id.

The expectation comes from `x-role` of the operation alone: a sufficient role is granted access, a
role that is too low gets 403, and all else gets the same 404, byte for byte, as an id that never
existed. No refused request changes any table.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from flask import Flask
from psycopg import sql

from tests.support.api.callers import (
    ROLES,
    Environ,
    alternative_paths,
    invalid_credentials,
    other_ids,
    valid_credentials,
)
from tests.support.api.openapi_contract import OPERATIONS
from tests.support.api.request_examples import ExampleSessions
from tests.support.databases import DatabaseUrls

GUARDED = {name: o for name, o in OPERATIONS.items() if o.get("security") != []}
PUBLIC = {name: o for name, o in OPERATIONS.items() if o.get("security") == []}
VARIES = {
    *("X-Request-Id", "Date", "Strict-Transport-Security", "RateLimit", "RateLimit-Policy"),
    "Set-Cookie",  # deletes a cookie that grants no access, whatever the path
}
"""Headers that differ between requests to the same resource."""
ALWAYS, STEP = 1, 1 if os.environ.get("EVERY_CELL") else 59
"""The first `ALWAYS` kinds of id are tried with every credential at every operation, the others at
one in `STEP`. There are more operations than that, so each kind meets each credential at one of
them. `make matrix` tries all."""

Response = tuple[str, list[tuple[str, str]], bytes]


ADDRESSES = ip_network("10.0.0.0/8").hosts()
"""One address for each request, because an address is blocked after few failed attempts."""


@pytest.fixture(scope="module")
def app(module_app: Flask) -> Flask:
    """An app with its own database, to which no other test writes."""
    return module_app


@pytest.fixture(scope="module")
def cells() -> Iterator[dict[str, int]]:
    """The number of requests to each operation, printed at the end."""
    counted: dict[str, int] = {}
    yield counted
    print(f"\n{len(counted)} operations, {sum(counted.values())} cells")


def ask(app: Flask, request: dict[str, Any], carried: Environ) -> Response:
    """Call the app directly, because an HTTP client would correct some of these requests."""
    environ = {
        "REQUEST_METHOD": request["method"].upper(),
        "SCRIPT_NAME": "",
        "PATH_INFO": request["path"].encode().decode("latin-1"),
        "QUERY_STRING": request["query"],
        "SERVER_NAME": "vola.example",
        "SERVER_PORT": "80",
        "HTTP_HOST": "vola.example",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": str(next(ADDRESSES)),
        "CONTENT_LENGTH": str(len(request["body"])),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(request["body"]),
        "wsgi.errors": io.StringIO(),
        **request["headers"],
        **{name: value.encode().decode("latin-1") for name, value in carried.items()},
    }
    started: list[Any] = []
    answer = app.wsgi_app(
        environ, lambda status, headers, exc=None: started.append((status, headers))
    )  # type: ignore[arg-type,return-value]
    refused = started[0][0] >= "3"  # a granted stream may not end
    raw = b"".join(answer) if refused else b""
    answer.close()  # type: ignore[attr-defined]
    status, headers = started[0]
    return status[:3], sorted((k, v) for k, v in headers if k not in VARIES), raw


def stored_rows(url: str) -> dict[str, Any]:
    """Return the number of rows and a checksum of each table."""
    table_names = (
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('vola','projections')"
    )
    rows = "SELECT count(*), coalesce(sum(hashtextextended(t::text, 0)), 0) FROM {} t"
    with psycopg.connect(url) as db:
        return {
            name: db.execute(sql.SQL(rows).format(sql.Identifier(schema, name))).fetchone()
            for schema, name in db.execute(table_names).fetchall()
        }


@pytest.mark.parametrize("name", GUARDED)
def test_roles_are_as_in_the_contract_and_others_learn_nothing(
    app: Flask, module_urls: DatabaseUrls, cells: dict[str, int], name: str
) -> None:
    needed = GUARDED[name].get("x-role")
    assert needed in (*ROLES, "join_request"), (
        f"{name} needs {needed!r}: no role that this matrix knows"
    )
    kind = "group" if "{group}" in GUARDED[name]["path"] else "session"
    examples = ExampleSessions(app, module_urls.owner)
    holder, other_holders, nowhere = (
        examples.holder(kind),
        examples.other_holders(kind),
        str(uuid4()),
    )
    request_of_holder, count = examples.request(name), 0
    no_such_id = ask(app, examples.request(name, {kind: nowhere}), {})
    of_nothing, misshapen = (
        examples.misshapen_requests(name, {kind: nowhere}),
        examples.misshapen_requests(name),
    )
    unknown_shapes = {shape: ask(app, request, {}) for shape, request in of_nothing.items()}
    assert (no_such_id[0], f'"unknown_{kind}"'.encode() in no_such_id[2]) == ("404", True), (
        no_such_id
    )

    def assert_hidden(
        request: dict[str, Any], carried: Environ, *shape: str, like: Response = no_such_id
    ) -> None:
        nonlocal count
        count += 1
        got = ask(app, request, carried)
        assert got == like, (name, shape, got)

    ranks = (*ROLES, "join_request")
    before = stored_rows(module_urls.owner)
    ids = other_ids(holder, other_holders[0])
    elsewhere = {
        id_kind: examples.request(name, {kind: other_id}) for id_kind, other_id in ids.items()
    }
    strangers = [*invalid_credentials(holder, other_holders, examples.expired_tokens(kind), needed)]
    permitted = [*valid_credentials(holder, needed)]
    carriers = [*strangers, *((carrier, carried) for carrier, _, carried in permitted)]
    for place, (carrier, carried) in enumerate(carriers, start=list(GUARDED).index(name)):
        for number, (id_kind, request) in enumerate(elsewhere.items()):
            own = id_kind == "another that exists" and carrier.startswith("other holder 0's")
            if not own and (number < ALWAYS or (place + number) % STEP == 0):
                assert_hidden(request, carried, carrier, id_kind)
    for place, (carrier, carried) in enumerate(strangers, start=list(GUARDED).index(name)):
        assert_hidden(request_of_holder, carried, carrier)
        for number, (shape, request) in enumerate(misshapen.items()):
            if (place + number) % STEP == 0:
                assert_hidden(request, carried, carrier, shape, like=unknown_shapes[shape])
    for carrier, role, carried in permitted:
        if ranks.index(role) > ranks.index(needed):
            count += 1
            status, _, raw = ask(app, request_of_holder, carried)
            assert (status, b'"role_too_low"' in raw) == ("403", True), (name, carrier, status, raw)
    for carrier, carried in (strangers[0], strangers[1], *((w, c) for w, _, c in permitted[:6])):
        for id_kind, path in alternative_paths(holder.id).items():
            like = ask(
                app, examples.request(name, {kind: alternative_paths(nowhere)[id_kind]}), carried
            )
            assert like[0] == "404", (name, id_kind, like)
            assert_hidden(
                examples.request(name, {kind: path}), carried, carrier, id_kind, like=like
            )
    assert stored_rows(module_urls.owner) == before, (
        f"{name}: something that was refused was written"
    )

    permitted.sort(key=lambda one: ranks.index(one[1]), reverse=True)
    for (
        carrier,
        role,
        carried,
    ) in permitted:  # the lowest role first; the others repeat its request
        if ranks.index(role) <= ranks.index(needed):
            count += 1
            status, _, raw = ask(app, request_of_holder, carried)
            assert status < "4", (
                f"{name}, {carrier}: {status} {raw[:300]!r}. Say in "
                "tests/support/api/request_examples.py what it is asked with when it is granted."
            )
    cells[name] = count


def test_every_id_meets_everybody_at_some_operation() -> None:
    assert len(GUARDED) >= STEP


def test_the_operations_without_a_role_are_the_intended_ones() -> None:
    """Anyone on the internet may use these operations, so an addition needs a decision."""
    assert set(PUBLIC) == {
        *(
            "openSession",
            "createGroup",
            "importSession",
            "createJoinRequest",
            "listGames",
            "getKey",
            "listKeys",
        ),
        *(
            "getHealth",
            "getReadiness",
            "getMetrics",
            "getContract",
            "getDocs",
            "getForm",
            "getRules",
            "getVerifyPage",
            "getVerifier",
        ),
        "getLinkedStatement",
    }
