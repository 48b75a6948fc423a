"""A file among the arguments of `vola import`, read once: it may be a pipe."""

from pathlib import Path
from typing import NamedTuple, Self

from api.cli.commands.import_sessions.archive_file import Line, check_archive, import_archive
from api.cli.commands.import_sessions.session_file import check_content, import_content
from api.cli.refusal import Refusal
from ledger.store.event_store import EventStore
from ledger.transfer.archive.archive_reader import is_archive


class SourceFile(NamedTuple):
    """A session's `content`, or an archive, which has none here; or why it is refused."""

    path: Path
    content: bytes | None = None
    refusal: Refusal | None = None

    @classmethod
    def read(cls, name: str) -> Self:
        """Read the file, unless it is an archive."""
        path = Path(name)
        try:
            return cls(path, None if is_archive(path) else path.read_bytes())
        except OSError as error:
            return cls(path, refusal=Refusal(f"cannot be read: {error.strerror}."))

    def checked(self) -> Self:
        """Return the file with its refusal, if that is certain without the database."""
        if self.refusal is not None:
            return self
        try:
            if self.content is None:
                check_archive(self.path)
            else:
                check_content(self.content)
        except Refusal as refusal:
            return self._replace(refusal=refusal)
        return self

    def import_into(self, store: EventStore, secret: bytes) -> list[Line]:
        """Import the session or the archive; return what to print."""
        if self.refusal is not None:
            return [self.refusal]
        try:
            if self.content is None:
                return import_archive(store, secret, self.path)
            return [str(import_content(store, secret, self.content))]
        except Refusal as refusal:
            return [refusal]
