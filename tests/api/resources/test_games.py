"""What can be agreed and said in each game, in four languages, from the engine's own structs."""

import json
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient
from marshmallow import ValidationError

from api import shapes
from api.games import actions_of, catalog, fields_of, key_of
from api.words import LANGUAGES
from engine import commands as c
from engine.games import GAMES

NAMES = ("Ada", "Bo", "Cilla", "Disa", "Emil")
EVERY = pytest.mark.parametrize("key", GAMES)
TYPES = {"player", "players", "card", "cards", "suit", "side"} | {
    *("integer", "boolean", "choice", "counts", "vola")
}


@pytest.fixture
def told(client: FlaskClient) -> dict[str, dict[str, Any]]:
    """Each game as it is described in Swedish."""
    return described(client, "sv")


def described(client: FlaskClient, language: str) -> dict[str, dict[str, Any]]:
    answer = client.get("/v1/games", query_string={"lang": language})
    assert answer.status_code == 200
    games: list[dict[str, Any]] = answer.get_json()["games"]
    return {game["key"]: game for game in games}


def test_every_game_is_described_in_the_order_in_which_we_keep_them(told: Any) -> None:
    assert list(told) == list(GAMES)
    for key, game in GAMES.items():
        one = told[key]
        assert one["players"] == {"min": min(game.seats), "max": max(game.seats)}
        assert one["hand_size"] == game.hand_size
        assert one["unit"] == ("points" if game.scoring else "money")
        assert ("goal" in one) == ("lowest_wins" in one) == (game.scoring is not None)


def test_a_game_for_points_tells_where_it_starts_and_where_it_ends(told: Any) -> None:
    for key, game in GAMES.items():
        if game.scoring:
            plain = game.options()
            goal = {"start": game.scoring.start(plain), "at": game.scoring.goal(plain)}
            assert told[key]["goal"] == goal
            assert told[key]["lowest_wins"] == (goal["at"] < goal["start"])


@EVERY
def test_every_option_is_listed_with_the_default_that_the_engine_takes(told: Any, key: str) -> None:
    plain = msgspec.to_builtins(GAMES[key].options())
    listed = told[key]["options"]
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
            assert len(values) == len(set(map(key_of, values))) > 1
        assert re.fullmatch(r"A-(?:PP|DK|SP|KP)-\d+|§\d\.\d", option["rule"]), option["name"]
        assert option.get("unit") in (None, "money", "points", "tricks", "cards")


def positions(option: dict[str, Any]) -> Iterator[Any]:
    """Everything that this option says it may be: its values, and the ends of its range."""
    yield from (value["value"] for value in option.get("values", []))
    if option["type"] == "integer":
        yield option["min"]
        yield option["max"]


@EVERY
def test_an_evening_can_be_opened_with_every_value_of_every_option(
    client: FlaskClient, told: Any, key: str
) -> None:
    players = [{"name": name} for name in NAMES[: told[key]["players"]["max"]]]
    for option in told[key]["options"]:
        for value in positions(option):
            asked = {option["name"]: value}
            answer = client.post(
                "/v1/sessions",
                json={"game": key, "players": players, "options": asked},
                headers={"Idempotency-Key": f"{key}-{json.dumps(asked)}"},
            )
            assert answer.status_code == 201, (asked, answer.get_json())
            kept = answer.get_json()["options"][option["name"]]
            assert (kept, type(kept)) == (value, type(value))


@EVERY
def test_what_an_option_does_not_list_is_refused(told: Any, key: str) -> None:
    for option in told[key]["options"]:
        beyond = [7_777_777_777_777, "whatever", []]
        if option["type"] == "integer":
            beyond += [option["min"] - 1, option["max"] + 1, True]
        if not option["nullable"]:
            beyond.append(None)
        for value in beyond:
            with pytest.raises(ValidationError):
                shapes.load(GAMES[key].options, {option["name"]: value})


