"""The form's scripts and the texts that they ask for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

FORM = Path(__file__).parents[3] / "api" / "web"


STATIC = FORM / "static"


IMPORT = re.compile(r"^import .*?from '(\./[^']+|\.\./[^']+)'", re.MULTILINE | re.DOTALL)


def imported(script: Path, scripts: frozenset[Path] = frozenset()) -> frozenset[Path]:
    """The script and everything it cannot start without."""
    if script in scripts:
        return scripts
    scripts |= {script}
    for name in IMPORT.findall(script.read_text("utf-8")):
        scripts = imported((script.parent / name).resolve(), scripts)
    return scripts


CALL = re.compile(r"""\bt\(\s*(?:'([^']+)'|`([^`]+)`)""")


CHOICE = re.compile(r"""\bt\(\s*[^'`,)]+\?\s*'([^']+)'\s*:\s*'([^']+)'""")


def missing_sentences(scripts: Iterable[Path], catalogs: Iterable[str]) -> list[str]:
    """Return the keys that the scripts ask for and none of these catalogs has."""
    texts = [script.read_text("utf-8") for script in scripts]
    keys = {key for text in texts for key, _ in CALL.findall(text) if key}
    keys |= {key for text in texts for pair in CHOICE.findall(text) for key in pair}
    files = [FORM / "translations" / name for name in catalogs]
    return sorted(keys - {key for file in files for key in json.loads(file.read_text("utf-8"))})


def imported_module(path: str = "app/main.js") -> str:
    """Return JavaScript that imports a module of the form, in a page that shows the form.

    The modules of the first screens are joined: `app/main.js` exports all their names.
    """
    return f"import(new URL('../{path}', document.querySelector('script[type=module]').src))"
