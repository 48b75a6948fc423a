"""The shapes of what is sent to a circle."""

from typing import Any

from marshmallow import ValidationError, fields, post_load, validate, validates_schema

from api.sessions import Label, PlayerId, PlayerSchema, SessionSchema
from api.shapes import Flag, Strict
from ledger.circles import MOST_MEMBERS
from ledger.names import sounds

MemberId = validate.Regexp(r"m[1-9][0-9]{0,2}\Z")


class CircleSchema(Strict):
    name = Label(required=True)
    members = fields.List(
        fields.Nested(PlayerSchema), load_default=list, validate=validate.Length(0, MOST_MEMBERS)
    )

    @validates_schema(skip_on_field_errors=True)
    def _differ(self, data: dict[str, Any], **_: Any) -> None:
        heard = [sounds(member["name"]) for member in data["members"]]
        twice = {
            place: {"name": ["Two members cannot have the same name."]}
            for place, name in enumerate(heard)
            if name in heard[:place]
        }
        if twice:
            raise ValidationError({"members": twice})


class MemberSchema(Strict):
    name = Label(required=True)


class GatheringSchema(Strict):
    """An evening as anywhere else, but for who sits: members, clockwise."""

    game = fields.String(required=True)
    members = fields.List(fields.String(validate=MemberId), required=True)
    options = fields.Raw(load_default=dict)
    currency = fields.Raw(load_default="SEK")
    first_dealer = fields.String(load_default=None, allow_none=True, validate=MemberId)
    title = fields.Raw(load_default=None, allow_none=True)
    carry = Flag(load_default=False)

    @post_load
    def _as_an_evening(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        seated = data["members"]
        if len(set(seated)) < len(seated):
            raise ValidationError({"members": ["Nobody can sit in two places."]})
        data["first_dealer"] = data["first_dealer"] or next(iter(seated), None)
        agreed = {key: data[key] for key in ("game", "options", "currency", "title")}
        try:
            evening = SessionSchema().load({**agreed, "players": [{"name": m} for m in seated]})
        except ValidationError as error:
            told = error.messages_dict
            wrong = {"members" if k == "players" else k: v for k, v in told.items()}
            raise ValidationError(wrong) from None
        if data["first_dealer"] not in seated:
            raise ValidationError({"first_dealer": ["One of the players."]})
        return {**data, "options": evening["options"], "title": evening["title"]}


class AddedSchema(Strict):
    """An evening that was opened by itself: its host's right, and who of it is which member."""

    token = fields.String(required=True, validate=validate.Length(1, 200))
    members = fields.Dict(
        keys=fields.String(validate=PlayerId),
        values=fields.String(validate=MemberId),
        required=True,
    )

    @validates_schema(skip_on_field_errors=True)
    def _one_each(self, data: dict[str, Any], **_: Any) -> None:
        if len(set(data["members"].values())) < len(data["members"]):
            raise ValidationError({"members": ["Nobody can sit in two places."]})
