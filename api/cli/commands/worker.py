"""`vola worker`: the background worker and the relay without the page, until told to stop."""

import click

from api.cli.command_group import Command
from api.observability import logging_config
from api.server import supervisor
from api.settings import read_settings


@click.command(cls=Command)
@click.option(
    "-n",
    "count",
    type=click.IntRange(1, 10_000),
    default=1,
    show_default=True,
    metavar="N",
    help="How many workers to run.",
)
@click.option("--no-relay", is_flag=True, help="Run only workers, without the relay.")
def command(count: int, no_relay: bool) -> None:
    settings = read_settings()
    logging_config.configure_logging(settings.log)
    supervisor.run_worker(settings, count=count, relay=not no_relay)
