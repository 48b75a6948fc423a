"""The phone form: a page and its modules, a client of the same API as everybody else."""

from pathlib import Path

from flask import Blueprint, Response, abort, render_template, send_from_directory

HERE = Path(__file__).parent

blueprint = Blueprint("form", __name__, template_folder="templates")


@blueprint.get("/")
def page() -> str:
    return render_template("form.html", version=version())


@blueprint.get("/form/static/<path:path>")
def static(path: str) -> Response:
    return send_from_directory(HERE / "static", path, max_age=0)


@blueprint.get("/form/translations/<language>.json")
def translations(language: str) -> Response:
    if language not in ("sv", "en", "da", "de"):
        abort(404)
    return send_from_directory(HERE / "translations", f"{language}.json", max_age=0)


def version() -> str:
    """Changes whenever a file of the form does."""
    newest = max((p.stat().st_mtime_ns for p in HERE.rglob("*") if p.is_file()), default=0)
    return f"{newest // 1_000_000:x}"
