"""`vola migrate`: apply the migrations that the database lacks."""

import click

import migrations
from api import settings
from api.cli.command_group import Command
from api.server import supervisor


@click.command(cls=Command)
def command() -> None:
    with supervisor.running_servers(settings.read_settings(), migrate=False) as urls:
        applied = migrations.apply(urls.owner, app_url=urls.app, audit_url=urls.audit)
    click.echo("\n".join(f"applied {step}" for step in applied) or "up to date")
