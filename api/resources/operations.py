"""For those who run it: is it alive, is it ready, what does the contract say."""

from pathlib import Path

from flask import Blueprint, Response, abort, current_app, render_template, request
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

import migrations
from api.http import client_address as caller
from api.http.app_state import event_store
from api.http.responses import json_response
from api.observability.metrics import BookCollector
from api.observability.request_counters import RequestCounters
from ledger.operations import database_check as fitness
from ledger.operations.health import read_health as standing

blueprint = Blueprint("operations", __name__)

FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-Ip")
LATE_MICROSECONDS = 30_000_000
"""A payment that is due for longer than this means that nobody settles."""


@blueprint.get("/healthz")
def healthz() -> Response:
    """The process is alive; says nothing of what it depends on."""
    return _shown({"status": "alive"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """The database can be played on and payments are being settled; 503 with the reasons else."""
    pool = event_store().pool
    due = oldest = None
    fault = fitness.database_fault(pool, (step.name for step in migrations.STEPS))
    reasons: list[str] = [fault] if fault else []
    if not reasons:
        try:
            writable, due, oldest = standing(pool)
            room = not _request_counters().disk_full
            reasons += [] if writable and room else ["database_read_only"]
            reasons += ["payments_stick"] if oldest > LATE_MICROSECONDS else []
        except fitness.DATABASE_ERRORS as error:
            reasons = [fitness.fault_of(error)]
    said = {
        "status": "ready" if not reasons else "not_ready",
        "reasons": reasons,
        "payments_due": due,
        "oldest_due_ms": None if oldest is None else oldest // 1000,
    }
    shown = _shown(said, 503 if reasons else 200)
    if reasons:
        shown.headers["Retry-After"] = "2"
    return shown


@blueprint.get("/metrics")
def metrics() -> Response:
    """For Prometheus, and only from this machine: who comes by a proxy is somebody else."""
    here = caller.read_client_address({"REMOTE_ADDR": request.remote_addr or ""})
    if not (here and here.is_loopback) or any(name in request.headers for name in FORWARDED):
        abort(404)
    collector = BookCollector(event_store().pool, _request_counters())
    return Response(generate_latest(collector), content_type=CONTENT_TYPE_PLAIN_0_0_4)


@blueprint.get("/openapi.yaml")
def openapi() -> Response:
    """The complete contract."""
    return Response(_contract(), content_type="application/yaml; charset=utf-8")


@blueprint.get("/docs")
def docs() -> str:
    """The contract as a page."""
    from api.representations.openapi_page import operations

    return render_template("docs.html", **operations(_contract()))


def _request_counters() -> RequestCounters:
    counters: RequestCounters = current_app.extensions["request_counters"]
    return counters


def _contract() -> str:
    """Beside the packages in a checkout, inside the package when installed from a wheel."""
    here = Path(__file__).parents[1]
    found = next(p for p in (here.parent / "openapi.yaml", here / "openapi.yaml") if p.exists())
    return found.read_text("utf-8")


def _shown(what: object, status: int = 200) -> Response:
    made = json_response(what, status=status)
    made.headers["Cache-Control"] = "no-store"
    return made
