"""`vola backup`: the whole database in one file, or the next file in a folder of the newest."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from api.cli.announcement import announce_file, counted_nouns
from api.cli.command_group import Command
from api.cli.file_path import FilePath
from api.cli.progress_line import progress_line
from api.cli.refusal import Refusal, print_refusal
from api.server import supervisor
from api.settings import read_settings
from ledger.embedded.pg_tools import Progress
from ledger.embedded.private_files import is_folder
from ledger.transfer import backup
from ledger.transfer.backup_ring import KEPT_FILES

WARNING = (
    "Whoever has this file can read and write every session, as you can: "
    "keep it as safe as the database itself."
)


@click.command(cls=Command)
@click.option(
    *("-o", "--output"),
    type=FilePath(),
    metavar="FILE",
    help="A new file, or a folder for a file named by the time; by default this folder.",
)
@click.option(
    *("--to", "folder"),
    type=FilePath(),
    metavar="FOLDER",
    help="For a timer: add a numbered file to this folder, unless the newest one there holds"
    " everything already, and remove the oldest.",
)
@click.option(
    "--keep",
    type=click.IntRange(1, 100_000),
    metavar="N",
    help=f"How many files stay in the folder of --to ({KEPT_FILES}).",
)
def command(output: str | None, folder: str | None, keep: int | None) -> None:
    if folder is not None and output is not None:
        raise Refusal("--output names one file and --to a folder of many: choose one of them.")
    if folder is None and keep is not None:
        raise Refusal("--keep belongs to --to: no other file is ever removed.")
    if folder is None:
        _write_file(output or ".")
    elif not is_folder(Path(folder)):
        raise Refusal(f"There is no folder {folder}.")
    else:
        _add_to_ring(Path(folder), keep or KEPT_FILES)


def _write_file(output: str) -> None:
    with _book() as (owner_url, show_progress):
        if output.endswith("/") and not is_folder(Path(output)):
            raise Refusal(f"There is no folder {output}.")
        summary = backup.write_backup(owner_url, Path(output), show_progress)
    announce_file(summary.path, f"{_describe(summary)}\n{WARNING}")


def _add_to_ring(folder: Path, keep: int) -> None:
    warnings: list[str] = []
    try:
        with _book() as (owner_url, show_progress):
            summary = backup.add_to_ring(owner_url, folder, keep, show_progress, warnings.append)
    finally:
        for warning in warnings:  # after the line that shows the progress
            print_refusal(warning)
    if summary:
        announce_file(summary.path, _describe(summary))
    else:
        click.echo("nothing new to back up")


@contextmanager
def _book() -> Iterator[tuple[str, Progress]]:
    """Yield the owner's URL of an existing book, and a function that shows the progress."""
    settings = read_settings()
    with (
        supervisor.running_servers(settings, migrate=False, must_exist=True) as urls,
        progress_line("bytes written") as show_progress,
    ):
        yield urls.owner, show_progress


def _describe(summary: backup.BookSummary) -> str:
    return f"{summary.path}: {counted_nouns(session=summary.sessions, event=summary.events)}"
