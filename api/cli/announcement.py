"""What a command prints about what it has done: a file written, tables migrated."""

from pathlib import Path

import click

from api.cli.refusal import Refusal


def announce(text: str, outcome: str) -> None:
    """Print `text`. When that fails, raise Refusal, which says what was done all the same:
    `outcome` and then why the output cannot be written."""
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Refusal(f"{outcome} the output cannot be written: {error.strerror}.") from error


def announce_file(path: Path, text: str) -> None:
    """Print `text`; when that fails, say that the file is there all the same. Raise Refusal."""
    announce(text, f"{path} is complete, but")


def counted_nouns(**counts: int) -> str:
    """Return `1 session, 2 events` for `session=1, event=2`: nouns whose plural ends with an s."""
    return ", ".join(
        f"{count} {noun}" if count == 1 else f"{count} {noun}s" for noun, count in counts.items()
    )
