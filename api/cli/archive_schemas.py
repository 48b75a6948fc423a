"""The JSON Schemas in an archive, made from the definitions by which Vola reads and writes it.

A session's comes from the contract of the API, the others from the structs that an import parses.
"""

import re
from typing import Any

import msgspec

from api.representations.openapi_document import assemble_document
from ledger.transfer.archive.archive_format import SCHEMA_KINDS, ExportedGroup, Manifest

DIALECT = "https://json-schema.org/draft/2020-12/schema"
COMPONENTS, DEFINITIONS = "#/components/schemas/", "#/$defs/"


def archive_schemas() -> dict[str, bytes]:
    schemas = (
        msgspec.json.schema(Manifest),
        _contract_schema("Export"),
        msgspec.json.schema(ExportedGroup),
    )
    return {
        kind: msgspec.json.format(_standard_json_schema(schema), indent=1) + b"\n"
        for kind, schema in zip(SCHEMA_KINDS, schemas, strict=True)
    }


def _contract_schema(name: str) -> dict[str, Any]:
    """Return a schema of the contract, with all that it refers to."""
    components = assemble_document()["components"]["schemas"]
    needed = [name]
    definitions: dict[str, Any] = {}
    while needed:
        current = needed.pop()
        if current not in definitions:
            definitions[current] = components[current]
            text = msgspec.json.encode(components[current]).decode()
            needed += re.findall(f'"{COMPONENTS}([^"]+)"', text)
    return {"$ref": DEFINITIONS + name, "$defs": definitions}


def _standard_json_schema(schema: dict[str, Any]) -> bytes:
    """Return the JSON of a schema with references to its own definitions, and with the end of a
    pattern as every language writes it."""
    text = msgspec.json.encode({"$schema": DIALECT, **schema}).decode()
    return text.replace(r"\\Z", "$").replace(COMPONENTS, DEFINITIONS).encode()
