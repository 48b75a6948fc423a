"""The games we keep, as somebody who opens an evening wants to know them.

Options and fields are read from the engine's own structs, so that they cannot differ from what is
accepted; labels, explanations and paragraphs are looked up in `words/games` by the game's key,
and under `all` where the games say the same. Knows no game by name, and no rule.
"""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from flask import Blueprint, Response
from msgspec import inspect

from api.http.conditional import apply_preconditions
from api.http.responses import encode_json
from api.i18n.translator import request_translator
from api.schemas.struct_schema import bounds
from engine import commands as c
from engine.cards import SUITS, Card
from engine.games.game import Game
from engine.games.registry import GAMES
from engine.values import Player

blueprint = Blueprint("games", __name__, url_prefix="/v1/games")

FRESH_SECONDS = 300
"""How long a phone need not ask again: only a new release changes the answer."""

EVERY_GAMES = frozenset((c.OpenDeal, c.Undo))
BETWEEN_DEALS = frozenset((c.Reseat,))
"""Said of the table, not of a game; in a game for points the same players sit to the end."""

Entry = dict[str, Any]


@blueprint.get("")
def games() -> Response:
    """Every rule set: what can be agreed, what can be said, and at which depth. No token."""
    language = request_translator().language
    raw = described(language)
    made = Response(raw, content_type="application/json")
    made.headers["Content-Language"] = language
    made.headers["Vary"] = "Accept-Language"
    made.headers["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
    made.set_etag(sha256(raw).hexdigest()[:16])
    return apply_preconditions(made)


@cache
def described(language: str) -> bytes:
    """All games in this language, as JSON."""
    return encode_json({"games": [_game(game, language) for game in GAMES.values()]})


@cache
def catalog(name: str) -> dict[str, Any]:
    """Words in a language, or `rules`: which paragraph, unit and depths, the same in all of them.

    A file has `all`, and a part for each game: what a game says itself goes before it.
    """
    file = Path(__file__).parents[1] / "i18n" / "catalogs" / "games" / f"{name}.json"
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def said(name: str, game: str, *path: str) -> Entry:
    """What a catalog says of this thing: for all games, and over it what this one says."""
    found: Entry = {}
    for part in ("all", game):
        entry: Any = catalog(name).get(part, {})
        for step in path:
            entry = entry.get(step, {})
        found |= entry
    return found


def _game(game: Game[Any, Any], language: str) -> Entry:
    told = said(language, game.key)
    scoring, plain = game.scoring, game.options_type()
    made: Entry = {
        "key": game.key,
        "name": told.get("name", game.name),
        "players": {"min": game.player_counts[0], "max": game.player_counts[-1]},
        "unit": "points" if scoring else "money",
        "hand_size": game.hand_size,
    }
    if scoring:
        made["goal"] = {"start": scoring.starting_score(plain), "at": scoring.goal(plain)}
        made["lowest_wins"] = scoring.lowest_wins
    made["about"] = told["about"]
    made["options"] = [_option(game, field, language) for field in fields_of(game.options_type)]
    made["actions"] = [_action(game, kind, language) for kind in actions_of(game)]
    return made


def fields_of(struct: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return info.fields


def actions_of(game: Game[Any, Any]) -> list[type[c.Command]]:
    """What can be said in this game, in the order in which the engine lists it."""
    known = game.commands | EVERY_GAMES | (frozenset() if game.scoring else BETWEEN_DEALS)
    return [kind for kind in c.Command.__subclasses__() if kind in known]


def _option(game: Game[Any, Any], field: inspect.Field, language: str) -> Entry:
    name = field.encode_name
    told = said(language, game.key, "options", name)
    rules = said("rules", game.key, "options", name)
    labels = said(language, game.key, "values") | told.get("values", {})
    (kind,), nullable = _parts(field.type)
    made: Entry = {"name": name, "label": told["label"]}
    match kind:
        case inspect.BoolType():
            made |= {"type": "boolean", "values": _labelled((True, False), labels)}
        case inspect.IntType():
            least, most = bounds(kind)
            made |= {"type": "integer", "min": least, "max": most}
            if nullable:
                made["values"] = _labelled((None,), labels)
        case inspect.LiteralType():
            choices = choices_of(game.options_type, name)
            kept = (None, *choices) if nullable else choices
            made |= {"type": "choice", "values": _labelled(kept, labels)}
        case _:
            raise TypeError(f"no option is a {kind}")
    default = msgspec.to_builtins(game.options_type())[name]
    made |= {"default": default, "nullable": nullable, "explanation": told["explanation"]}
    return made | {key: rules[key] for key in ("rule", "unit") if key in rules}


def _action(game: Game[Any, Any], command: type[c.Command], language: str) -> Entry:
    tag = str(command.__struct_config__.tag)
    told = said(language, game.key, "actions", tag)
    rules = said("rules", game.key, "actions", tag)
    labels = said(language, game.key, "values")
    return {
        "type": tag,
        "label": told["label"],
        "explanation": told["explanation"],
        "depths": rules["depths"],
        "fields": [
            _field(command, field, told.get("fields", {}).get(field.encode_name, {}), labels)
            for field in fields_of(command)
            if field.encode_name not in rules.get("without", ())
        ],
    }


def _field(
    command: type[c.Command], field: inspect.Field, told: Entry, labels: dict[str, str]
) -> Entry:
    name = field.encode_name
    kinds, nullable = _parts(field.type)
    made: Entry = {"name": name, **_kind(kinds[0])}
    if len(kinds) > 1:
        made["or"] = _kind(kinds[1])["type"]
    if made["type"] in ("suit", "choice"):
        made["values"] = _labelled(choices_of(command, name), labels | told.get("values", {}))
    made |= {"required": field.required, "nullable": nullable}
    return made | {key: told[key] for key in ("explanation",) if key in told}


def _parts(kind: inspect.Type) -> tuple[list[inspect.Type], bool]:
    """The types that a value may have, and whether it may be null."""
    if not isinstance(kind, inspect.UnionType):
        return [kind], False
    parts = [part for part in kind.types if not isinstance(part, inspect.NoneType)]
    return parts, len(parts) < len(kind.types)


def _pattern(alias: Any) -> str | None:
    info = inspect.type_info(alias)
    assert isinstance(info, inspect.StrType)
    return info.pattern


TEXTS = {_pattern(Player): "player", _pattern(Card): "card", _pattern(c.Side): "side"}


def _kind(kind: inspect.Type) -> Entry:
    """A field in the words of a form: who, which card, how many."""
    match kind:
        case inspect.StrType(pattern=pattern):
            return {"type": TEXTS[pattern]}
        case inspect.VarTupleType(item_type=item) | inspect.TupleType(item_types=(item, *_)):
            return {"type": _kind(item)["type"] + "s"}
        case inspect.LiteralType(values=values):
            return {"type": "suit" if set(values) == set(SUITS) else "choice"}
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.IntType():
            least, most = bounds(kind)
            return {"type": "integer", "min": least, "max": most}
        case inspect.DictType(value_type=inspect.IntType() as count):
            return {**_kind(count), "type": "counts"}
        case inspect.StructType(cls=struct):
            return {"type": struct.__name__.lower()}
    raise TypeError(f"no field is a {kind}")


def choices_of(struct: type[msgspec.Struct], name: str) -> tuple[Any, ...]:
    """The values of a choice as they are written; msgspec sorts them."""
    return _literals(get_type_hints(struct, include_extras=True)[name])


def _literals(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(value for part in get_args(hint) for value in _literals(part))


def _labelled(values: tuple[Any, ...], labels: dict[str, str]) -> list[Entry]:
    return [{"value": value, "label": labels[key_of(value)]} for value in values]


def key_of(value: Any) -> str:
    """The name of a value in the catalogs: `pot`, `true`, `null`, `-50`."""
    return value if isinstance(value, str) else json.dumps(value)
