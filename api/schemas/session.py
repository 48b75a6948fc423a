"""Open a session, add a player, close the session."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, get_args

import psycopg
from babel.numbers import list_currencies
from marshmallow import Schema, ValidationError, fields, post_load

from api.i18n.field_errors import FieldError
from api.schemas.fields import Choice, Label, PlayerId, length_between
from api.schemas.struct_schema import load_struct
from engine.events import PLAYER_IDS, LeftoverPolicy
from engine.games.registry import GAMES
from ledger.access.name_spelling import NameTaken
from ledger.session.command_handlers import MAX_PLAYERS
from ledger.store.name_matching import is_name_conflict, matching_key

LEFTOVER_POLICY = Choice(get_args(LeftoverPolicy), load_default=None, allow_none=True)


class PlayerSchema(Schema):
    name = Label(required=True)


class NewSessionSchema(Schema):
    game = Choice(tuple(GAMES), required=True)
    players = fields.List(
        fields.Nested(PlayerSchema), required=True, validate=length_between(1, MAX_PLAYERS)
    )
    options = fields.Dict(load_default=dict)
    currency = fields.String(load_default="SEK")
    first_dealer = fields.String(load_default="p1", validate=PlayerId)
    title = Label(load_default=None, allow_none=True)

    @post_load
    def _load_for_game(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        game = GAMES[data["game"]]
        errors: dict[str, Any] = {}
        try:
            data["options"] = load_struct(game.options_type, data["options"])
        except ValidationError as error:
            errors["options"] = error.messages
        try:
            check_currency(data["currency"])
        except ValidationError as error:
            errors["currency"] = error.messages
        if len(data["players"]) not in game.player_counts:
            minimum, maximum = game.player_counts[0], game.player_counts[-1]
            seats_error = FieldError("players", least=minimum, most=maximum)
            if minimum == maximum:
                seats_error = FieldError("exactly", count=maximum)
            errors["players"] = [seats_error]
        if data["first_dealer"] not in PLAYER_IDS[: len(data["players"])]:
            errors["first_dealer"] = [FieldError("a_player")]
        same_names = duplicate_names(data["players"], FieldError("same_name", people="players"))
        if same_names:
            errors.setdefault("players", same_names)
        if errors:
            raise ValidationError(errors)
        return data


def check_currency(currency: str) -> None:
    """Raise marshmallow.ValidationError unless it is an ISO 4217 code or `chips`."""
    if not is_currency(currency):
        raise ValidationError(FieldError("currency"))


def is_currency(text: str) -> bool:
    """Return whether it is `chips`, or a code that ISO 4217 has or had, which Babel knows."""
    return text == "chips" or text in list_currencies()


@contextmanager
def refuse_taken_name(people: str) -> Iterator[None]:
    """Raise marshmallow.ValidationError for a name that another of these people has or had."""
    try:
        yield
    except NameTaken:
        raise ValidationError({"name": [FieldError("was_called")]}) from None
    except psycopg.errors.UniqueViolation as violation:
        if not is_name_conflict(violation):
            raise
        raise ValidationError({"name": [FieldError("same_name", people=people)]}) from None


class ClosureSchema(Schema):
    leftover_policy = LEFTOVER_POLICY


def duplicate_names(people: list[dict[str, str]], error: FieldError) -> dict[int, Any]:
    """Return an error for each name that matches an earlier one, by its place in the list."""
    names = [matching_key(person["name"]) for person in people]
    return {index: {"name": [error]} for index, name in enumerate(names) if name in names[:index]}
