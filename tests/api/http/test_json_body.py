"""Every operation with a body refuses malformed JSON and malformed integers quickly, with a
problem, and writes no row."""

from __future__ import annotations

import gzip
import http.client
import json
import time
import zlib
from collections.abc import Iterator
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from psycopg import sql
from werkzeug.test import TestResponse

from api.http.json_body import decode_strict_json
from api.http.problems import Problem
from tests.support.api.group_client import create_group
from tests.support.api.openapi_contract import OPERATIONS, resolve

WITH_BODY = {name: o for name, o in OPERATIONS.items() if "requestBody" in o}
MAX_CPU_SECONDS = 2.0
"""CPU time of this thread for one refusal: the load of the machine does not count."""
NESTING = 7000
keys = count(1)

NOT_JSON = {
    "empty": b"",
    "blank": b" \n",
    "truncated": b'{"actions": [',
    "truncated string": b'{"name": "Ad',
    "two values": b"{} {}",
    "trailing comma": b'{"name": "Ada",}',
    "comment": b'{"name": "Ada"} // hers',
    "single quotes": b"{'name': 'Ada'}",
    "bare word": b"undefined",
    "NaN": b'{"amount": NaN}',
    "Infinity": b'{"amount": Infinity}',
    "minus Infinity": b"[-Infinity]",
    "leading zero": b'{"amount": 05}',
    "plus sign": b'{"amount": +5}',
    "hexadecimal": b'{"amount": 0x10}',
    "half a number": b'{"amount": 5.}',
    "digits of another script": '{"amount": ٣}'.encode(),
    "ten thousand digits": b'{"amount": ' + b"9" * 10_000 + b"}",
    "duplicate keys": b'{"name": "Ada", "name": "Bo"}',
    "duplicate keys, one escaped": b'{"name": "Ada", "n\\u0061me": "Bo"}',
    "duplicate keys deep inside": b'{"a": [{"b": 1, "b": 1}]}',
    "NUL": b'{"name": "A\x00da"}',
    "NUL escaped": b'{"name": "A\\u0000da"}',
    "NUL in a key": b'{"na\\u0000me": "Ada"}',
    "lone surrogate escaped": b'{"name": "\\ud800"}',
    "low surrogate first": b'{"name": "\\udc00\\ud800"}',
    "lone surrogate raw": b'{"name": "\xed\xa0\x80"}',
    "lone surrogate in a key": b'{"\\udfff": 1}',
    "overlong UTF-8": b'{"name": "\xc0\xaf"}',
    "not UTF-8": b'{"name": "\xff"}',
    "Latin-1": '{"name": "Åsa"}'.encode("latin-1"),
    "byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"name": "Ada"}'.encode("utf-16"),
    "UTF-16 without a mark": '{"name": "Ada"}'.encode("utf-16-le"),
    "UTF-32": '{"name": "Ada"}'.encode("utf-32"),
    "lists in lists": b"[" * NESTING + b"]" * NESTING,
    "objects in objects": b'{"a":' * NESTING + b"1" + b"}" * NESTING,
    "lists never closed": b"[" * 100_000,
    "deeper than anything has reason to be": b'{"a":' * 40 + b"1" + b"}" * 40,
}
"""Bodies that cannot be parsed: 400 with any token or none."""

WRONG_SHAPES = {
    "null": b"null",
    "list": b"[]",
    "number": b"1e400",
    "negative zero": b"-0",
    "text": b'"{}"',
    "true": b"true",
    "half a million keys": json.dumps({f"k{n}": 0 for n in range(8_000)}).encode(),
    "a long text": json.dumps({"name": "å" * 20_000}).encode(),
}
"""Valid JSON that no operation accepts."""

NOT_INTEGERS = (
    *("5.9", '"5"', "true", "false", "1e400", "-1e400", "1e3", "1.0", "1E0", "0.0", "-0.0"),
    *("9223372036854775808", "-9223372036854775809", "18446744073709551616", "1" + "0" * 400),
    *("[5]", '{"$numberLong": "5"}', '""', '"5\\u0000"', "NaN", "Infinity", "-Infinity"),
)


