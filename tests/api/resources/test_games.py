"""The options and actions of each game, described in four languages from the engine's own
structs."""

import json
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient
from marshmallow import ValidationError

from api.i18n.catalog import LANGUAGES, game_catalog, value_key
from api.resources.games import actions_of, fields_of
from api.schemas.commands import COMMANDS
from api.schemas.struct_schema import load_struct, schema_of
from engine import commands as c
from engine.games.registry import GAMES
from tests.support.player_names import FIVE_NAMES

EVERY_GAME = pytest.mark.parametrize("key", GAMES)
TYPES = {"player", "players", "card", "cards", "suit", "side"} | {
    *("integer", "boolean", "choice", "counts", "vola")
}


@pytest.fixture
def descriptions(client: FlaskClient) -> dict[str, dict[str, Any]]:
    """The description of each game in Swedish."""
    return describe_games(client, "sv")


def describe_games(client: FlaskClient, language: str) -> dict[str, dict[str, Any]]:
    answer = client.get("/v1/games", query_string={"lang": language})
    assert answer.status_code == 200
    games: list[dict[str, Any]] = answer.get_json()["games"]
    return {game["key"]: game for game in games}


def test_games_are_described_in_the_order_of_the_registry(descriptions: Any) -> None:
    assert list(descriptions) == list(GAMES)
    for key, game in GAMES.items():
        description = descriptions[key]
        assert description["players"] == {
            "min": min(game.player_counts),
            "max": max(game.player_counts),
        }
        assert description["hand_size"] == game.hand_size
        assert description["unit"] == ("points" if game.scoring else "money")
        assert (
            ("goal" in description) == ("lowest_wins" in description) == (game.scoring is not None)
        )


def test_a_game_for_points_says_where_it_starts_and_ends(descriptions: Any) -> None:
    for key, game in GAMES.items():
        if game.scoring:
            plain = game.options_type()
            goal = {"start": game.scoring.starting_score(plain), "at": game.scoring.goal(plain)}
            assert descriptions[key]["goal"] == goal
            assert descriptions[key]["lowest_wins"] == (goal["at"] < goal["start"])


@EVERY_GAME
def test_every_option_is_listed_with_the_default_of_the_engine(descriptions: Any, key: str) -> None:
    plain = msgspec.to_builtins(GAMES[key].options_type())
    listed = descriptions[key]["options"]
    assert {option["name"]: option["default"] for option in listed} == plain
    assert [option["name"] for option in listed] == list(plain)
    for option in listed:
        values = [value["value"] for value in option.get("values", [])]
        if option["type"] == "integer":
            assert values == [None] * option["nullable"]
            if option["default"] is not None:
                assert option["min"] <= option["default"] <= option["max"]
        else:
            assert option["default"] in values
            assert option["nullable"] == (None in values)
            assert len(values) == len(set(map(value_key, values))) > 1
        assert re.fullmatch(r"A-[A-Z]{2}-\d+|§\d+\.\d", option["rule"]), option["name"]
        assert option.get("unit") in (None, "money", "points", "tricks", "cards")


def option_values(option: dict[str, Any]) -> Iterator[Any]:
    """Yield everything that this option can be: its values, or the ends of its range."""
    yield from (value["value"] for value in option.get("values", []))
    if option["type"] == "integer":
        yield option["min"]
        yield option["max"]


@EVERY_GAME
def test_a_session_can_be_opened_with_every_value_of_every_option(
    client: FlaskClient, descriptions: Any, key: str
) -> None:
    players = [{"name": name} for name in FIVE_NAMES[: descriptions[key]["players"]["max"]]]
    for option in descriptions[key]["options"]:
        for value in option_values(option):
            options = {option["name"]: value}
            answer = client.post(
                "/v1/sessions",
                json={"game": key, "players": players, "options": options},
                headers={"Idempotency-Key": f"an evening of {key}: {json.dumps(options)}"},
            )
            assert answer.status_code == 201, (options, answer.get_json())
            stored = answer.get_json()["options"][option["name"]]
            assert (stored, type(stored)) == (value, type(value))


@EVERY_GAME
def test_a_value_that_an_option_does_not_list_is_refused(descriptions: Any, key: str) -> None:
    for option in descriptions[key]["options"]:
        values = [7_777_777_777_777, "whatever", []]
        if option["type"] == "integer":
            values += [option["min"] - 1, option["max"] + 1, True]
        if not option["nullable"]:
            values.append(None)
        for value in values:
            with pytest.raises(ValidationError):
                load_struct(GAMES[key].options_type, {option["name"]: value})


