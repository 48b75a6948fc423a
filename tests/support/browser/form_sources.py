"""The form's scripts, and the sentences that they ask for."""

from __future__ import annotations

import re
from pathlib import Path

from api.web.assets import verifier_modules

FORM = Path(__file__).parents[3] / "api" / "web"
STATIC = FORM / "static"
CALL = re.compile(r"""\bt\(\s*(?:'([^']+)'|`([^`]+)`)""")


CHOICE = re.compile(r"""\bt\(\s*[^'`,)]+\?\s*'([^']+)'\s*:\s*'([^']+)'""")


def read_modules() -> dict[str, str]:
    """Return the text of each module of the form, by its path below `api/web`; those of the
    verifier in the form in which the form imports them."""
    own = {
        path.relative_to(FORM).as_posix(): path.read_text("utf-8")
        for path in sorted(STATIC.rglob("*.js"))
        if path.name != "sw.js"
    }
    return own | verifier_modules()


def imported_module(path: str = "app/main.js") -> str:
    """Return JavaScript that imports a module of the form, in a page that shows the form.

    The modules of the first screens are joined: `app/main.js` exports all their names.
    """
    return f"import(new URL('../{path}', document.querySelector('script[type=module]').src))"
