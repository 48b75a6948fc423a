"""Bodies that are not quite JSON, or not quite the numbers they look like (contract.md §1).

Every operation that takes a body, as openapi.yaml lists them: refused with a problem, soon, and
not a row is written anywhere.
"""

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
from psycopg import sql
from werkzeug.test import TestResponse

from tests.api.test_circles import founded
from tests.api.test_openapi import OPERATIONS, resolved

WITH_BODY = {name: o for name, o in OPERATIONS.items() if "requestBody" in o}
MOST_SECONDS = 2.0
"""For one refusal, on a machine that does other things as well."""
DEEP = 7000
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
    "lists in lists": b"[" * DEEP + b"]" * DEEP,
    "objects in objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "lists never closed": b"[" * 100_000,
    "deeper than anything has reason to be": b'{"a":' * 40 + b"1" + b"}" * 40,
}
"""400 from everybody, even without a token: it cannot be read."""

NO_OBJECT = {
    "null": b"null",
    "list": b"[]",
    "number": b"1e400",
    "negative zero": b"-0",
    "text": b'"{}"',
    "true": b"true",
    "half a million keys": json.dumps({f"k{n}": 0 for n in range(8_000)}).encode(),
    "a long text": json.dumps({"name": "å" * 20_000}).encode(),
}
"""JSON, and nothing that any operation takes."""

NO_WHOLE_NUMBER = (
    *("5.9", '"5"', "true", "false", "1e400", "-1e400", "1e3", "1.0", "1E0", "0.0", "-0.0"),
    *("9223372036854775808", "-9223372036854775809", "18446744073709551616", "1" + "0" * 400),
    *("[5]", '{"$numberLong": "5"}', '""', '"5\\u0000"', "NaN", "Infinity", "-Infinity"),
)


@pytest.fixture(scope="module")
def house(app: Flask) -> dict[str, Any]:
    """A circle, an evening of it with a deal, and what is asked for by its id."""
    client = app.test_client()
    circle = founded(client, "Ada", "Bo", "Cilla", "Disa")
    table = circle.gather()
    assert table.act({"type": "open_deal"}, {"type": "all_pass"}).status_code == 201
    path = {
        "session": table.id,
        "circle": circle.id,
        "deal": 1,
        "player": "p1",
        "knock": 1,
        "page": "Qm3xk9",
    }
    return {"client": client, "path": path, "tokens": {"session": table, "circle": circle}}


def send(house: dict[str, Any], name: str, body: bytes, **headers: str | None) -> TestResponse:
    """The operation with everything right but its body."""
    promised = WITH_BODY[name]
    first = promised["path"].partition("{")[2].partition("}")[0]  # whose token it takes
    owner = house["tokens"].get(first)
    right = {"Authorization": f"Bearer {owner.tokens['host']}"} if owner else {}
    given = {
        "Content-Type": "application/json",
        "Idempotency-Key": f"strict-{next(keys)}",
        "If-Match": "*",
        **right,
        **headers,
    }
    begun = time.monotonic()
    answer: TestResponse = house["client"].open(
        promised["path"].format(**house["path"]),
        method=promised["method"].upper(),
        data=body,
        headers={key: value for key, value in given.items() if value is not None},
    )
    assert time.monotonic() - begun < MOST_SECONDS, name
    return answer


def refused(answer: TestResponse, *statuses: int) -> dict[str, Any]:
    """The problem it was told."""
    assert answer.status_code in statuses, answer.text[:300]
    assert answer.mimetype == "application/problem+json"
    told: dict[str, Any] = answer.get_json()
    assert told["status"] == answer.status_code
    return told


def rows(app: Flask) -> dict[str, int]:
    """How many rows lie in every table, as the auditor sees them."""
    with app.extensions["auditor"].connection() as db:
        tables = db.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN"
            " ('vola', 'projections') AND has_table_privilege(schemaname || '.' || tablename,"
            " 'SELECT')"
        ).fetchall()
        counted = sql.SQL(" UNION ALL ").join(
            sql.SQL("SELECT {}, count(*) FROM {}").format(name, sql.Identifier(schema, name))
            for schema, name in ((schema, name) for schema, name in tables)
        )
        found = dict(db.execute(counted).fetchall())
    assert found["events"] > 0
    return found


@pytest.fixture(autouse=True)
def not_a_row_is_written(app: Flask, house: dict[str, Any]) -> Iterator[None]:
    before = rows(app)
    yield
    assert rows(app) == before


@pytest.mark.parametrize("name", WITH_BODY)
def test_what_cannot_be_read_is_malformed_to_everybody(name: str, house: dict[str, Any]) -> None:
    for what, body in NOT_JSON.items():
        for right in ({}, {"Authorization": None}, {"Authorization": "Bearer host0.nobody"}):
            told = refused(send(house, name, body, **right), 400)
            assert told["code"] == "malformed_json", what


@pytest.mark.parametrize("name", WITH_BODY)
def test_what_is_no_object_or_has_nothing_known_in_it_has_the_wrong_shape(
    name: str, house: dict[str, Any]
) -> None:
    for what, body in NO_OBJECT.items():
        told = refused(send(house, name, body), 422)
        assert (told["code"], bool(told["errors"])) == ("wrong_shape", True), what


