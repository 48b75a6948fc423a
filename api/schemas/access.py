"""Add a device, ask to join a session by its code, announce a presence."""

from marshmallow import Schema, fields

from api.auth.roles import ROLES
from api.http.query_parameters import MAX_INTEGER
from api.schemas.fields import (
    Choice,
    CosignatureText,
    Flag,
    Integer,
    Label,
    PlayerId,
    WitnessName,
    length_between,
    number_between,
)

REQUESTABLE_ROLES = ("scorer", "viewer")


class DeviceSchema(Schema):
    label = Label(required=True)
    role = Choice(ROLES, load_default=None, allow_none=False)
    player = fields.String(load_default=None, allow_none=True, validate=PlayerId)


class EmptySchema(Schema):
    """An empty object, of a request that has nothing to choose."""


class GroupLinkRotationSchema(Schema):
    sessions = Flag(load_default=False)


class JoinRequestSchema(Schema):
    code = fields.String(required=True, validate=length_between(1, 20))
    label = Label(required=True)
    role = Choice(REQUESTABLE_ROLES, load_default="scorer")


class ApprovalSchema(Schema):
    role = Choice(REQUESTABLE_ROLES, load_default=None)


class CosignatureSchema(Schema):
    version = Integer(required=True, validate=number_between(1, MAX_INTEGER))
    player = fields.String(required=True, validate=PlayerId)
    signature = fields.String(required=True, validate=CosignatureText)


class ObjectionSchema(Schema):
    version = Integer(required=True, validate=number_between(1, MAX_INTEGER))


class WitnessSchema(Schema):
    name = fields.String(required=True, validate=WitnessName)
    version = Integer(required=True, validate=number_between(1, MAX_INTEGER))
    signature = fields.String(required=True, validate=CosignatureText)


class PresenceSchema(Schema):
    deal = Integer(required=True, validate=number_between(1, MAX_INTEGER))
