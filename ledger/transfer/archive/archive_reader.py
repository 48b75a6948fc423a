"""Read an archive that anybody may have made: nothing in it is trusted, and nothing is unpacked.

Names, lengths and digests are compared with the manifest before a single file is used. Those who
import a file check its content.
"""

import stat
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from ledger.transfer.archive.archive_format import (
    FILE_NAME,
    MANIFEST,
    SCHEMA_KINDS,
    ArchivedFile,
    ArchiveRefused,
    Manifest,
    grows_too_much,
)

ZIP_SIGNATURE = b"PK"
"""No JSON begins like this; every ZIP file does."""
PIECE_BYTES = 1 << 20
ENCRYPTED = 0x1
READ_ERRORS = (
    *(BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError),
    *(zlib.error, struct.error),
)
"""What zipfile raises for a file that is damaged, or was made to be."""


def is_archive(path: Path) -> bool:
    """Return whether the file begins as an archive does. Raise OSError."""
    if not path.is_file():  # reading a pipe would use it up
        return False
    with path.open("rb") as file:
        return file.read(len(ZIP_SIGNATURE)) == ZIP_SIGNATURE


class ArchiveReader:
    """The files of an open archive."""

    def __init__(self, archive: ZipFile, archive_bytes: int) -> None:
        """Raise ArchiveRefused for entries that no archive of Vola has."""
        self._archive = archive
        entries = archive.infolist()
        for entry in entries:
            _check_entry(entry)
        if repeated := _repeated_name(entry.filename for entry in entries):
            raise ArchiveRefused(f"It holds {repeated} twice.")
        if sum(entry.compress_size for entry in entries) > archive_bytes:
            raise ArchiveRefused("Its files overlap.")
        self._entries = {entry.filename: entry for entry in entries}
        if MANIFEST not in self._entries:
            raise ArchiveRefused(f"It holds no {MANIFEST}.")

    def read_manifest(self) -> bytes:
        """Return the manifest as it stands. Raise ArchiveRefused."""
        return b"".join(self._pieces(MANIFEST))

    def read(self, file: ArchivedFile) -> bytes:
        """Return a file that has the length and digest of the manifest. Raise ArchiveRefused."""
        content = b"".join(self._pieces(file.path))
        _check_digest(file, len(content), sha256(content).hexdigest())
        return content

    def check(
        self, manifest: Manifest, show_progress: Callable[[int, int], object] = lambda *_: None
    ) -> None:
        """Compare every file with the manifest, a piece at a time in memory. `show_progress` gets
        how many files are compared, and of how many. Raise ArchiveRefused."""
        listed = {file.path for file in manifest.files}
        if repeated := _repeated_name(file.path for file in manifest.files):
            raise ArchiveRefused(f"Its manifest lists {repeated} twice.")
        entry_names = self._entries.keys() - {MANIFEST}
        needed = listed | {f"schemas/{kind}.json" for kind in SCHEMA_KINDS}
        if missing := needed - entry_names:
            raise ArchiveRefused(f"{min(missing)} is missing in it.")
        if unlisted := entry_names - listed:
            raise ArchiveRefused(f"It holds {min(unlisted)}, which its manifest does not list.")
        counts = (len(manifest.files_in("sessions")), len(manifest.files_in("groups")))
        if counts != (manifest.sessions, manifest.groups):
            raise ArchiveRefused("Its manifest counts other sessions or groups than it lists.")
        for count, file in enumerate(manifest.files, start=1):
            digest, length = sha256(), 0
            for piece in self._pieces(file.path):
                digest.update(piece)
                length += len(piece)
            _check_digest(file, length, digest.hexdigest())
            show_progress(count, len(manifest.files))

    def _pieces(self, name: str) -> Iterator[bytes]:
        """Yield what the entry holds, at most the length that it states."""
        try:
            with self._archive.open(self._entries[name]) as file:
                while piece := file.read(PIECE_BYTES):
                    yield piece
        except READ_ERRORS:
            raise ArchiveRefused(f"{name} in it is damaged.") from None


@contextmanager
def open_archive(path: Path) -> Iterator[ArchiveReader]:
    """Open an archive. Raise ArchiveRefused."""
    try:
        archive = ZipFile(path)
    except READ_ERRORS:
        raise ArchiveRefused("It is no complete archive.") from None
    with archive:
        yield ArchiveReader(archive, path.stat().st_size)


def _check_entry(entry: ZipInfo) -> None:
    name = entry.filename
    if not FILE_NAME.fullmatch(name) or entry.orig_filename != name:
        raise ArchiveRefused(f"It holds {name[:100]!r}, which is no file of an archive of Vola.")
    if entry.flag_bits & ENCRYPTED or entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise ArchiveRefused(f"{name} in it is packed in a way that Vola does not read.")
    file_type = stat.S_IFMT(entry.external_attr >> 16)
    if file_type not in (0, stat.S_IFREG):
        raise ArchiveRefused(f"{name} in it is no ordinary file.")
    if grows_too_much(entry.file_size, entry.compress_size):
        raise ArchiveRefused(f"{name} in it grows too much when it is unpacked.")


def _repeated_name(names: Iterable[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)


def _check_digest(file: ArchivedFile, length: int, digest: str) -> None:
    if (length, digest) != (file.bytes, file.sha256):
        raise ArchiveRefused(f"{file.path} in it is not what its manifest says.")
