"""Record actions, correct a deal, preview a correction: actions become commands of the engine."""

from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load

from api.i18n.field_errors import FieldError
from api.schemas.fields import Choice, Label, length_between
from api.schemas.struct_schema import load_struct
from engine.commands import Command

COMMANDS: dict[str, type[Command]] = {
    str(kind.__struct_config__.tag): kind for kind in Command.__subclasses__()
}

REASON = Label(max_characters=200, load_default=None, allow_none=True)
"""Why a deal is corrected or voided, in people's own words."""
BROKEN_DEALS = Choice(("void",), load_default=None, allow_none=True, data_key="later")
"""Whether later deals that no longer fit may be voided."""
ActionCount = length_between(1, 100)


class ActionsSchema(Schema):
    actions = fields.List(fields.Raw(), required=True, validate=ActionCount)

    @post_load
    def _load_commands(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {**data, "actions": data["actions"] and load_commands(data["actions"])}


class CorrectionSchema(ActionsSchema):
    reason = REASON
    broken_deals = BROKEN_DEALS


class CorrectionPreviewSchema(ActionsSchema):
    actions = fields.List(fields.Raw(), load_default=None, allow_none=True, validate=ActionCount)
    broken_deals = BROKEN_DEALS


def load_commands(actions: Any) -> list[Command]:
    """Return the commands of a batch. Raise marshmallow.ValidationError with all errors."""
    commands: list[Command] = []
    errors: dict[int, Any] = {}
    for index, action in enumerate(actions):
        try:
            commands.append(_load_command(action))
        except ValidationError as error:
            errors[index] = error.messages
    if errors:
        raise ValidationError({"actions": errors})
    return commands


def _load_command(action: Any) -> Command:
    if not isinstance(action, dict):
        raise ValidationError({"_schema": [FieldError("object")]})
    kind = action.get("type")
    if not isinstance(kind, str) or kind not in COMMANDS:
        raise ValidationError({"type": [FieldError("one_of", choices=", ".join(COMMANDS))]})
    fields = {name: value for name, value in action.items() if name != "type"}
    return load_struct(COMMANDS[kind], fields)
