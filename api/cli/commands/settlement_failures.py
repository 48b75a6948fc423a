"""`vola settlement-failures`: sessions whose la vola payments cannot be settled, and why."""

from uuid import UUID

import click

from api.cli.announcement import counted_nouns
from api.cli.command_group import Command
from api.cli.refusal import Refusal
from api.observability.logging_config import escape_control_characters
from api.server import supervisor
from api.settings import read_settings
from ledger.access.session_metadata import SessionMetadataStore
from ledger.events.recorded_event import UnknownSession
from ledger.events.timestamps import format_timestamp
from ledger.operations import settlement_failures


@click.command(cls=Command)
@click.argument("session_id", metavar="[SESSION]", type=click.UUID, required=False)
@click.option("--retry", is_flag=True, help="Try them again at once.")
def command(session_id: UUID | None, retry: bool) -> int:
    """Names one session, or lists them all. Exit code 1 if there are any."""
    with supervisor.open_app_pool(read_settings(), must_exist=True) as pool:
        if session_id is not None:
            try:
                SessionMetadataStore(pool).load(session_id)
            except UnknownSession:
                raise Refusal(f"There is no session {session_id}.") from None
        failures = settlement_failures.list_failures(pool, session_id)
        for failure in failures:
            since = format_timestamp(failure.since)
            tries = counted_nouns(time=failure.attempts)
            tried = f"{failure.due} due, tried {tries} since {since}"
            line = f"{failure.session_id}: {tried}: {failure.reason}"
            click.echo(escape_control_characters(line))
        if retry:
            retried = settlement_failures.retry_now(pool, session_id)
            click.echo(f"{retried} to be tried again at once")
    if not failures:
        click.echo("nothing is stuck")
    return 1 if failures and not retry else 0