@pytest.fixture(scope="module")
def target(app: Flask) -> dict[str, Any]:
    """A group, a session of it with a deal, and the ids that paths need."""
    client = app.test_client()
    group = create_group(client, "Ada", "Bo", "Cilla", "Disa")
    session = group.open_session()
    assert session.act({"type": "open_deal"}, {"type": "all_pass"}).status_code == 201
    path = {
        "session": session.id,
        "group": group.id,
        "deal": 1,
        "cost": 1,
        "player": "p1",
        "member": "m1",
        "number": 1,
        "link": "scorer",
        "page": "Qm3xk9",
        "key": "00" * 32,
        "line": "00" * 32,
    }
    return {"client": client, "path": path, "tokens": {"session": session, "group": group}}


def send_body(
    target: dict[str, Any], name: str, body: bytes, **headers: str | None
) -> TestResponse:
    """Send a request to the operation that is valid except for its body."""
    operation = WITH_BODY[name]
    parameter = (
        operation["path"].partition("{")[2].partition("}")[0]
    )  # the resource whose token it needs
    owner = target["tokens"].get(parameter)
    credentials = {"Authorization": f"Bearer {owner.tokens['host']}"} if owner else {}
    request_headers = {
        "Content-Type": "application/json",
        "Idempotency-Key": f"a key that is used once, {next(keys)}",
        "If-Match": "*",
        **credentials,
        **headers,
    }
    started = time.thread_time()
    answer: TestResponse = target["client"].open(
        operation["path"].format(**target["path"]),
        method=operation["method"].upper(),
        data=body,
        headers={key: value for key, value in request_headers.items() if value is not None},
    )
    assert time.thread_time() - started < MAX_CPU_SECONDS, name
    return answer


def assert_refused(answer: TestResponse, *statuses: int) -> dict[str, Any]:
    """Assert that this is a problem with one of these statuses, and return it."""
    assert answer.status_code in statuses, answer.text[:300]
    assert answer.mimetype == "application/problem+json"
    problem: dict[str, Any] = answer.get_json()
    assert problem["status"] == answer.status_code
    return problem


def count_rows(app: Flask) -> dict[str, int]:
    """Return the number of rows in every table that the auditor role can read."""
    with app.extensions["auditor"].connection() as db:
        table_names = db.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN"
            " ('vola', 'projections') AND has_table_privilege(schemaname || '.' || tablename,"
            " 'SELECT')"
        ).fetchall()
        query = sql.SQL(" UNION ALL ").join(
            sql.SQL("SELECT {}, count(*) FROM {}").format(name, sql.Identifier(schema, name))
            for schema, name in ((schema, name) for schema, name in table_names)
        )
        counts = dict(db.execute(query).fetchall())
    assert counts["events"] > 0
    return counts


@pytest.fixture(autouse=True)
def assert_no_row_written(app: Flask, target: dict[str, Any]) -> Iterator[None]:
    before = count_rows(app)
    yield
    assert count_rows(app) == before


@pytest.mark.parametrize("name", WITH_BODY)
def test_malformed_json_is_refused_with_any_token(name: str, target: dict[str, Any]) -> None:
    for case, body in NOT_JSON.items():
        for headers in ({}, {"Authorization": None}, {"Authorization": "Bearer host0.nobody"}):
            problem = assert_refused(send_body(target, name, body, **headers), 400)
            assert problem["code"] == "malformed_json", case


@pytest.mark.parametrize("name", WITH_BODY)
def test_json_of_the_wrong_shape_is_refused(name: str, target: dict[str, Any]) -> None:
    for case, body in WRONG_SHAPES.items():
        problem = assert_refused(send_body(target, name, body), 422)
        assert (problem["code"], bool(problem["errors"])) == ("wrong_shape", True), case


