"""`vola`: serve, worker, migrate, rebuild, backup, restore, audit, export, import, stuck, demo,
play.

A refusal is one sentence on the error output and exit code 2; findings of an audit, and payments
that are stuck, are exit code 1. Whatever stands in the book, what is printed steers no terminal.
"""

import argparse
import json
import logging
import os
import re
import signal
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn
from uuid import UUID

import msgspec
import psycopg

import migrations
from api import settings
from api.logs import plain
from api.settings import BadSetting, Settings
from ledger.backup import BackupRefused
from ledger.database import DatabaseUnfit
from ledger.envelope import Unreadable
from ledger.servers import ServerFailed
from ledger.servers.private import write_private
from ledger.writing import UnknownSession


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit code."""
    given = parser().parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    command: Callable[[Settings, argparse.Namespace], int | None] = given.command
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # unwind: servers are left properly
    try:
        return command(settings.read(), given) or 0
    except (BadSetting, BackupRefused, DatabaseUnfit, ServerFailed, Unreadable) as refused:
        return _refuse(str(refused))
    except UnknownSession:
        return _refuse(f"There is no session {given.session}.")
    except psycopg.Error as error:
        return _refuse(f"The database refused: {str(error).strip().splitlines()[0]}")
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read along has gone: nobody is left to be told
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _refuse(sentence: str) -> int:
    print(plain(f"vola: {sentence}"), file=sys.stderr)
    return 2


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="vola",
        description="Score and money at a card evening: a pot and bet ledger with a phone form.",
    )
    commands = made.add_subparsers(required=True, metavar="COMMAND")

    def add(
        name: str, run: Callable[[Settings, argparse.Namespace], int | None], what: str
    ) -> argparse.ArgumentParser:
        sub = commands.add_parser(
            name,
            help=what,
            description=what[0].upper() + what[1:] + ".",
            epilog=_environment(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(command=run)
        return sub

    add("serve", _serve, "run the page, the API, a worker and the relay together")
    worker = add("worker", _worker, "run only the background worker and the relay")
    worker.add_argument("-n", type=_positive, default=1, metavar="N", help="so many workers (1)")
    worker.add_argument("--no-relay", action="store_true", help="only answer the doorbell")
    add("migrate", _migrate, "bring the database's tables up to date, as its owner")
    add("rebuild", _rebuild, "fold all projections anew from the events, and swap them in")
    backup = add("backup", _backup, "write the whole book to one file, while everybody plays on")
    backup.add_argument(
        *("-o", "--output"),
        default=".",
        metavar="FILE",
        help="a new file, or a folder for one that is named by the moment (this folder)",
    )
    restore = add("restore", _restore, "bring a backup into an empty database, or a new VOLA_DATA")
    restore.add_argument("file", metavar="FILE", help="what `vola backup` wrote")
    audit = add("audit", _audit, "check seals, sums and projections; exit code 1 on findings")
    audit.add_argument("session", nargs="?", type=_session, help="one session (all of them)")
    audit.add_argument("--json", action="store_true", help="findings as JSON lines")
    audit.add_argument(
        "--receipt",
        action="append",
        default=[],
        metavar="FILE",
        help="a receipt that somebody kept; it must still hold (may be given again)",
    )
    export = add("export", _export, "write a session's events as JSON")
    export.add_argument("session", type=_session)
    export.add_argument(
        "--names",
        action="store_true",
        help="with title, names and remarks: all that `vola import` needs elsewhere",
    )
    export.add_argument("-o", "--output", metavar="FILE", help="a file (standard output)")
    bring = add("import", _import, "take in evenings that were exported from another Vola")
    bring.add_argument("files", nargs="+", metavar="FILE", help="what `vola export` wrote")
    stuck = add("stuck", _stuck, "list evenings whose payments cannot be settled")
    stuck.add_argument("session", nargs="?", type=_session, help="one session (all of them)")
    stuck.add_argument("--retry", action="store_true", help="have them tried again at once")
    demo = add("demo", _demo, "record a believable evening through the API of a running server")
    demo.add_argument("--url", help="the server (where HOST, PORT and TLS_CERT say)")
    demo.add_argument("--deals", type=_positive, default=12, help="how many deals (12)")
    demo.add_argument("--seed", type=int, default=1774, help="another seed, another evening")
    play = add("play", _play, "play an evening of cards in the terminal, against machines")
    play.add_argument("game", metavar="GAME", help="the game; any other word names them all")
    play.add_argument("--players", type=_positive, metavar="N", help="how many sit (4)")
    play.add_argument("--deals", type=_positive, metavar="N", help="how many deals (12, or a game)")
    play.add_argument("--seed", default="1774", help="another seed, other cards")
    play.add_argument("--opponents", default="simple", metavar="KIND", help="random or simple")
    play.add_argument("--watch", action="store_true", help="machines play all the hands")
    play.add_argument(
        "--depth", default="cards", help="cards, tricks or result: what is recorded (cards)"
    )
    play.add_argument("--hidden", action="store_true", help="hands are not written down")
    play.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="a rule, as agreed"
    )
    play.add_argument("--evenings", type=_positive, default=1, metavar="N", help="how many (1)")
    play.add_argument("--quiet", action="store_true", help="only how fast it went; with --watch")
    play.add_argument("--lang", default="sv", help="sv, da, en or de (sv)")
    _in_one_sentence(play)
    return made


def _in_one_sentence(command: argparse.ArgumentParser) -> None:
    """Its wrong arguments are refused as everything else is, without the usage."""
    known = command.parse_known_args

    def refuse(message: str) -> NoReturn:
        sys.exit(_refuse(f"{message[0].upper()}{message[1:]}."))

    def parse(*given: Any) -> Any:
        found, unknown = known(*given)
        if unknown:
            refuse(f"unknown arguments: {' '.join(unknown)}")
        return found, unknown

    command.error = refuse  # type: ignore[method-assign]
    command.parse_known_args = parse  # type: ignore[method-assign, assignment]


def _environment() -> str:
    lines = ["environment:"]
    for name, what in settings.HELP.items():
        lines += textwrap.wrap(
            f"{name:<20} {what}", 94, initial_indent="  ", subsequent_indent=" " * 23
        )
    return "\n".join(lines)


def _positive(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 to 10000")
    return int(text)


def _session(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a session id") from None


def _serve(chosen: Settings, _: argparse.Namespace) -> None:
    from api import banner, logs, serving

    logs.begin(chosen.log)
    serving.serve(chosen, ready=banner.show)


def _worker(chosen: Settings, given: argparse.Namespace) -> None:
    from api import logs, serving

    logs.begin(chosen.log)
    serving.work(chosen, count=given.n, relay=not given.no_relay)


def _migrate(chosen: Settings, _: argparse.Namespace) -> None:
    from api import serving

    with serving.addresses(chosen, migrate=False) as found:
        taken = migrations.apply(found.owner, app_url=found.app, audit_url=found.audit)
    print("\n".join(f"applied {step}" for step in taken) or "up to date")


def _rebuild(chosen: Settings, _: argparse.Namespace) -> None:
    from api import serving
    from ledger import rebuild

    with serving.addresses(chosen, there=True) as found:
        done = rebuild.rebuild(found.owner, progress=_progress("rebuilt"))
    differ = "nothing differed" if not done.differed else f"{done.differed} rows differed"
    print(f"{done.sessions} sessions, {done.events} events, {done.rows} rows; {differ}")


def _backup(chosen: Settings, given: argparse.Namespace) -> None:
    from api import backups

    backups.make(chosen, given)


def _restore(chosen: Settings, given: argparse.Namespace) -> None:
    from api import backups

    backups.restore(chosen, given)


def _audit(chosen: Settings, given: argparse.Namespace) -> int:
    from api import serving
    from ledger import audit
    from ledger.auditing import together

    receipts = _receipts(given)
    count, found_any = 0, False
    with (
        serving.addresses(chosen, there=True) as found,
        psycopg.connect(found.audit) as db,
        psycopg.connect(found.app) as leader,
        audit.snapshot(db, leader),
    ):
        known = [row[0] for row in db.execute(audit.SESSIONS)]
        wanted = [given.session] if given.session else [*dict.fromkeys((*known, *receipts))]
        if given.session and given.session not in (*known, *receipts):
            raise UnknownSession
        progress = _progress("audited")
        found_in = together.audited(db, found.audit, wanted, receipts)
        for count, (session_id, findings) in enumerate(found_in, start=1):
            for finding in findings:
                found_any = found_any or finding.about == "book"  # of the play: told, no alarm
                line = {"session": str(session_id), **msgspec.structs.asdict(finding)}
                told = "{session} version {version}: {code}: {detail}".format(**line)
                print(json.dumps(line) if given.json else plain(told))
            progress(count)
    if not found_any and not given.json:
        print(f"{count} sessions, no findings")
    return 1 if found_any else 0


def _receipts(given: argparse.Namespace) -> dict[UUID, list[Any]]:
    """What was kept, by the evening it is of: the one that it names, or the one asked about."""
    from ledger.auditing import kept

    found: dict[UUID, list[Any]] = {}
    for name in given.receipt:
        try:
            with open(name, "rb") as file:
                receipts = kept.read(file.read())
        except OSError as error:
            raise BadSetting(f"Cannot read {name}: {error.strerror}.") from error
        except kept.NotAReceipt:
            raise BadSetting(f"{name} is no receipt of Vola.") from None
        session_id = receipts[0].session_id or given.session
        if session_id is None:
            raise BadSetting(f"{name} does not say of which session it is; name the session.")
        if given.session and session_id != given.session:
            raise BadSetting(f"{name} is a receipt of session {session_id}.")
        found.setdefault(session_id, []).extend(receipts)
    return found


def _export(chosen: Settings, given: argparse.Namespace) -> None:
    from api import serving
    from ledger import database, export
    from ledger.receipts import Receipts
    from ledger.store import Store

    with serving.addresses(chosen, there=True) as found:
        pool = database.pool(found.app, size=1)  # the auditor may not sign
        try:
            book, signs = Store(pool), Receipts(pool)
            text = export.as_json(book, signs, given.session, labelled=given.names)
        finally:
            pool.close()
    try:
        if given.output:
            _into(Path(given.output).resolve(), text)
        else:
            shown = re.sub(r"[^\n -~]", _written_out, text)
            sys.stdout.flush()
            sys.stdout.buffer.write(shown.encode())  # UTF-8, whatever the terminal speaks
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BadSetting(f"Cannot write {given.output or 'it'}: {error.strerror}.") from error


def _into(file: Path, text: str) -> None:
    """For its owner's eyes, since salts may be in it; all of it, or the file stays as it was."""
    if file.exists() and not file.is_file():  # a pipe, a device: nothing to put another in place of
        file.write_text(text, encoding="utf-8")
    else:
        write_private(file, text)


