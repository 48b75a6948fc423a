"""What the fuzzer reads from openapi.yaml: operations, their bodies, and whose token a path needs.

The module knows no operation by name, so a new one is fuzzed without a change here.
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
"""The collections whose resources have tokens, and the names of their ids in a path:
`{"sessions": "session", "groups": "group"}`."""

ROLES = ("host", "scorer", "viewer")


def read_operations() -> dict[str, dict[str, Any]]:
    """Return the description of each operation by name, such as `GET /v1/sessions/{session}`."""
    return {
        f"{method.upper()} {path}": item[method]
        for path, item in SPEC["paths"].items()
        for method in METHODS
        if method in item
    }


@cache
def _bodies(operation: str) -> tuple[Draft202012Validator, Any]:
    """Return the validator of an operation's request body, and an example."""
    pointer = "/paths/{}/{}/requestBody/content/application~1json".format(
        operation.split(" ", 1)[1].replace("/", "~1"), operation.split(" ", 1)[0].lower()
    )
    content = read_operations()[operation]["requestBody"]["content"]["application/json"]
    schema = {"$ref": f"urn:contract#{pointer}/schema"}
    return Draft202012Validator(schema, registry=REGISTRY), content["example"]


def is_valid(operation: str, body: Any) -> bool:
    """Return whether the contract accepts this body for that operation."""
    return bool(_bodies(operation)[0].is_valid(body))


def make_example(operation: str) -> Any:
    """Return the example body of the contract."""
    return deepcopy(_bodies(operation)[1])


def path_owner(path: str) -> str | None:
    """Return the path parameter whose token an operation needs, or None."""
    match = re.match(r"/v1/\w+/\{(\w+)\}", path)
    return match[1] if match else None


EXPORTS = [
    media["example"]
    for operation in read_operations().values()
    for media in operation.get("requestBody", {}).get("content", {}).values()
    if "checkpoint" in media["example"]
]
"""Complete signed evenings of another book, from the contract's examples."""