@EVERY_GAME
def test_every_action_is_listed_with_its_fields(descriptions: Any, key: str) -> None:
    game = GAMES[key]
    listed = {action["type"]: action for action in descriptions[key]["actions"]}
    kinds = {str(kind.__struct_config__.tag): kind for kind in actions_of(game)}
    assert list(listed) == list(kinds)
    assert game.commands <= set(kinds.values())
    assert ("reseat" in listed) == (game.scoring is None)
    for tag, action in listed.items():
        depths = [depth for depth in ("result", "tricks", "cards") if depth in action["depths"]]
        assert action["depths"] == depths != []
        assert {field["name"] for field in action["fields"]} <= {
            field.encode_name for field in fields_of(kinds[tag])
        }
        for field in action["fields"]:
            assert field["type"] in TYPES
            assert field.get("or") in {None, *TYPES}
            assert ("min" in field) == ("max" in field) == (field["type"] in ("integer", "counts"))
            assert ("values" in field) == (field["type"] in ("suit", "choice"))


@EVERY_GAME
def test_a_field_is_required_and_nullable_as_the_action_needs_it(
    descriptions: Any, key: str
) -> None:
    for action in descriptions[key]["actions"]:
        kind = COMMANDS[action["type"]]
        missing = schema_of(kind).validate({})
        required = {field["name"] for field in action["fields"] if field["required"]}
        assert set(missing) == required
        for field in action["fields"]:
            refused = schema_of(kind).validate({field["name"]: None}, partial=True)
            assert (field["name"] in refused) != field["nullable"]
            for value in field.get("values", []):
                assert not schema_of(kind).validate({field["name"]: value["value"]}, partial=True)


@EVERY_GAME
def test_a_deal_can_be_recorded_at_each_of_three_depths(descriptions: Any, key: str) -> None:
    """The result, the tricks, or the cards end a deal; never two of these at the same depth."""
    ends = {"result": {"result", "tricks"}, "tricks": {"trick"}, "cards": {"play"}}
    for depth, ending in ends.items():
        actions = {
            action["type"] for action in descriptions[key]["actions"] if depth in action["depths"]
        }
        other_endings = set().union(*ends.values()) - ending
        assert len(actions & ending) == 1, (
            f"{key} needs one action that ends a deal recorded by its {depth}: see `depths` in"
            " api/i18n/catalogs/games/"
        )
        assert not actions & other_endings
        assert {"open_deal", "undo"} <= actions


@EVERY_GAME
def test_a_result_names_only_the_announcement_of_the_game(descriptions: Any, key: str) -> None:
    announced = {a["type"] for a in descriptions[key]["actions"]} & {"la_vola", "vole"}
    for action in descriptions[key]["actions"]:
        if action["type"] == "result":
            fields = {field["name"] for field in action["fields"]}
            assert fields == {"winner", *announced}


# Texts