@EVERY
def test_every_action_is_listed_with_its_fields(told: Any, key: str) -> None:
    game = GAMES[key]
    listed = {action["type"]: action for action in told[key]["actions"]}
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


@EVERY
def test_a_field_is_required_and_nullable_exactly_when_the_action_is(told: Any, key: str) -> None:
    for action in told[key]["actions"]:
        kind = shapes.COMMANDS[action["type"]]
        wrong = shapes.schema_of(kind).validate({})
        required = {field["name"] for field in action["fields"] if field["required"]}
        assert set(wrong) == required
        for field in action["fields"]:
            refused = shapes.schema_of(kind).validate({field["name"]: None}, partial=True)
            assert (field["name"] in refused) != field["nullable"]
            for value in field.get("values", []):
                assert not shapes.schema_of(kind).validate(
                    {field["name"]: value["value"]}, partial=True
                )


@EVERY
def test_a_deal_can_be_recorded_at_each_of_the_three_depths(told: Any, key: str) -> None:
    """One says the end, one the tricks, one the cards; never two of these at the same depth."""
    ends = {"result": {"result", "tricks"}, "tricks": {"trick"}, "cards": {"play"}}
    for depth, telling in ends.items():
        said = {action["type"] for action in told[key]["actions"] if depth in action["depths"]}
        others = set().union(*ends.values()) - telling
        assert len(said & telling) == 1
        assert not said & others
        assert {"open_deal", "undo"} <= said


@EVERY
def test_a_result_names_only_the_announcement_that_the_game_has(told: Any, key: str) -> None:
    announced = {a["type"] for a in told[key]["actions"]} & {"la_vola", "vole"}
    for action in told[key]["actions"]:
        if action["type"] == "result":
            fields = {field["name"] for field in action["fields"]}
            assert fields == {"winner", *announced}


# The words


