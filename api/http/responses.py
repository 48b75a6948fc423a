"""JSON responses, with their ETags."""

from hashlib import sha256
from importlib.metadata import version as distribution_version
from typing import Any

import msgspec
from flask import Response, g, request
from werkzeug.datastructures import Headers
from werkzeug.http import parse_dict_header

from api.http.conditional import apply_preconditions
from api.http.json_body import JSON
from api.i18n.translator import request_translator
from ledger.groups.stored_replies import GroupReply
from ledger.proofs.signing_key import SigningKey
from ledger.session.session_state import SessionState
from ledger.store.append_request import StoredReply

REVALIDATE = "private, no-cache"
"""Only the reader's own cache may keep a response, and asks each time whether it still holds."""
PRODUCT_VERSION = distribution_version("vola")


class JsonResponse(Response):
    """A response whose headers are sent as they are, unless its body is left out.

    Werkzeug would copy and check all headers once more, to encode a Location or to count the bytes:
    here they are ASCII, and the length is set.
    """

    def get_wsgi_headers(self, environ: dict[str, Any]) -> Headers:
        has_body = self.status_code not in (204, 304)
        return self.headers if has_body else super().get_wsgi_headers(environ)


def json_response(
    value: Any, version: int | None = None, status: int = 200, cache_control: str = REVALIDATE
) -> Response:
    """Return `value` as JSON, with the version as its ETag if it has one."""
    headers = [("Content-Type", JSON), ("Cache-Control", cache_control)]
    if version is not None:
        headers.append(("ETag", f'"{version}"'))
    return JsonResponse(msgspec.json.encode(value), status, headers)


def session_response(session: SessionState, view: dict[str, Any], *variant: str) -> Response:
    """Return a view of the session as JSON, with the version that it shows, or 304.

    `variant` is what the view depends on beside the version (see `tag_response`).
    """
    response = json_response({**view, "version": session.version})
    return tag_response(response, str(session.version), *variant)


def content_tagged_response(value: Any) -> Response:
    """Return 304, or `value` as JSON with a digest of it as ETag, where it has no version."""
    response = json_response(value)
    return tag_response(response, sha256(response.data).hexdigest()[:16])


def tag_response(response: Response, *parts: str) -> Response:
    """Set the ETag and return the response, or 304 if the client has it already.

    The parts are the version, and what else the representation depends on, such as its language
    and format: `"14-sv-csv-1f2e3d4c"`. `If-Match` of a write reads the version alone.
    """
    response.set_etag("-".join(parts))
    return apply_preconditions(response)


def key_variant(key: SigningKey) -> list[str]:
    """Return the part of the ETag of a signed document for a key that is not the book's first."""
    return [f"k{len(key.earlier_keys)}"] if key.earlier_keys else []


def text_variant(language: str) -> tuple[str, str]:
    """Return the parts of the ETag of a view with sentences: the language, and a digest of what can
    change without a new version of the session: its title and names, and the sentences with
    another version of Vola."""
    texts = sha256(repr((g.metadata.title, g.metadata.names, PRODUCT_VERSION)).encode())
    return language, texts.hexdigest()[:8]


def reply_response(
    reply: StoredReply | GroupReply, view: dict[str, Any], created: str = ""
) -> Response:
    """Return the reply to a write as JSON, whether it was made now or earlier. `created` is the
    path of what the write created, below that of the session or group."""
    if isinstance(reply, StoredReply):
        version, target = reply.version, f"/v1/sessions/{reply.session_id}"
    else:
        version, target = None, f"/v1/groups/{reply.group_id}"
    response = json_response(view, version, reply.status)
    if reply.status == 201:
        response.headers.add("Location", target + created)
    if reply.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return response


def prefers_minimal() -> bool:
    """Return whether `Prefer: return=minimal` (RFC 7240) asks for no more than a receipt."""
    header = request.headers.get("Prefer")
    return header is not None and parse_dict_header(header).get("return") == "minimal"


def worded_response(session: SessionState, view: dict[str, Any]) -> Response:
    """Return a view of the session with sentences in the reader's language as JSON, or 304."""
    language = request_translator().language
    response = tag_response(json_response(view), str(session.version), *text_variant(language))
    return set_language(response, language)


def set_language(response: Response, language: str) -> Response:
    """Mark the response as written in `language`, which Accept-Language chose."""
    response.vary.add("Accept-Language")
    response.headers["Content-Language"] = language
    return response
