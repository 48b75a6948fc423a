"""Run pg_dump and pg_restore.

Those that come with Vola suit its embedded server; another server needs programs of its own
version, which are searched for on PATH. Passwords are passed in the environment, which no process
list shows. Knows nothing of the tables.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

from psycopg import pq

from ledger.embedded.cluster import find_program
from ledger.embedded.errors import ServerFailed

VERSION = re.compile(r"\(PostgreSQL\) (\d+)(?:\.(\d+))?")
COMPLAINT = re.compile(r"^\S+: (?:error: )+(.*)$")
PIECE_BYTES = 1 << 18

Progress = Callable[[int], None]
"""Called with the number of bytes so far."""


def find_pg_dump(major: int, folder: Path | None = None) -> Path:
    """Return the pg_dump for a server of this version: of the same or a newer one. Raise
    ServerFailed.

    `folder` is searched as well. The newest minor release of the server's own version is preferred.
    Another pg_dump may write out what the server keeps for itself, such as the column option
    `pg_attver` since 15.20, and other servers refuse that.
    """
    programs = _find_all("pg_dump", folder)
    usable = [(version, path) for version, path in programs if version[0] >= major]
    if not usable:
        return _missing("pg_dump", major)
    return min(usable, key=lambda program: (program[0][0], -program[0][1]))[1]


def find_pg_restore(major: int) -> Path:
    """Return the pg_restore of exactly this server version: a newer one would use settings that the
    server does not know. Raise ServerFailed."""
    usable = [path for version, path in _find_all("pg_restore") if version[0] == major]
    return usable[0] if usable else _missing("pg_restore", major)


@cache
def find_newest_pg_restore() -> Path:
    """Return a pg_restore that reads a file without a server, whatever version wrote it.
    Raise ServerFailed."""
    programs = _find_all("pg_restore")
    if not programs:
        raise ServerFailed(
            "No pg_restore is at hand to read a backup with: install the client programs of "
            "PostgreSQL so that it is on PATH."
        )
    return max(programs, key=lambda program: program[0])[1]


def run_pg_dump(
    program: Path, arguments: Sequence[str], url: str, path: Path, progress: Progress
) -> None:
    """Dump the database of `url` into `path`, an existing file. Raise ServerFailed. It gets the
    file's name: to standard output, it would write the table of contents twice."""
    with _running_program(program, (*arguments, f"--file={path}"), url) as process:
        while process.returncode is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
            progress(path.stat().st_size)


def run_pg_restore(
    program: Path, arguments: Sequence[str], url: str, source: BinaryIO, progress: Progress
) -> None:
    """Restore the rest of the open file `source`. Raise ServerFailed."""
    with _running_program(program, arguments, url, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        fed = 0
        # it closes its input early when it fails, and `_running_program` reports why
        with suppress(BrokenPipeError), process.stdin as stdin:
            while piece := source.read(PIECE_BYTES):
                stdin.write(piece)
                fed += len(piece)
                progress(fed)


def read_archive(program: Path, arguments: Sequence[str]) -> str:
    """Return the output of pg_restore for a file, without a database. Raise ServerFailed."""
    with _running_program(program, arguments, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        return process.stdout.read().decode(errors="replace")


@contextmanager
def _running_program(
    program: Path,
    arguments: Sequence[str],
    url: str = "",
    *,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.DEVNULL,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program on the database of `url`; ServerFailed with its message if it fails. The
    program is killed when the `with` block raises, as on Ctrl-C or a full disk."""
    command = [str(program), *arguments]
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(  # noqa: S603
            command, env=_environment(url), stdin=stdin, stdout=stdout, stderr=errors
        ) as process:
            try:
                yield process
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            errors.seek(0)
            text = errors.read(20_000).decode(errors="replace")
            lines = [line for line in text.splitlines() if line]
            complaints = [match.group(1) for line in lines if (match := COMPLAINT.match(line))]
            reason = (complaints or lines or [f"it ended with {process.returncode}"])[0]
            raise ServerFailed(f"{program.name} failed: {reason.rstrip('.')}.")


def _environment(url: str) -> dict[str, str]:
    """Return the environment that libpq reads; messages in English, so that COMPLAINT matches."""
    from_url = {
        option.envvar.decode(): option.val.decode()
        for option in (pq.Conninfo.parse(url.encode()) if url else ())
        if option.envvar and option.val is not None
    }
    return {**os.environ, "LC_ALL": "C", **from_url}


def _find_all(name: str, folder: Path | None = None) -> list[tuple[tuple[int, int], Path]]:
    """Return every program of this name with its version, the one that comes with Vola first."""
    paths = [folder / name] if folder else []
    with suppress(ServerFailed):
        paths.insert(0, find_program(name))
    if installed := shutil.which(name):
        paths.append(Path(installed))
    return [(version, path) for path in paths if (version := program_version(path))]


def program_version(program: Path) -> tuple[int, int] | None:
    """Return the major and minor version of a program of PostgreSQL; None if it is not one or
    cannot run."""
    try:
        completed = subprocess.run(  # noqa: S603
            [str(program), "--version"], capture_output=True, text=True, timeout=20
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = VERSION.search(completed.stdout)
    return (int(match.group(1)), int(match.group(2) or 0)) if match else None


def _missing(name: str, major: int) -> Path:
    raise ServerFailed(
        f"The server is PostgreSQL {major} and no {name} of that version is at hand: "
        f"install the client programs of PostgreSQL {major} so that {name} is on PATH."
    )
