"""The `vola` command: a list of its subcommands, and what their errors become.

A refusal is one sentence on the error output and exit code 2. Findings of an audit and settlement
failures are exit code 1. What a command prints never controls the terminal, whatever the database
holds.
"""

import logging
import signal
import sys
import threading
from io import TextIOWrapper
from typing import Any, NoReturn

import click

from api.cli.command_group import CommandEntry, LazyGroup, drop_output

SERVER, DATABASE, CHECKS, TRANSFER = "Server", "Database", "Checks", "Moving sessions"
COMMANDS = (
    CommandEntry(SERVER, "serve", "Run the page, the API, a worker and the relay together."),
    CommandEntry(SERVER, "worker", "Run only the background worker and the relay."),
    CommandEntry(SERVER, "demo", "Record a session of random deals, to look around in."),
    CommandEntry(DATABASE, "migrate", "Bring the tables up to date, as the database's owner."),
    CommandEntry(DATABASE, "rebuild", "Compare projections with the events and repair them."),
    CommandEntry(DATABASE, "backup", "Write the whole database to one file while others play."),
    CommandEntry(DATABASE, "restore", "Load a backup into an empty database or a new VOLA_DATA."),
    CommandEntry(CHECKS, "audit", "Check hashes, sums and projections; exit code 1 on findings."),
    CommandEntry(CHECKS, "key", "Show the key that signs checkpoints, or sign with a new one."),
    CommandEntry(
        *(CHECKS, "witness", "Follow sessions of other books, and cosign what continues."),
        "witness.command",
    ),
    CommandEntry(CHECKS, "settlement-failures", "List sessions whose payments cannot be settled."),
    CommandEntry(TRANSFER, "export", "Write a session's events as JSON, or the whole book."),
    CommandEntry(
        *(TRANSFER, "import", "Import what another Vola exported."), "import_sessions.command"
    ),
)
ALIASES = {"stuck": "settlement-failures"}
"""Names from earlier versions, which still work but are not listed."""
EXIT_AGAIN_SECONDS = 0.01


@click.group(
    cls=LazyGroup,
    entries=COMMANDS,
    aliases=ALIASES,
    epilog='Completion in bash (zsh, fish): eval "$(_VOLA_COMPLETE=bash_source vola)"',
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="vola", message="Vola %(version)s")
def vola() -> None:
    """Keep score and money at a card table: a pot and bet ledger with a phone form."""
    # click calls this when it has imported the subcommand; until then Ctrl-C ends the process
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as with `nohup`
        signal.signal(signal.SIGINT, _interrupt)


def _exit_again(unraisable: Any) -> None:
    """Exit a moment later if the exit came where Python ignores exceptions, such as in a callback
    of the garbage collector: a signal to stop would be lost."""
    error = unraisable.exc_value
    if isinstance(error, SystemExit) and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGALRM, lambda *_: sys.exit(error.code))
        signal.setitimer(signal.ITIMER_REAL, EXIT_AGAIN_SECONDS)
    else:
        sys.__unraisablehook__(unraisable)


def run(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # a name fails no command
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # unwinds, so that servers are stopped
    sys.unraisablehook = _exit_again
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as with `nohup`
        signal.signal(signal.SIGHUP, lambda *_: sys.exit(129))  # the terminal was closed
    try:
        return vola.main(argv, prog_name="vola", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except Exception as error:
        from api.cli import refusal  # imports the modules whose errors it names

        sentence = refusal.sentence_of(error)
        if sentence is None:
            raise
        refusal.print_refusal(sentence)
        try:
            if sys.stdout:
                sys.stdout.flush()
        except OSError:  # Python would try again at its end, and fail in its own words
            drop_output(sys.stdout)
        return 2


def _interrupt(*_: object) -> NoReturn:
    """Interrupt as Python does, without the warnings of psycopg about transactions that end."""
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    raise KeyboardInterrupt
