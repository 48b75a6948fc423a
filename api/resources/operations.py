"""Operations: is the process alive, is it ready, its metrics, and the contract of the API."""

from functools import cache

from flask import Blueprint, Response, abort, current_app, render_template, request
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

import migrations
from api.http.app_state import automatic_backups, event_store
from api.http.client_address import read_client_address
from api.http.responses import json_response
from api.http.security_headers import is_domain_name
from api.observability.metrics import BookCollector, RequestCounters
from api.representations.openapi_document import assemble_document, encode_document
from api.representations.openapi_page import page_context
from ledger.operations import health

blueprint = Blueprint("operations", __name__)

PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Real-Ip")
LATE_MICROSECONDS = 30_000_000
"""A payment that is due for longer than this means that no worker settles."""


@blueprint.get("/healthz")
def healthz() -> Response:
    """Return that the process is alive, and nothing of what it depends on."""
    return json_response({"status": "alive"}, cache_control="no-store")


@blueprint.get("/readyz")
def readyz() -> Response:
    """Return 200 when sessions can be played and payments are settled, else 503 with reasons."""
    book = health.read_health(event_store().pool, (step.name for step in migrations.STEPS))
    reasons: list[str] = [book.fault] if book.fault else []
    if not book.fault and (not book.is_writable or _request_counters().disk_full):
        reasons.append("database_read_only")
    if book.oldest_due_micros > LATE_MICROSECONDS:
        reasons.append("payments_stick")
    view = {
        "status": "ready" if not reasons else "not_ready",
        "reasons": reasons,
        "payments_due": None if book.fault else book.payments_due,
        "oldest_due_ms": None if book.fault else book.oldest_due_micros // 1000,
    }
    response = json_response(view, status=503 if reasons else 200, cache_control="no-store")
    if reasons:
        response.headers["Retry-After"] = "2"
    return response


@blueprint.get("/metrics")
def metrics() -> Response:
    """Return the metrics for Prometheus, to clients on this machine and not through a proxy."""
    client = read_client_address({"REMOTE_ADDR": request.remote_addr or ""})
    is_proxied = any(name in request.headers for name in PROXY_HEADERS)
    # a proxy may add no header; and a page can have its domain name resolved to this machine
    has_domain_name = is_domain_name(request.headers.get("Host", ""))
    if client is None or not client.is_loopback or is_proxied or has_domain_name:
        abort(404)
    collector = BookCollector(event_store().pool, _request_counters(), automatic_backups())
    return Response(generate_latest(collector), content_type=CONTENT_TYPE_PLAIN_0_0_4)


@blueprint.get("/openapi.yaml")
def openapi() -> Response:
    """Return the contract."""
    return Response(encode_document(), content_type="application/yaml; charset=utf-8")


@blueprint.get("/docs")
@cache
def docs() -> str:
    """Return the contract as a page."""
    return render_template("docs.html", **page_context(assemble_document()))


def _request_counters() -> RequestCounters:
    counters: RequestCounters = current_app.extensions["request_counters"]
    return counters
