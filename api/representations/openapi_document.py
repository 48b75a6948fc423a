"""The contract as one document: openapi.yaml, with each reference replaced by what it names.

The schemas that are made from structs are merged with what the files add to them. An example of a
session gets the options that it leaves out.
"""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from api.i18n.catalog import catalog
from api.representations.openapi_schemas import struct_schemas
from engine.games.registry import GAMES

Node = dict[str, Any]
"""A part of the contract."""
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""libyaml where PyYAML was built with it: many times faster."""


@cache
def encode_document() -> str:
    return yaml.dump(
        assemble_document(), Dumper=DUMPER, sort_keys=False, allow_unicode=True, width=110
    )


@cache
def assemble_document() -> Node:
    """Return the contract with local references (`#/components/…`) only."""
    package = Path(__file__).parents[1]  # a wheel has the contract in it, a checkout beside it
    folder = next(f for f in (package, package.parent) if (f / "openapi.yaml").exists())
    document = _load(folder / "openapi.yaml")
    for section in (document["paths"], document["components"]):
        for name, node in section.items():
            if "$ref" in node:
                section[name] = _resolve(folder, node["$ref"])
    components = document["components"]
    schemas = struct_schemas()
    schemas["ProblemCode"] = {"enum": [problem["code"] for problem in components["x-problems"]]}
    schemas["FieldErrorCode"] = {"enum": [*catalog("en")["fields"], "invalid"]}
    components["schemas"] = _merge(schemas, components["schemas"])
    # a copy in which nothing is shared, since YAML would write an alias for what is
    copy: Node = msgspec.json.decode(msgspec.json.encode(document))
    _complete_responses(copy["paths"], copy["components"])
    _complete_options(copy["paths"])
    return copy


def _resolve(folder: Path, reference: str) -> Any:
    """Return what a reference names: a file, something in a file, or all files of a folder."""
    path, _, name = reference.partition("#/")
    if (folder / path).is_dir():
        parts = [_load(file) for file in sorted((folder / path).glob("*.yaml"))]
        return {name: node for part in parts for name, node in part.items()}
    content = _load(folder / path)
    return content[name] if name else content


def _complete_responses(paths: Node, components: Node) -> None:
    """Add to each operation the refusals that its problem codes lead to, and to each response the
    header that all have."""
    refusals = {response["x-status"]: name for name, response in components["responses"].items()}
    operations = [node for path in paths.values() for node in path.values() if "responses" in node]
    for operation in operations:
        problems = [p for p in components["x-problems"] if p["code"] in operation["x-problems"]]
        statuses = {str(problem["status"]) for problem in problems} & refusals.keys()
        for status in (*sorted(statuses), "default"):
            reference = f"#/components/responses/{refusals[status]}"
            operation["responses"].setdefault(status, {"$ref": reference})
    responses = [r for operation in operations for r in operation["responses"].values()]
    for response in (*components["responses"].values(), *responses):
        if "$ref" not in response:
            header = {"$ref": "#/components/headers/XRequestId"}
            response.setdefault("headers", {}).setdefault("X-Request-Id", header)


def _complete_options(node: Any) -> None:
    """Add to the options of each session in the examples those that have their default."""
    match node:
        case {"game": str(key), "options": dict(options), "version": int()}:
            chosen = msgspec.convert(options, GAMES[key].options_type)
            node["options"] = msgspec.to_builtins(chosen)
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for child in children:
        _complete_options(child)


def _merge(schema: Node, addition: Node) -> Node:
    """Return the schema with the addition, where a reference takes the place of all beside it."""
    if "$ref" in addition:
        return addition
    merged = {**schema, **addition}
    for name in schema.keys() & addition.keys():
        if isinstance(schema[name], dict):
            merged[name] = _merge(schema[name], addition[name])
    return merged


@cache
def _load(file: Path) -> Any:
    return yaml.load(file.read_text("utf-8"), LOADER)  # noqa: S506  # a safe loader, see above
