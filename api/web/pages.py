"""The phone form: a page and its modules, a client of the same API as everybody else.

Its files are public and hold no names, so they are the ones that may be sent compressed.
"""

import gzip
import json
import mimetypes
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, render_template, request

from api.preconditions import conditional
from api.words import asked_for

HERE = Path(__file__).parent
WORDLESS = ("image/png", "font/")  # already compressed by what they are

blueprint = Blueprint("form", __name__, template_folder="templates")


@blueprint.get("/")
def page() -> Response:
    """With the first sentences in it, so that there is something to read before the form runs."""
    language = asked_for()
    response = sent(text_of_page(language).encode(), "text/html; charset=utf-8")
    response.headers["Content-Language"] = language
    response.headers["Vary"] = "Accept-Encoding, Accept-Language"
    return response


def text_of_page(language: str) -> str:
    return render_template(
        "form.html", version=version(), language=language, words=_words(language)
    )


@lru_cache
def _words(language: str) -> dict[str, Any]:
    words = json.loads((HERE / "translations" / f"{language}.json").read_bytes())
    return dict(words)


@blueprint.get("/form/static/<path:path>")
def static(path: str) -> Response:
    return _file(HERE / "static", path)


@blueprint.get("/form/translations/<language>.json")
def translations(language: str) -> Response:
    return _file(HERE / "translations", f"{language}.json")


def _file(folder: Path, path: str) -> Response:
    """A file inside this folder; anything that leads out of it is not found."""
    try:
        found = (folder / path).resolve()
        inside = found.is_relative_to(folder) and found.is_file()
    except (ValueError, OSError):  # a NUL, or a name longer than any file has
        inside = False
    if not inside:
        abort(404)
    kind = mimetypes.guess_type(found.name)[0] or "application/octet-stream"
    text = kind.startswith("text/") or kind in ("application/json", "image/svg+xml")
    return sent(found.read_bytes(), f"{kind}; charset=utf-8" if text else kind)


def sent(raw: bytes, kind: str) -> Response:
    """With an ETag, so that a phone asks again and is told that nothing has changed."""
    packed = not kind.startswith(WORDLESS) and request.accept_encodings["gzip"] > 0
    response = Response(compressed(raw) if packed else raw, content_type=kind)
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    response.headers["Cache-Control"] = "no-cache"
    response.set_etag(sha256(raw).hexdigest()[:16] + ("-gzip" if packed else ""))
    return conditional(response)


@lru_cache(maxsize=256)
def compressed(raw: bytes) -> bytes:
    return gzip.compress(raw, 9, mtime=0)


def version() -> str:
    """Changes whenever a file of the form does."""
    newest = max((p.stat().st_mtime_ns for p in HERE.rglob("*") if p.is_file()), default=0)
    return f"{newest // 1_000_000:x}"
