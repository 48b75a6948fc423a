"""What a command prints about the file that it has written."""

from pathlib import Path

import click

from api.cli.refusal import Refusal


def announce_file(path: Path, text: str) -> None:
    """Print `text`; when that fails, say that the file is there all the same. Raise Refusal."""
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Refusal(
            f"{path} is complete, but the output cannot be written: {error.strerror}."
        ) from error
