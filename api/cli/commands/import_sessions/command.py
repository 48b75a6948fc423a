"""`vola import FILE…`: sessions that another Vola exported, one per file or all in an archive.

A refused file does not stop the others. The same file again is the same session, so a run that was
interrupted can be repeated. A run in which no file can be imported makes no new book.
"""

from itertools import chain
from pathlib import Path
from typing import NamedTuple, Self

import click

from api.cli.announcement import announce
from api.cli.command_group import Command
from api.cli.commands.import_sessions.archive_file import Line, check_archive, import_archive
from api.cli.commands.import_sessions.session_file import check_content, import_content
from api.cli.file_path import FilePath
from api.cli.refusal import Refusal, print_refusal
from api.observability.logging_config import escape_control_characters
from api.server import supervisor
from api.settings import read_settings
from ledger.access.session_metadata import SessionMetadataStore
from ledger.store.event_store import EventStore
from ledger.transfer.archive.archive_format import ArchiveRefused
from ledger.transfer.archive.archive_reader import is_archive
from ledger.transfer.backup import ARCHIVE_MAGIC


class SourceFile(NamedTuple):
    """A file, read once since it may be a pipe: a session's `content`, or an archive, which has
    none here; or why it is refused."""

    path: Path
    content: bytes | None = None
    refusal: Refusal | None = None

    @classmethod
    def read(cls, name: str) -> Self:
        """Read the file, unless it is an archive."""
        path = Path(name)
        try:
            content = None if is_archive(path) else path.read_bytes()
        except OSError as error:
            return cls(path, refusal=Refusal(f"cannot be read: {error.strerror}."))
        if content == b"":
            return cls(path, refusal=Refusal("The file is empty."))
        if content and content.startswith(ARCHIVE_MAGIC):
            return cls(path, refusal=Refusal("This is a backup, which `vola restore` reads."))
        return cls(path, content)

    def checked(self) -> Self:
        """Return the file with its refusal, if that is certain without the database."""
        if self.refusal is not None:
            return self
        try:
            if self.content is None:
                check_archive(self.path)
            else:
                check_content(self.content)
        except (Refusal, ArchiveRefused) as refused:
            return self._replace(refusal=Refusal(str(refused)))
        return self

    def import_into(self, store: EventStore, secret: bytes) -> list[Line]:
        """Import the session or the archive; return what to print."""
        if self.refusal is not None:
            return [self.refusal]
        try:
            if self.content is None:
                return import_archive(store, secret, self.path)
            return [import_content(store, secret, self.content)[0]]
        except (Refusal, ArchiveRefused) as refused:
            return [Refusal(str(refused))]


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=FilePath())
def command(files: tuple[str, ...]) -> int:
    """Each FILE is what `vola export --names` or `vola export --all` wrote. Exit code 2 if anything
    was refused."""
    settings = read_settings()
    sources = map(SourceFile.read, files)
    checked: list[SourceFile] = []
    for source in sources:
        checked.append(source.checked())
        if checked[-1].refusal is None:
            break
    else:
        for source in checked:
            print_refusal(f"{source.path}: {source.refusal}")
        return 2
    refused = False
    with supervisor.open_app_pool(settings, must_exist=False) as pool:
        for source in chain(checked, sources):
            for line in source.import_into(EventStore(pool), SessionMetadataStore(pool).secret):
                if isinstance(line, Refusal):
                    refused = True
                    print_refusal(f"{source.path}: {line}")
                else:
                    text = escape_control_characters(f"{source.path}: {line}")
                    announce(text, f"{source.path} is imported, but")
    return 2 if refused else 0
