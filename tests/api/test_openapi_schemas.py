"""The schemas of openapi.yaml have the shapes and bounds that the code gives them."""

import json
from typing import Any, get_args

import msgspec
import pytest
from msgspec import inspect

from api.i18n.catalog import LANGUAGES
from api.schemas.session import ClosureSchema, NewSessionSchema
from api.schemas.struct_schema import load_struct
from engine import events as e
from engine.cards import RANKS, SUITS
from engine.commands import Command, Vola
from engine.games.registry import GAMES
from ledger.events import codec
from tests.support.api.openapi_contract import ROOT, SCHEMAS, SPEC, find_errors, resolve

LISTED = {
    frozenset(f"p{number}" for number in range(1, 1000)): r"^p[1-9][0-9]{0,2}$",
    frozenset(rank + suit for rank in RANKS for suit in SUITS): r"^(?:[2-9]|10|[JQKA])[CSHD]$",
}
"""The strings that an event lists, and the pattern that says the same."""
GOLDEN_EVENTS = (ROOT / "tests/golden/events.jsonl").read_text("utf-8").splitlines()


def struct_types(kind: inspect.Type) -> tuple[frozenset[Any], Any]:
    """Return JSON types or exact values, and a string's pattern or the type of a list's items."""
    match kind:
        case inspect.UnionType(types=types):
            parts = [struct_types(t) for t in types if "Unset" not in type(t).__name__]
            details = [p[1] for p in parts if p[1]]  # patterns and item types
            return frozenset().union(*(p[0] for p in parts)), details[-1] if details else None
        case inspect.NoneType():
            return frozenset({None}), None
        case inspect.LiteralType(values=values) if pattern := LISTED.get(frozenset(values)):
            return frozenset({"string"}), pattern
        case inspect.LiteralType(values=values):
            return frozenset(values), None
        case inspect.VarTupleType(item_type=item) | inspect.TupleType(item_types=(item, *_)):
            return frozenset({"array"}), struct_types(item)
        case inspect.StrType(pattern=pattern):
            return frozenset({"string"}), pattern
        case inspect.BoolType():
            return frozenset({"boolean"}), None
        case inspect.IntType():
            return frozenset({"integer"}), None
    return frozenset({"object"}), None


def schema_types(schema: dict[str, Any]) -> tuple[frozenset[Any], Any]:
    schema = resolve(schema)
    if "enum" in schema:
        return frozenset(schema["enum"]), None
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kinds = frozenset(None if t == "null" else t for t in types)
    if "array" in kinds:
        return kinds, schema_types(schema["items"])
    return kinds, schema.get("pattern")


def assert_same_fields(struct: type[msgspec.Struct], schema: dict[str, Any]) -> None:
    """Assert that struct and schema agree on names, required fields, types and defaults."""
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    properties = {k: v for k, v in schema.get("properties", {}).items() if k != "type"}
    assert set(properties) == {f.encode_name for f in info.fields}, struct
    required = {f.encode_name for f in info.fields if f.required}
    assert set(schema.get("required", [])) - {"type"} == required, struct
    assert schema["additionalProperties"] is False, struct
    assert schema["description"], struct
    for field in info.fields:
        spec = properties[field.encode_name]
        kinds, detail = schema_types(spec)
        struct_kinds, struct_detail = struct_types(field.type)
        assert kinds == struct_kinds, (struct, field.name)
        if "object" not in struct_kinds and not (detail is None and field.name == "call"):
            assert detail == struct_detail, (struct, field.name)
        if "default" in spec:
            default = msgspec.json.decode(msgspec.json.encode(field.default))  # () becomes []
            assert spec["default"] == default, (struct, field.name)


def test_every_action_has_the_shape_that_the_engine_gives_it() -> None:
    variants = {v["$ref"].rpartition("/")[2] for v in SCHEMAS["Action"]["oneOf"]}
    commands = {kind.__name__: kind for kind in Command.__subclasses__()}
    assert variants == set(commands)
    tags = {str(k.__struct_config__.tag): f"#/components/schemas/{n}" for n, k in commands.items()}
    assert SCHEMAS["Action"]["discriminator"]["mapping"] == tags
    assert set(SCHEMAS["SessionFields"]["properties"]["legal_actions"]["items"]) == {"$ref"}
    assert set(resolve(SCHEMAS["LegalAction"]["properties"]["type"])["enum"]) == set(tags)
    for name, kind in commands.items():
        schema = SCHEMAS[name]
        assert schema["properties"]["type"] == {"const": kind.__struct_config__.tag}
        assert schema["required"][0] == "type"
        assert_same_fields(kind, schema)
    assert_same_fields(Vola, SCHEMAS["Vola"])


