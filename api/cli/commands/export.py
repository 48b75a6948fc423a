"""`vola export`: a session's events, with hashes and receipt, as JSON; or all of a book."""

import json
import re
import sys
from pathlib import Path
from uuid import UUID

import click

from api.cli.announcement import announce_file, counted_nouns
from api.cli.archive_schemas import archive_schemas
from api.cli.command_group import Command
from api.cli.file_path import FilePath
from api.cli.progress_line import progress_of_total
from api.cli.refusal import Refusal
from api.server import supervisor
from api.settings import read_settings
from ledger.embedded.private_files import path_exists, write_private
from ledger.events.recorded_event import UnknownSession
from ledger.proofs.receipts import ReceiptIssuer
from ledger.store.event_store import EventStore
from ledger.transfer import export
from ledger.transfer.archive.archive_writer import write_archive


@click.command(cls=Command)
@click.argument("session_id", metavar="[SESSION]", type=click.UUID, required=False)
@click.option(
    *("--all", "archive"),
    type=FilePath(path_type=Path),
    metavar="FILE",
    help="A new file for all sessions, with names, and all groups, which `vola import` reads.",
)
@click.option(
    "--names",
    is_flag=True,
    help="With title, names and remarks: all that `vola import` needs elsewhere.",
)
@click.option(
    *("-o", "--output"),
    type=FilePath(),
    metavar="FILE",
    help="A file; by default the standard output.",
)
def command(session_id: UUID | None, names: bool, output: str | None, archive: Path | None) -> None:
    if archive is not None:
        if session_id is not None or names or output:
            raise Refusal("--all FILE stands alone: it takes every session, with names.")
        _write_archive(archive)
    elif session_id is None:
        raise Refusal("Name a SESSION, or --all FILE for all of them.")
    else:
        _export_session(session_id, names, output)


def _write_archive(file: Path) -> None:
    if path_exists(file):
        raise Refusal(f"{file} is there already; name another file.")
    with (
        supervisor.open_app_pool(read_settings(), must_exist=True) as pool,
        progress_of_total("sessions written:") as show_progress,
    ):
        manifest = write_archive(pool, file, archive_schemas(), show_progress)
    announce_file(
        file,
        f"{file}: {counted_nouns(session=manifest.sessions, group=manifest.groups)}\n"
        "It holds every name, and no link, device or key: those are new where it is imported. "
        "A `vola backup` includes those.",
    )


def _export_session(session_id: UUID, names: bool, output: str | None) -> None:
    with supervisor.open_app_pool(read_settings(), must_exist=True) as pool:
        # not as the auditor, who may not sign
        store, issuer = EventStore(pool), ReceiptIssuer(pool)
        try:
            text = export.export_session(store, issuer, session_id, labelled=names)
        except UnknownSession:
            raise Refusal(f"There is no session {session_id}.") from None
    try:
        if output:
            _write_file(Path(output).resolve(), text)
        elif not sys.stdout:
            raise Refusal("Cannot write the export: the standard output is closed.")
        else:  # UTF-8, whatever the terminal's encoding
            click.echo(re.sub(r"[^\n -~]", _escape_unprintable, text).encode(), nl=False)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Refusal(f"Cannot write {output or 'it'}: {error.strerror}.") from error


def _write_file(file: Path, text: str) -> None:
    """Write all of it, readable by its owner alone (salts may be in it), or leave the file."""
    if file.exists() and not file.is_file():  # a pipe or device: there is nothing to replace
        file.write_text(text, encoding="utf-8")
    else:
        write_private(file, text)


def _escape_unprintable(match: re.Match[str]) -> str:
    """Return the character, or its JSON escape; only strings in JSON hold more than ASCII."""
    return match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1]
