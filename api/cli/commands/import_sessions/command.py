"""`vola import FILE…`: sessions that another Vola exported, one a file.

A file that is refused does not keep the others out. The same file again is the same session, so a
run that was interrupted can be repeated.
"""

from hashlib import sha256
from pathlib import Path

import click

from api import settings
from api.cli.command_group import Command
from api.cli.refusal import Refusal, print_refusal
from api.http.json_body import decode_strict_json
from api.http.problems import InvalidFields, Problem
from api.i18n.catalog import text
from api.observability.logging_config import escape_control_characters
from api.representations.imported_session import (
    import_checked,
    import_fault,
    imported_session_tokens,
)
from api.representations.share_links import share_path
from api.schemas.export import check_export_in_time, parse_export
from api.server import supervisor
from ledger.access.session_metadata import SessionMetadataStore
from ledger.store.append_request import AppendRequest
from ledger.store.event_store import EventStore
from ledger.transfer import import_session
from ledger.transfer.export_format import InvalidExport

CHECK_SECONDS = 3600
"""The server's own limit is for uploads; the owner of the database may take longer."""


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path())
def command(files: tuple[str, ...]) -> int:
    """Each FILE is what `vola export --names` wrote. Exit code 2 if any was refused."""
    refused = False
    with supervisor.open_app_pool(settings.read_settings(), must_exist=False) as pool:
        for file in files:
            try:
                line = _import_file(EventStore(pool), SessionMetadataStore(pool).secret, Path(file))
                click.echo(escape_control_characters(f"{file}: {line}"))
            except Refusal as refusal:
                refused = True
                print_refusal(f"{file}: {refusal}")
    return 2 if refused else 0


def _import_file(store: EventStore, secret: bytes, file: Path) -> str:
    """Import the session; return where it is now, with the host's link. Refusal with an English
    sentence for what is wrong with the file."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise Refusal(f"cannot be read: {error.strerror}.") from error
    digest = sha256(content)
    key = import_session.import_key(f"file {digest.hexdigest()}")
    request = AppendRequest(key=key, digest=digest.digest(), by="host.0", expected_version="any")
    try:
        export = parse_export(decode_strict_json(content))
        reply = import_session.find_reply(store, request)
        if reply is None:
            reply = import_checked(store, check_export_in_time(export, CHECK_SECONDS), request)
    except Problem as malformed:
        raise Refusal(f"This is not valid JSON: {malformed.operands.get('reason')}.") from None
    except InvalidFields as invalid:
        first = invalid.errors[0]
        raise Refusal(f"{first['pointer'] or '/'}: {first['detail']}") from None
    except InvalidExport as invalid:
        raise Refusal(import_fault(invalid, "en")) from None
    except import_session.DuplicateName:
        raise Refusal("Two players cannot have the same name.") from None
    except import_session.SessionExists as here:
        version = f", at version {here.version}" if here.version else ""
        sentence = text("en", "problems.session_exists").rstrip(".")
        raise Refusal(f"{sentence}{version}.") from None
    tokens = imported_session_tokens(secret, reply.session_id, export)
    link = share_path("s", reply.session_id, tokens["host"])
    outcome = "was here already" if reply.replayed else "is here now"
    return f"session {reply.session_id} {outcome}, at version {reply.version}: {link}"
