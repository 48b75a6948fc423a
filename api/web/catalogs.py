"""The form's catalogs as they are served: two a language, the first screens' and the other one.

The sentences of a game stand in one file for all languages, so that a game is added with one file;
the sentences that no game has for itself stand in a file a language. A phone fetches neither kind
of file but what `join_catalogs` makes of them.
"""

import json
from pathlib import Path
from typing import Any

from api.i18n.catalog import LANGUAGES

PART_SUFFIXES = {"first_screens": "", "other_screens": ".more"}
"""The parts of a game's file, and the catalog that each goes into: `sv.json` or `sv.more.json`."""


def join_catalogs(folder: Path) -> dict[str, bytes]:
    """Return each catalog as JSON under its file name, such as `sv.more.json`."""
    games = [_read(path) for path in sorted((folder / "games").glob("*.json"))]
    catalogs = {}
    for language in LANGUAGES:
        for part, suffix in PART_SUFFIXES.items():
            name = f"{language}{suffix}.json"
            catalog = _read(folder / name)
            for game in games:
                catalog |= {key: sentences[language] for key, sentences in game[part].items()}
            catalogs[name] = json.dumps(catalog, ensure_ascii=False, separators=(",", ":")).encode()
    return catalogs


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))
