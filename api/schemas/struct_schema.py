"""Marshmallow schemas made from the engine's own structs, so that each shape is written once.

Shape only: whether five tricks are five is a question for the rules.
"""

from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from marshmallow import Schema, ValidationError, fields, validate
from msgspec import inspect

from api.i18n.field_errors import FieldError
from api.schemas import fields as json_fields
from engine.commands import FieldsConflict

AnyStruct = TypeVar("AnyStruct", bound=msgspec.Struct)


@cache
def schema_of(struct: type[msgspec.Struct]) -> Schema:
    """Return a schema with the struct's fields and their limits, and nothing else."""
    schema_fields = {f.encode_name: _field(f.type, required=f.required) for f in fields_of(struct)}
    return Schema.from_dict(schema_fields, name=struct.__name__)()


def fields_of(struct: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return info.fields


def types_of(kind: inspect.Type) -> tuple[list[inspect.Type], bool]:
    """Return the types that a value may have, and whether it may be null."""
    types = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    value_types = [part for part in types if not isinstance(part, inspect.NoneType)]
    return value_types, len(value_types) < len(types)


def choices_of(struct: type[msgspec.Struct], name: str) -> tuple[Any, ...]:
    """Return the values of a choice in the order of the source; msgspec sorts them."""
    return _literals(get_type_hints(struct, include_extras=True)[name])


def _literals(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(value for part in get_args(hint) for value in _literals(part))


def _field(kind: inspect.Type, **kwargs: Any) -> fields.Field[Any]:
    (value_type, *list_types), nullable = types_of(kind)
    if nullable:
        kwargs["allow_none"] = True
    if not list_types:
        return _value_field(value_type, **kwargs)
    assert isinstance(list_types[0], inspect.TupleType), f"no field for {kind}"
    value_field, list_field = _field(value_type), _field(list_types[0])

    def load(value: Any) -> Any:
        return (list_field if isinstance(value, list) else value_field).deserialize(value)

    return fields.Function(deserialize=load, **kwargs)


def _value_field(kind: inspect.Type, **kwargs: Any) -> fields.Field[Any]:
    match kind:
        case inspect.BoolType():
            return json_fields.Flag(**kwargs)
        case inspect.IntType():
            return json_fields.Integer(validate=json_fields.number_between(*bounds(kind)), **kwargs)
        case inspect.StrType(pattern=None):
            return fields.String(validate=json_fields.length_between(1, 40), **kwargs)
        case inspect.StrType(pattern=pattern):
            regexp = validate.Regexp(str(pattern).rstrip("$") + r"\Z")
            return fields.String(validate=regexp, **kwargs)
        case inspect.LiteralType(values=values):
            return json_fields.Choice(values, **kwargs)
        case inspect.VarTupleType(item_type=item, min_length=int(least), max_length=int(most)):
            length = json_fields.length_between(least, most)
            return fields.List(_field(item), validate=length, **kwargs)
        case inspect.TupleType(item_types=items):
            count = len(items)
            length = validate.Length(equal=count, error=FieldError("so_many", count=count))
            return fields.List(_field(items[0]), validate=length, **kwargs)
        case inspect.DictType(key_type=key, value_type=count):
            return json_fields.Counts(_field(key), _field(count), **kwargs)
        case inspect.StructType(cls=struct):
            return fields.Nested(schema_of(struct), **kwargs)
    raise TypeError(f"no field for {kind}")


def bounds(kind: inspect.IntType) -> tuple[int, int]:
    return (0 if kind.ge is None else kind.ge), (2**31 - 1 if kind.le is None else kind.le)


def load_struct(struct: type[AnyStruct], data: Any) -> AnyStruct:
    """Return the data as the struct. Raise marshmallow.ValidationError."""
    loaded = schema_of(struct).load(data)
    try:
        return msgspec.convert(loaded, struct)
    except msgspec.ValidationError as error:  # the fields contradict each other
        conflict, detail = error.__cause__, str(error)
        if isinstance(conflict, FieldsConflict):
            detail = FieldError(conflict.code, **conflict.fields)
        raise ValidationError({"_schema": [detail]}) from None
