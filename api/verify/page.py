"""The page that checks exports, receipts and statements in the browser, and the script `verify.py`.

Both are public and send nothing to the server: the files never leave the browser.
"""

from flask import Blueprint, Response, render_template

from api.i18n.catalog import catalog
from api.i18n.translator import request_translator
from api.verify.single_file import verifier_source

blueprint = Blueprint(
    "verify",
    __name__,
    template_folder="templates",
    static_folder="static",
    static_url_path="/static/verify",
)


@blueprint.get("/verify")
def page() -> Response:
    """Return the page in the reader's language (`?lang=`, Accept-Language)."""
    translator = request_translator()
    texts = catalog(translator.language)
    page = render_template(
        "verify.html",
        translator=translator,
        sentences=texts["verify"]["said"],
        summaries=texts["verify"]["summary"],
        nameless={
            "player": texts["nameless"],
            "member": texts["statement"]["member"],
            "evening": texts["verify"]["untitled"],
        },
    )
    return Response(page, headers={"Vary": "Accept-Language", "Cache-Control": "no-cache"})


@blueprint.get("/verify.py")
def script() -> Response:
    """Return the program as one file."""
    return Response(
        verifier_source(),
        content_type="text/x-python; charset=utf-8",
        headers={
            "Content-Disposition": 'attachment; filename="verify.py"',
            "Cache-Control": "no-cache",
        },
    )
