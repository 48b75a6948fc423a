"""The functions by which `templates/docs.html` reads the contract that it shows."""

import json
from collections.abc import Iterator
from functools import partial, reduce
from operator import getitem
from typing import Any

METHODS = ("get", "post", "put", "delete")
SHOWN_HEADERS = ("Idempotency-Key", "If-Match")
SERVER_URL, TOKEN = "http://127.0.0.1:8080", "$TOKEN"

Node = dict[str, Any]
"""A part of the contract."""


def page_context(spec: Node) -> Node:
    """Return the contract for the template of the page, with functions that read parts of it."""
    readers = (operations, parameters, resolve, fields, kind)
    return {
        "spec": spec,
        "curl": curl,
        "as_text": as_text,
        **{read.__name__: partial(read, spec) for read in readers},
    }


def operations(spec: Node, tag: str) -> Iterator[tuple[str, str, Node]]:
    """Yield path, method and contents of the operations with this tag."""
    for path, item in spec["paths"].items():
        for method in METHODS:
            if method in item and tag in item[method]["tags"]:
                yield path, method, item[method]


def parameters(spec: Node, path: str, operation: Node) -> list[Node]:
    """Return the parameters of an operation, first those of its path."""
    item = spec["paths"][path]
    nodes = [*item.get("parameters", []), *operation.get("parameters", [])]
    return [resolve(spec, node) for node in nodes]


def curl(path: str, method: str, operation: Node, parameters: list[Node]) -> str:
    """Return a command to paste, with the examples of the contract."""
    words = ["curl"] if method == "get" else ["curl", "-X", method.upper()]
    query = []
    for parameter in parameters:
        match parameter:
            case {"in": "path", "name": name, "example": example}:
                value = f"${name.upper()}" if name in ("session", "group") else str(example)
                path = path.replace(f"{{{name}}}", value)
            case {"in": "query", "required": True, "name": name, "example": example}:
                query.append(f"{name}={example}")
            case {"in": "header", "name": name} if name in SHOWN_HEADERS:
                value = "$(uuidgen)" if name == "Idempotency-Key" else '\\"$VERSION\\"'
                words += ["-H", f'"{name}: {value}"']
    if operation.get("security") != []:
        words += ["-H", f'"Authorization: Bearer {TOKEN}"']
    if "requestBody" in operation:
        words += ["-H", '"Content-Type: application/json"', "-d", "@body.json"]
    return " ".join([*words, f'"{SERVER_URL}{path}{"?" if query else ""}{"&".join(query)}"'])


def resolve(spec: Node, node: Node) -> Node:
    """Return the node merged with what its local `$ref` names and the parts of its `allOf`, over
    which its own members take precedence."""
    parts = [resolve(spec, part) for part in node.get("allOf", [])]
    if "$ref" in node:
        keys = node["$ref"].removeprefix("#/").split("/")
        parts.insert(0, resolve(spec, reduce(getitem, keys, spec)))
    merged: Node = {}
    for part in (*parts, {k: v for k, v in node.items() if k != "$ref"}):
        union = {**merged, **part}
        if "properties" in merged and "properties" in part:
            union["properties"] = {**merged["properties"], **part["properties"]}
            union["required"] = [*merged.get("required", []), *part.get("required", [])]
        merged = union
    return merged


def fields(spec: Node, schema: Node) -> list[Node]:
    """Return the fields of an object: name, type, whether required, default and description."""
    listed = []
    for name, field in schema.get("properties", {}).items():
        node = resolve(spec, field)
        listed.append(
            {
                "name": name,
                "type": kind(spec, field),
                "required": name in schema.get("required", []),
                "default": as_text(node["default"]) if "default" in node else None,
                "description": field.get("description") or node.get("description", ""),
            }
        )
    return listed


def kind(spec: Node, schema: Node) -> str:
    """Return what a value looks like, in a few words."""
    schema_name: str = schema.get("$ref", "").rpartition("/")[2]
    node = resolve(spec, schema)
    if "const" in node:
        return as_text(node["const"])
    if "enum" in node:
        return " | ".join("null" if v is None else str(v).lower() for v in node["enum"])
    types = node.get("type", "any")
    types = types if isinstance(types, list) else [types]
    if schema_name and ("object" in types or "array" not in types):
        return schema_name
    text = " or ".join(types)
    if "array" in types and "items" in node:
        text = text.replace("array", f"list of {kind(spec, node['items'])}")
    if "minimum" in node and "maximum" in node:
        text += f" {node['minimum']}–{node['maximum']}"
    return text


def as_text(value: Any) -> str:
    """Return JSON for people: short values on one line, texts of many lines as they are."""
    if isinstance(value, str) and "\n" in value:
        return value
    line = json.dumps(value, ensure_ascii=False)
    return line if len(line) <= 76 else json.dumps(value, ensure_ascii=False, indent=2)
