"""The contract as a page to read: the document rearranged, with nothing added."""

import json
from functools import reduce
from operator import getitem
from typing import Any

METHODS = ("get", "post", "put", "delete")
SHOWN_HEADERS = ("Idempotency-Key", "If-Match")
SERVER_URL, TOKEN = "http://127.0.0.1:8080", "$TOKEN"

Node = dict[str, Any]
"""A part of the contract, or of the page."""


def operations(spec: Node) -> Node:
    """Return title, introduction, operations by tag, actions, options, problems by precedence."""
    schemas = spec["components"]["schemas"]
    all_operations = [
        _operation(spec, path, method, item)
        for path, item in spec["paths"].items()
        for method in METHODS
        if method in item
    ]
    actions = [resolve(spec, variant) for variant in schemas["Action"]["oneOf"]]
    games = [variant["properties"] for variant in schemas["NewSession"]["allOf"][0]["oneOf"]]
    return {
        "info": spec["info"],
        "sections": [
            {**tag, "operations": [o for o in all_operations if tag["name"] in o["tags"]]}
            for tag in spec["tags"]
        ],
        "actions": [
            {
                "type": action["properties"]["type"]["const"],
                "description": action["description"],
                "fields": [field for field in fields(spec, action) if field["name"] != "type"],
                "example": as_text(action["examples"][0]),
            }
            for action in actions
        ],
        "options": {g["game"]["const"]: fields(spec, resolve(spec, g["options"])) for g in games},
        "problems": spec["components"]["x-problems"],
    }


def _operation(spec: Node, path: str, method: str, item: Node) -> Node:
    operation = item[method]
    nodes = [*item.get("parameters", []), *operation.get("parameters", [])]
    parameters = [resolve(spec, node) for node in nodes]
    body = operation.get("requestBody")
    body_media = _media(spec, body)[0] if body else None
    return {
        **operation,
        "path": path,
        "method": method,
        "parameters": [
            {**p, "schema": resolve(spec, p["schema"]), "says": kind(spec, p["schema"])}
            for p in parameters
        ],
        "body": body_media,
        "answers": [
            {"status": status, "description": node["description"], "media": _media(spec, node)}
            for status, response in operation["responses"].items()
            if status < "4" and (node := resolve(spec, response))
        ],
        "curl": _curl(path, method, operation, parameters, body_media),
    }


def _media(spec: Node, node: Node) -> list[Node]:
    """Return the type, fields and example of each representation of a body."""
    return [
        {
            "type": media_type,
            "fields": fields(spec, resolve(spec, media["schema"])),
            "example": as_text(media["example"]),
        }
        for media_type, media in node.get("content", {}).items()
    ]


def _curl(
    path: str, method: str, operation: Node, parameters: list[Node], body: Node | None
) -> str:
    """Return a command to paste, with the examples of the contract."""
    words = ["curl"] if method == "get" else ["curl", "-X", method.upper()]
    query = []
    for parameter in parameters:
        match parameter:
            case {"in": "path", "name": name, "example": example}:
                value = f"${name.upper()}" if name == "session" else str(example)
                path = path.replace(f"{{{name}}}", value)
            case {"in": "query", "required": True, "name": name, "example": example}:
                query.append(f"{name}={example}")
            case {"in": "header", "name": name} if name in SHOWN_HEADERS:
                value = "$(uuidgen)" if name == "Idempotency-Key" else '\\"$VERSION\\"'
                words += ["-H", f'"{name}: {value}"']
    if operation.get("security") != []:
        words += ["-H", f'"Authorization: Bearer {TOKEN}"']
    if body:
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
    required = schema.get("required", [])
    return [
        {
            "name": name,
            "says": kind(spec, field),
            "required": name in required,
            "default": as_text(node["default"]) if "default" in node else None,
            "description": field.get("description") or node.get("description", ""),
        }
        for name, field in schema.get("properties", {}).items()
        if (node := resolve(spec, field)) is not None
    ]


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
