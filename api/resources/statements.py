"""Statements of a session or a group to read, to keep and to print.

Every format but PDF is sent while it is written; a PDF is typeset as a whole.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import chain
from uuid import UUID

from flask import Blueprint, Response, g, request

from api.auth.access import requires
from api.http.app_state import receipts
from api.http.responses import (
    PRODUCT_VERSION,
    REVALIDATE,
    key_variant,
    tag_response,
    text_variant,
)
from api.http.session_request import read_session
from api.i18n.translator import request_translator
from api.rate_limit.policy import Policy
from api.statements.context import linked_statement_context
from api.statements.file_names import content_disposition
from api.statements.formats.csv import write_csv
from api.statements.formats.hledger import write_hledger
from api.statements.formats.html import write_html
from api.statements.formats.json import write_json
from api.statements.formats.pdf import write_pdf
from api.statements.formats.xlsx import write_xlsx
from api.statements.groups.builder import build_group_statement
from api.statements.groups.group_statement import GroupStatement
from api.statements.session_statement import build_session_statement
from api.statements.statement import Statement
from api.statements.statement_query import FORMATS

blueprint = Blueprint("statements", __name__, url_prefix="/v1")

WRITERS: dict[str, Callable[[Statement], Iterator[bytes]]] = {
    "json": write_json,
    "csv": write_csv,
    "html": write_html,
    "xlsx": write_xlsx,
    "pdf": write_pdf,
    "hledger": write_hledger,
}


@blueprint.get("/sessions/<session>/statement")
@Policy(pool="statements")
@requires("viewer")
def show_session_statement() -> Response:
    """Return the statement of a player (`?player=`) or of the session.

    `?format=` or else Accept chooses the format.
    """
    session = read_session()
    context = linked_statement_context(request_translator().language)
    statement = build_session_statement(session, g.metadata, context, request.args)
    variant = [*text_variant(statement.translator.language), statement.query.format]
    variant += _signed_variant(statement, session.id)
    return tag_response(_statement_response(statement), str(session.version), *variant)


@blueprint.get("/groups/<group>/statement")
@Policy(pool="statements")
@requires("viewer")
def show_group_statement() -> Response:
    """Return the statement of a member (`?member=`) or of the group for a period."""
    context = linked_statement_context(request_translator().language)
    statement = build_group_statement(g.group, context, request.args)
    return tag_response(_statement_response(statement), _group_statement_tag(statement))


def _group_statement_tag(statement: GroupStatement) -> str:
    """Return the ETag. A group has no version of its own: it is what the statement shows."""
    language, format_name = statement.translator.language, statement.query.format
    verify_url = statement.context.verify_url
    arguments = (format_name, request.query_string, verify_url)
    text = (statement.subject, language, PRODUCT_VERSION, *arguments)
    # a name or a remark can change without an event, also of a member who was never at a table
    names = [*statement.names_by_account.items(), *statement.member_names.items()]
    extent = (names, statement.extent.as_of, statement.entries, statement.notes)
    history = tuple(
        (s.head_hash, s.title, s.marks.purposes, s.session.carried_to) for s in statement.sections
    )
    signed = key_variant(statement.context.signing_key)
    for section in statement.sections:
        signed += _signed_variant(statement, section.session.id)
    return sha256(repr((text, extent, history, signed)).encode()).hexdigest()[:16]


def _signed_variant(statement: Statement, session_id: UUID) -> list[str]:
    """Return what tells the statements of a version apart: the key, and in JSON cosignatures."""
    key = key_variant(statement.context.signing_key)
    if statement.query.format != "json":
        return key
    variant = [str(len(receipts().list_cosignatures(session_id))), *key]
    if witnesses := receipts().list_witnesses(session_id):  # whose versions only grow
        variant.append(f"w{sum(witness.version for witness in witnesses)}")
    return variant


def _statement_response(statement: Statement) -> Response:
    pieces = WRITERS[statement.query.format](statement)
    first = next(pieces)  # an error up to here becomes a response of its own
    file_format = FORMATS[statement.query.format]
    name = statement.file_stem + file_format.suffix
    response = Response(chain([first], pieces), content_type=file_format.content_type)
    response.headers["Cache-Control"] = REVALIDATE
    response.headers["Content-Disposition"] = content_disposition(file_format.disposition, name)
    response.headers["Vary"] = "Accept, Accept-Language"
    response.headers["Content-Language"] = statement.translator.language
    return response
