"""The page behind the QR code of a printed statement: the same statement, made again, and whether
it still holds.

The link gives access to this statement alone and needs no account. Every error gets a page as well.
"""

from functools import partial
from itertools import chain

import msgspec
import psycopg
from flask import Blueprint, Response, render_template
from werkzeug.exceptions import HTTPException
from werkzeug.routing import PathConverter

from api.http import problems
from api.http.app_state import group_store, session_metadata, token_secret
from api.http.problems import Problem
from api.http.responses import set_language
from api.i18n.translator import request_translator
from api.rate_limit.policy import Policy
from api.statements.context import StatementContext, linked_statement_context
from api.statements.formats.html import Verdict, write_html
from api.statements.groups.builder import build_group_statement
from api.statements.groups.loaded_sessions import GroupExtent
from api.statements.printed_link.link import StatementLink
from api.statements.printed_link.printed_versions import versions_when_printed
from api.statements.session_section import SessionSection
from api.statements.session_statement import build_session_statement
from api.statements.statement import Statement
from ledger.events import hash_chain
from ledger.events.recorded_event import UnknownSession, extends_chain
from ledger.groups.groups import UnknownGroup
from ledger.store.event_store import EventStore

blueprint = Blueprint(
    "linked_statements", __name__, url_prefix="/statement", template_folder="../templates"
)

EVENTS_PER_PAGE = 1000
PRIVATE_HEADERS = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow"}


class RemainderConverter(PathConverter):
    """The rest of the path, which may be empty: an address may have been cut short."""

    regex = "(?s:.*?)"  # a line break in it as well
    part_isolating = False


blueprint.record_once(
    lambda state: state.app.url_map.converters.update(remainder=RemainderConverter)
)


class StatementUnavailable(Problem):
    """No statement can be shown for a link; the code names its texts in the catalog."""


@blueprint.get("/<remainder:link>")
@Policy(pool="statements", limits_attempts=True)
def show(link: str) -> Response:
    """The statement as it was printed, and whether the ledger still says the same."""
    printed_link = StatementLink.decode(link, token_secret())
    if printed_link is None:
        raise StatementUnavailable(404, "unknown")
    context = linked_statement_context(printed_link.language)
    build = _group_statement if printed_link.group else _session_statement
    statement, later_text = build(printed_link, context)
    pieces = write_html(statement, _verdict(printed_link, statement, later_text))
    first = next(pieces)  # an error up to here gets a page of its own
    response = Response(chain([first], pieces), content_type="text/html; charset=utf-8")
    response.headers["Content-Language"] = statement.translator.language
    response.headers.update(PRIVATE_HEADERS)
    return response


def _session_statement(link: StatementLink, context: StatementContext) -> tuple[Statement, str]:
    """Return the statement, and a sentence if the session has gone on since it was printed."""
    metadata = session_metadata().load(link.subject_id)
    if metadata.version < link.upto:
        raise StatementUnavailable(410, "set_back", version=link.upto, now=metadata.version)
    session = context.store.load(link.subject_id, link.upto)
    statement = build_session_statement(session, metadata, context, link.arguments)
    version = metadata.version
    has_gone_on = version > link.upto
    text = statement.translator("printed.went_on", version=version) if has_gone_on else ""
    return statement, text


def _group_statement(link: StatementLink, context: StatementContext) -> tuple[Statement, str]:
    """Return the statement, and a sentence if sessions in it have gone on since it was printed."""
    group = group_store().load(link.subject_id)
    extent = GroupExtent(as_of=link.upto, session_count=link.session_count)
    build = partial(build_group_statement, group, context, link.arguments)
    statement = build(extent)
    if statement.printed_link.history != link.history:
        versions = versions_when_printed(link, statement)
        statement = build(msgspec.structs.replace(extent, versions=versions))
    sessions, metadata = [x.session for x in statement.sections], session_metadata()
    count = sum(metadata.load(session.id).version > session.version for session in sessions)
    text = statement.translator("printed.evenings_went_on", count=count) if count else ""
    return statement, text


def _verdict(link: StatementLink, statement: Statement, later_text: str) -> Verdict:
    """Return whether events and figures are those that were printed."""
    translator, current_link = statement.translator, statement.printed_link
    if difference := _difference(link, statement, current_link):
        title, line = translator("printed.differs"), translator(f"printed.{difference}")
        return Verdict(is_unchanged=False, title=title, lines=[line])
    unchanged_key = "printed.same_group" if link.group else "printed.same"
    lines = (translator(unchanged_key, version=link.upto), translator("printed.words"), later_text)
    title = translator("printed.holds")
    return Verdict(is_unchanged=True, title=title, lines=[*filter(None, lines)])


def _difference(
    link: StatementLink, statement: Statement, current_link: StatementLink
) -> str | None:
    """Return the code of what differs from the printed statement."""
    store = statement.context.store
    if not all(_chain_is_intact(store, section) for section in statement.sections):
        return "broken"
    if current_link.history != link.history:
        return "other_events"
    return "other_figures" if current_link.figures != link.figures else None


def _chain_is_intact(store: EventStore, section: SessionSection) -> bool:
    """Return whether the hashes of all events lead to the hash that is printed."""
    session, last_hash = section.session, hash_chain.GENESIS_HASH
    for after in range(0, session.version, EVENTS_PER_PAGE):
        limit = min(EVENTS_PER_PAGE, session.version - after)
        for event in store.load_events(session.id, after, limit):
            if not extends_chain(event, session.id, last_hash):
                return False
            last_hash = event.hash
    return last_hash == session.hash


@blueprint.errorhandler(Exception)
def _explanation_page(error: Exception) -> Response:
    """Return a page of Vola's look that says why there is no statement."""
    unavailable, translator = _unavailable(error), request_translator()
    code, operands = unavailable.code, unavailable.operands
    text = render_template(
        "no_statement.html",
        language=translator.language,
        translator=translator,
        title=translator(f"printed.{code}"),
        lines=[translator(f"printed.{code}_{line}", **operands) for line in ("why", "do")],
    )
    response = Response(text, unavailable.status, content_type="text/html; charset=utf-8")
    response.headers.update({**PRIVATE_HEADERS, **unavailable.headers})
    return set_language(response, translator.language)


def _unavailable(error: Exception) -> StatementUnavailable:
    match error:
        case StatementUnavailable():
            return error
        case UnknownSession() | UnknownGroup() | Problem(status=404):
            return StatementUnavailable(410, "gone")
        case psycopg.OperationalError():
            return StatementUnavailable(503, "later", {"Retry-After": "2"})
        case Problem(status=(429 | 503) as status, headers=headers):
            return StatementUnavailable(status, "later", headers)
        case Problem() | problems.InvalidFields() | HTTPException():
            return StatementUnavailable(400, "unknown")  # this version cannot read its arguments
    problems.log_failure(error)
    return StatementUnavailable(500, "failed")
