"""The phone form: its page and its files, and what makes it an installable app that works offline.

These files are public and hold no names, so they alone may be sent compressed (BREACH). Browsers
use the service worker and the manifest over https and on localhost only.
"""

import json
from functools import cache
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, abort, render_template, request
from werkzeug.exceptions import NotFound

from api.http.conditional import apply_preconditions
from api.http.problems import problem_response
from api.i18n.catalog import text
from api.i18n.translator import preferred_language, request_translator
from api.web.assets import START_MODULE, STYLESHEET, WORKER_FILE, Asset, form_assets, public_paths

REVALIDATE = "no-cache"
IMMUTABLE = "public, max-age=31536000, immutable"

blueprint = Blueprint("form", __name__, template_folder="templates")


@blueprint.get("/")
def page() -> Response:
    """Return the page with its first sentences, which show before the scripts run."""
    language = preferred_language()
    response = send_asset(_page_asset(language))
    response.headers["Content-Language"] = language
    response.headers["Vary"] = "Accept-Encoding, Accept-Language"
    return response


@blueprint.get("/rules")
def rules() -> Response:
    """Redirect to the rule sheet of the form: every game, in the reader's language."""
    response = Response(status=302, headers={"Location": "/#/rules"})
    del response.headers["Content-Type"]  # there is no body
    return response


@blueprint.app_errorhandler(NotFound)
def missing_page(_: NotFound) -> Response:
    """Return a problem, which a browser shows as a page with the way to the start page.

    A link whose `#` is encoded leads a browser to its screen.
    """
    response = problem_response(404, "not_found")
    accepted = request.accept_mimetypes
    is_browser = accepted["text/html"] > accepted["application/problem+json"]
    if is_browser and request.path.startswith("/#/"):  # another app has encoded the `#` of a link
        response = Response(status=302, headers={"Location": quote(request.path, safe="/#")})
        del response.headers["Content-Type"]  # there is no body
    elif is_browser and not request.path.startswith("/v1/"):
        translator = request_translator()
        language, title = translator.language, translator.problem_detail("not_found", {})
        response.set_data(
            render_template(
                "missing_page.html", language=language, title=title, words=_words(language)
            )
        )
        response.content_type = "text/html; charset=utf-8"
    return response


@cache
def _words(language: str) -> dict[str, Any]:
    words: dict[str, Any] = json.loads(form_assets().files[f"translations/{language}.json"].content)
    return words


@cache
def _page_asset(language: str) -> Asset:
    assets = form_assets()
    content = render_template(
        "form.html",
        language=language,
        words=_words(language),
        url=assets.url,
        script=START_MODULE,
        stylesheet=STYLESHEET,
    )
    return Asset(content.encode(), "text/html; charset=utf-8")


@blueprint.get("/form/<digest>/<path:path>")
def asset(digest: str, path: str) -> Response:
    """Return a file of the form, to be kept for good.

    A page from before an update may still name an older digest: it gets the file of today, which
    is not kept.
    """
    assets = form_assets()
    asset = assets.files.get(path)
    if asset is None:
        abort(404)
    return send_asset(asset, IMMUTABLE if digest == assets.digest else REVALIDATE)


def send_asset(asset: Asset, cache_control: str = REVALIDATE) -> Response:
    """Return the content with an ETag, so that a phone that has it gets a 304."""
    compressed = asset.compressed if request.accept_encodings["gzip"] > 0 else None
    response = Response(compressed or asset.content, content_type=asset.content_type)
    if compressed is not None:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    response.headers["Cache-Control"] = cache_control
    suffix = "" if compressed is None else "-gzip"
    response.set_etag(sha256(asset.content).hexdigest()[:16] + suffix)
    return apply_preconditions(response)


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
    """Return what a browser needs to know to install the form as an app."""
    description = text(preferred_language(), "manifest.description")
    content = render_template(
        "manifest.webmanifest", description=description, url=form_assets().url
    )
    return send_asset(Asset(content.encode(), "application/manifest+json; charset=utf-8"))
