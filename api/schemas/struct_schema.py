"""Marshmallow schemas made from the engine's own structs, so that each shape is written once.

Shape only: whether five tricks are five is a question for the rules.
"""

from functools import cache
from typing import Any

import msgspec
from marshmallow import Schema, ValidationError, fields, validate
from msgspec import inspect

from api.i18n.field_errors import FieldError
from api.schemas.fields import (
    Choice,
    Counts,
    Flag,
    Integer,
    ValueOrList,
    exact_length,
    length_between,
    number_between,
)
from api.schemas.strict import StrictSchema
from engine.commands import FieldsConflict


@cache
def schema_of(struct: type[msgspec.Struct]) -> Schema:
    """Return a schema with the struct's fields and their limits, and nothing else."""
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    schema_fields = {
        field.encode_name: _field(field.type, required=field.required) for field in info.fields
    }
    return StrictSchema.from_dict(schema_fields, name=struct.__name__)()


def _field(kind: inspect.Type, **kwargs: Any) -> fields.Field[Any]:
    match kind:
        case inspect.UnionType(types=types):
            value_types = [t for t in types if not isinstance(t, inspect.NoneType)]
            if len(value_types) < len(types):
                kwargs["allow_none"] = True
            if len(value_types) == 1:
                return _field(value_types[0], **kwargs)
            value_type, list_type = value_types
            assert isinstance(list_type, inspect.TupleType), f"no field for {kind}"
            return ValueOrList(_field(value_type), _field(list_type), **kwargs)
        case inspect.BoolType():
            return Flag(**kwargs)
        case inspect.IntType():
            return Integer(validate=number_between(*bounds(kind)), **kwargs)
        case inspect.StrType(pattern=None):
            return fields.String(validate=length_between(1, 40), **kwargs)
        case inspect.StrType(pattern=pattern):
            return fields.String(
                validate=validate.Regexp(str(pattern).rstrip("$") + r"\Z"), **kwargs
            )
        case inspect.LiteralType(values=values):
            return Choice(values, **kwargs)
        case inspect.VarTupleType(item_type=item):
            return fields.List(_field(item), validate=length_between(1, 52), **kwargs)
        case inspect.TupleType(item_types=items):
            length = exact_length(len(items))
            return fields.List(_field(items[0]), validate=length, **kwargs)
        case inspect.DictType(key_type=key, value_type=count):
            return Counts(_field(key), _field(count), **kwargs)
        case inspect.StructType(cls=struct):
            return fields.Nested(schema_of(struct), **kwargs)
    raise TypeError(f"no field for {kind}")


def bounds(kind: inspect.IntType) -> tuple[int, int]:
    """Return the least and the greatest value of a whole number."""
    return (0 if kind.ge is None else kind.ge), (2**31 - 1 if kind.le is None else kind.le)


def load_struct(struct: type[msgspec.Struct], data: Any) -> Any:
    """Return the data as the struct. marshmallow.ValidationError."""
    if not isinstance(data, dict):
        raise ValidationError({"_schema": [FieldError("object")]})
    loaded = schema_of(struct).load(data)
    try:
        return msgspec.convert(loaded, struct)
    except msgspec.ValidationError as error:  # the fields contradict each other
        conflict = error.__cause__
        if isinstance(conflict, FieldsConflict):
            raise ValidationError(
                {"_schema": [FieldError(conflict.code, **conflict.fields)]}
            ) from None
        raise ValidationError({"_schema": [str(error)]}) from None
