"""Load request bodies through marshmallow schemas, which refuse unknown fields by default."""

from functools import cache
from typing import Any

from marshmallow import Schema


def load_body(schema: type[Schema], body: Any) -> Any:
    """Return what the schema makes of a JSON body. marshmallow.ValidationError."""
    return _instance(schema).load(body)


@cache
def _instance(schema: type[Schema]) -> Schema:
    """Cached: to construct a schema costs as much as to load a body. Threads may share it."""
    return schema()
