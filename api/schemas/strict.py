"""Load request bodies through marshmallow schemas that refuse unknown fields."""

from functools import cache
from typing import Any

from marshmallow import RAISE, Schema


class StrictSchema(Schema):
    class Meta:
        unknown = RAISE


def load_body(schema: type[Schema], body: Any) -> Any:
    """Return what the schema makes of a JSON body. marshmallow.ValidationError."""
    return _instance(schema).load(body)


@cache
def _instance(schema: type[Schema]) -> Schema:
    """Cached: to construct a schema costs as much as to load a body. Threads may share it."""
    return schema()
