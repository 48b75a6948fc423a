"""Statements to read, to keep and to print (contract.md §4).

One file a format; each is sent while it is read, but for the printed one, which is set as a whole.
"""

from collections.abc import Callable, Iterator
from itertools import chain

from flask import Blueprint, Response

from api import access, words
from api.sessions import read, store, tagged
from api.statements.asked import asked
from api.statements.document import document
from api.statements.journal import journal
from api.statements.page import page
from api.statements.paper import paper
from api.statements.single import single
from api.statements.table import table
from api.statements.telling import Telling
from api.statements.workbook import workbook

blueprint = Blueprint("statements", __name__, url_prefix="/v1/sessions")

SHEETS = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
Made = Callable[[Telling], Iterator[bytes]]

FORMATS: dict[str, tuple[Made, str, str]] = {
    "json": (document, "application/json", ""),
    "csv": (table, "text/csv; charset=utf-8; header=present", 'attachment; filename="{}.csv"'),
    "html": (page, "text/html; charset=utf-8", ""),
    "xlsx": (workbook, SHEETS, 'attachment; filename="{}.xlsx"'),
    "pdf": (paper, "application/pdf", 'inline; filename="{}.pdf"'),
    "hledger": (journal, "text/x-hledger; charset=utf-8", 'attachment; filename="{}.journal"'),
}


@blueprint.get("/<session>/statement")
@access.requires("viewer")
def show() -> Response:
    """The statement of a player (`?player=`) or of the evening, as `?format=` or Accept asks."""
    session = read()
    told = single(session, asked(session), store().pool, words.speaker().language)
    return tagged(sent(told), session.version)


def sent(told: Telling) -> Response:
    """In the format that was asked for."""
    make, kind, disposition = FORMATS[told.asked.format]
    pieces = make(told)
    begun = next(pieces)  # what fails at once is refused as any other request is
    made = Response(chain([begun], pieces), content_type=kind)
    if disposition:
        made.headers["Content-Disposition"] = disposition.format(told.file)
    made.headers["Vary"] = "Accept, Accept-Language"
    made.headers["Content-Language"] = told.speak.language
    return made
