"""`vola migrate`: say which migrations the database lacks, and apply them after a backup."""

from pathlib import Path

import click

import migrations
from api.cli.announcement import announce, counted_nouns
from api.cli.command_group import Command
from api.cli.file_path import FilePath
from api.cli.progress_line import progress_line
from api.cli.refusal import Refusal
from api.server import supervisor, table_upgrade
from api.server.upgrade_audit import confirm_upgrade
from api.settings import Settings, read_settings
from ledger.transfer import backup

CURRENT = "up to date"


@click.command(cls=Command)
@click.option("--dry-run", is_flag=True, help="Only say what is pending, and change nothing.")
@click.option(
    "--backup",
    "backup_path",
    type=FilePath(path_type=Path),
    metavar="FILE",
    help="A backup of this book, at most a day old; or a new file or a folder, to write one first."
    " An embedded book is backed up in VOLA_DATA without this.",
)
@click.option("--no-backup", is_flag=True, help="Migrate a book in use without any backup.")
def command(dry_run: bool, backup_path: Path | None, no_backup: bool) -> None:
    """Lists what each is for, then runs all in one transaction: interrupted, it changes nothing."""
    if backup_path and no_backup:
        raise Refusal("Choose one of --backup and --no-backup.")
    settings = read_settings()
    with supervisor.running_servers(settings, migrate=False, must_exist=dry_run) as urls:
        plan = migrations.read_plan(urls.owner)
        for file in plan.files:
            announce(f"{file}: {migrations.purpose(file)}", "Nothing was migrated, because")
        if dry_run:
            click.echo(f"{len(plan.files)} pending; nothing was changed" if plan.files else CURRENT)
            return
        with table_upgrade.upgrade_lock(urls.owner):
            if not no_backup and migrations.read_plan(urls.owner).changes_tables:
                _secure_backup(settings, urls.owner, backup_path)
            with table_upgrade.explain_missing_rights():
                applied = table_upgrade.apply_migrations(
                    owner_url=urls.owner, app_url=urls.app, audit_url=urls.audit
                )
        announce(
            f"{len(applied)} applied" if applied else CURRENT,
            f"The tables are up to date ({len(applied)} migrations applied now), but",
        )
        if not settings.database_url:
            confirm_upgrade(settings.data, app_url=urls.app, audit_url=urls.audit)


def _secure_backup(settings: Settings, owner_url: str, path: Path | None) -> None:
    """Check the backup that was named, or write one. Raise Refusal if none was named for a book in
    a database of its own, or BackupRefused."""
    if path and path.is_file():
        table_upgrade.check_backup(owner_url, path)
        return
    if not path and settings.database_url:
        raise Refusal(
            "This book is in use, and the tables change: name a backup of it with --backup FILE "
            "(or a folder to write one into), or say --no-backup."
        )
    with progress_line("bytes written") as show_progress:
        if path:
            summary = backup.write_backup(owner_url, path, show_progress)
        else:
            summary = table_upgrade.back_up_embedded(settings.data, owner_url, show_progress)
    counts = counted_nouns(session=summary.sessions, event=summary.events)
    announce(
        f"backup: {summary.path}: {counts}",
        f"The backup {summary.path} is complete, but nothing was migrated, because",
    )
