"""What is wrong with a field: a code with operands, which a translator puts into words.

A FieldError is also its own English sentence, so that it passes through marshmallow, which puts
texts into lists and dicts, and can be read where no translator is at hand.
"""

from typing import Any

from marshmallow import Schema, fields, validate

from api.i18n.catalog import text

MARSHMALLOW_CODES = {
    fields.Field.default_error_messages["required"]: "missing",
    fields.Field.default_error_messages["null"]: "null",
    fields.Integer.default_error_messages["invalid"]: "integer",
    fields.String.default_error_messages["invalid"]: "string",
    fields.Boolean.default_error_messages["invalid"]: "boolean",
    fields.List.default_error_messages["invalid"]: "list",
    fields.Mapping.default_error_messages["invalid"]: "object",
    validate.Regexp.default_message: "pattern",
    Schema._default_error_messages["type"]: "object",
    Schema._default_error_messages["unknown"]: "unknown",
}
"""The messages that marshmallow itself gives; none of them has operands."""


class FieldError(str):
    """`FieldError("characters", least=1, most=40)`: a key of the catalogs' `fields`, operands."""

    code: str
    operands: dict[str, object]

    def __new__(cls, code: str, **operands: object) -> "FieldError":
        error = super().__new__(cls, text("en", f"fields.{code}").format(**operands))
        error.code, error.operands = code, operands
        return error

    def format(self, *_args: Any, **_kwargs: Any) -> "FieldError":
        """Return itself: marshmallow fills in its messages, and this one is filled already."""
        return self
