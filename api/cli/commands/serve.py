"""`vola serve`: the page, the API, a worker and the relay, until Ctrl-C or SIGTERM."""

import click

from api import settings
from api.cli import startup_message
from api.cli.command_group import Command
from api.observability import logging_config
from api.server import supervisor


@click.command(cls=Command)
def command() -> None:
    chosen = settings.read_settings()
    logging_config.configure_logging(chosen.log)
    supervisor.serve(chosen, ready=startup_message.show)
