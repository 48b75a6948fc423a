"""The phone form: its page and its files, a client of the public API.

These files are public and hold no names, so they alone may be sent compressed (BREACH).
"""

import json
from functools import cache
from hashlib import sha256

from flask import Blueprint, Response, abort, render_template, request

from api.http.conditional import apply_preconditions
from api.i18n.translator import preferred_language
from api.web.assets import START_MODULE, STYLESHEET, Asset, form_assets

REVALIDATE = "no-cache"
FOR_GOOD = "public, max-age=31536000, immutable"

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
    """Lead to the rule sheet of the form: every game, in the reader's language."""
    response = Response(status=302, headers={"Location": "/#/rules"})
    del response.headers["Content-Type"]  # there is no body
    return response


@cache
def _page_asset(language: str) -> Asset:
    assets = form_assets()
    text = render_template(
        "form.html",
        language=language,
        words=json.loads(assets.files[f"translations/{language}.json"].content),
        url=assets.url,
        script=START_MODULE,
        stylesheet=STYLESHEET,
    )
    return Asset(text.encode(), "text/html; charset=utf-8")


@blueprint.get("/form/<digest>/<path:path>")
def asset(digest: str, path: str) -> Response:
    """Return a file of the form, to be kept for good.

    A page from before an update may still name an older digest: it gets the file of today, which
    is not kept.
    """
    assets = form_assets()
    found = assets.files.get(path)
    if found is None:
        abort(404)
    return send_asset(found, FOR_GOOD if digest == assets.digest else REVALIDATE)


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
