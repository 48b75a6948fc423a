"""The form's catalogs as they are served: two a language, the first screens' and the other one.

The sentences of a game stand in one file for all languages, so that a game is added with one file;
the sentences that no game has for itself stand in a file a language. A phone fetches neither kind
of file but what `join_catalogs` makes of them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from api.i18n.catalog import LANGUAGES

PART_SUFFIXES = {"first_screens": "", "other_screens": ".more"}
"""The parts of a game's file, and the catalog that each goes into: `sv.json` or `sv.more.json`."""

Pairs = list[tuple[str, Any]]


def join_catalogs(folder: Path) -> dict[str, bytes]:
    """Return each catalog as JSON under its file name, such as `sv.more.json`.

    AssertionError when a key stands twice, or a game's sentence lacks a language.
    """
    games = [_read_pairs(path) for path in sorted((folder / "games").glob("*.json"))]
    return {
        f"{language}{suffix}.json": _join_catalog(
            [
                *_read_pairs(folder / f"{language}{suffix}.json"),
                *(pair for game in games for pair in _game_sentences(game, part, language)),
            ]
        )
        for language in LANGUAGES
        for part, suffix in PART_SUFFIXES.items()
    }


def _read_pairs(path: Path) -> Pairs:
    """Return the pairs of an object, also those under the same key; objects inside as well."""
    pairs: Pairs = json.loads(path.read_text("utf-8"), object_pairs_hook=list) or []
    return pairs


def _game_sentences(game: Pairs, part: str, language: str) -> Iterator[tuple[str, Any]]:
    assert {name for name, _ in game} == set(PART_SUFFIXES)
    for key, sentences in dict(game)[part]:
        assert [name for name, _ in sentences] == list(LANGUAGES), key
        yield key, dict(sentences)[language]


def _join_catalog(pairs: Pairs) -> bytes:
    keys = [key for key, _ in pairs]
    duplicates = {key for key in keys if keys.count(key) > 1}
    assert not duplicates, f"two sentences have the same key: {sorted(duplicates)}"
    catalog = {
        key: dict(sentence) if isinstance(sentence, list) else sentence for key, sentence in pairs
    }
    return json.dumps(catalog, ensure_ascii=False, separators=(",", ":")).encode()
