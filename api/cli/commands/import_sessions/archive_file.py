"""A file that holds all sessions and groups of a book.

All of it is compared with its manifest first. Then each session is imported in a transaction of its
own, and each group after its sessions. What is here already is counted and left as it is, so a run
that was interrupted goes on when it is started again.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from api.auth.tokens import group_tokens
from api.cli.announcement import counted_nouns
from api.cli.commands.import_sessions.session_file import (
    SessionIsHere,
    file_request,
    import_content,
    shape_refusal,
)
from api.cli.progress_line import progress_of_total
from api.cli.refusal import Refusal
from api.http.json_body import decode_strict_json
from api.http.problems import InvalidFields, Problem
from api.representations.share_links import share_path
from api.schemas.export import check_labels, convert_json
from ledger.groups.groups import GroupStore
from ledger.store.event_store import EventStore
from ledger.store.name_matching import MAX_LABEL_CHARACTERS
from ledger.transfer.archive.archive_format import (
    MANIFEST,
    ArchivedFile,
    ArchiveRefused,
    ExportedGroup,
    Manifest,
    group_path,
    session_path,
)
from ledger.transfer.archive.archive_reader import ArchiveReader, open_archive
from ledger.transfer.archive.group_transfer import import_group

Line = str | Refusal
"""What to print about a session or a group."""


class ArchiveImport:
    """One run over an archive. `lines` is what to print: the links to the groups, and to sessions
    that are in no group here; what was refused; the counts."""

    def __init__(self, store: EventStore, secret: bytes, archive: ArchiveReader) -> None:
        """Check the archive. Raise ArchiveRefused; nothing is imported yet."""
        self._store, self._secret, self._archive = store, secret, archive
        self.lines: list[Line] = []
        self._outcomes: Counter[str] = Counter()
        self._refused: set[str] = set()
        self._lines_of_groups: dict[str, str] = {}  # of sessions to which a group is to lead
        with progress_of_total("files checked:") as show_progress:
            self._manifest, self._groups = _check_files(archive, show_progress)

    def run(self) -> None:
        """Import what is not here yet."""
        in_groups = {s.session for _, group in self._groups for s in group.sessions}
        sessions = self._manifest.files_in("sessions")
        with progress_of_total("sessions imported:") as show_progress:
            for count, file in enumerate(sessions, start=1):
                self._import_session(file, in_groups)
                show_progress(count, len(sessions))
        for file, group in self._groups:
            self._import_group(file, group)
        counts = (f"{self._outcomes[outcome]} {outcome}" for outcome in ("new", "here already"))
        self.lines.append(
            f"{counted_nouns(session=self._manifest.sessions)} and "
            f"{counted_nouns(group=self._manifest.groups)}: "
            f"{', '.join(counts)}, {self._outcomes['refused']} refused"
        )

    def _import_session(self, file: ArchivedFile, in_groups: set[str]) -> None:
        session = Path(file.path).stem
        try:
            content = self._archive.read(file)
            line, was_here = import_content(self._store, self._secret, content, UUID(session))
        except (Refusal, ArchiveRefused) as refusal:
            if isinstance(refusal, SessionIsHere) and refusal.has_all:
                self._outcomes["here already"] += 1
            else:
                self._refuse(f"session {session}: {refusal}")
                self._refused.add(session)
        else:
            self._outcomes["here already" if was_here else "new"] += 1
            if session in in_groups:
                self._lines_of_groups[session] = line
            else:
                self.lines.append(line)

    def _import_group(self, file: ArchivedFile, group: ExportedGroup) -> None:
        refused = [s.session for s in group.sessions if s.session in self._refused]
        try:
            if refused:
                raise ArchiveRefused(f"its session {refused[0]} was refused")
            request = file_request(self._archive.read(file))
            is_new = import_group(self._store.pool, group, request)
        except ArchiveRefused as refusal:
            self._refuse(f"group {group.group}: {str(refusal).rstrip('.')}.")
            lines = (self._lines_of_groups.get(s.session) for s in group.sessions)
            self.lines += filter(None, lines)
            return
        self._outcomes["new" if is_new else "here already"] += 1
        group_id = UUID(group.group)
        generations = GroupStore(self._store.pool).load(group_id).generations
        link = share_path("c", group_id, group_tokens(self._secret, group_id, generations)["host"])
        outcome = "is here now" if is_new else "was here already"
        sessions = counted_nouns(session=len(group.sessions))
        self.lines.append(f"group {group.group} {outcome}, with {sessions}: {link}")

    def _refuse(self, sentence: str) -> None:
        self._outcomes["refused"] += 1
        self.lines.append(Refusal(sentence))


def import_archive(store: EventStore, secret: bytes, file: Path) -> list[Line]:
    """Import the archive; return what to print. Raise ArchiveRefused if nothing was imported."""
    with open_archive(file) as archive:
        archive_import = ArchiveImport(store, secret, archive)
        archive_import.run()
        return archive_import.lines


def check_archive(file: Path) -> None:
    """Check every file in the archive as far as that needs no database. Raise ArchiveRefused."""
    with open_archive(file) as archive:
        _check_files(archive, lambda *_: None)


def _check_files(
    archive: ArchiveReader, show_progress: Callable[[int, int], object]
) -> tuple[Manifest, list[tuple[ArchivedFile, ExportedGroup]]]:
    """Return the manifest, with which all files agree, and the groups. Raise ArchiveRefused."""
    with _shape_refused_in(MANIFEST):
        manifest = convert_json(decode_strict_json(archive.read_manifest()), Manifest)
    archive.check(manifest, show_progress)
    return manifest, list(_read_groups(archive, manifest))


@contextmanager
def _shape_refused_in(path: str) -> Iterator[None]:
    """Raise ArchiveRefused, with the path of the file, for what is wrong with its shape."""
    try:
        yield
    except (Problem, InvalidFields) as malformed:
        raise ArchiveRefused(f"{path}: {shape_refusal(malformed)}") from None


def _read_groups(
    archive: ArchiveReader, manifest: Manifest
) -> Iterator[tuple[ArchivedFile, ExportedGroup]]:
    """Yield the groups; their sessions must be in the archive, and each in one group."""
    ungrouped_paths = {file.path for file in manifest.files_in("sessions")}
    for file in manifest.files_in("groups"):
        with _shape_refused_in(file.path):
            group = convert_json(decode_strict_json(archive.read(file)), ExportedGroup)
            check_labels(_labels(group))
        if group_path(group.group) != file.path:
            raise ArchiveRefused(f"{file.path} holds another group, {group.group}.")
        for session in group.sessions:
            path = session_path(session.session)
            if path not in ungrouped_paths:
                raise ArchiveRefused(
                    f"{file.path} names a session that is not in the archive, or in two groups."
                )
            ungrouped_paths.remove(path)
        yield file, group


def _labels(group: ExportedGroup) -> Iterator[tuple[str, str, int]]:
    """Yield the pointer of each text that people wrote, with the text and its longest length."""
    yield "/name", group.name, MAX_LABEL_CHARACTERS
    for index, member in enumerate(group.members):
        if member.name is not None:
            yield f"/members/{index}/name", member.name, MAX_LABEL_CHARACTERS
