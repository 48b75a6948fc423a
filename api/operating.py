"""For those who run it: is it alive, is it ready, what does the contract say (contract.md §7)."""

from pathlib import Path

from flask import Blueprint, Response, current_app, render_template

from api.preconditions import as_json
from ledger.standing import ready as standing

blueprint = Blueprint("operating", __name__)

LATE_MICROSECONDS = 30_000_000
"""A payment that is due for longer than this means that nobody settles."""


@blueprint.get("/healthz")
def healthz() -> Response:
    """The process is alive; says nothing of what it depends on."""
    return _shown({"status": "alive"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """The database is writable and payments are being settled; 503 with the reason otherwise."""
    writable, due, oldest = standing(current_app.extensions["store"].pool)
    late = oldest > LATE_MICROSECONDS
    reasons = [] if writable else ["database_read_only"]
    reasons += ["payments_stick"] if late else []
    said = {
        "status": "ready" if not reasons else "not_ready",
        "reasons": reasons,
        "payments_due": due,
        "oldest_due_ms": oldest // 1000,
    }
    return _shown(said, 503 if reasons else 200)


@blueprint.get("/openapi.yaml")
def openapi() -> Response:
    """The complete contract."""
    return Response(_contract(), content_type="application/yaml; charset=utf-8")


@blueprint.get("/docs")
def docs() -> str:
    """The contract as a page."""
    from api.docs import operations

    return render_template("docs.html", **operations(_contract()))


def _contract() -> str:
    """Beside the packages in a checkout, inside the package when installed from a wheel."""
    here = Path(__file__).parent
    found = next(p for p in (here.parent / "openapi.yaml", here / "openapi.yaml") if p.exists())
    return found.read_text("utf-8")


def _shown(what: object, status: int = 200) -> Response:
    made = Response(as_json(what), status, content_type="application/json")
    made.headers["Cache-Control"] = "no-store"
    return made
