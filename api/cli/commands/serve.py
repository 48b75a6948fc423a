"""`vola serve`: the page, the API, a worker and the relay, until Ctrl-C or SIGTERM."""

import click

from api.cli import startup_message
from api.cli.command_group import Command
from api.observability import logging_config
from api.server import supervisor
from api.settings import read_settings


@click.command(cls=Command)
def command() -> None:
    settings = read_settings()
    logging_config.configure_logging(settings.log)
    supervisor.serve(settings, ready=startup_message.show)
