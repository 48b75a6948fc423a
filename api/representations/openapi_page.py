"""The contract as something to read: openapi.yaml turned into a page, nothing added."""

import json
from functools import lru_cache
from typing import Any

import yaml

METHODS = ("get", "post", "put", "delete")
SHOWN_HEADERS = ("Idempotency-Key", "If-Match")
HERE, RIGHT = "http://127.0.0.1:8080", "$TOKEN"


@lru_cache(maxsize=1)
def operations(contract: str) -> dict[str, Any]:
    """What the page shows: title, introduction, operations by tag, actions, options, problems."""
    spec = yaml.safe_load(contract)
    schemas = spec["components"]["schemas"]
    found = [
        _operation(spec, path, method, item)
        for path, item in spec["paths"].items()
        for method in METHODS
        if method in item
    ]
    actions = [resolved(spec, variant) for variant in schemas["Action"]["oneOf"]]
    return {
        "info": spec["info"],
        "sections": [
            {**tag, "operations": [o for o in found if tag["name"] in o["tags"]]}
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
        "options": {
            variant["properties"]["game"]["const"]: fields(
                spec, resolved(spec, variant["properties"]["options"])
            )
            for variant in schemas["NewSession"]["allOf"][0]["oneOf"]
        },
        "problems": _problems(spec),
    }


def _operation(
    spec: dict[str, Any], path: str, method: str, item: dict[str, Any]
) -> dict[str, Any]:
    operation = item[method]
    given = [*item.get("parameters", []), *operation.get("parameters", [])]
    parameters = [resolved(spec, parameter) for parameter in given]
    body = operation.get("requestBody")
    sent = _media(spec, body)[0] if body else None
    return {
        **operation,
        "path": path,
        "method": method,
        "role": operation.get("x-role"),
        "parameters": [
            {**p, "schema": resolved(spec, p["schema"]), "says": kind(spec, p["schema"])}
            for p in parameters
        ],
        "body": sent,
        "answers": [
            {"status": status, "description": said["description"], "media": _media(spec, said)}
            for status, response in operation["responses"].items()
            if status < "4" and (said := resolved(spec, response))
        ],
        "problems": operation["x-problems"],
        "curl": _curl(path, method, operation, parameters, sent),
    }


def _media(spec: dict[str, Any], said: dict[str, Any]) -> list[dict[str, Any]]:
    """Each representation: its type, the fields of an object, an example as one would see it."""
    return [
        {
            "type": kind_of,
            "fields": fields(spec, resolved(spec, media["schema"])),
            "example": as_text(media["example"]),
        }
        for kind_of, media in said.get("content", {}).items()
    ]


def _curl(
    path: str,
    method: str,
    operation: dict[str, Any],
    parameters: list[dict[str, Any]],
    sent: dict[str, Any] | None,
) -> str:
    """One line to paste, with the examples of the contract in it."""
    words = ["curl"] if method == "get" else ["curl", "-X", method.upper()]
    query = []
    for parameter in parameters:
        match parameter:
            case {"in": "path", "name": name, "example": example}:
                path = path.replace(
                    f"{{{name}}}", f"${name.upper()}" if name == "session" else str(example)
                )
            case {"in": "query", "required": True, "name": name, "example": example}:
                query.append(f"{name}={example}")
            case {"in": "header", "name": name} if name in SHOWN_HEADERS:
                value = "$(uuidgen)" if name == "Idempotency-Key" else '\\"$VERSION\\"'
                words += ["-H", f'"{name}: {value}"']
    if operation.get("security") != []:
        words += ["-H", f'"Authorization: Bearer {RIGHT}"']
    if sent:
        words += ["-H", '"Content-Type: application/json"', "-d", "@body.json"]
    return " ".join([*words, f'"{HERE}{path}{"?" if query else ""}{"&".join(query)}"'])


def _problems(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """In order of precedence; a code that has two statuses is one entry with two lines."""
    told: dict[str, dict[str, Any]] = {}
    for problem in spec["components"]["x-problems"]:
        entry = told.setdefault(problem["code"], {"code": problem["code"], "cases": []})
        entry["cases"].append(problem)
    return list(told.values())


def resolved(spec: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """The node, with what its local `$ref` points to and the parts of its `allOf` laid under it."""
    parts = [*_pointed_at(spec, node), *node.get("allOf", [])]
    made: dict[str, Any] = {}
    for part in (
        *(resolved(spec, p) for p in parts),
        {k: v for k, v in node.items() if k != "$ref"},
    ):
        above = {**made, **part}
        if "properties" in made and "properties" in part:
            above["properties"] = {**made["properties"], **part["properties"]}
            above["required"] = [*made.get("required", []), *part.get("required", [])]
        made = above
    return made


def _pointed_at(spec: dict[str, Any], node: dict[str, Any]) -> list[dict[str, Any]]:
    if "$ref" not in node:
        return []
    target: Any = spec
    for part in node["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    return [target]


def fields(spec: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The fields of an object: name, what it holds, whether it must be there, what it means."""
    needed = schema.get("required", [])
    return [
        {
            "name": name,
            "says": kind(spec, field),
            "required": name in needed,
            "default": as_text(found["default"]) if "default" in found else None,
            "description": field.get("description") or found.get("description", ""),
        }
        for name, field in schema.get("properties", {}).items()
        if (found := resolved(spec, field)) is not None
    ]


def kind(spec: dict[str, Any], schema: dict[str, Any]) -> str:
    """What a value looks like, in a few words."""
    named = schema.get("$ref", "").rpartition("/")[2]
    found = resolved(spec, schema)
    if "const" in found:
        return as_text(found["const"])
    if "enum" in found:
        return " | ".join("null" if v is None else str(v).lower() for v in found["enum"])
    types = found.get("type", "any")
    types = types if isinstance(types, list) else [types]
    said = " or ".join(types)
    if "array" in types and "items" in found:
        said = said.replace("array", f"list of {kind(spec, found['items'])}")
    if "minimum" in found and "maximum" in found:
        said += f" {found['minimum']}–{found['maximum']}"
    plain = named and "object" not in types and "array" not in types
    return named if plain or (named and "object" in types) else said


def as_text(value: Any) -> str:
    """JSON for people: short things on one line, texts as they are."""
    return value if isinstance(value, str) and "\n" in value else _lines(value, 0)


def _lines(value: Any, depth: int) -> str:
    plain = json.dumps(value, ensure_ascii=False)
    if len(plain) + 2 * depth <= 76 or not isinstance(value, dict | list):
        return plain
    pad, end = "  " * (depth + 1), "  " * depth
    if isinstance(value, dict):
        inner = [f"{pad}{json.dumps(k)}: {_lines(v, depth + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(inner) + f"\n{end}}}"
    return "[\n" + ",\n".join(pad + _lines(v, depth + 1) for v in value) + f"\n{end}]"
