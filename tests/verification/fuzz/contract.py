"""What the fuzzer reads from openapi.yaml: whose id a path asks for, and which role may.

Knows no operation by name; one that is added tomorrow is fuzzed tomorrow.
"""

from __future__ import annotations

import re
from copy import deepcopy
from functools import cache
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from api.representations.openapi_document import LOADER, encode_document

SPEC: dict[str, Any] = yaml.load(encode_document(), LOADER)
REGISTRY: Any = Registry().with_resource(
    "urn:contract", Resource(contents=SPEC, specification=DRAFT202012)
)
METHODS = ("get", "post", "put", "delete", "patch")

KINDS: dict[str, str] = {
    match[1]: match[2]
    for path in SPEC["paths"]
    if (match := re.match(r"/v1/(\w+)/\{(\w+)\}", path)) is not None
}
"""The collections whose things have tokens, and what their ids are called in a path:
`{"sessions": "session", "groups": "group"}`."""

ROLES = ("host", "scorer", "viewer")


def operations() -> dict[str, dict[str, Any]]:
    """`GET /v1/sessions/{session}` and what is said of it."""
    return {
        f"{method.upper()} {path}": item[method]
        for path, item in SPEC["paths"].items()
        for method in METHODS
        if method in item
    }


@cache
def _bodies(operation: str) -> tuple[Draft202012Validator, Any]:
    """Of its request body: what holds it to its schema, and an example."""
    pointer = "/paths/{}/{}/requestBody/content/application~1json".format(
        operation.split(" ", 1)[1].replace("/", "~1"), operation.split(" ", 1)[0].lower()
    )
    content = operations()[operation]["requestBody"]["content"]["application/json"]
    schema = {"$ref": f"urn:contract#{pointer}/schema"}
    return Draft202012Validator(schema, registry=REGISTRY), content["example"]


def fits(operation: str, body: Any) -> bool:
    """Whether the contract takes this body for that operation."""
    return bool(_bodies(operation)[0].is_valid(body))


def example(operation: str) -> Any:
    """The body that the contract shows."""
    return deepcopy(_bodies(operation)[1])


def owner(path: str) -> str | None:
    """The path parameter whose token an operation asks for."""
    match = re.match(r"/v1/\w+/\{(\w+)\}", path)
    return match[1] if match else None


EXPORTS = [
    media["example"]
    for operation in operations().values()
    for media in operation.get("requestBody", {}).get("content", {}).values()
    if "checkpoint" in media["example"]
]
"""Evenings of another book, whole and sealed."""