@pytest.mark.parametrize("name", WITH_BODY)
def test_a_body_that_is_cut_off_anywhere_is_malformed(name: str, house: dict[str, Any]) -> None:
    whole = json.dumps(example(name)).encode()
    for end in range(1, len(whole), max(1, len(whole) // 40)):
        refused(send(house, name, whole[:end]), 400)


@pytest.mark.parametrize("name", WITH_BODY)
def test_a_body_that_is_too_large_is_not_read(name: str, house: dict[str, Any]) -> None:
    for body in (b" " * 2**20, b'{"name": "' + b"A" * 2**20 + b'"}', b"[" * 2**20):
        told = refused(send(house, name, body), 400, 413, 422)
        assert told["code"] in ("too_large", "malformed_json", "wrong_shape")
        if name != "importSession":  # which takes a whole evening
            assert (told["code"], told["most"]) == ("too_large", 131_072)
    refused(send(house, name, b" " * (17 * 2**20)), 413)


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
def test_a_compressed_body_is_not_unpacked(name: str, house: dict[str, Any]) -> None:
    for encoding, body in BOMBS.items():
        told = refused(send(house, name, body, **{"Content-Encoding": encoding}), 415)
        assert told["code"] == "unsupported_media_type", encoding


MEDIA = (
    *(None, "", "text/plain", "text/json", "application/jsonp", "application/json5"),
    *("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "*/*"),
    *("application/problem+json", "application", "application/", "json", "application/json/"),
    *("application/xml", "application/octet-stream", "text/plain; application/json"),
)


@pytest.mark.parametrize("name", WITH_BODY)
def test_a_body_of_another_media_type_is_not_read(name: str, house: dict[str, Any]) -> None:
    body = json.dumps(example(name)).encode()
    for media in MEDIA:
        told = refused(send(house, name, body, **{"Content-Type": media}), 415)
        assert told["code"] == "unsupported_media_type", media


def example(name: str) -> Any:
    return WITH_BODY[name]["requestBody"]["content"]["application/json"]["example"]


Place = tuple[str | int, ...]


def whole_numbers(schema: dict[str, Any], base: Any, at: Place = ()) -> Iterator[tuple[Any, Place]]:
    """Bodies with a hole in them where the contract wants a whole number, and where it is."""
    schema = resolved(schema)
    kinds = schema.get("type", ())
    if "integer" in ([kinds] if isinstance(kinds, str) else kinds):
        yield base, at
    for variant in (v for word in ("oneOf", "anyOf", "allOf") for v in schema.get(word, ())):
        variant = resolved(variant)
        fields = variant.get("properties", {})
        said = {k: v["const"] for k, v in fields.items() if k in KIND and "const" in v}
        yield from whole_numbers(variant, put(base, at, said) if said else base, at)
    for field, inner in schema.get("properties", {}).items():
        yield from whole_numbers(inner, base, (*at, field))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from whole_numbers(schema["additionalProperties"], base, (*at, "p1"))
    if "items" in schema:
        yield from whole_numbers(schema["items"], base, (*at, 0))


def put(body: Any, at: Place, value: Any) -> Any:
    """The same with this value there; what is on the way is made, what it was is replaced."""
    if not at:
        return {**body, **value} if isinstance(body, dict) and isinstance(value, dict) else value
    step, *rest = at
    if isinstance(step, int):
        inner = body[0] if isinstance(body, list) and body and rest else {}
        return [put(inner, tuple(rest), value)]
    known = body if isinstance(body, dict) else {}
    return {**known, step: put(known.get(step, {}), tuple(rest), value)}


HOLE = "the number"
KIND = ("type", "game")
"""What a variant is told by."""


def holes(name: str) -> list[tuple[str, str]]:
    """JSON texts with a hole, and the pointer to it; each place once."""
    schema = WITH_BODY[name]["requestBody"]["content"]["application/json"]["schema"]
    base = {} if name in ("act", "correctDeal") else example(name)
    found = dict[str, str]()
    for body, at in whole_numbers(schema, base):
        text = json.dumps(put(body, at, HOLE))
        found.setdefault(text, "/" + "/".join(map(str, at)))
    return list(found.items())


NUMBERS = [(name, *hole) for name in WITH_BODY for hole in holes(name)]


def test_the_contract_has_whole_numbers_to_try() -> None:
    assert {name for name, _, _ in NUMBERS} >= {"openSession", "act", "correctDeal", "gatherCircle"}
    assert len(NUMBERS) > 40


@pytest.mark.parametrize(("name", "text", "pointer"), NUMBERS)
def test_what_is_not_written_as_a_whole_number_is_none(
    name: str, text: str, pointer: str, house: dict[str, Any]
) -> None:
    for number in NO_WHOLE_NUMBER:
        body = text.replace(f'"{HOLE}"', number)
        told = refused(send(house, name, body.encode()), 400, 422)
        if told["status"] == 400:
            assert told["code"] == "malformed_json", number
        elif name != "importSession":  # sealed: it says which event does not hold
            pointers = [error["pointer"] for error in told["errors"]]
            assert any(p == pointer or p.startswith(f"{pointer}/") for p in pointers), (
                number,
                told,
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
def test_a_body_that_comes_in_pieces_without_a_length_is_bounded_too(
    server_url: str, body: bytes, statuses: set[int]
) -> None:
    line = http.client.HTTPConnection(urlsplit(server_url).netloc, timeout=10)
    headers = {"Content-Type": "application/json", "Idempotency-Key": f"chunks-{next(keys)}"}
    line.request("POST", "/v1/sessions", chunks(body), headers, encode_chunked=True)
    answer = line.getresponse()
    told = json.loads(answer.read())
    assert answer.status in statuses, told
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert told["status"] == answer.status
    line.close()