def sayings(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(node, str):
        yield path, node
    else:
        for step, inner in node.items():
            yield from sayings(inner, (*path, step))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_things(language: str) -> None:
    swedish, others = dict(sayings(catalog("sv"))), dict(sayings(catalog(language)))
    assert set(swedish) ^ set(others) <= {(key, "name") for key in GAMES}
    for path, text in others.items():
        assert text == text.strip() != "", path
        assert "  " not in text, path


def test_no_sentence_was_left_untranslated() -> None:
    said = {language: dict(sayings(catalog(language))) for language in LANGUAGES}
    for one, other in combinations(LANGUAGES, 2):
        for path, text in said[one].items():
            if path[-1] in ("about", "explanation"):
                assert text != said[other][path], (path, one, other)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_has_a_label_and_one_sentence(client: FlaskClient, language: str) -> None:
    for key, game in described(client, language).items():
        assert len(re.findall(r"\.(?= |$)", game["about"])) <= 2, key
        for thing in (*game["options"], *game["actions"]):
            where = (language, key, thing.get("name", thing.get("type")))
            assert 2 <= len(thing["label"]) <= 46, where
            assert not thing["label"].endswith("."), where
            told = [thing["explanation"], *explained(thing.get("fields", []))]
            for sentence in told:
                assert re.fullmatch(r"[^.]+\.", sentence), (where, sentence)
            for value in thing.get("values", []):
                assert 2 <= len(value["label"]) <= 46, where
        labels = [option["label"] for option in game["options"]]
        assert len(set(labels)) == len(labels), (language, key)
        for option in game["options"]:
            values = [value["label"] for value in option.get("values", [])]
            assert len(set(values)) == len(values), (language, key, option["name"])


def explained(fields: list[dict[str, Any]]) -> list[str]:
    return [field["explanation"] for field in fields if "explanation" in field]


def used(key: str, told: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Where the catalogs are asked for this game, under its key and, failing that, under `all`."""
    yield from ((key, "name"), (key, "about"))
    for option in told["options"]:
        yield from of_thing(key, "options", option["name"], option)
    for action in told["actions"]:
        yield from of_thing(key, "actions", action["type"], action)
        for field in action["fields"]:
            path = ("actions", action["type"], "fields", field["name"])
            yield from of_thing(key, *path, field)


def of_thing(key: str, *path: Any) -> Iterator[tuple[str, ...]]:
    *steps, thing = path
    values = [key_of(value["value"]) for value in thing.get("values", [])]
    for part in (key, "all"):
        for word in ("label", "explanation"):
            yield (part, *steps, word)
        for value in values:
            yield (part, *steps, "values", value)
    yield from (("all", "values", value) for value in values)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_catalog_has_a_word_that_nothing_asks_for(client: FlaskClient, language: str) -> None:
    games = described(client, language)
    asked = {path for key, told in games.items() for path in used(key, told)}
    unused = {path for path, _ in sayings(catalog(language))} - asked
    assert not unused


def test_no_paragraph_is_given_for_what_no_game_has(told: Any) -> None:
    rules = catalog("rules")
    assert set(rules) == {"all", *GAMES}
    for part, entries in rules.items():
        games = told.values() if part == "all" else [told[part]]
        options = {option["name"] for game in games for option in game["options"]}
        actions = {action["type"] for game in games for action in game["actions"]}
        assert set(entries["options"]) <= options
        assert set(entries["actions"]) <= actions
        for entry in entries["actions"].values():
            assert set(entry) <= {"depths", "without"}


# Asking for it


def test_nobody_needs_a_token(client: FlaskClient) -> None:
    assert client.get("/v1/games").status_code == 200
    assert client.get("/v1/games", headers={"Authorization": "Bearer nonsense"}).status_code == 200
    assert client.post("/v1/games").status_code == 405


@pytest.mark.parametrize(
    ("query", "accepted", "spoken"),
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
def test_it_is_told_in_the_readers_language_or_in_swedish(
    client: FlaskClient, query: dict[str, str], accepted: str | None, spoken: str
) -> None:
    headers = {"Accept-Language": accepted} if accepted else {}
    answer = client.get("/v1/games", query_string=query, headers=headers)
    assert answer.headers["Content-Language"] == spoken
    assert "Accept-Language" in answer.headers["Vary"]
    assert answer.get_json()["games"][0]["about"] == catalog(spoken)[next(iter(GAMES))]["about"]


def test_who_has_it_already_is_told_so(client: FlaskClient) -> None:
    first = client.get("/v1/games")
    assert re.fullmatch(r"public, max-age=\d+", first.headers["Cache-Control"])
    tag = first.headers["ETag"]
    again = client.get("/v1/games", headers={"If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    danish = client.get("/v1/games?lang=da", headers={"If-None-Match": tag})
    assert danish.status_code == 200
    assert danish.headers["ETag"] != tag


def test_actions_that_take_several_shapes_say_both(told: Any) -> None:
    """A blind nil is one player, or where the table allows it a list of both."""
    fields = {
        (action["type"], field["name"]): field
        for game in told.values()
        for action in game["actions"]
        for field in action["fields"]
    }
    blind = fields["side_bid", "blind_nil"]
    assert (blind["type"], blind["or"]) == ("player", "players")
    one = shapes.load(c.SideBid, {"side": "p1+p3", "blind_nil": "p1", "tricks": 3})
    both = shapes.load(c.SideBid, {"side": "p1+p3", "blind_nil": ["p1", "p3"]})
    assert (one.blind_nil, both.blind_nil) == ("p1", ("p1", "p3"))
    assert fields["tricks", "taken"]["type"] == "counts"
    assert (fields["tricks", "taken"]["min"], fields["tricks", "taken"]["max"]) == (0, 13)
    assert fields["result", "vole"]["type"] == "vola"
    assert fields["hand", "cards"]["type"] == "cards"
    assert fields["side_bid", "side"]["type"] == "side"
