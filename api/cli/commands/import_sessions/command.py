"""`vola import FILE…`: sessions that another Vola exported, one per file or all in an archive.

A refused file does not stop the others. The same file again is the same session, so a run that was
interrupted can be repeated. A run in which no file can be imported makes no new book.
"""

from itertools import chain

import click

from api import settings
from api.cli.command_group import Command
from api.cli.commands.import_sessions.source_file import SourceFile
from api.cli.file_path import FilePath
from api.cli.refusal import Refusal, print_refusal
from api.observability.logging_config import escape_control_characters
from api.server import supervisor
from ledger.access.session_metadata import SessionMetadataStore
from ledger.store.event_store import EventStore


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=FilePath())
def command(files: tuple[str, ...]) -> int:
    """Each FILE is what `vola export --names` or `vola export --all` wrote. Exit code 2 if anything
    was refused."""
    chosen = settings.read_settings()
    sources = map(SourceFile.read, files)
    checked = list[SourceFile]()
    for source in sources:
        checked.append(source.checked())
        if checked[-1].refusal is None:
            break
    else:
        for source in checked:
            print_refusal(f"{source.path}: {source.refusal}")
        return 2
    refused = False
    with supervisor.open_app_pool(chosen, must_exist=False) as pool:
        for source in chain(checked, sources):
            for line in source.import_into(EventStore(pool), SessionMetadataStore(pool).secret):
                if isinstance(line, Refusal):
                    refused = True
                    print_refusal(f"{source.path}: {line}")
                else:
                    click.echo(escape_control_characters(f"{source.path}: {line}"))
    return 2 if refused else 0
