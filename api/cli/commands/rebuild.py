"""`vola rebuild`: fold the projections again from the events."""

import click
import psycopg

from api.cli.announcement import announce, counted_nouns
from api.cli.command_group import Command
from api.cli.progress_line import progress_line
from api.cli.refusal import Refusal, print_refusal
from api.server import supervisor
from api.settings import read_settings
from ledger.rebuild import rebuild

INTERRUPTED = (
    "Interrupted: each session is either repaired or as it was; `vola rebuild` again does the rest."
)


@click.command(cls=Command)
def command() -> None:
    with (
        supervisor.running_servers(read_settings(), must_exist=True) as urls,
        progress_line("rebuilt") as show_progress,
    ):
        try:
            summary = rebuild.rebuild(urls.owner, progress=show_progress)
        except psycopg.errors.InsufficientPrivilege:
            raise Refusal(
                "Only the owner of the tables can repair them: set DATABASE_OWNER_URL."
            ) from None
        except KeyboardInterrupt:
            print_refusal(INTERRUPTED)
            raise
    counts = counted_nouns(session=summary.sessions, event=summary.events, row=summary.rows)
    differences = counted_nouns(row=summary.differed) if summary.differed else "nothing"
    announce(f"{counts}; {differences} differed", "The tables are as the events say, but")
    if summary.differed:
        click.echo("They are as the events say now. `vola audit` checks the events themselves.")