@pytest.mark.parametrize("name", WITH_BODY)
def test_a_truncated_body_is_malformed(name: str, target: dict[str, Any]) -> None:
    body = json.dumps(example(name)).encode()
    for end in range(1, len(body), max(1, len(body) // 40)):
        assert_refused(send_body(target, name, body[:end]), 400)


WITH_FILES = {"importSession", "importBalances", "previewImport", "previewBankLines"}
"""Operations that take a whole session, or a table of earlier evenings or of a bank."""


@pytest.mark.parametrize("name", WITH_BODY)
def test_a_body_that_is_too_large_is_not_read(name: str, target: dict[str, Any]) -> None:
    for body in (b" " * 2**20, b'{"name": "' + b"A" * 2**20 + b'"}', b"[" * 2**20):
        problem = assert_refused(send_body(target, name, body), 400, 413, 422)
        assert problem["code"] in ("too_large", "malformed_json", "wrong_shape")
        if name not in WITH_FILES:
            assert (problem["code"], problem["most"]) == ("too_large", 131_072)
    assert_refused(send_body(target, name, b" " * (17 * 2**20)), 413)


BOMBS = {
    "gzip": gzip.compress(bytes(50 * 2**20)),
    "deflate": zlib.compress(bytes(50 * 2**20)),
    "br": bytes.fromhex("5b 00 00 c0 e9 09 d9 00 00 20 02"),
    "zstd": bytes.fromhex("28 b5 2f fd"),
    "gzip, identity": gzip.compress(b"{}"),
    "GZIP": gzip.compress(b"{}"),
    "x-gzip": gzip.compress(b"{}"),
    "compress": b"\x1f\x9d",
    "base64": b"e30=",
}


@pytest.mark.parametrize("name", WITH_BODY)
def test_a_compressed_body_is_not_unpacked(name: str, target: dict[str, Any]) -> None:
    for encoding, body in BOMBS.items():
        problem = assert_refused(
            send_body(target, name, body, **{"Content-Encoding": encoding}), 415
        )
        assert problem["code"] == "unsupported_media_type", encoding


MEDIA_TYPES = (
    *(None, "", "text/plain", "text/json", "application/jsonp", "application/json5"),
    *("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "*/*"),
    *("application/problem+json", "application", "application/", "json", "application/json/"),
    *("application/xml", "application/octet-stream", "text/plain; application/json"),
)


@pytest.mark.parametrize("name", WITH_BODY)
def test_a_body_of_another_media_type_is_not_read(name: str, target: dict[str, Any]) -> None:
    body = json.dumps(example(name)).encode()
    for media in MEDIA_TYPES:
        problem = assert_refused(send_body(target, name, body, **{"Content-Type": media}), 415)
        assert problem["code"] == "unsupported_media_type", media


@pytest.mark.parametrize("media", ["application/json; charset=utf-8", "Application/JSON"])
def test_the_media_type_may_have_capitals_and_parameters(client: FlaskClient, media: str) -> None:
    headers = {"Content-Type": media, "Idempotency-Key": f"an evening sent as {media}"}
    refused = client.post("/v1/sessions", data=b"{}", headers=headers)
    assert refused.json["code"] == "wrong_shape", "so it was read"


def example(name: str) -> Any:
    return WITH_BODY[name]["requestBody"]["content"]["application/json"]["example"]


Place = tuple[str | int, ...]


def integer_fields(
    schema: dict[str, Any], base: Any, place: Place = ()
) -> Iterator[tuple[Any, Place]]:
    """Yield bodies that lack a value where the schema wants an integer, and its place."""
    schema = resolve(schema)
    kinds = schema.get("type", ())
    if "integer" in ([kinds] if isinstance(kinds, str) else kinds):
        yield base, place
    for variant in (v for word in ("oneOf", "anyOf", "allOf") for v in schema.get(word, ())):
        variant = resolve(variant)
        fields = variant.get("properties", {})
        constants = {
            k: v["const"] for k, v in fields.items() if k in DISCRIMINATORS and "const" in v
        }
        yield from integer_fields(
            variant, put(base, place, constants) if constants else base, place
        )
    for field, inner in schema.get("properties", {}).items():
        yield from integer_fields(inner, base, (*place, field))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from integer_fields(schema["additionalProperties"], base, (*place, "p1"))
    if "items" in schema:
        yield from integer_fields(schema["items"], base, (*place, 0))


def put(body: Any, place: Place, value: Any) -> Any:
    """Return the body with this value at the place; missing parents are created."""
    if not place:
        return {**body, **value} if isinstance(body, dict) and isinstance(value, dict) else value
    step, *rest = place
    if isinstance(step, int):
        inner = body[0] if isinstance(body, list) and body and rest else {}
        return [put(inner, tuple(rest), value)]
    members = body if isinstance(body, dict) else {}
    return {**members, step: put(members.get(step, {}), tuple(rest), value)}


PLACEHOLDER = "the number"
DISCRIMINATORS = ("type", "game")
"""The fields that tell variants apart."""


def bodies_with_placeholder(name: str) -> list[tuple[str, str]]:
    """Return JSON texts with a placeholder and the pointer to it, each place once."""
    schema = WITH_BODY[name]["requestBody"]["content"]["application/json"]["schema"]
    base = {} if name in ("recordActions", "correctDeal") else example(name)
    bodies: dict[str, str] = {}
    for body, place in integer_fields(schema, base):
        text = json.dumps(put(body, place, PLACEHOLDER))
        bodies.setdefault(text, "/" + "/".join(map(str, place)))
    return list(bodies.items())


INTEGER_FIELDS = [(name, *hole) for name in WITH_BODY for hole in bodies_with_placeholder(name)]


def test_the_contract_has_integers_to_test() -> None:
    assert {name for name, _, _ in INTEGER_FIELDS} >= {
        "openSession",
        "recordActions",
        "correctDeal",
        "openGroupSession",
    }
    assert len(INTEGER_FIELDS) > 40


@pytest.mark.parametrize(("name", "text", "pointer"), INTEGER_FIELDS)
def test_what_is_not_written_as_an_integer_is_refused(
    name: str, text: str, pointer: str, target: dict[str, Any]
) -> None:
    for number in NOT_INTEGERS:
        body = text.replace(f'"{PLACEHOLDER}"', number)
        problem = assert_refused(send_body(target, name, body.encode()), 400, 422)
        if problem["status"] == 400:
            assert problem["code"] == "malformed_json", number
        elif name != "importSession":  # hashed: the problem names the event instead
            pointers = [error["pointer"] for error in problem["errors"]]
            assert any(p == pointer or p.startswith(f"{pointer}/") for p in pointers), (
                number,
                problem,
            )


def chunks(body: bytes, size: int = 1000) -> Iterator[bytes]:
    for start in range(0, len(body), size):
        yield body[start : start + size]


@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        (b'{"game": "polskt_pass"}', {422}),
        (b'{"game": NaN}', {400}),
        (b"[" * 50_000, {400}),
        (b" " * 200_000, {413}),
        (b'{"title": "' + b"A" * 200_000 + b'"}', {413}),
    ],
    ids=["shape", "NaN", "deep", "blank", "large"],
)
def test_a_chunked_body_without_a_length_is_bounded_too(
    server_url: str, body: bytes, statuses: set[int]
) -> None:
    connection = http.client.HTTPConnection(urlsplit(server_url).netloc, timeout=10)
    headers = {
        "Content-Type": "application/json",
        "Idempotency-Key": f"piece by piece, once: {next(keys)}",
    }
    connection.request("POST", "/v1/sessions", chunks(body), headers, encode_chunked=True)
    answer = connection.getresponse()
    problem = json.loads(answer.read())
    assert answer.status in statuses, problem
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert problem["status"] == answer.status
    connection.close()


def test_the_reason_names_what_is_wrong_with_the_text() -> None:
    reasons = {}
    for name in ("ten thousand digits", "not UTF-8", "truncated string"):
        with pytest.raises(Problem) as refused:
            decode_strict_json(NOT_JSON[name])
        reasons[name] = refused.value.operands["reason"]
    assert reasons == {
        "ten thousand digits": "too many digits",
        "not UTF-8": "not UTF-8 text",
        "truncated string": "Unterminated string starting at line 1, column 10",
    }


def test_a_key_repeated_after_many_others_is_found_quickly() -> None:
    members = ",".join(f'"{number}":0' for number in range(30_000))
    started = time.thread_time()
    with pytest.raises(Problem) as refused:
        decode_strict_json(f'{{{members},"last":0,"last":0}}'.encode())
    assert time.thread_time() - started < MAX_CPU_SECONDS
    assert refused.value.operands["reason"] == "duplicate key 'last'"
