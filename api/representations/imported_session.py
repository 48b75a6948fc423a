"""An imported session, or why it could not be imported; for the API and for `vola import`."""

from api.http.responses import encode_json
from api.i18n.catalog import text
from api.representations.session import session_view
from ledger.session.session_state import SessionState
from ledger.transfer.export_format import InvalidExport
from ledger.transfer.import_check import CheckedExport


def render_imported_session(session: SessionState, checked: CheckedExport) -> bytes:
    """Return the session as JSON, with the names and title of the file."""
    names = {name.player: name.name for name in checked.labels.names}
    return encode_json(session_view(session, checked.labels.title, names))


def import_fault(error: InvalidExport, language: str) -> str:
    """Return a sentence that says what does not hold."""
    return text(language, f"imports.{error.reason}").format(version=error.version)