def texts(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(node, str):
        yield path, node
    else:
        for step, inner in node.items():
            yield from texts(inner, (*path, step))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_texts(language: str) -> None:
    swedish, translated = dict(texts(game_catalog("sv"))), dict(texts(game_catalog(language)))
    assert set(swedish) ^ set(translated) <= {(key, "name") for key in GAMES}
    for path, text in translated.items():
        assert text == text.strip() != "", path
        assert "  " not in text, path


def test_no_sentence_is_left_untranslated() -> None:
    texts_by_language = {language: dict(texts(game_catalog(language))) for language in LANGUAGES}
    for first, second in combinations(LANGUAGES, 2):
        for path, text in texts_by_language[first].items():
            if path[-1] in ("about", "explanation"):
                assert text != texts_by_language[second][path], (path, first, second)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_has_a_label_and_one_sentence(client: FlaskClient, language: str) -> None:
    for key, game in describe_games(client, language).items():
        assert len(re.findall(r"\.(?= |$)", game["about"])) <= 2, key
        for entry in (*game["options"], *game["actions"]):
            place = (language, key, entry.get("name", entry.get("type")))
            assert 2 <= len(entry["label"]) <= 46, place
            assert not entry["label"].endswith("."), place
            sentences = [entry["explanation"], *explanations(entry.get("fields", []))]
            for sentence in sentences:
                assert re.fullmatch(r"[^.]+\.", sentence), (place, sentence)
            for value in entry.get("values", []):
                assert 2 <= len(value["label"]) <= 46, place
        labels = [option["label"] for option in game["options"]]
        assert len(set(labels)) == len(labels), (language, key)
        for option in game["options"]:
            values = [value["label"] for value in option.get("values", [])]
            assert len(set(values)) == len(values), (language, key, option["name"])


def explanations(fields: list[dict[str, Any]]) -> list[str]:
    return [field["explanation"] for field in fields if "explanation" in field]


def text_paths(key: str, descriptions: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the catalog paths that this game looks up, under its key and then under `all`."""
    yield from ((key, "name"), (key, "about"), (key, "score_sheet", "hint"))
    for option in descriptions["options"]:
        yield from text_paths_of(key, "options", option["name"], option)
    for action in descriptions["actions"]:
        yield from text_paths_of(key, "actions", action["type"], action)
        for field in action["fields"]:
            path = ("actions", action["type"], "fields", field["name"])
            yield from text_paths_of(key, *path, field)


def text_paths_of(key: str, *path: Any) -> Iterator[tuple[str, ...]]:
    *steps, entry = path
    values = [value_key(value["value"]) for value in entry.get("values", [])]
    for part in (key, "all"):
        for word in ("label", "explanation"):
            yield (part, *steps, word)
        for value in values:
            yield (part, *steps, "values", value)
    yield from (("all", "values", value) for value in values)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_catalog_has_an_unused_text(client: FlaskClient, language: str) -> None:
    games = describe_games(client, language)
    used_paths = {
        path for key, description in games.items() for path in text_paths(key, description)
    }
    unused = {path for path, _ in texts(game_catalog(language))} - used_paths
    assert not unused


def test_rule_references_name_options_and_actions_that_exist(descriptions: Any) -> None:
    rules = game_catalog("rules")
    assert set(rules) == {"all", *GAMES}
    for part, entries in rules.items():
        games = descriptions.values() if part == "all" else [descriptions[part]]
        options = {option["name"] for game in games for option in game["options"]}
        actions = {action["type"] for game in games for action in game["actions"]}
        assert set(entries["options"]) <= options
        own_actions = entries.get("actions", {})
        assert set(own_actions) <= actions
        for entry in own_actions.values():
            assert set(entry) <= {"depths", "without"}


# The request


def test_the_list_of_games_needs_no_token(client: FlaskClient) -> None:
    assert client.get("/v1/games").status_code == 200
    assert client.get("/v1/games", headers={"Authorization": "Bearer nonsense"}).status_code == 200
    assert client.post("/v1/games").status_code == 405


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [
        ({}, None, "sv"),
        ({}, "en-GB,en;q=0.8", "en"),
        ({}, "fi, da;q=0.5", "da"),
        ({}, "fi", "sv"),
        ({"lang": "de"}, "en", "de"),
        ({"lang": "fi"}, None, "sv"),
        ({"lang": "../sv"}, None, "sv"),
    ],
)
def test_games_are_described_in_the_readers_language_or_in_swedish(
    client: FlaskClient, query: dict[str, str], accepted: str | None, language: str
) -> None:
    headers = {"Accept-Language": accepted} if accepted else {}
    answer = client.get("/v1/games", query_string=query, headers=headers)
    assert answer.headers["Content-Language"] == language
    assert "Accept-Language" in answer.headers["Vary"]
    assert (
        answer.get_json()["games"][0]["about"] == game_catalog(language)[next(iter(GAMES))]["about"]
    )


def test_an_unchanged_list_of_games_is_not_sent_again(client: FlaskClient) -> None:
    first = client.get("/v1/games")
    assert re.fullmatch(r"public, max-age=\d+", first.headers["Cache-Control"])
    tag = first.headers["ETag"]
    unchanged = client.get("/v1/games", headers={"If-None-Match": tag})
    assert (unchanged.status_code, unchanged.data, unchanged.headers["ETag"]) == (304, b"", tag)
    danish = client.get("/v1/games?lang=da", headers={"If-None-Match": tag})
    assert danish.status_code == 200
    assert danish.headers["ETag"] != tag


def test_an_action_with_two_shapes_lists_both(descriptions: Any) -> None:
    """A blind nil is one player or, where agreed, a list of two."""
    fields = {
        (action["type"], field["name"]): field
        for game in descriptions.values()
        for action in game["actions"]
        for field in action["fields"]
    }
    blind = fields["side_bid", "blind_nil"]
    assert (blind["type"], blind["or"]) == ("player", "players")
    single = load_struct(c.SideBid, {"side": "p1+p3", "blind_nil": "p1", "tricks": 3})
    double = load_struct(c.SideBid, {"side": "p1+p3", "blind_nil": ["p1", "p3"]})
    assert (single.blind_nil, double.blind_nil) == ("p1", ("p1", "p3"))
    assert fields["tricks", "taken"]["type"] == "counts"
    assert (fields["tricks", "taken"]["min"], fields["tricks", "taken"]["max"]) == (0, 13)
    assert fields["result", "vole"]["type"] == "vola"
    assert fields["hand", "cards"]["type"] == "cards"
    assert fields["side_bid", "side"]["type"] == "side"
