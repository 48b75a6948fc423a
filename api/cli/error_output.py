"""What a command prints beside its result: progress and refusals."""

import sys

from api.cli.command_group import drop_output


def print_error(text: str, end: str = "\n") -> None:
    """Print on the error output, or nowhere if it is full or its reader is gone: a command goes on,
    and its exit code says how it ended."""
    try:
        print(text, end=end, file=sys.stderr, flush=True)
    except OSError:
        drop_output(sys.stderr)
