"""The four catalogs have the same sentences: none missing or unused, and every placeholder
filled."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from api.i18n.catalog import LANGUAGES, game_catalog
from api.i18n.catalog import catalog as server_catalog
from api.i18n.message import OPERAND
from api.web.assets import (
    LAZY_IMPORT,
    PART_SUFFIXES,
    START_MODULE,
    imported_modules,
    join_catalogs,
    resolve,
)
from engine.games.registry import GAMES
from tests.support.browser.form_sources import CALL, CHOICE, read_modules

FORM = Path(__file__).parents[2] / "api" / "web"


@cache
def catalog(language: str) -> dict[str, Any]:
    """Return the whole catalog: what comes with the page, and what is fetched when first needed."""
    first_screens, other_screens = served_catalogs(language)
    assert not first_screens.keys() & other_screens.keys(), f"{language}: a key stands twice"
    return first_screens | other_screens


def served_catalogs(language: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return both catalogs as a phone fetches them, with the sentences of the games in them."""
    catalogs = join_catalogs(FORM / "translations")
    return json.loads(catalogs[f"{language}.json"]), json.loads(catalogs[f"{language}.more.json"])


def test_catalogs_repeat_no_key_and_games_have_every_language() -> None:
    folder, games = FORM / "translations", (FORM / "translations" / "games").glob("*.json")
    pairs_of_games = [json.loads(file.read_text("utf-8"), object_pairs_hook=list) for file in games]
    for pairs in pairs_of_games:
        assert {name for name, _ in pairs} == set(PART_SUFFIXES)
        for part, _ in pairs:
            for key, sentences in dict(pairs)[part]:
                assert tuple(name for name, _ in sentences) == LANGUAGES, key
    for language in LANGUAGES:
        for part, suffix in PART_SUFFIXES.items():
            text = (folder / f"{language}{suffix}.json").read_text("utf-8")
            keys = [key for key, _ in json.loads(text, object_pairs_hook=list)]
            keys += [key for pairs in pairs_of_games for key, _ in dict(pairs)[part]]
            assert not {key for key in keys if keys.count(key) > 1}


def forms(sentence: Any) -> list[str]:
    return list(sentence.values()) if isinstance(sentence, dict) else [sentence]


def holes(sentence: Any) -> set[str]:
    return {name for form in forms(sentence) for name, _ in OPERAND.findall(form)} - {"count"}


