"""The actions of a request as commands of the engine."""

from typing import Any

from marshmallow import ValidationError

from api.i18n.field_errors import FieldError
from api.schemas.struct_schema import load_struct
from engine.commands import Command

COMMANDS: dict[str, type[Command]] = {
    str(kind.__struct_config__.tag): kind for kind in Command.__subclasses__()
}


def load_commands(actions: Any) -> list[Command]:
    """Return the commands of a batch. marshmallow.ValidationError with a pointer per field."""
    commands, errors = list[Command](), dict[int, Any]()
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
    command = load_struct(COMMANDS[kind], fields)
    assert isinstance(command, Command)
    return command