def properties_by_game(schema: str) -> dict[str, dict[str, Any]]:
    """Return the properties that a schema has for each game."""
    variants = SCHEMAS[schema]["allOf"][0]["oneOf"]
    return {v["properties"]["game"]["const"]: v["properties"] for v in variants}


@pytest.mark.parametrize("key", GAMES)
def test_every_option_has_the_shape_and_the_bounds_that_the_game_gives_it(key: str) -> None:
    options, seats = GAMES[key].options_type, GAMES[key].player_counts
    request, session = (
        properties_by_game("NewSession")[key],
        properties_by_game("SessionFields")[key],
    )
    assert (request["players"]["minItems"], request["players"]["maxItems"]) == (
        seats[0],
        seats[-1],
    )
    schema = resolve(request["options"])
    properties = schema["properties"]
    assert_same_fields(options, schema)
    agreed = resolve(session["options"])
    assert properties_by_game("SessionOpened")[key]["options"] == session["options"]
    assert (agreed["properties"], agreed["required"]) == (
        properties,
        list(options.__struct_fields__),
    )
    plain = msgspec.to_builtins(options())
    assert {name: schema["default"] for name, schema in properties.items()} == plain
    for name, schema in properties.items():
        assert schema["description"]
        for value in schema.get("enum", []):
            load_struct(options, {name: value})
        if "minimum" in schema:
            minimum, maximum = schema["minimum"], schema["maximum"]
            for value in (minimum, maximum):
                load_struct(options, {name: value})
            for value in (minimum - 1, maximum + 1):
                with pytest.raises(Exception, match="Must be"):
                    load_struct(options, {name: value})


def test_every_event_has_the_shape_that_history_keeps() -> None:
    variants = {
        v["properties"]["type"]["const"]: v["properties"]["data"]["$ref"].rpartition("/")[2]
        for v in SCHEMAS["Event"]["allOf"][0]["oneOf"]
    }
    assert variants == {tag: kind.__name__ for tag, kind in codec.EVENT_CLASSES.items()}
    undoable = {kind.__name__ for kind in get_args(e.UndoableEvent)}
    assert {v["$ref"].rpartition("/")[2] for v in SCHEMAS["UndoableEvent"]["oneOf"]} == undoable
    for kind in codec.EVENT_CLASSES.values():
        assert_same_fields(kind, SCHEMAS[kind.__name__])


@pytest.mark.parametrize("line", GOLDEN_EVENTS)
def test_every_golden_event_has_the_shape_that_the_contract_gives_it(line: str) -> None:
    stored = json.loads(line)
    data = json.loads(stored["data"])
    if "options" in data:  # some lines have only a few of them
        options = GAMES[data["game"]].options_type(**data["options"])
        data["options"] = msgspec.to_builtins(options)
    name = codec.EVENT_CLASSES[stored["type"]].__name__
    assert find_errors(data, SCHEMAS[name]) == []
    assert find_errors({**data, "surplus": 1}, SCHEMAS[name])
    for required in SCHEMAS[name]["required"]:
        assert find_errors({k: v for k, v in data.items() if k != required}, SCHEMAS[name])


def test_small_lists_of_choices_are_the_ones_in_the_code() -> None:
    for schema, name in (("NewSession", "game"), ("SessionFields", "game"), ("Game", "key")):
        assert resolve(SCHEMAS[schema]["properties"][name])["enum"] == list(GAMES)
    for schema in ("NewSession", "SessionFields", "SessionOpened"):
        assert list(properties_by_game(schema)) == list(GAMES)
    fields = NewSessionSchema().fields
    assert set(SCHEMAS["NewSession"]["properties"]) == set(fields)
    assert set(SCHEMAS["NewSession"]["required"]) == {n for n, f in fields.items() if f.required}
    policies = ClosureSchema().fields["leftover_policy"].values
    assert SCHEMAS["Closure"]["properties"]["leftover_policy"]["enum"] == [*policies, None]
    languages = SPEC["components"]["parameters"]["Lang"]["schema"]["examples"]
    assert languages == list(LANGUAGES)
