"""Record actions of a deal, correct a deal, preview a correction."""

from marshmallow import fields

from api.schemas.fields import Choice, Label, length_between
from api.schemas.strict import StrictSchema

ActionCount = length_between(1, 100)


def reason_field() -> Label:
    """Return the field of a reason that people give in their own words."""
    return Label(max_characters=200, load_default=None, allow_none=True)


def broken_deals_field() -> Choice:
    """Return the field that allows later deals that no longer fit to be voided."""
    return Choice(("void",), load_default=None, allow_none=True)


class ActionsSchema(StrictSchema):
    actions = fields.List(fields.Raw(), required=True, validate=ActionCount)


class CorrectionSchema(StrictSchema):
    actions = fields.List(fields.Raw(), required=True, validate=ActionCount)
    reason = reason_field()
    later = broken_deals_field()


class CorrectionPreviewSchema(StrictSchema):
    actions = fields.List(fields.Raw(), load_default=None, allow_none=True, validate=ActionCount)
    later = broken_deals_field()
