"""Record or correct a shared cost."""

from functools import partial

from marshmallow import Schema, fields

from api.schemas.fields import Amount, Counts, Integer, Label, PlayerId, number_between

MAX_PARTS = 99
PURPOSE_CHARACTERS = 60
Parts = partial(
    Counts, fields.String(validate=PlayerId), Integer(validate=number_between(0, MAX_PARTS))
)


class CostSchema(Schema):
    payer = fields.String(required=True, validate=PlayerId)
    amount = Amount()
    parts = Parts(load_default=None, allow_none=True)
    """By player; without it everybody bears one."""
    purpose = Label(max_characters=PURPOSE_CHARACTERS, load_default=None, allow_none=True)
    """What it was for, in people's own words."""
