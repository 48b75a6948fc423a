"""Load the body of a request through a marshmallow schema, which refuses unknown fields."""

from functools import cache
from typing import Any

from flask import g
from marshmallow import Schema


def load_body(schema: type[Schema]) -> Any:
    """Return what the schema makes of the request's JSON. Raise marshmallow.ValidationError."""
    return _instance(schema).load(g.body)


@cache
def _instance(schema: type[Schema]) -> Schema:
    """Cached: to construct a schema costs as much as to load a body. Threads may share it."""
    return schema()