@cache
def used() -> tuple[frozenset[str], frozenset[str]]:
    """Return the keys named outright in the scripts, and patterns for those put together there."""
    keys: set[str] = set()
    patterns: set[str] = set()
    for script in (FORM / "static").rglob("*.js"):
        text = script.read_text("utf-8")
        keys.update(key for pair in CHOICE.findall(text) for key in pair)
        for plain, pattern in CALL.findall(text):
            if plain:
                keys.add(plain)
            elif "${" in pattern:
                patterns.add(re.sub(r"\\\$\\\{.*?\\\}", "[^.]+", re.escape(pattern)))
            else:
                keys.add(pattern)
    return frozenset(keys), frozenset(patterns)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_sentence(language: str) -> None:
    assert catalog(language).keys() == catalog("sv").keys()
    assert all(form.strip() for sentence in catalog(language).values() for form in forms(sentence))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_has_the_same_placeholders(language: str) -> None:
    ours, swedish = catalog(language), catalog("sv")
    assert {k: holes(v) for k, v in ours.items()} == {k: holes(v) for k, v in swedish.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_plural_sentences_have_the_forms_the_language_needs(language: str) -> None:
    plural = [v for v in catalog(language).values() if isinstance(v, dict)]
    assert plural
    assert all(set(sentence) == {"one", "other"} for sentence in plural)


def test_every_key_in_the_scripts_has_a_sentence() -> None:
    keys, patterns = used()
    assert sorted(keys - catalog("sv").keys()) == []
    unmatched = [p for p in patterns if not any(re.fullmatch(p, key) for key in catalog("sv"))]
    assert unmatched == []


@pytest.mark.parametrize("game", GAMES)
def test_every_game_says_what_it_is_about_and_explains_its_topics(game: str) -> None:
    """The keys of these sentences are put together, so the search above finds them in any game."""
    module = read_modules()[f"static/games/{game}.js"]
    lists = re.findall(r"(?:topics: \[|hints: \{|help: \{)([^\]}]+)", module)
    topics = {topic for names in lists for topic in re.findall(r"'(\w+)'", names)}
    assert topics
    keys = {f"help.{topic}.{part}" for topic in topics for part in ("title", "body")}
    assert {f"game.{game}", f"game.{game}.about", *keys} - catalog("sv").keys() == set()


def test_no_catalog_has_an_unused_sentence() -> None:
    keys, patterns = used()
    left = [
        key
        for key in catalog("sv")
        if key not in keys and not any(re.fullmatch(p, key) for p in patterns)
    ]
    assert left == []


LABELS_OF_TEXTS = {"card.said", "result.trump", "share.code", "access.since"}
"""Sentences that may contain another one: a label with its value, or the name of a card. The value
does not depend on the rest."""
PIECES = re.compile(r"\bt\(['`]([^'`]+)['`],\s*\{[^{}]*\bt\(")


def test_no_sentence_is_put_together_from_pieces() -> None:
    for path, text in read_modules().items():
        assert set(PIECES.findall(text)) <= LABELS_OF_TEXTS, path
        assert "${t(" not in text, path
        assert not re.search(r"\bt\([^()]*\) \+|\+ t\(", text), path


def keys_said_by(text: str, catalog_keys: Iterable[str]) -> set[str]:
    """Return the keys that a module's text asks for, also those put together there."""
    plain = {key for pair in CHOICE.findall(text) for key in pair}
    patterns = set()
    for key, template in CALL.findall(text):
        plain.add(key or template)
        patterns.add(re.sub(r"\\\$\\\{.*?\\\}", "[^.]+", re.escape(template)))
    return {
        key
        for key in catalog_keys
        if key in plain or any(re.fullmatch(pattern, key) for pattern in patterns if pattern)
    }


LOADED_WITH_THEM = "static/core/session_forecast.js"
"""The session store loads this module and the second catalog at once."""
ROUTER, GROUP_ROUTER = "static/app/router.js", "static/app/group_router.js"
WITH_CATALOG = re.compile(
    r"\['([^\]]+)'\]\.includes\(name\);.*?\|\| loadAllSentences\(\)", re.DOTALL
)
LOADER = re.compile(r"^  '?([\w-]+)'?: .*?import\('(\.[^']+)'\)", re.MULTILINE)


def modules_opened_with_the_catalog(texts: dict[str, str]) -> set[str]:
    """Return the screens with which the router loads the second catalog, of groups as well."""
    excepted = WITH_CATALOG.search(texts[ROUTER])
    assert excepted
    names = set(excepted[1].split("', '"))
    screens = dict(LOADER.findall(texts[ROUTER]))
    assert names < screens.keys()
    targets = {resolve(ROUTER, screens[name]) for name in screens.keys() - names}
    assert GROUP_ROUTER in targets
    of_groups = LOADER.findall(texts[GROUP_ROUTER])
    return targets | {resolve(GROUP_ROUTER, target) for _, target in of_groups}


def test_a_module_loads_the_catalog_whose_sentences_it_says() -> None:
    """The first screens have one catalog; a module that says anything else loads the second one."""
    _, later = served_catalogs("sv")
    texts = read_modules()
    first_screens = imported_modules(texts, START_MODULE)
    said_keys = {path: keys_said_by(text, later) for path, text in texts.items()}
    loads = {path for path, text in texts.items() if "loadAllSentences(" in text}
    assert [path for path in first_screens if said_keys[path] and path not in loads] == []
    opened = {
        resolve(path, target.replace("${key}", key))
        for path, text in texts.items()
        for target in LAZY_IMPORT.findall(text)
        for key in GAMES
    }
    for start in opened - {LOADED_WITH_THEM} - modules_opened_with_the_catalog(texts):
        needed = set(imported_modules(texts, start)) - set(first_screens)
        assert needed & loads or not any(said_keys[path] for path in needed), start
    assert any(said_keys.values())


FORBIDDEN = {
    "sv": r"krets|sigill|förseg|dörr|knack",
    "en": r"circle|\bseal|door|knock|nought|whoever",
    "da": r"kreds|segl|\bdør|\bbank(er|et|e) ?på",
    "de": r"siegel|klopf|\btür|alleinspieler|medlem|spelare",
}
"""Words that users must not read: internal names, quaint words, words of another language."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_uses_a_word_that_players_do_not_say(language: str) -> None:
    texts = {
        "form": catalog(language),
        "server": server_catalog(language),
        "games": game_catalog(language),
    }
    for name, sentences in texts.items():
        for key, sentence in spoken(sentences):
            match = re.search(FORBIDDEN[language], sentence, re.IGNORECASE)
            assert not match, (name, key, sentence)


def spoken(sentences: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every sentence, without the names of its placeholders."""
    if isinstance(sentences, str):
        yield path, re.sub(r"\{\w+\}", "…", sentences)
    else:
        for key, value in sentences.items():
            yield from spoken(value, f"{path}.{key}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_topic_of_the_rules_has_one_name_in_every_game(language: str) -> None:
    names = {
        key: name for key, name in catalog(language).items() if re.match(r"help\..*title", key)
    }
    swedish = {key: catalog("sv")[key] for key in names}
    assert len(set(swedish.values())) < len(swedish), "topics that several games have"
    assert len({*zip(swedish.values(), names.values(), strict=True)}) == len({*swedish.values()})


@pytest.mark.parametrize(
    ("language", "wrong"), [("sv", "“„«»"), ("en", "„«»”"), ("da", "“”„"), ("de", "«»”")]
)
def test_quotation_marks_are_those_of_the_language(language: str, wrong: str) -> None:
    marks = {"“": "”"} if language == "en" else {}
    for key, sentence in spoken(catalog(language)):
        plain = re.sub("“([^“”]*)”", r"\1", sentence) if marks else sentence
        assert not set(wrong) & set(plain), (key, sentence)
        assert not re.search(r"\w'\w", sentence), (key, sentence)


@pytest.mark.parametrize(
    ("language", "phrase"),
    [("sv", "för varje stick som fattas"), ("en", "for each trick missing"),
     ("da", "for hvert stik, der mangler"), ("de", "für jeden fehlenden Stich")],
)  # fmt: skip
def test_a_missed_bid_of_spader_costs_ten_for_each_missing_trick(
    language: str, phrase: str
) -> None:
    """docs/rules.md §3.3: −10·(n−T), not −10."""
    assert phrase in catalog(language)["help.spader_score.body"]
