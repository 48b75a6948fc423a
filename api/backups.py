"""`vola backup` and `vola restore`: the book in one file, and the book from one."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import migrations
from api import serving
from api.settings import Settings
from ledger import backup

WARNING = (
    "Whoever has this file can read and write every evening, as you can: "
    "keep it as safe as the book itself."
)


def make(chosen: Settings, given: argparse.Namespace) -> None:
    with (
        serving.addresses(chosen, migrate=False, there=True) as found,
        _progress("bytes written") as progress,
    ):
        if given.output.endswith("/") and not Path(given.output).is_dir():
            raise backup.BackupRefused(f"There is no folder {given.output}.")
        made = backup.make(found.owner, Path(given.output), progress)
    print(f"{made.path}: {made.evenings} evenings, {made.events} events")
    print(WARNING)


def restore(chosen: Settings, given: argparse.Namespace) -> None:
    with serving.addresses(chosen, migrate=False) as found:
        known = frozenset(step.name for step in migrations.STEPS)
        with _progress("bytes restored") as progress:
            done = backup.restore(found.owner, Path(given.file), known, progress)
        # what its tables lack since, and what app and auditor may do: roles are not in the file
        migrations.apply(found.owner, app_url=found.app, audit_url=found.audit)
    print(f"{done.evenings} evenings, {done.events} events; `vola audit` checks them")


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int], None]]:
    """A line that counts, on a terminal only, and ends before anything else is said."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    try:
        yield lambda count: print(f"\r{what} {count:,}", end="", file=sys.stderr, flush=True)
    finally:
        print(file=sys.stderr)
