"""Import a checked session for the API and for `vola import`, or say why it cannot be imported."""

from uuid import UUID

from api.auth.roles import Role
from api.auth.tokens import session_tokens
from api.i18n.catalog import text
from api.representations.session import session_view
from api.schemas.export import CHECK_SECONDS, time_limit
from ledger.access.session_metadata import Generations
from ledger.audit.check_hash_chain import OutOfTime
from ledger.audit.run import faulty_version
from ledger.store.append_request import AppendRequest, StoredReply
from ledger.store.connection_pool import Connection
from ledger.store.event_store import EventStore
from ledger.transfer import import_session
from ledger.transfer.export_format import Export, InvalidExport
from ledger.transfer.import_check import CheckedExport


def import_checked(
    store: EventStore, checked: CheckedExport, request: AppendRequest, seconds: int = CHECK_SECONDS
) -> StoredReply:
    """Import the session if it can be shown and an audit finds no fault with it in this time. Raise
    as `import_session` does."""

    def audit(db: Connection, session_id: UUID) -> int | None:
        try:
            return faulty_version(db, session_id, time_limit(seconds))
        except OutOfTime as late:
            raise InvalidExport("too_much", late.version) from late

    return import_session.import_session(
        store, checked, request, lambda session: session_view(session, None, {}), audit
    )


def imported_session_tokens(secret: bytes, session_id: UUID, export: Export) -> dict[Role, str]:
    """Return the tokens of a generation that the session never had where it comes from."""
    return session_tokens(secret, session_id, Generations(*(export.generation,) * 3))


def import_fault(error: InvalidExport, language: str) -> str:
    """Return a sentence that says what does not hold."""
    return text(language, f"imports.{error.reason}").format(version=error.version)
