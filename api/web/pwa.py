"""What makes the form an installable app that works offline: service worker and manifest.

Browsers use these over https and on localhost only.
"""

import json
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from flask import Blueprint, Response

from api.i18n.translator import preferred_language
from api.web.pages import WEB_FOLDER, file_response, render_page

WORKER_FILE = WEB_FOLDER / "static" / "sw.js"
APP_NAME = "Vola"
BACKGROUND_COLOR = "#0a110f"
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
"""They are maskable: the drawing stays within the middle four fifths."""

blueprint = Blueprint("offline", __name__)


@blueprint.get("/form/worker.js")
def worker() -> Response:
    """Return the service worker; its text changes with any file, so browsers notice updates."""
    urls = public_urls()
    text = f"const FILES = {json.dumps(urls)};\nconst VERSION = '{_files_version(urls)}';\n"
    response = file_response(
        (text + WORKER_FILE.read_text("utf-8")).encode(), "text/javascript; charset=utf-8"
    )
    response.headers["Service-Worker-Allowed"] = "/"
    return response


@blueprint.get("/form/manifest.webmanifest")
def manifest() -> Response:
    manifest_fields = {
        "id": "/",
        "name": APP_NAME,
        "short_name": APP_NAME,
        "description": DESCRIPTIONS[preferred_language()],
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": BACKGROUND_COLOR,
        "theme_color": BACKGROUND_COLOR,
        "icons": ICONS,
    }
    raw = json.dumps(manifest_fields, ensure_ascii=False).encode()
    return file_response(raw, "application/manifest+json; charset=utf-8")


DESCRIPTIONS = {
    "sv": "Håller reda på pott, betar och poäng vid kortbordet.",
    "en": "Keeps score and money at the card table.",
    "da": "Holder styr på pulje, beter og point ved kortbordet.",
    "de": "Führt am Kartentisch Buch über Pott, Beten und Punkte.",
}


def public_urls() -> list[str]:
    """List the URLs that the service worker caches: page, scripts, pictures, translations."""
    files = [path for path in WEB_FOLDER.rglob("*") if path.is_file() and path != WORKER_FILE]
    public = [path for path in files if path.relative_to(WEB_FOLDER).parts[0] in PUBLIC_FOLDERS]
    return ["/", *sorted(f"/form/{path.relative_to(WEB_FOLDER).as_posix()}" for path in public)]


PUBLIC_FOLDERS = ("static", "translations")


def _files_version(urls: list[str]) -> str:
    """Return a version that changes with the content of any file of the form."""
    hashes = [_file_hash(WEB_FOLDER / name.removeprefix("/form/")) for name in urls[1:]]
    content = render_page("sv") + "\n".join([*urls, *hashes]) + WORKER_FILE.read_text("utf-8")
    return sha256(content.encode()).hexdigest()[:16]


def _file_hash(path: Path) -> str:
    status = path.stat()
    return _content_hash(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=1024)
def _content_hash(path: Path, _changed: int, _size: int) -> str:
    return sha256(path.read_bytes()).hexdigest()
