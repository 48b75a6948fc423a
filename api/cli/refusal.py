"""What a command prints when it refuses: one sentence, `vola: …`, on the error output."""

import click
import psycopg

from api.cli.error_output import print_error
from api.observability.logging_config import escape_control_characters
from api.settings import InvalidSetting
from api.witness.witness_folder import UnusableFolder
from ledger.embedded import ServerFailed
from ledger.events.recorded_event import UnreadableEvent
from ledger.rebuild.rebuild import DamagedSession
from ledger.store.connection_pool import UnsuitableDatabase
from ledger.transfer.archive.archive_format import ArchiveRefused
from ledger.transfer.backup_file import BackupRefused


class Refusal(Exception):
    """A sentence for the person who ran the command."""


EXPECTED_ERRORS = (
    *(Refusal, InvalidSetting, BackupRefused, UnsuitableDatabase, ServerFailed, UnreadableEvent),
    *(UnusableFolder, ArchiveRefused, DamagedSession),
)
"""Errors whose text is such a sentence."""
RIGHTS_REMEDY = (
    "name the app's role in DATABASE_URL and the owner's in DATABASE_OWNER_URL, and run "
    "`vola migrate`, which grants the roles what they need."
)


def sentence_of(error: Exception) -> str | None:
    """Return what to print for this error, or None if it is a fault of the program."""
    if isinstance(error, EXPECTED_ERRORS):
        return str(error)
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, psycopg.Error):
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            return f"The database refused: {reason}; {RIGHTS_REMEDY}"
        return f"The database refused: {reason}"
    if isinstance(error, OSError):  # a path without access, or a full disk under the output
        reason = (error.strerror or str(error)).rstrip(".")
        problem = f"Cannot use {error.filename}" if error.filename else "The system refused"
        return f"{problem}: {reason}."
    return None


def print_refusal(sentence: str) -> None:
    print_error(escape_control_characters(f"vola: {sentence}"))
