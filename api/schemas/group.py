"""Start a group, add a member, open or add a session of it, pay a member, leave."""

from typing import Any, get_args

from marshmallow import Schema, ValidationError, fields, post_load, validates_schema

from api.i18n.field_errors import FieldError
from api.schemas.fields import (
    Amount,
    Choice,
    Flag,
    Integer,
    Label,
    MemberId,
    PlayerId,
    length_between,
    number_between,
)
from api.schemas.session import NewSessionSchema, PlayerSchema, check_currency, duplicate_names
from api.schemas.settlement import METHODS
from ledger.groups.departures import Agreement
from ledger.groups.groups import MAX_MEMBERS

TWO_SEATS = FieldError("twice")


class NewGroupSchema(Schema):
    name = Label(required=True)
    members = fields.List(
        fields.Nested(PlayerSchema), load_default=list, validate=length_between(0, MAX_MEMBERS)
    )

    @validates_schema(skip_on_field_errors=True)
    def _check_names_differ(self, data: dict[str, Any], **_: Any) -> None:
        same_names = duplicate_names(data["members"], FieldError("same_name", people="members"))
        if same_names:
            raise ValidationError({"members": same_names})


class NewGroupSessionSchema(Schema):
    """A new session with members of the group, clockwise, in place of names."""

    game = fields.String(required=True)
    members = fields.List(fields.String(validate=MemberId), required=True)
    options = fields.Raw(load_default=dict)
    currency = fields.Raw(load_default="SEK")
    first_dealer = fields.String(load_default=None, allow_none=True, validate=MemberId)
    title = fields.Raw(load_default=None, allow_none=True)
    carry = Flag(load_default=False)

    @post_load
    def _load_as_new_session(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        members = data["members"]
        if len(set(members)) < len(members):
            raise ValidationError({"members": [TWO_SEATS]})
        data["first_dealer"] = data["first_dealer"] or next(iter(members), None)
        shared = {key: data[key] for key in ("game", "options", "currency", "title")}
        try:
            session = NewSessionSchema().load({**shared, "players": [{"name": m} for m in members]})
        except ValidationError as error:
            messages = error.messages_dict
            raise ValidationError(
                {"members" if key == "players" else key: value for key, value in messages.items()}
            ) from None
        if data["first_dealer"] not in members:
            raise ValidationError({"first_dealer": [FieldError("a_player")]})
        return {**data, "options": session["options"], "title": session["title"]}


class AddedSessionSchema(Schema):
    """A session that was opened on its own: its host's token, and which player is which member."""

    token = fields.String(required=True, validate=length_between(1, 200))
    members = fields.Dict(
        keys=fields.String(validate=PlayerId),
        values=fields.String(validate=MemberId),
        required=True,
    )

    @validates_schema(skip_on_field_errors=True)
    def _check_members_differ(self, data: dict[str, Any], **_: Any) -> None:
        if len(set(data["members"].values())) < len(data["members"]):
            raise ValidationError({"members": [TWO_SEATS]})


class GroupTransferSchema(Schema):
    payer = fields.String(required=True, data_key="from", validate=MemberId)
    payee = fields.String(required=True, data_key="to", validate=MemberId)
    amount = Amount()
    currency = fields.String(load_default="SEK", validate=check_currency)
    method = Choice(METHODS, load_default=None, allow_none=True)
    open_amount = Amount(required=False, load_default=None, allow_none=True)
    reverses = Integer(validate=number_between(1, 2**31 - 1), load_default=None, allow_none=True)


class DepartureSchema(Schema):
    """What is agreed about the balances of a member who leaves: nothing where there are none."""

    agreement = Choice(get_args(Agreement), load_default=None, allow_none=True)
    recipient = fields.String(load_default=None, allow_none=True, validate=MemberId)
    borne_by = fields.List(
        fields.String(validate=MemberId), load_default=None, validate=length_between(1, MAX_MEMBERS)
    )

    @post_load
    def _load_counterparts(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        agreement, recipient, borne_by = data["agreement"], data["recipient"], data["borne_by"]
        for field, needed_by in (("recipient", "hand_over"), ("borne_by", "write_off")):
            if agreement == needed_by and data[field] is None:
                raise ValidationError({field: [FieldError("missing")]})
            if agreement != needed_by and data[field] is not None:
                error = FieldError("comes_with", one=field, other=f"agreement: {needed_by}")
                raise ValidationError({field: [error]})
        if borne_by and len(set(borne_by)) < len(borne_by):
            raise ValidationError({"borne_by": [FieldError("listed_twice")]})
        return {
            "agreement": agreement,
            "counterparts": tuple(borne_by or filter(None, [recipient])),
        }
