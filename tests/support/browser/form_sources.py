"""The form's scripts and the texts that they ask for."""

from __future__ import annotations

import re
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
