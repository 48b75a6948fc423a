"""The entry point of `vola`, which imports the rest so late that Ctrl-C has no traceback."""

import os
import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        import signal  # even this takes milliseconds

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # it may be ignored
            # no exception: callbacks of the import system would lose it
            signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    except KeyboardInterrupt:
        return 130
    if not sys.stderr:  # it was closed
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    from api.cli import command_line

    return command_line.run(argv)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main())
