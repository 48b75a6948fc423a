"""Shapes on the wire, made from the engine's own structs, so that each is written once.

Shape only: whether five tricks are five is a question for the rules.
"""

from functools import cache
from typing import Any

import msgspec
from marshmallow import RAISE, Schema, ValidationError, fields, validate
from msgspec import inspect

from engine.commands import Command


class Flag(fields.Boolean):
    """true or false, and nothing that looks like it."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Whole(fields.Integer):
    """A JSON integer; 5.0 and "5" are not."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strict=True, **kwargs)

    def _validated(self, value: Any) -> Any:
        if type(value) is not int:
            raise self.make_error("invalid", input=value)
        return value


class Exactly(fields.Raw):
    """One of these values, of the same type: 1 is not true."""

    def __init__(self, values: tuple[object, ...], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.values = values

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        for allowed in self.values:
            if value == allowed and type(value) is type(allowed):
                return value
        choices = ", ".join(str(v) for v in self.values)
        raise ValidationError(f"Must be one of: {choices}.")


class OneOrBoth(fields.Field[Any]):
    """One value, or a list: each told what is wrong with it by its own shape."""

    def __init__(self, one: fields.Field[Any], both: fields.Field[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.one, self.both = one, both

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        return (self.both if isinstance(value, list) else self.one).deserialize(value)


class Counts(fields.Field[Any]):
    """A number for each key, as `{"p1": 4}`; what is wrong is told at the key itself."""

    def __init__(self, key: fields.Field[Any], count: fields.Field[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.key, self.count = key, count

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("Must be an object.")
        counted, wrong = dict[Any, Any](), dict[str, Any]()
        for key, count in value.items():
            try:
                counted[self.key.deserialize(key)] = self.count.deserialize(count)
            except ValidationError as error:
                wrong[key] = error.messages
        if wrong:
            raise ValidationError(wrong)
        return counted


class Strict(Schema):
    class Meta:
        unknown = RAISE


@cache
def schema_of(struct: type[msgspec.Struct]) -> Schema:
    """A marshmallow schema for a struct: its fields, their limits, nothing else."""
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    made = {field.encode_name: _field(field.type, required=field.required) for field in info.fields}
    return Strict.from_dict(made, name=struct.__name__)()


def _field(kind: inspect.Type, **kwargs: Any) -> fields.Field[Any]:
    match kind:
        case inspect.UnionType(types=types):
            inner = [t for t in types if not isinstance(t, inspect.NoneType)]
            if any(isinstance(t, inspect.NoneType) for t in types):
                kwargs["allow_none"] = True
            if len(inner) == 1:
                return _field(inner[0], **kwargs)
            one, both = inner
            assert isinstance(both, inspect.TupleType), f"no shape for {kind}"
            return OneOrBoth(_field(one), _field(both), **kwargs)
        case inspect.BoolType():
            return Flag(**kwargs)
        case inspect.IntType():
            return Whole(validate=validate.Range(*bounds(kind)), **kwargs)
        case inspect.StrType(pattern=None):
            return fields.String(validate=validate.Length(1, 40), **kwargs)
        case inspect.StrType(pattern=pattern):
            return fields.String(
                validate=validate.Regexp(str(pattern).rstrip("$") + r"\Z"), **kwargs
            )
        case inspect.LiteralType(values=values):
            return Exactly(values, **kwargs)
        case inspect.VarTupleType(item_type=item):
            return fields.List(_field(item), validate=validate.Length(1, 52), **kwargs)
        case inspect.TupleType(item_types=items):
            so_many = validate.Length(equal=len(items))
            return fields.List(_field(items[0]), validate=so_many, **kwargs)
        case inspect.DictType(key_type=key, value_type=count):
            return Counts(_field(key), _field(count), **kwargs)
        case inspect.StructType(cls=inner):
            return fields.Nested(schema_of(inner), **kwargs)
    raise TypeError(f"no shape for {kind}")


def bounds(kind: inspect.IntType) -> tuple[int, int]:
    """The least and the most that a whole number may be."""
    return (0 if kind.ge is None else kind.ge), (2**31 - 1 if kind.le is None else kind.le)


def load(struct: type[msgspec.Struct], data: Any) -> Any:
    """The struct that this data says. marshmallow.ValidationError."""
    if not isinstance(data, dict):
        raise ValidationError({"_schema": ["Must be an object."]})
    loaded = schema_of(struct).load(data)
    try:
        return msgspec.convert(loaded, struct)
    except msgspec.ValidationError as error:  # fields that do not go together
        raise ValidationError({"_schema": [str(error)]}) from None


COMMANDS: dict[str, type[Command]] = {
    str(kind.__struct_config__.tag): kind for kind in Command.__subclasses__()
}


def commands(data: Any) -> list[Command]:
    """The actions of a batch. marshmallow.ValidationError with a pointer per field."""
    made, wrong = list[Command](), dict[int, Any]()
    for place, item in enumerate(data):
        try:
            made.append(_command(item))
        except ValidationError as error:
            wrong[place] = error.messages
    if wrong:
        raise ValidationError({"actions": wrong})
    return made


def _command(item: Any) -> Command:
    if not isinstance(item, dict):
        raise ValidationError({"_schema": ["Must be an object."]})
    kind = item.get("type")
    if not isinstance(kind, str) or kind not in COMMANDS:
        raise ValidationError({"type": [f"Must be one of: {', '.join(COMMANDS)}."]})
    command = load(COMMANDS[kind], {k: v for k, v in item.items() if k != "type"})
    assert isinstance(command, Command)
    return command
