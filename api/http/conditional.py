"""Conditional requests: If-Match and If-None-Match (RFC 9110 §13). Every 412 is made here.

A write whose If-Match names an old version is refused by the event store (VersionConflict): 412
`stale_version`. A read whose If-Match names another representation: 412 `precondition_failed`.
"""

import re

from flask import Flask, Response, request
from werkzeug.exceptions import PreconditionFailed

from api.http.problems import Problem, problem_response, register_refusal
from ledger.store.append_request import ExpectedVersion, VersionConflict, VersionRequired


def register(app: Flask) -> None:
    """Answer a stale or missing If-Match with a problem."""
    app.register_error_handler(VersionConflict, _stale_version)
    register_refusal(app, VersionRequired, 428, "version_required")


def read_expected_version() -> ExpectedVersion:
    """Return the version named in If-Match. Raise Problem 400 if that is not
    an ETag of this API."""
    header = request.headers.get("If-Match")
    if header is None:
        return "missing"
    if header.strip() == "*":
        return "any"
    version_tag = re.fullmatch(r'"([1-9][0-9]{0,8})(?:-[a-z0-9-]+)?"', header.strip())
    if version_tag is None:
        raise Problem(400, "if_match_malformed")
    return int(version_tag[1])


def apply_preconditions(response: Response) -> Response:
    """Return the response to a read, as 304 when `If-None-Match` names its ETag.

    Raise PreconditionFailed (412) when `If-Match` names another one (RFC 9110 §13.2.2).
    """
    if request.method not in ("GET", "HEAD"):
        return response
    tag, _ = response.get_etag()
    assert tag is not None, "the response has an ETag"
    required = request.if_match  # Werkzeug would compare `*` as a tag
    if required and not (required.star_tag or required.is_strong(tag)):
        raise PreconditionFailed
    if request.if_none_match.contains_weak(tag):
        response.status_code = 304
    return response


def _stale_version(conflict: VersionConflict) -> Response:
    headers = {"ETag": f'"{conflict.actual}"'}
    return problem_response(412, "stale_version", headers, actual=conflict.actual)
