"""What is wrong with a field: a code with operands, to be said in the reader's language.

A FieldError is also its own English sentence, so that it passes through marshmallow, which puts
texts into lists and dicts, and is understood where no translator is at hand.
"""

from typing import Any

from marshmallow import Schema, fields, validate

SENTENCES = {
    "missing": "Missing data for required field.",
    "unknown": "Unknown field.",
    "null": "Field may not be null.",
    "integer": "Not a valid integer.",
    "string": "Not a valid string.",
    "boolean": "Not a valid boolean.",
    "list": "Not a valid list.",
    "object": "Must be an object.",
    "one_of": "Must be one of: {choices}.",
    "pattern": "String does not match expected pattern.",
    "so_many": "Length must be {count}.",
    "length": "Length must be between {least} and {most}.",
    "range": "Must be greater than or equal to {least} and less than or equal to {most}.",
    "whole": "A whole number from {least} to {most}.",
    "cursor": "The `next` of a page of this list, or from {least} to {most}.",
    "characters": "Between {least} and {most} characters.",
    "control": "Control characters are not allowed.",
    "invisible": "Nothing of this can be seen.",
    "same_name": "Two {people} cannot have the same name.",
    "was_called": "Another player is called so, or was in this evening.",
    "twice": "Nobody can sit in two places.",
    "players": "Between {least} and {most} players.",
    "exactly": "Exactly {count} players.",
    "a_player": "One of the players.",
    "currency": "An ISO 4217 code, or chips.",
    "moment": "A date or a time, such as 2026-11-21 or 2026-11-21T19:30:00+01:00.",
    "as_of": "A version, or a moment such as 2026-11-21T21:30:00Z.",
    "shorter": "A PDF has at most {most} lines and this is {count};"
    " choose a shorter period, or CSV or XLSX, which have no such limit.",
    "time_zone": "A time zone, such as Europe/Stockholm.",
    "swish": "A Swish number: 07 or 123, ten digits.",
    "iban": "An IBAN within SEPA, with its check digits.",
    "one_of_two": "Either `{one}` or `{other}`, not both.",
    "comes_with": "A `{one}` comes with its `{other}`.",
    "side_bid": "`tricks`, alone or with one nil; or `joint_nil`; or nils of both partners.",
}

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
    """`FieldError("characters", least=1, most=40)`: a key of SENTENCES and its operands."""

    __slots__ = ("code", "operands")

    code: str
    operands: dict[str, object]

    def __new__(cls, code: str, **operands: object) -> "FieldError":
        error = super().__new__(cls, SENTENCES[code].format(**operands))
        error.code, error.operands = code, operands
        return error

    def format(self, *_args: Any, **_kwargs: Any) -> "FieldError":
        """Return itself: marshmallow fills in its messages, and this one is filled already."""
        return self


def as_field_error(message: str) -> FieldError | None:
    """Return the error that a message is, or None if it is any other text."""
    if isinstance(message, FieldError):
        return message
    code = MARSHMALLOW_CODES.get(message)
    return FieldError(code) if code else None
