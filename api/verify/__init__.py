"""The page where anybody checks what he took home, in his own browser; and the same as one file.

Both are public and ask this server nothing; what is chosen there never leaves the browser.
"""

from pathlib import Path

from flask import Blueprint, Response, render_template

from api import words

HERE = Path(__file__).parent

blueprint = Blueprint(
    "verify",
    __name__,
    template_folder="templates",
    static_folder="static",
    static_url_path="/static/verify",
)


@blueprint.get("/verify")
def page() -> Response:
    """In the reader's language (`?lang=`, Accept-Language)."""
    speak = words.speaker()
    said = words.catalog(speak.language)["verify"]["said"]
    made = Response(render_template("verify.html", speak=speak, said=said))
    made.headers["Vary"] = "Accept-Language"
    made.headers["Cache-Control"] = "no-cache"
    return made


@blueprint.get("/verify.py")
def script() -> Response:
    """Beside the packages in a checkout, inside the package when installed from a wheel."""
    places = (HERE.parents[1] / "verify.py", HERE / "verify.py")
    text = next(place for place in places if place.exists()).read_text("utf-8")
    made = Response(text, content_type="text/x-python; charset=utf-8")
    made.headers["Content-Disposition"] = 'attachment; filename="verify.py"'
    made.headers["Cache-Control"] = "no-cache"
    return made
