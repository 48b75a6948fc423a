"""For those who run it: is it alive, is it ready, what does the contract say (contract.md §7)."""

from pathlib import Path

from flask import Blueprint, Response, abort, current_app, render_template, request

import migrations
from api import caller, figures
from api.figures import Family, Figures
from api.preconditions import as_json
from ledger import fitness, stuck, tallies
from ledger.database import Pool
from ledger.standing import ready as standing

blueprint = Blueprint("operating", __name__)

FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-Ip")
COUNTED = {
    "settled_by_worker": "Payments settled by a worker that was rung for.",
    "settled_by_relay": "Payments settled by the relay's own hand.",
    "absorbed": "Rings that found nothing left to settle.",
    "failed": "Tries that failed for another reason than a busy or absent database.",
    "tried_again": "Tries at an evening that had failed before.",
    "rung": "Times that the doorbell was rung.",
    "not_rung": "Times that nobody heard it.",
}

LATE_MICROSECONDS = 30_000_000
"""A payment that is due for longer than this means that nobody settles."""


@blueprint.get("/healthz")
def healthz() -> Response:
    """The process is alive; says nothing of what it depends on."""
    return _shown({"status": "alive"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """The database can be played on and payments are being settled; 503 with the reasons else."""
    pool = current_app.extensions["store"].pool
    due = oldest = None
    fault = fitness.fault(pool, (step.name for step in migrations.STEPS))
    reasons: list[str] = [fault] if fault else []
    if not reasons:
        try:
            writable, due, oldest = standing(pool)
            room = not _mine().disk_full
            reasons += [] if writable and room else ["database_read_only"]
            reasons += ["payments_stick"] if oldest > LATE_MICROSECONDS else []
        except fitness.TROUBLE as error:
            reasons = [fitness.called(error)]
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
    here = caller.address({"REMOTE_ADDR": request.remote_addr or ""})
    if not (here and here.is_loopback) or any(name in request.headers for name in FORWARDED):
        abort(404)
    pool = current_app.extensions["store"].pool
    away = fitness.fault(pool, ()) is not None
    if not away:
        _mine().write()  # what others have counted is a second old at most
    text = figures.exposition(_families(pool, away))
    return Response(text, content_type="text/plain; version=0.0.4; charset=utf-8")


@blueprint.get("/openapi.yaml")
def openapi() -> Response:
    """The complete contract."""
    return Response(_contract(), content_type="application/yaml; charset=utf-8")


@blueprint.get("/docs")
def docs() -> str:
    """The contract as a page."""
    from api.docs import operations

    return render_template("docs.html", **operations(_contract()))


def _families(pool: Pool, away: bool) -> list[Family]:
    """Everything there is to tell; of a database that is away, that it is."""
    told = Family("vola_writable", "gauge", "Whether the book can be written.", [("", (), 0)])
    if away:
        return [told]
    try:
        writable, due, oldest = standing(pool)
        sticking, counted = stuck.stuck(pool), tallies.tallies(pool)
    except fitness.TROUBLE:
        return [told]
    return [
        told._replace(samples=[("", (), int(writable and not _mine().disk_full))]),
        Family("vola_payments_due", "gauge", "La vola payments not settled yet.", [("", (), due)]),
        Family(
            *("vola_oldest_due_seconds", "gauge", "How long the oldest of them has been due."),
            [("", (), figures.seconds(oldest))],
        ),
        Family(
            *("vola_evenings_stuck", "gauge", "Evenings whose payments could not be settled."),
            [("", (), len(sticking))],
        ),
        *(
            Family(f"vola_{name}", "counter", said, [("_total", (), counted.get(name, 0))])
            for name, said in COUNTED.items()
        ),
        *figures.families(counted),
    ]


def _mine() -> Figures:
    found: Figures = current_app.extensions["figures"]
    return found


def _contract() -> str:
    """Beside the packages in a checkout, inside the package when installed from a wheel."""
    here = Path(__file__).parent
    found = next(p for p in (here.parent / "openapi.yaml", here / "openapi.yaml") if p.exists())
    return found.read_text("utf-8")


def _shown(what: object, status: int = 200) -> Response:
    made = Response(as_json(what), status, content_type="application/json")
    made.headers["Cache-Control"] = "no-store"
    return made
