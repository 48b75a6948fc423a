"""The JSON Schemas in an archive, made from the definitions by which Vola reads and writes it.

A session's comes from the contract of the API, the others from the structs that an import parses.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from api.representations.openapi_document import assemble_document
from ledger.transfer.archive.archive_format import SCHEMA_KINDS, ExportedGroup, Manifest

DIALECT = "https://json-schema.org/draft/2020-12/schema"
COMPONENTS, DEFINITIONS = "#/components/schemas/", "#/$defs/"


def archive_schemas() -> dict[str, bytes]:
    """Return the schema of each kind of file in an archive, as JSON."""
    schemas = (
        msgspec.json.schema(Manifest),
        _contract_schema("Export"),
        msgspec.json.schema(ExportedGroup),
    )
    return {
        kind: msgspec.json.format(
            msgspec.json.encode(_standard_json_schema({"$schema": DIALECT, **schema})), indent=1
        )
        + b"\n"
        for kind, schema in zip(SCHEMA_KINDS, schemas, strict=True)
    }


def _contract_schema(name: str) -> dict[str, Any]:
    """Return a schema of the contract, with all that it refers to."""
    components = assemble_document()["components"]["schemas"]
    needed, definitions = [name], dict[str, Any]()
    while needed:
        current = needed.pop()
        if current not in definitions:
            definitions[current] = components[current]
            needed += _references(components[current])
    return {"$ref": DEFINITIONS + name, "$defs": definitions}


def _references(node: Any) -> Iterator[str]:
    """Yield the name of each schema that this part of the contract refers to."""
    if isinstance(node, dict):
        reference = node.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix(COMPONENTS)
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from _references(child)


def _standard_json_schema(node: Any) -> Any:
    """Return the schema with references to its own definitions, and with the end of a pattern as
    every language writes it."""
    if isinstance(node, dict):
        return {name: _standard_json_schema(child) for name, child in node.items()}
    if isinstance(node, list):
        return [_standard_json_schema(child) for child in node]
    if isinstance(node, str):
        return node.replace(r"\Z", "$").replace(COMPONENTS, DEFINITIONS)
    return node
