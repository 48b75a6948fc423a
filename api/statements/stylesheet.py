"""The stylesheet of the statements that a browser shows."""

from pathlib import Path

from flask import Blueprint, Response, send_from_directory

blueprint = Blueprint("statement_stylesheet", __name__)


@blueprint.get("/static/statement.css")
def stylesheet() -> Response:
    """Return the stylesheet, at the address that pages saved earlier name."""
    return send_from_directory(Path(__file__).parent / "static", "statement.css")
