"""`vola import FILE…`: sessions that another Vola exported, one per file or all in an archive.

A refused file does not stop the others. The same file again is the same session, so a run that was
interrupted can be repeated.
"""

from pathlib import Path

import click

from api import settings
from api.cli.command_group import Command
from api.cli.commands.import_sessions.archive_file import Line, import_archive
from api.cli.commands.import_sessions.session_file import import_content
from api.cli.file_path import FilePath
from api.cli.refusal import Refusal, print_refusal
from api.observability.logging_config import escape_control_characters
from api.server import supervisor
from ledger.access.session_metadata import SessionMetadataStore
from ledger.store.event_store import EventStore
from ledger.transfer.archive.archive_reader import is_archive


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=FilePath())
def command(files: tuple[str, ...]) -> int:
    """Each FILE is what `vola export --names` or `vola export --all` wrote. Exit code 2 if anything
    was refused."""
    refused = False
    with supervisor.open_app_pool(settings.read_settings(), must_exist=False) as pool:
        for file in files:
            for line in _import_file(
                EventStore(pool), SessionMetadataStore(pool).secret, Path(file)
            ):
                if isinstance(line, Refusal):
                    refused = True
                    print_refusal(f"{file}: {line}")
                else:
                    click.echo(escape_control_characters(f"{file}: {line}"))
    return 2 if refused else 0


def _import_file(store: EventStore, secret: bytes, file: Path) -> list[Line]:
    """Import a session or an archive; return what to print."""
    try:
        content = None if is_archive(file) else file.read_bytes()
    except OSError as error:
        return [Refusal(f"cannot be read: {error.strerror}.")]
    try:
        if content is None:
            return import_archive(store, secret, file)
        return [str(import_content(store, secret, content))]
    except Refusal as refusal:
        return [refusal]
