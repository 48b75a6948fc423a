"""The schemas of the contract that are made from structs (actions, events, options) and from the
list of games.

What a struct does not have (descriptions of fields, examples, conditions between fields) is in
`openapi/schemas`, under the same names.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, get_args

import msgspec
from msgspec import inspect

from api.i18n.catalog import catalog_entry
from api.schemas.struct_schema import bounds, choices_of, fields_of, types_of
from engine import commands, events
from engine.cards import Card, pack
from engine.games.game import Game
from engine.games.registry import GAMES
from engine.values import Player
from ledger.events.codec import EVENT_CLASSES
from ledger.events.event_types import CostRecorded, CostShare

Schema = dict[str, Any]

STRING_SCHEMAS = {
    get_args(alias)[1].pattern: name
    for alias, name in (
        *((Player, "PlayerId"), (Card, "Card")),
        *((commands.Side, "Side"), (commands.Contestant, "ScoreKeeper")),
    )
}
"""The names of the strings that structs hold, by the pattern of their type."""
LISTED_STRINGS: dict[frozenset[Any], inspect.Type] = {
    frozenset(listed): inspect.StrType(pattern=get_args(alias)[1].pattern)
    for listed, alias in ((events.PLAYER_IDS, Player), (pack("2"), Card))
}
"""The strings that an event lists where a command has a pattern."""
EVENT_UNIONS = {
    "UndoableEvent": get_args(events.UndoableEvent),
    "ClosingEvent": get_args(events.ClosingEvent),
}
"""The events that other events carry, tagged with their type."""
TAGGED_EVENTS = {CostRecorded, *(event for union in EVENT_UNIONS.values() for event in union)}
ABSENT: Schema = {"not": {}}
NULL: Schema = {"type": "null"}
MONEY: Schema = {
    "pot": {"type": "integer"},
    "bets": {"type": "array"},
    "balances": {"type": "object"},
    "scores": NULL,
    "overtricks": ABSENT,
    "winner": NULL,
}
"""What a session has in a game for money."""
POINTS: Schema = {
    "pot": NULL,
    "bets": NULL,
    "amount_played_for": NULL,
    "scores": {"type": "object"},
}
PARTS = (commands.Vola, events.Share, events.CarriedBet, events.Rescored, CostShare)


def struct_schemas() -> dict[str, Schema]:
    """Return each schema by its name in the contract."""
    actions = commands.Command.__subclasses__()
    structs: list[type[msgspec.Struct]] = [*actions, *EVENT_CLASSES.values(), *PARTS]
    structs_by_name = {struct.__name__: _struct_schema(struct) for struct in structs}
    structs_by_name["SessionOpened"] |= {"allOf": [_by_game(_session_opened)]}
    return {
        **{name: {"type": "string", "pattern": text} for text, name in STRING_SCHEMAS.items()},
        **structs_by_name,
        **{name: _tagged_union(union) for name, union in EVENT_UNIONS.items()},
        "Action": _tagged_union(actions),
        "ActionType": {"enum": [_tag(action) for action in actions]},
        "Event": {"allOf": [{"oneOf": [_event_variant(kind) for kind in EVENT_CLASSES.values()]}]},
        **{name: schema for game in GAMES.values() for name, schema in _options_schemas(game)},
        "GameKey": {"enum": list(GAMES)},
        "NewSession": {"allOf": [_by_game(partial(_new_session, "players"))]},
        "NewGroupSession": _by_game(partial(_new_session, "members")),
        "SessionFields": {"allOf": [_by_game(_session_fields)]},
        "DealOutcome": {"properties": {"type": {"enum": list(get_args(events.Outcome))}}},
    }


def _by_game(variant: Callable[[Game[Any, Any]], Schema]) -> Schema:
    """Return a schema that has a variant for each game."""
    variants = [(game.key, variant(game)) for game in GAMES.values()]
    return {
        "oneOf": [
            {**schema, "properties": {"game": {"const": key}, **schema["properties"]}}
            for key, schema in variants
        ]
    }


def _session_opened(game: Game[Any, Any]) -> Schema:
    return {"properties": {"options": _reference(_options_name(game))}}


def _new_session(seated: str, game: Game[Any, Any]) -> Schema:
    """Return what a new session may have; `seated`: the field with its players or members."""
    counts = {"minItems": min(game.player_counts), "maxItems": max(game.player_counts)}
    return {"properties": {seated: counts, "options": _reference(f"New{_options_name(game)}")}}


def _session_fields(game: Game[Any, Any]) -> Schema:
    options = {"options": _reference(_options_name(game))}
    if game.scoring is None:
        return {"properties": options | MONEY}
    if game.scoring.counts_overtricks:
        return {"properties": options | POINTS, "required": ["overtricks"]}
    return {"properties": options | POINTS | {"overtricks": ABSENT}}


def _tag(struct: type[msgspec.Struct]) -> str:
    return str(struct.__struct_config__.tag)


def _reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _tagged_union(structs: Sequence[type[msgspec.Struct]]) -> Schema:
    references = {_tag(struct): _reference(struct.__name__) for struct in structs}
    mapping = {tag: reference["$ref"] for tag, reference in references.items()}
    return {
        "type": "object",
        "required": ["type"],
        "discriminator": {"propertyName": "type", "mapping": mapping},
        "oneOf": list(references.values()),
    }


def _event_variant(event: type[msgspec.Struct]) -> Schema:
    data = _reference(event.__name__)
    return {"properties": {"type": {"const": _tag(event)}, "data": data}}


def _options_schemas(game: Game[Any, Any]) -> tuple[tuple[str, Schema], ...]:
    """Return the options as a new session chooses them, and as a session has them: all of them."""
    schema = _struct_schema(game.options_type)
    for name, option in schema["properties"].items():
        texts = catalog_entry("en", game.key, "options", name)
        assert texts.keys() >= {"label", "explanation"}, (
            f"the option {name} has no label and explanation under `en` in"
            f" api/i18n/catalogs/games/{game.key}.json"
        )
        option["description"] = f"{texts['label']}. {texts['explanation']}"
        if option["default"] is None:
            option["description"] += f" `null`: {texts['values']['null'].lower()}."
    name = _options_name(game)
    every_option = {**_reference(f"New{name}"), "required": list(schema["properties"])}
    return (f"New{name}", schema), (name, every_option)


def _options_name(game: Game[Any, Any]) -> str:
    return game.key.title().replace("_", "") + "Options"


def _struct_schema(struct: type[msgspec.Struct]) -> Schema:
    fields = fields_of(struct)
    properties = {field.encode_name: _field_schema(struct, field) for field in fields}
    required = [field.encode_name for field in fields if field.required]
    if issubclass(struct, commands.Command):
        properties, required = {"type": {"const": _tag(struct)}, **properties}, ["type", *required]
    elif struct in TAGGED_EVENTS:
        tag = {"const": _tag(struct), "description": "Only inside `took_back`."}
        properties = {"type": tag, **properties}
    first_paragraph = (struct.__doc__ or "").split("\n\n")[0]
    return {
        "description": " ".join(first_paragraph.split()),
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


def _field_schema(struct: type[msgspec.Struct], field: inspect.Field) -> Schema:
    types, nullable = types_of(field.type)
    if isinstance(_as_pattern(types[0]), inspect.LiteralType):
        values = choices_of(struct, field.encode_name)
        schema: Schema = {"enum": [*values, None] if nullable else list(values)}
    else:
        schema = _item_schema(field.type)
    if field.default not in (msgspec.NODEFAULT, msgspec.UNSET):
        schema["default"] = field.default
    return schema


def _item_schema(kind: inspect.Type) -> Schema:
    """Return a reference where the contract has a name for the type, else its schema."""
    match _as_pattern(kind):
        case inspect.StrType(pattern=str(pattern)):
            return _reference(STRING_SCHEMAS[pattern])
        case inspect.StructType(cls=struct):
            return _reference(struct.__name__)
        case inspect.UnionType(types=(inspect.StructType(cls=struct), *_)):
            return _reference(next(n for n, union in EVENT_UNIONS.items() if struct in union))
    return _type_schema(kind)


def _as_pattern(kind: inspect.Type) -> inspect.Type:
    """Return the type of a string with its pattern, even where the values are listed."""
    if isinstance(kind, inspect.LiteralType):
        return LISTED_STRINGS.get(frozenset(kind.values), kind)
    return kind


def _type_schema(kind: inspect.Type) -> Schema:
    kind = _as_pattern(kind)
    match kind:
        case inspect.NoneType():
            return {"type": "null"}
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.IntType(ge=None):
            return {"type": "integer"}
        case inspect.IntType():
            minimum, maximum = bounds(kind)
            return {"type": "integer", "minimum": minimum, "maximum": maximum}
        case inspect.StrType(pattern=None):
            return {"type": "string"}
        case inspect.StrType(pattern=pattern):
            return {"type": "string", "pattern": pattern}
        case inspect.VarTupleType(item_type=item, min_length=least, max_length=most):
            limits = {} if least is None else {"minItems": least, "maxItems": most}
            return {"type": "array", "items": _item_schema(item), **limits}
        case inspect.TupleType(item_types=items):
            count = len(items)
            limits = {"minItems": count, "maxItems": count}
            return {"type": "array", "items": _item_schema(items[0]), **limits}
        case inspect.DictType(key_type=key, value_type=value):
            return {
                "type": "object",
                "propertyNames": _item_schema(key),
                "additionalProperties": _item_schema(value),
            }
        case inspect.UnionType(types=types):
            parts = [_type_schema(part) for part in types]
            union = {name: value for part in parts for name, value in part.items()}
            return union | {"type": [part["type"] for part in parts]}
    raise TypeError(f"no schema for {kind}")
