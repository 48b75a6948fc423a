"""A file that holds one exported session."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from uuid import UUID

from api.cli.refusal import Refusal
from api.http.json_body import decode_strict_json
from api.http.problems import InvalidFields, Problem
from api.i18n.catalog import text
from api.representations.imported_session import (
    import_checked,
    import_fault,
    imported_session_tokens,
)
from api.representations.share_links import share_path
from api.schemas.export import check_export_in_time, parse_export
from ledger.store.append_request import AppendRequest
from ledger.store.event_store import EventStore
from ledger.transfer import import_session
from ledger.transfer.export_format import EXPORT_FORMAT, Export, InvalidExport

CHECK_SECONDS = 3600
"""The server's own limit is for uploads; the owner of the database may take longer."""
NAMELESS = "without names (the file has none, and a later one cannot add them)"
OTHER_DOCUMENT = (
    "This is not an exported session. `vola export` writes one; `vola audit --receipt` checks a "
    "receipt or a statement."
)
MORE_EVENTS = (
    " The file goes on to version {version}, but an import adds nothing to a session: to have all "
    "of it, import the file into a new book (VOLA_DATA)."
)
NAMES_MISSING = (
    " It lacks names that are in the file. They are not added afterwards, because a name that was "
    "erased here would come back: to have them, import the file into a new book (VOLA_DATA)."
)


class SessionIsHere(Refusal):
    """The session was stored by other means than this very file. `has_all` if it has every event of
    the file."""

    def __init__(self, version: int | None, export: Export, *, lacks_names: bool) -> None:
        place = f"at version {version}" if version else "with another history"
        sentence = f"{text('en', 'problems.session_exists').rstrip('.')}, {place}."
        if version and version < export.version:
            sentence += MORE_EVENTS.format(version=export.version)
        elif lacks_names:
            sentence += NAMES_MISSING
        super().__init__(sentence)
        self.has_all = version is not None and version >= export.version


def import_content(
    store: EventStore, secret: bytes, content: bytes, session_id: UUID | None = None
) -> tuple[str, bool]:
    """Import the session, which must be `session_id` if that is given. Return what to print, with
    the host's link, and whether the session was here already. Raise Refusal with an English
    sentence for what is wrong with the file, or SessionIsHere."""
    request = file_request(content)
    with _faults_in_words():
        export = _parse(content)
        if session_id not in (None, export.id):
            raise Refusal(f"It holds another session, {export.id}.")
        try:
            reply = import_session.find_reply(store, request)
            if reply is None:
                import_session.refuse_existing(store, export)
                checked = check_export_in_time(export, CHECK_SECONDS)
                reply = import_checked(store, checked, request, CHECK_SECONDS)
        except import_session.SessionExists as here:
            lacks_names = here.version is not None and import_session.lacks_names(store, export)
            raise SessionIsHere(here.version, export, lacks_names=lacks_names) from None
    tokens = imported_session_tokens(secret, reply.session_id, export)
    outcome = "was here already" if reply.replayed else "is here now"
    names = "" if export.names else f" {NAMELESS}"
    place = f"session {reply.session_id} {outcome}, at version {reply.version}{names}"
    return f"{place}: {share_path('s', reply.session_id, tokens['host'])}", reply.replayed


def check_content(content: bytes) -> None:
    """Check the session as far as that needs no database. Raise Refusal."""
    with _faults_in_words():
        check_export_in_time(_parse(content), CHECK_SECONDS)


def _parse(content: bytes) -> Export:
    document = decode_strict_json(content)
    if not isinstance(document, dict) or document.get("format") != EXPORT_FORMAT:
        raise Refusal(OTHER_DOCUMENT)
    return parse_export(document)


@contextmanager
def _faults_in_words() -> Iterator[None]:
    """Raise Refusal for what is wrong with the file."""
    try:
        yield
    except (Problem, InvalidFields) as malformed:
        raise shape_refusal(malformed) from None
    except InvalidExport as invalid:
        raise Refusal(import_fault(invalid, "en")) from None
    except import_session.DuplicateName:
        raise Refusal("Two players cannot have the same name.") from None


def file_request(content: bytes) -> AppendRequest:
    """Return a request whose key is the content, so that the same file is imported once."""
    digest = sha256(content)
    key = import_session.file_key(digest.hexdigest())
    return AppendRequest(key=key, digest=digest.digest(), by="host.0", expected_version="any")


def shape_refusal(malformed: Problem | InvalidFields) -> Refusal:
    """Return the first thing that is wrong with the JSON, in English."""
    if isinstance(malformed, InvalidFields):
        first = malformed.errors[0]
        return Refusal(f"{first['pointer'] or '/'}: {first['detail']}")
    return Refusal(f"This is not valid JSON: {malformed.operands.get('reason')}.")
