"""The contract of 1.0 stays: nothing that a client may rely on is taken away."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.representations.openapi_document import assemble_document
from tests.support.api.breaking_changes import find_breaking_changes

FROZEN = Path(__file__).parents[1] / "golden" / "api-1.0.yaml"
CONTRACT = """
openapi: 3.1.0
paths:
  /deals:
    parameters:
      - {in: query, name: limit, schema: {type: integer, minimum: 1, maximum: 100}}
    get:
      x-problems: [unknown_deal]
      responses:
        '200':
          headers: {ETag: {schema: {type: string}}}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Deal'}
    post:
      requestBody:
        content:
          application/json:
            schema:
              oneOf:
                - {type: object, properties: {type: {const: open}, number: {type: integer}}}
                - {type: object, properties: {type: {const: undo}}}
      responses:
        '201': {description: Written.}
components:
  schemas:
    Deal:
      type: object
      required: [status]
      properties:
        status: {type: string, enum: [open, closed]}
        amount: {type: integer}
"""

Change = Callable[[Any], object]


def deal(document: Any) -> Any:
    return document["components"]["schemas"]["Deal"]


def operation(document: Any, method: str) -> Any:
    return document["paths"]["/deals"][method]


def variants(document: Any) -> Any:
    return operation(document, "post")["requestBody"]["content"]["application/json"]["schema"][
        "oneOf"
    ]


def limit(document: Any) -> Any:
    return document["paths"]["/deals"]["parameters"][0]


BREAKING: dict[str, tuple[str, Change]] = {  # each with words of the line that promised it
    "/deals is gone": (
        "/deals:", lambda d: d["paths"].pop("/deals")),
    "GET /deals is gone": (
        "get:", lambda d: d["paths"]["/deals"].pop("get")),
    "GET /deals: problem `unknown_deal` is gone": (
        "x-problems", lambda d: operation(d, "get").update({"x-problems": []})),
    "GET /deals 200: header ETag is gone": (
        "headers", lambda d: operation(d, "get")["responses"]["200"].update(headers={})),
    "GET /deals 200: field `amount` is gone": (
        "amount:", lambda d: deal(d)["properties"].pop("amount")),
    "GET /deals 200: field `status` may be missing now": (
        "Deal:", lambda d: deal(d).update(required=[])),
    "GET /deals 200.status: value 'open' is gone": (
        "status: {", lambda d: deal(d)["properties"]["status"].update(enum=["closed"])),
    "GET /deals 200.amount: the type was integer, is string": (
        "amount:", lambda d: deal(d)["properties"]["amount"].update(type="string")),
    "GET /deals: parameter `limit` is gone": (
        "limit", lambda d: d["paths"]["/deals"].update(parameters=[])),
    "GET /deals: `limit`: maximum was 100, is 50": (
        "schema: {type: integer, minimum", lambda d: limit(d)["schema"].update(maximum=50)),
    "GET /deals: parameter `limit` is newly required": (
        "limit", lambda d: limit(d).update(required=True)),
    "POST /deals 201 is gone": (
        "'201'", lambda d: operation(d, "post")["responses"].pop("201")),
    "POST /deals: type=undo is gone": (
        "const: undo", lambda d: variants(d).pop()),
    "POST /deals: field `number` is newly required": (
        "const: open", lambda d: variants(d)[0].update(required=["number"])),
    "POST /deals: the body is newly required": (
        "requestBody", lambda d: operation(d, "post")["requestBody"].update(required=True)),
}  # fmt: skip

COMPATIBLE: dict[str, Change] = {
    "a new path": lambda d: d["paths"].update({"/bets": {"get": {"responses": {}}}}),
    "a new field of a response": lambda d: deal(d)["properties"].update(pot={"type": "integer"}),
    "a new optional input": lambda d: variants(d)[0]["properties"].update(note={"type": "string"}),
    "a new variant": lambda d: variants(d).append({"properties": {"type": {"const": "void"}}}),
    "a wider bound": lambda d: limit(d)["schema"].update(maximum=1000),
    "a field that is always there now": lambda d: deal(d)["required"].append("amount"),
    "variants in another order": lambda d: variants(d).reverse(),
}


@pytest.mark.parametrize("text", BREAKING)
def test_a_breaking_change_is_found_with_its_line(text: str) -> None:
    words, change = BREAKING[text]
    line = next(n for n, line in enumerate(CONTRACT.splitlines(), 1) if words in line)
    document = yaml.safe_load(CONTRACT)
    change(document)
    assert f"line {line}: {text}" in map(str, find_breaking_changes(CONTRACT, document))


@pytest.mark.parametrize("name", COMPATIBLE)
def test_an_addition_breaks_nothing(name: str) -> None:
    document = deepcopy(yaml.safe_load(CONTRACT))
    COMPATIBLE[name](document)
    assert find_breaking_changes(CONTRACT, document) == []


def test_this_version_breaks_no_client_of_1_0() -> None:
    """The frozen file never changes. What was added since can be frozen in a file of its own."""
    assert find_breaking_changes(FROZEN.read_text("utf-8"), assemble_document()) == []
