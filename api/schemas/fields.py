"""Field types and validators that several schemas share.

Each field accepts exactly the JSON type that it names; each error can be translated.
"""

import re
import unicodedata
from functools import partial
from typing import Any

from flask import request
from marshmallow import ValidationError, fields, missing, validate

from api.http.query_parameters import Arguments, parameter_error
from api.i18n.field_errors import FieldError
from engine.values import MAX_AMOUNT
from ledger.proofs.witnesses import WITNESS_NAME
from ledger.store.name_matching import MAX_LABEL_CHARACTERS, is_visible

PlayerId = validate.Regexp(r"p[1-9][0-9]{0,2}\Z")
CosignatureText = validate.Regexp(r"[A-Za-z0-9+/]{101}[AQgw]==\Z")
WitnessName = validate.Regexp(rf"{WITNESS_NAME}\Z")
MemberId = validate.Regexp(r"m[1-9][0-9]{0,2}\Z")
INVISIBLE = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0\ufe00-\ufe0d"
    r"\U000e0100-\U000e01ef]"
    r"|(?<![©®\u203c\u2049\u2122\u2139\u2190-\u27bf\u2900-\u2bff\u3030\u303d\u3297\u3299"
    r"\U0001f000-\U0001faff])(?<![0-9#*](?=.\u20e3))[\ufe0e\ufe0f]"
)
"""Blank letters, and variation selectors other than those of an emoji."""
Integer = partial(fields.Integer, strict=True)
"""A JSON integer, which 5.0 and "5" are not."""


def length_between(shortest: int, longest: int) -> validate.Length:
    error = FieldError("length", least=shortest, most=longest)
    return validate.Length(shortest, longest, error=error)


def number_between(minimum: int, maximum: int) -> validate.Range:
    error = FieldError("range", least=minimum, most=maximum)
    return validate.Range(minimum, maximum, error=error)


Amount = partial(Integer, required=True, validate=number_between(1, MAX_AMOUNT))
"""An amount above zero, in whole units of the smallest coin."""


def field_parameter(name: str, field: fields.Field[Any], arguments: Arguments | None = None) -> Any:
    """Return what the field makes of `?name=` of the request or of these arguments, its default
    without it. Raise InvalidFields."""
    values = request.args if arguments is None else arguments
    try:
        return field.deserialize(values.get(name, missing))
    except ValidationError as error:
        raise parameter_error(name, error.messages[0]) from None


class Label(fields.String):
    """A name, title or remark in NFC, without characters that change how text around it reads.

    What nobody sees is removed, so that no name looks like another; but not when it `is_stored`
    already: earlier versions stored it.
    """

    def __init__(
        self,
        *,
        max_characters: int = MAX_LABEL_CHARACTERS,
        is_stored: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.max_characters, self.is_stored = max_characters, is_stored

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        raw = super()._deserialize(value, *args, **kwargs)
        wrong_length = ValidationError(FieldError("characters", least=1, most=self.max_characters))
        if len(raw) > self.max_characters:  # before NFC, whose time grows with the square
            raise wrong_length
        visible = raw if self.is_stored else INVISIBLE.sub("", raw)
        text = unicodedata.normalize("NFC", visible).strip()
        if not 1 <= len(text) <= self.max_characters:  # NFC can make three characters of one
            raise wrong_length
        if any(is_control(character) for character in text):
            raise ValidationError(FieldError("control"))
        if not is_visible(text):
            raise ValidationError(FieldError("invisible"))
        return text


def is_control(character: str) -> bool:
    """Return whether it is a control, format, surrogate or private-use character, or a line
    separator; the joiner inside emoji is none."""
    category = unicodedata.category(character)
    if category == "Cf":
        return character != "\u200d"
    return category in ("Cc", "Cs", "Co", "Zl", "Zp")


class Flag(fields.Boolean):
    """JSON true or false, and no other value that Python would take for one."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Choice(fields.Raw):
    """One of these values, of the same type: 1 is not true."""

    def __init__(self, values: tuple[object, ...], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.values = values

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        for allowed in self.values:
            if value == allowed and type(value) is type(allowed):
                return value
        choices = ", ".join(str(v) for v in self.values)
        raise ValidationError(FieldError("one_of", choices=choices))


class Counts(fields.Field[Any]):
    """A number for each key, as in `{"p1": 4}`, with error messages by key."""

    def __init__(self, key: fields.Field[Any], count: fields.Field[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.key, self.count = key, count

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError(FieldError("object"))
        counts: dict[Any, Any] = {}
        errors: dict[str, Any] = {}
        for key, count in value.items():
            try:
                counts[self.key.deserialize(key)] = self.count.deserialize(count)
            except ValidationError as error:
                errors[key] = error.messages
        if errors:
            raise ValidationError(errors)
        return counts
