"""`vola restore`: the database from the file that `vola backup` wrote."""

from pathlib import Path

import click

import migrations
from api.cli.announcement import announce, counted_nouns
from api.cli.command_group import Command
from api.cli.file_path import FilePath
from api.cli.progress_line import progress_line
from api.server import supervisor
from api.settings import read_settings
from ledger.transfer import backup


@click.command(cls=Command)
@click.argument("file", type=FilePath(path_type=Path))
def command(file: Path) -> None:
    settings = read_settings()
    known_migrations = frozenset(step.name for step in migrations.STEPS)
    backup.check_backup(file, known_migrations)  # a refused file leaves no new, empty book
    with supervisor.running_servers(settings, migrate=False) as urls:
        with progress_line("bytes restored") as show_progress:
            summary = backup.restore(urls.owner, file, known_migrations, show_progress)
        # newer migrations, and the rights of app and auditor: roles are not in the file
        migrations.apply(urls.owner, app_url=urls.app, audit_url=urls.audit)
    counts = counted_nouns(session=summary.sessions, event=summary.events)
    announce(f"{counts}; `vola audit` checks them", f"{file} is restored, but")
