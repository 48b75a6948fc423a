"""Time the export and import of a whole book (`make bench-transfer`).

The command exports a book of many sessions and some groups, imports it, imports it into another
book with a kill in the middle, and imports it once more. The three books must then have the same
events, names and groups. The command prints a row for each step.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any, NamedTuple

import psutil
import psycopg

from tests.support import interrupts
from tests.support.api.book_archive import Files, read_files
from tests.support.api.command_line import run_vola
from tests.support.api.random_group import random_group_of_sessions
from tests.support.app import app_over
from tests.support.databases import DatabaseUrls, copy_database, run_temporary_servers
from tests.support.ledger.store_session import act, play_e1
from tests.support.server_process import VOLA
from tests.verification.command_parser import command_parser

SESSIONS_PER_GROUP = 100
DEALS = 55
DEAL = (
    {"type": "open_deal"},
    {"type": "declare", "players": ["p2"]},
    {"type": "result", "winner": "p2"},
)
COUNTS = "SELECT count(*), (SELECT count(*) FROM vola.events) FROM vola.heads"
SIGNED = ("key", "checkpoint", "labels", "signature", "earlier_keys")
"""What each book signs with its own key."""
POLL_SECONDS = 0.05


class Finished(NamedTuple):
    """The last output of a command, its time, and the peak memory of its own process."""

    seconds: float
    megabytes: float
    progress: str
    result: str

    def row(self, what: str) -> str:
        memory = f"{self.megabytes:.0f} MiB"
        return f"| {what} | {self.seconds:.1f} s | {memory} | {self.progress} | {self.result} |"


def run_command(
    urls: DatabaseUrls, *arguments: str, kill_when: Callable[[], bool] | None = None
) -> Finished:
    """Run `vola`, and kill it once `kill_when` is true. Raise AssertionError if it fails."""
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", *VOLA, *arguments],
            env={**os.environ, **urls.environment},
            stdout=out,
            stderr=err,
        )
        watched, peak_bytes = psutil.Process(process.pid), 0
        while process.poll() is None:
            with suppress(psutil.Error):  # the process may have just ended
                peak_bytes = max(peak_bytes, watched.memory_info().rss)
            if kill_when and kill_when():
                process.kill()
            time.sleep(POLL_SECONDS)
        seconds = time.monotonic() - began
        out.seek(0)
        err.seek(0)
        printed, progress = out.read().splitlines(), err.read().splitlines()
    assert kill_when or process.returncode == 0, progress
    summary = printed[0 if arguments[0] == "export" else -1] if printed else "killed"
    megabytes = peak_bytes / (1 << 20)
    return Finished(seconds, megabytes, (progress or [""])[-1], summary.rpartition(": ")[2])


def play_book(urls: DatabaseUrls, sessions: int) -> None:
    """Play sessions of many deals, and a group of four sessions for each hundred of them."""
    with app_over(urls) as app:
        for _ in range(sessions):
            act(app.extensions["store"], play_e1(app.extensions["store"], deals=0), DEAL * DEALS)
        for seed in range(sessions // SESSIONS_PER_GROUP):
            random_group_of_sessions(app, Random(seed))


def count_rows(urls: DatabaseUrls) -> tuple[int, int]:
    """Return how many sessions and events there are."""
    with psycopg.connect(urls.super) as db:
        return db.execute(COUNTS).fetchone() or (0, 0)


def without_signatures(document: Any) -> Any:
    """Return the JSON without what its book signed, and without the generation of its links."""
    if isinstance(document, dict):
        return {
            name: without_signatures(value)
            for name, value in document.items()
            if name not in (*SIGNED, "generation")
        }
    return (
        [without_signatures(value) for value in document]
        if isinstance(document, list)
        else document
    )


def differing_files(files: Files, others: Files) -> list[str]:
    """Return the sessions and groups that are not the same in two archives."""
    names = {name for name in files.keys() | others.keys() if name.startswith(("session", "group"))}
    return [
        name
        for name in sorted(names)
        if without_signatures(json.loads(files.get(name, b"0")))
        != without_signatures(json.loads(others.get(name, b"1")))
    ]


def main() -> None:
    parser = command_parser("bench.history.book_transfer", __doc__)
    parser.add_argument("--sessions", type=int, default=1000)
    chosen = parser.parse_args()
    interrupts.exit_on_sigterm()
    with run_temporary_servers("transfer") as servers:
        source, target, killed = (
            copy_database(servers.postgres, name) for name in ("source", "target", "killed")
        )
        play_book(source, chosen.sessions)
        sessions, events = count_rows(source)
        print(f"{sessions} sessions with {events} events")
        print("| command | took | memory | last line of progress | result |\n|---|---|---|---|---|")
        file = servers.folder / "book.zip"
        print(run_command(source, "export", "--all", str(file)).row("export of all"), flush=True)
        print(run_command(target, "import", str(file)).row("import"), flush=True)
        half = run_command(
            killed, "import", str(file), kill_when=lambda: count_rows(killed)[0] * 2 >= sessions
        )
        print(half.row(f"import, killed after {count_rows(killed)[0]} sessions"), flush=True)
        print(run_command(killed, "import", str(file)).row("import, started again"), flush=True)
        print(run_command(killed, "import", str(file)).row("import of what is here"), flush=True)
        original = read_files(file)
        for name, urls in (("imported", target), ("killed", killed)):
            again = servers.folder / f"{name}.zip"
            run_command(urls, "export", "--all", str(again))
            different = differing_files(original, read_files(again))
            assert not different, different
            audit = run_vola("audit", **urls.environment)
            assert audit.returncode == 0, audit.stdout
            print(f"{name}: no difference; {audit.stdout.strip()}")
        print(f"the archive has {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
