"""Score sheets to print: the paper version of the form's recording screen."""

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.auth.roles import ROLES
from api.auth.tokens import session_tokens
from api.http.app_state import token_secret
from api.http.lan_address import public_base_url
from api.http.query_parameters import integer_parameter
from api.http.responses import REVALIDATE, set_language, tag_response, text_variant
from api.http.session_request import read_session
from api.i18n.translator import request_translator
from api.printing.score_sheet import CAPACITIES, MAX_DEALS, PAPERS, ScoreSheet, write_score_sheet
from api.rate_limit.policy import Policy
from api.representations.share_links import share_path
from api.schemas.fields import Choice, field_parameter
from api.statements.file_names import content_disposition, file_name
from api.statements.wording.sanitize import legible_name, legible_names

blueprint = Blueprint("score_sheets", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/score-sheet")
@Policy(pool="statements")
@requires("viewer")
def show_score_sheet() -> Response:
    """Return a sheet for the deals to come, with room for `?deals=` or more on `?paper=`.

    Its QR code opens the session. The host's contains the viewer's link, everybody else's no token:
    paper is passed on, and only the host gives access.
    """
    session, metadata = read_session(), g.metadata
    paper = field_parameter("paper", Choice(PAPERS, load_default="a4"))
    deal_count = integer_parameter("deals", CAPACITIES[paper].first_page, 1, MAX_DEALS)
    translator = request_translator(legible_names(metadata.names))
    path, is_link = f"/#/s/{session.id}", g.role == "host"
    if is_link:
        tokens = session_tokens(token_secret(), session.id, metadata.generations)
        path = share_path("s", session.id, tokens["viewer"])
    sheet = ScoreSheet(
        session=session,
        title=legible_name(metadata.title) if metadata.title else None,
        translator=translator,
        url=public_base_url() + path,
        is_link=is_link,
        paper=paper,
        deal_count=deal_count,
    )
    response = Response(write_score_sheet(sheet), content_type="application/pdf")
    response.headers["Cache-Control"] = REVALIDATE
    name = file_name(sheet.title, session.game.name, translator("score_sheet.title"))
    response.headers["Content-Disposition"] = content_disposition("inline", f"{name}.pdf")
    set_language(response, translator.language)
    link = f"{g.role}{metadata.generations[ROLES.index('viewer')]}"  # the QR code depends on it
    variant = (*text_variant(translator.language), paper, str(deal_count), link)
    return tag_response(response, str(session.version), *variant)
