"""The contract as something to read: openapi.yaml turned into a page, nothing added."""

from functools import lru_cache
from typing import Any

import yaml

METHODS = ("get", "post", "put", "delete")


@lru_cache(maxsize=1)
def operations(contract: str) -> dict[str, Any]:
    """What the page shows: title, introduction, operations by tag, problem codes."""
    spec = yaml.safe_load(contract)
    found = [
        {"path": path, "method": method, **operation, "parameters": _parameters(spec, operation)}
        for path, item in spec["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    ]
    tags = spec.get("tags", [])
    return {
        "info": spec["info"],
        "sections": [
            {**tag, "operations": [o for o in found if tag["name"] in o.get("tags", [])]}
            for tag in tags
        ],
        "problems": spec["components"]["x-problems"],
    }


def _parameters(spec: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, Any]]:
    return [resolved(spec, parameter) for parameter in operation.get("parameters", [])]


def resolved(spec: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """The node that a local `$ref` points to, or itself."""
    while "$ref" in node:
        target: Any = spec
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node
