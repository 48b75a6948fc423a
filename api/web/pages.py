"""The phone form: its page, scripts and translations, a client of the public API.

These files are public and hold no names, so they alone may be sent compressed (BREACH).
"""

import gzip
import json
import mimetypes
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, render_template, request

from api.http.conditional import apply_preconditions
from api.i18n.translator import preferred_language

WEB_FOLDER = Path(__file__).parent
COMPRESSED_TYPES = ("image/png", "font/")  # gzip gains nothing

blueprint = Blueprint("form", __name__, template_folder="templates")


@blueprint.get("/")
def page() -> Response:
    """Return the page with its first sentences, which show before the scripts run."""
    language = preferred_language()
    response = file_response(render_page(language).encode(), "text/html; charset=utf-8")
    response.headers["Content-Language"] = language
    response.headers["Vary"] = "Accept-Encoding, Accept-Language"
    return response


@blueprint.get("/rules")
def rules() -> Response:
    """Lead to the rule sheet of the form: every game, in the reader's language."""
    response = Response(status=302, headers={"Location": "/#/rules"})
    del response.headers["Content-Type"]  # there is no body
    return response


def render_page(language: str) -> str:
    return render_template(
        "form.html", version=newest_change(), language=language, words=_translations(language)
    )


@lru_cache
def _translations(language: str) -> dict[str, Any]:
    words = json.loads((WEB_FOLDER / "translations" / f"{language}.json").read_bytes())
    return dict(words)


@blueprint.get("/form/static/<path:path>")
def static(path: str) -> Response:
    return _static_file(WEB_FOLDER / "static", path)


@blueprint.get("/form/translations/<language>.json")
def translations(language: str) -> Response:
    return _static_file(WEB_FOLDER / "translations", f"{language}.json")


def _static_file(folder: Path, path: str) -> Response:
    """Return a file inside this folder; a path that leads out of it is not found."""
    try:
        file = (folder / path).resolve()
        is_inside = file.is_relative_to(folder) and file.is_file()
    except (ValueError, OSError):  # a NUL, or a name longer than any file has
        is_inside = False
    if not is_inside:
        abort(404)
    content_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    is_text = content_type.startswith("text/") or content_type in (
        "application/json",
        "image/svg+xml",
    )
    return file_response(
        file.read_bytes(), f"{content_type}; charset=utf-8" if is_text else content_type
    )


def file_response(content: bytes, content_type: str) -> Response:
    """Return the content with an ETag, so that a phone that has it gets a 304."""
    use_gzip = (
        not content_type.startswith(COMPRESSED_TYPES) and request.accept_encodings["gzip"] > 0
    )
    response = Response(gzip_bytes(content) if use_gzip else content, content_type=content_type)
    if use_gzip:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    response.headers["Cache-Control"] = "no-cache"
    response.set_etag(sha256(content).hexdigest()[:16] + ("-gzip" if use_gzip else ""))
    return apply_preconditions(response)


@lru_cache(maxsize=256)
def gzip_bytes(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


def newest_change() -> str:
    """Return a version that changes whenever a file of the form does."""
    newest = max((p.stat().st_mtime_ns for p in WEB_FOLDER.rglob("*") if p.is_file()), default=0)
    return f"{newest // 1_000_000:x}"
