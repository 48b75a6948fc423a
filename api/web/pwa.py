"""The form without a network: what a phone keeps of it, and how it gets a place among its apps.

Browsers let a page be kept only over https and on localhost; elsewhere nobody asks for these.
"""

import json
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from flask import Blueprint, Response

from api.form import HERE, sent, text_of_page
from api.words import asked_for

WORKER = HERE / "static" / "offline" / "worker.js"
NAME = "Vola"
NIGHT = "#0a110f"
ICONS = (
    {"src": "/form/static/icon.svg", "sizes": "any", "type": "image/svg+xml"},
    *(
        {
            "src": f"/form/static/icons/{size}.png",
            "sizes": f"{size}x{size}",
            "type": "image/png",
            "purpose": purpose,
        }
        for size in (192, 512)
        for purpose in ("any", "maskable")
    ),
)
"""A mask cuts nothing off: what is drawn stands in the middle four fifths."""

blueprint = Blueprint("offline", __name__)


@blueprint.get("/form/worker.js")
def worker() -> Response:
    """Whole in itself: a new one differs, and so the browser knows that there is something new."""
    files = kept()
    text = f"const FILES = {json.dumps(files)};\nconst VERSION = '{_of(files)}';\n"
    response = sent((text + WORKER.read_text("utf-8")).encode(), "text/javascript; charset=utf-8")
    response.headers["Service-Worker-Allowed"] = "/"
    return response


@blueprint.get("/form/manifest.webmanifest")
def manifest() -> Response:
    about = {
        "id": "/",
        "name": NAME,
        "short_name": NAME,
        "description": WHAT[asked_for()],
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": NIGHT,
        "theme_color": NIGHT,
        "icons": ICONS,
    }
    raw = json.dumps(about, ensure_ascii=False).encode()
    return sent(raw, "application/manifest+json; charset=utf-8")


WHAT = {
    "sv": "Håller reda på pott, betar och poäng vid kortbordet.",
    "en": "Keeps score and money at the card table.",
    "da": "Holder styr på pulje, bet og point ved kortbordet.",
    "de": "Führt am Kartentisch Buch über Topf, Bets und Punkte.",
}


def kept() -> list[str]:
    """The addresses of everything the form may ever want: its page, scripts, pictures, words."""
    here = [path for path in HERE.rglob("*") if path.is_file() and path != WORKER]
    public = [path for path in here if path.relative_to(HERE).parts[0] in PUBLIC]
    return ["/", *sorted(f"/form/{path.relative_to(HERE).as_posix()}" for path in public)]


PUBLIC = ("static", "translations")


def _of(files: list[str]) -> str:
    """Another one whenever a file of the form is another one."""
    seals = [_seal(HERE / name.removeprefix("/form/")) for name in files[1:]]
    whole = text_of_page("sv") + "\n".join([*files, *seals]) + WORKER.read_text("utf-8")
    return sha256(whole.encode()).hexdigest()[:16]


def _seal(path: Path) -> str:
    about = path.stat()
    return _read(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=1024)
def _read(path: Path, _changed: int, _size: int) -> str:
    return sha256(path.read_bytes()).hexdigest()
