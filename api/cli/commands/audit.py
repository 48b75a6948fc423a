"""`vola audit`: check the stored sessions, and receipts and statements that were saved."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from uuid import UUID

import click
import msgspec
import psycopg

from api.app import create_app
from api.cli.announcement import counted_nouns
from api.cli.command_group import Command
from api.cli.commands.import_sessions.session_file import CHECK_SECONDS
from api.cli.error_output import print_error
from api.cli.file_path import FilePath
from api.cli.progress_line import progress_line
from api.cli.refusal import Refusal
from api.observability.logging_config import escape_control_characters
from api.schemas.export import check_export_in_time
from api.server import supervisor
from api.settings import Settings, read_settings
from api.statements import saved_statement_check
from ledger.audit import check_receipts, parallel, run
from ledger.audit.check_cosignatures import Cosigners, list_cosigners
from ledger.audit.check_groups import check_groups
from ledger.audit.check_receipts import InvalidReceipt, ReceiptClaim
from ledger.audit.findings import Finding
from ledger.store import connection_pool
from ledger.store.database_snapshot import database_snapshot
from ledger.transfer.export_format import Export, InvalidExport

Report = Callable[[str, Finding], None]
Receipts = Mapping[UUID, Sequence[ReceiptClaim]]
"""The saved receipts of each session."""

REBUILT_CODES = {"projection_differs", "sum_wrong"}
"""The findings that `vola rebuild` repairs when there are no others."""
REBUILD_ADVICE = "The events are whole: `vola rebuild` makes these tables of them again."
PAGE_ADVICE = (
    "Keep this book as it is, and do not rebuild it: docs/running.md says what each code means and"
    ' what to do, under "When the audit finds something".'
)

UNCHECKED_EXPORT = (
    "An export was checked up to this version only: time ran out, or the version is of the last"
    " link that an event can name."
)


@click.command(cls=Command)
@click.argument("session_id", metavar="[SESSION]", type=click.UUID, required=False)
@click.option("--json", "as_json", is_flag=True, help="Findings as JSON lines.")
@click.option(
    "--receipt",
    "files",
    multiple=True,
    type=FilePath(),
    metavar="FILE",
    help="A receipt, a statement or an export that someone kept: the receipt must still hold, a"
    " statement is made again and compared in everything, and an export is checked as an import"
    " would, and compared event by event. May be given several times.",
)
def command(session_id: UUID | None, as_json: bool, files: tuple[str, ...]) -> int:
    """Checks one session, or all of them."""
    settings = read_settings()
    contents, receipts, file_findings = _read_files(files, session_id)
    codes: set[str] = set()  # of the findings about the book: those about the play are no fault
    finding_count = 0

    def report(session: str, finding: Finding) -> None:
        nonlocal finding_count
        finding_count += 1
        if finding.about == "book":
            codes.add(finding.code)
        line = {"session": session, **msgspec.structs.asdict(finding)}
        version = "" if finding.version is None else f" version {finding.version}"
        text = f"{session}{version}: {finding.code}: {finding.detail}"
        click.echo(json.dumps(line) if as_json else escape_control_characters(text))

    count, cosigners = _audit(settings, session_id, contents, receipts, report)
    for session, finding in file_findings:
        report(session, finding)
    if codes and not as_json:
        print_error(REBUILD_ADVICE if codes <= REBUILT_CODES else PAGE_ADVICE)
    elif not as_json:
        outcome = "nothing wrong in the book" if finding_count else "no findings"
        click.echo(f"{counted_nouns(session=count)}, {outcome}")
        _show_cosigners(cosigners, by_name=session_id is not None)
    return 1 if codes else 0


def _audit(
    settings: Settings,
    session_id: UUID | None,
    contents: Sequence[bytes],
    receipts: Receipts,
    report: Report,
) -> tuple[int, list[Cosigners]]:
    """Report every finding; return how many sessions were checked, and who has cosigned them."""
    count = 0
    with (
        supervisor.running_servers(settings, must_exist=True) as urls,
        psycopg.connect(urls.audit) as db,
        psycopg.connect(urls.app) as leader,
        database_snapshot(db, leader),
    ):
        stored = [row[0] for row in db.execute(run.SESSION_IDS)]
        session_ids = list(dict.fromkeys((*stored, *receipts)))
        if session_id and session_id not in session_ids:
            raise Refusal(f"There is no session {session_id}.")
        chosen_ids = [session_id] if session_id else session_ids
        with progress_line("audited") as show_progress:
            audited = parallel.audit_sessions(db, urls.audit, chosen_ids, receipts)
            for count, (audited_id, findings) in enumerate(audited, start=1):
                for finding in findings:
                    report(str(audited_id), finding)
                show_progress(count)
        for group_id, finding in check_groups(db, session_id):
            report(f"group {group_id}", finding)
        cosigners = list_cosigners(db, set(chosen_ids))
        if contents:
            _compare_statements(urls.app, contents, report)
    return count, cosigners


def _show_cosigners(cosigners: Sequence[Cosigners], *, by_name: bool) -> None:
    """Print who has cosigned: the names for one session, numbers for all sessions."""
    for line in cosigners if by_name else ():
        deed = "witnessed" if line.are_witnesses else "confirmed"
        text = f"version {line.version}: {deed} by {', '.join(line.names)}"
        click.echo(escape_control_characters(text))
    if cosigners and not by_name:
        witnessed = {line.session_id for line in cosigners if line.are_witnesses}
        confirmed = {line.session_id for line in cosigners if not line.are_witnesses}
        click.echo(
            f"{len(confirmed)} confirmed by phones of their players,"
            f" {len(witnessed)} witnessed by other books"
        )


def _compare_statements(url: str, contents: Sequence[bytes], report: Report) -> None:
    """Make each statement among the files again, as a reader would get it, and compare."""
    with connection_pool.open_pool(url, size=1) as pool:  # the auditor may not sign
        app = create_app(pool)
        for content in contents:
            for session, finding in saved_statement_check.check_saved_statement(app, content):
                report(session, finding)


def _read_files(
    names: Sequence[str], session_id: UUID | None
) -> tuple[list[bytes], Receipts, list[tuple[str, Finding]]]:
    """Return the files, the receipts in them, and the findings about those that are not what was
    signed, with their session. A receipt that names no session is taken for one of `session_id`."""
    receipts: defaultdict[UUID, list[ReceiptClaim]] = defaultdict(list)
    contents: list[bytes] = []
    findings: list[tuple[str, Finding]] = []
    for name in names:
        try:
            contents.append(Path(name).read_bytes())
            file_receipts = check_receipts.read_receipts(contents[-1])
            event_hashes = _exported_hashes(contents[-1])
        except OSError as error:
            raise Refusal(f"Cannot read {name}: {error.strerror}.") from error
        except InvalidReceipt as invalid:
            detail = "A receipt is not what its book or its phones have signed."
            finding = Finding("receipt_wrong", detail, invalid.version)
            findings.append((str(invalid.session_id or session_id or name), finding))
            continue
        except InvalidExport as invalid:
            findings.append((str(file_receipts[0].session_id), _export_finding(invalid)))
            if invalid.reason != "too_much":
                continue
            event_hashes = ()
        except (check_receipts.NotAReceipt, msgspec.ValidationError):
            raise Refusal(
                f"{name} is no receipt, statement or export of a session in JSON."
            ) from None
        for receipt in file_receipts:
            receipt_session = receipt.session_id or session_id
            if receipt_session is None:
                raise Refusal(f"{name} does not say of which session it is; name the session.")
            if session_id and receipt_session != session_id:
                raise Refusal(f"{name} is a receipt of session {receipt_session}.")
            claim = msgspec.structs.replace(receipt, event_hashes=event_hashes[: receipt.version])
            receipts[receipt_session].append(claim)
    return contents, receipts, findings


def _export_finding(invalid: InvalidExport) -> Finding:
    """Return the finding about an export that is not what was signed, or not checked to its end."""
    if invalid.reason == "too_much":
        return Finding("receipt_unchecked", UNCHECKED_EXPORT, invalid.version)
    detail = f"An export is not what its book has signed: {invalid.reason}."
    return Finding("receipt_wrong", detail, invalid.version)


def _exported_hashes(content: bytes) -> tuple[bytes, ...]:
    """Return the hash of each event of an export, none for another document. Raise InvalidExport,
    msgspec.ValidationError."""
    document = json.loads(content)
    if "events" not in document or "hash" not in document:  # a reply has events, but no hash
        return ()
    checked = check_export_in_time(msgspec.convert(document, Export), CHECK_SECONDS)
    return tuple(recorded.hash for recorded in checked.recorded)
