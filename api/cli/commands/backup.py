"""`vola backup`: the whole database in one file."""

from pathlib import Path

import click

from api import settings
from api.cli.command_group import Command
from api.cli.progress_line import progress_line
from api.cli.refusal import Refusal
from api.server import supervisor
from ledger.transfer import backup

WARNING = (
    "Whoever has this file can read and write every session, as you can: "
    "keep it as safe as the database itself."
)


@click.command(cls=Command)
@click.option(
    *("-o", "--output"),
    default=".",
    type=click.Path(),
    metavar="FILE",
    help="A new file, or a folder for a file named by the time; by default this folder.",
)
def command(output: str) -> None:
    chosen = settings.read_settings()
    with (
        supervisor.running_servers(chosen, migrate=False, must_exist=True) as addresses,
        progress_line("bytes written") as show_progress,
    ):
        if output.endswith("/") and not Path(output).is_dir():
            raise Refusal(f"There is no folder {output}.")
        summary = backup.write_backup(addresses.owner, Path(output), show_progress)
    click.echo(f"{summary.path}: {summary.evenings} evenings, {summary.events} events")
    click.echo(WARNING)
