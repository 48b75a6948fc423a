"""When the book was last backed up, for the host of a session.

Only a book with an embedded server makes backups by itself; for others, `automatic` is false.
"""

from flask import Blueprint, Response

from api.auth.access import requires
from api.http.app_state import automatic_backups
from api.http.responses import json_response
from ledger.events.timestamps import format_timestamp

blueprint = Blueprint("backup", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/backup")
@requires("host")
def show_backup() -> Response:
    """Return when the newest backup of the book was made, and whether the last attempt failed."""
    backups = automatic_backups()
    newest = backups.newest() if backups else None
    view = {
        "automatic": backups is not None,
        "created_at": format_timestamp(newest.created_at * 1_000_000) if newest else None,
        "failing": backups.read_record().is_failing if backups else False,
    }
    return json_response(view, cache_control="no-store")
