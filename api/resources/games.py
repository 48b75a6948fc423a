"""The games, as a client that opens a session needs to know them.

Options and fields are read from the engine's own structs, so that they cannot differ from what is
accepted. Labels, explanations and rule references come from `i18n/catalogs/games`. Knows no game by
name, and no rule.
"""

from functools import cache
from hashlib import sha256
from typing import Any, get_args

import msgspec
from flask import Blueprint, Response
from msgspec import inspect

from api.http.json_body import JSON
from api.http.responses import set_language, tag_response
from api.i18n.catalog import catalog_entry, value_key
from api.i18n.translator import request_translator
from api.schemas.struct_schema import bounds, choices_of, fields_of, types_of
from engine import commands
from engine.cards import SUITS, Card
from engine.games.game import Game
from engine.games.registry import GAMES
from engine.values import Player

blueprint = Blueprint("games", __name__, url_prefix="/v1/games")

MAX_AGE_SECONDS = 300
"""How long a client may use the response without asking again: only a new release changes it."""
COMMANDS_OF_EVERY_GAME = frozenset((commands.OpenDeal, commands.Undo))
COMMANDS_BETWEEN_DEALS = frozenset((commands.Reseat,))
"""Of the table rather than of a game; in a game for points the same players sit to the end."""

Entry = dict[str, Any]


@blueprint.get("")
def list_games() -> Response:
    """Return every game with its options and actions, and the depth at which each is recorded.
    Needs no token."""
    language = request_translator().language
    body = encode_games(language)
    response = set_language(Response(body, content_type=JSON), language)
    response.headers["Cache-Control"] = f"public, max-age={MAX_AGE_SECONDS}"
    return tag_response(response, sha256(body).hexdigest()[:16])


@cache
def encode_games(language: str) -> bytes:
    return msgspec.json.encode({"games": [_game_view(game, language) for game in GAMES.values()]})


def _game_view(game: Game[Any, Any], language: str) -> Entry:
    texts = catalog_entry(language, game.key)
    scoring, options = game.scoring, game.options_type()
    view: Entry = {
        "key": game.key,
        "name": texts.get("name", game.name),
        "players": {"min": game.player_counts[0], "max": game.player_counts[-1]},
        "unit": "points" if scoring else "money",
        "hand_size": game.hand_size,
    }
    if scoring:
        view["goal"] = {"start": scoring.starting_score(options), "at": scoring.goal(options)}
        view["lowest_wins"] = scoring.lowest_wins
    view["about"] = texts["about"]
    fields = fields_of(game.options_type)
    view["options"] = [_option_view(game, field, language) for field in fields]
    view["actions"] = [_action_view(game, command, language) for command in actions_of(game)]
    return view


def actions_of(game: Game[Any, Any]) -> list[type[commands.Command]]:
    """Return the commands of this game, in the order in which the engine lists them."""
    between_deals = frozenset() if game.scoring else COMMANDS_BETWEEN_DEALS
    of_game = game.commands | COMMANDS_OF_EVERY_GAME | between_deals
    return [command for command in commands.Command.__subclasses__() if command in of_game]


def _option_view(game: Game[Any, Any], field: inspect.Field, language: str) -> Entry:
    name = field.encode_name
    texts = catalog_entry(language, game.key, "options", name)
    rules = catalog_entry("rules", game.key, "options", name)
    labels = catalog_entry(language, game.key, "values") | texts.get("values", {})
    (kind,), nullable = types_of(field.type)
    is_flag = isinstance(kind, inspect.BoolType)
    choices = (True, False) if is_flag else choices_of(game.options_type, name)
    values = (None, *choices) if nullable else choices
    view: Entry = {"name": name, "label": texts["label"], **_type_view(kind)}
    if view["type"] == "suit":
        view["type"] = "choice"  # an option is chosen, not recorded
    if values:
        view["values"] = _labelled(values, labels)
    default = msgspec.to_builtins(game.options_type())[name]
    view |= {"default": default, "nullable": nullable, "explanation": texts["explanation"]}
    return view | {key: rules[key] for key in ("rule", "unit") if key in rules}


def _action_view(game: Game[Any, Any], command: type[commands.Command], language: str) -> Entry:
    tag = str(command.__struct_config__.tag)
    texts = catalog_entry(language, game.key, "actions", tag)
    rules = catalog_entry("rules", game.key, "actions", tag)
    labels = catalog_entry(language, game.key, "values")
    return {
        "type": tag,
        "label": texts["label"],
        "explanation": texts["explanation"],
        "depths": rules["depths"],
        "fields": [
            _field_view(command, field, texts.get("fields", {}).get(field.encode_name, {}), labels)
            for field in fields_of(command)
            if field.encode_name not in rules.get("without", ())
        ],
    }


def _field_view(
    command: type[commands.Command], field: inspect.Field, texts: Entry, labels: dict[str, str]
) -> Entry:
    name = field.encode_name
    kinds, nullable = types_of(field.type)
    view: Entry = {"name": name, **_type_view(kinds[0])}
    if len(kinds) > 1:
        view["or"] = _type_view(kinds[1])["type"]
    if view["type"] in ("suit", "choice"):
        view["values"] = _labelled(choices_of(command, name), labels | texts.get("values", {}))
    view |= {"required": field.required, "nullable": nullable}
    return view | {key: texts[key] for key in ("explanation",) if key in texts}


STRING_TYPES = {
    get_args(alias)[1].pattern: name
    for alias, name in ((Player, "player"), (Card, "card"), (commands.Side, "side"))
}
"""The strings that commands hold, by the pattern of their type."""


def _type_view(kind: inspect.Type) -> Entry:
    """Return the type of a field in the words of a form: a player, a card, a number."""
    match kind:
        case inspect.StrType(pattern=pattern):
            return {"type": STRING_TYPES[pattern]}
        case inspect.VarTupleType(item_type=item) | inspect.TupleType(item_types=(item, *_)):
            return {"type": _type_view(item)["type"] + "s"}
        case inspect.LiteralType(values=values):
            return {"type": "suit" if set(values) == set(SUITS) else "choice"}
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.IntType():
            minimum, maximum = bounds(kind)
            return {"type": "integer", "min": minimum, "max": maximum}
        case inspect.DictType(value_type=count):
            return {**_type_view(count), "type": "counts"}
        case inspect.StructType(cls=struct):
            return {"type": struct.__name__.lower()}
    raise TypeError(f"no field is a {kind}")


def _labelled(values: tuple[Any, ...], labels: dict[str, str]) -> list[Entry]:
    return [{"value": value, "label": labels[value_key(value)]} for value in values]