def _written_out(sign: re.Match[str]) -> str:
    """In JSON, what is not to be printed as it is; outside of texts there is nothing but ASCII."""
    return sign[0] if sign[0].isprintable() else json.dumps(sign[0])[1:-1]


def _import(chosen: Settings, given: argparse.Namespace) -> int:
    from api import bringing

    return bringing.run(chosen, given)


def _stuck(chosen: Settings, given: argparse.Namespace) -> int:
    from api import serving
    from ledger import database, stuck
    from ledger.times import iso

    with serving.addresses(chosen, there=True) as found:
        pool = database.pool(found.app, size=1)
        try:
            sticking = stuck.stuck(pool, given.session)
            for one in sticking:
                tried = f"{one.due} due, tried {one.tries} times since {iso(one.since)}"
                print(plain(f"{one.session_id}: {tried}: {one.reason}"))
            if given.retry:
                print(f"{stuck.try_again(pool, given.session)} to be tried again at once")
        finally:
            pool.close()
    if not sticking:
        print("nothing is stuck")
    return 1 if sticking and not given.retry else 0


def _demo(chosen: Settings, given: argparse.Namespace) -> None:
    from api import banner, demo

    demo.play(given.url or banner.here(chosen), deals=given.deals, seed=given.seed)


def _play(chosen: Settings, given: argparse.Namespace) -> int:
    from api.play import command

    return command.run(chosen, given)


def _progress(what: str) -> Callable[[int], None]:
    """A line that counts, on a terminal only."""
    if not sys.stderr.isatty():
        return lambda _: None
    return lambda count: print(f"\r{what} {count}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main())
