"""What makes the form an installable app that works offline: service worker and manifest.

Browsers use these over https and on localhost only.
"""

import json

from flask import Blueprint, Response

from api.i18n.translator import preferred_language
from api.web.assets import WORKER_FILE, Asset, form_assets, public_paths
from api.web.pages import send_asset

APP_NAME = "Vola"
BACKGROUND_COLOR = "#0a110f"
DESCRIPTIONS = {
    "sv": "Håller reda på pott, betar och poäng vid kortbordet.",
    "en": "Keeps score and money at the card table.",
    "da": "Holder styr på pulje, beter og point ved kortbordet.",
    "de": "Führt am Kartentisch Buch über Pott, Beten und Punkte.",
}

blueprint = Blueprint("offline", __name__)


@blueprint.get("/form/worker.js")
def worker() -> Response:
    """Return the service worker; its text changes with any file, so browsers notice updates."""
    assets = form_assets()
    urls = ["/", *(assets.url(path) for path in public_paths())]
    head = f"const FILES = {json.dumps(urls)};\nconst VERSION = '{assets.digest}';\n"
    script = assets.files[WORKER_FILE]
    response = send_asset(Asset(head.encode() + script.content, script.content_type))
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
        "icons": icons(),
    }
    raw = json.dumps(manifest_fields, ensure_ascii=False).encode()
    return send_asset(Asset(raw, "application/manifest+json; charset=utf-8"))


def icons() -> list[dict[str, str]]:
    """List the icons; they are maskable: the drawing stays within the middle four fifths."""
    url = form_assets().url
    scalable = {"src": url("static/icon.svg"), "sizes": "any", "type": "image/svg+xml"}
    pictures = [
        {
            "src": url(f"static/icons/{size}.png"),
            "sizes": f"{size}x{size}",
            "type": "image/png",
            "purpose": purpose,
        }
        for size in (192, 512)
        for purpose in ("any", "maskable")
    ]
    return [scalable, *pictures]
