"""Let a device in, set a PIN, ask to join a session by its code, announce a presence."""

from marshmallow import ValidationError, fields, validates_schema

from api.auth.roles import ROLES
from api.i18n.field_errors import FieldError
from api.schemas.fields import Choice, Integer, Label, Pin, PlayerId, length_between, number_between
from api.schemas.strict import StrictSchema

REQUESTABLE_ROLES = ("scorer", "viewer")
MAX_DEAL = 2**31 - 1


class DeviceSchema(StrictSchema):
    label = Label(required=True)
    role = Choice(ROLES, load_default=None, allow_none=False)
    player = fields.String(load_default=None, allow_none=True, validate=PlayerId)
    pin = fields.String(load_default=None, allow_none=True, validate=Pin)

    @validates_schema(skip_on_field_errors=True)
    def _check_pin_has_player(self, data: dict[str, object], **_: object) -> None:
        if data["pin"] is not None and data["player"] is None:
            raise ValidationError({"pin": [FieldError("a_player")]})


class PinSchema(StrictSchema):
    pin = fields.String(required=True, validate=Pin)
    current = fields.String(load_default=None, allow_none=True, validate=Pin)


class JoinCodeSchema(StrictSchema):
    """An empty object: a new code has nothing to choose."""


class JoinRequestSchema(StrictSchema):
    code = fields.String(required=True, validate=length_between(1, 20))
    label = Label(required=True)
    role = Choice(REQUESTABLE_ROLES, load_default="scorer")


class AdmissionSchema(StrictSchema):
    role = Choice(REQUESTABLE_ROLES, load_default=None)


class PresenceSchema(StrictSchema):
    deal = Integer(required=True, validate=number_between(1, MAX_DEAL))
