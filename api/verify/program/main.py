"""Checks exports, receipts and statements of Vola without Vola: one file, nothing to install.

    python3 -I verify.py FILE.json [--export EXPORT.json] [--receipt EARLIER.json] [--key HEX]

The hash chain of an export is computed again from its first event to its last, and the names in it
must match the commitments in the events. A receipt must have valid inclusion and consistency
proofs. A statement must be what its book signed, in canonical JSON. With `--export`, the export of
the same session, the figures of a statement are computed again from the events. With `--receipt`,
a file that you saved earlier must be consistent with this one. `--key` is the book's public key,
which you should know from elsewhere than the file. The file that a phone or a witness saves when it
raises an alarm is checked by itself: what was received against what had been kept.

Prints what the file is and whether it holds, and then what is proven and what is not. Exit code 0:
valid; 1: not valid; 2: not readable, or the result cannot be written; 3: the sums are right and
nothing more is proven. Needs Python 3.10 or newer.

Only the book itself (`vola audit`) can show that a group's statement has all lines of its sessions.

The page /verify checks the same in a browser; a test compares the two.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import Any

from api.verify.program.document import Document, Refused, read_document, split_contradiction
from api.verify.program.export_check import check_export
from api.verify.program.receipt_check import (
    check_denial,
    check_earlier,
    check_names,
    check_receipt,
    names_sentence,
    refuse_unsigned,
)
from api.verify.program.sentences import (
    MISMATCH_CODES,
    OUTCOMES,
    SENTENCES,
    UNNAMED_SUMMARIES,
    cosigner_clauses,
    summary_line,
)
from api.verify.program.statement_check import check_group_statement, check_statement
from api.verify.program.statement_lines import check_against_export, check_group_against_export
from api.verify.program.strict_json import is_cut_off, require

Verdict = tuple[int, str, int | None]
"""The exit code, a code of SENTENCES, and the version that it is about."""
CHECKS: dict[str, Callable[[Document, str | None], Any]] = {
    "export": check_export,
    "receipt": check_receipt,
    "statement": check_statement,
    "group": check_group_statement,
    "bare": refuse_unsigned,
    "names": check_names,
    "denial": check_denial,
}
NOT_EARLIER = ("group", "names", "denial")
"""Kinds that prove no version of one session, so that nothing can be compared with them."""
HINTS = {b"PK": "archive", b"\x1f\x8b": "compressed", b"\xff\xfe": "utf_16", b"\xfe\xff": "utf_16"}
"""What to do with a file that is unreadable, by its first two bytes."""
EXPORT_CHECKS = {"statement": check_against_export, "group": check_group_against_export}


def main() -> int:
    parser = argparse.ArgumentParser(prog="verify.py", description=__doc__.split("\n")[0])
    parser.add_argument(
        "file", help="an export, a receipt or a statement; or what a phone or a witness has saved"
    )
    parser.add_argument("--export", metavar="FILE", help="the export of a statement's evening")
    parser.add_argument("--receipt", metavar="FILE", help="what you kept earlier")
    parser.add_argument("--key", metavar="HEX", help="the book's public key")
    arguments = parser.parse_args()
    try:
        raw = read_bytes(arguments.file)
        earlier = None if arguments.receipt is None else read_bytes(arguments.receipt)
        export = None if arguments.export is None else read_bytes(arguments.export)
    except OSError as error:
        print(f"Cannot read {error.filename}: {error.strerror}.", file=sys.stderr)
        return 2
    is_of_several = earlier is not None or export is not None
    if earlier is None:
        raw, earlier = split_contradiction(raw)
    code, sentence_code, version = verify_document(raw, earlier, arguments.key, export)
    if is_of_several and sentence_code == "other_key":
        by_itself = verify_document(raw, None, arguments.key)
        sentence_code = "other_key" if by_itself[1] == "other_key" else "keys_differ"
    if sentence_code in ("names_moved", "names_agree"):
        sentence = names_sentence(read_document(raw))
    else:
        sentence = SENTENCES[sentence_code].format(version=version)
        if code in (0, 3):
            clauses = more_clauses(read_document(raw), earlier, arguments.key, export)
            sentence = sentence.removesuffix(".") + clauses
    files = {"unreadable": raw, "earlier_unreadable": earlier, "export_unreadable": export}
    if hint := hint_code(files.get(sentence_code)):
        sentence += f" {SENTENCES[hint]}"
    if is_of_several and sentence_code in MISMATCH_CODES:
        sentence = f"{UNNAMED_SUMMARIES['apart']}\n{sentence}"
    elif code in OUTCOMES:
        checked_export = export if code in (0, 3) else None
        sentence = f"{summary_line(code, raw, checked_export, sentence_code)}\n{sentence}"
    return print_result(code, sentence)


def print_result(code: int, sentences: str) -> int:
    """Print what was found; return the exit code, or 2 if what holds cannot be written."""
    stream = sys.stderr if code else sys.stdout
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")  # a title may have characters that the terminal lacks
    try:
        print(sentences, file=stream, flush=True)
    except OSError as error:
        # what is still buffered would be written, and refused again, when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        print(f"Cannot write the result: {error.strerror}.", file=sys.stderr)
        return code or 2
    return code


def more_clauses(
    document: Document, earlier: bytes | None, key: str | None, export: bytes | None
) -> str:
    """Return the clauses about a valid document that follow its summary."""
    clauses = "".join(cosigner_clauses(document, export))
    source = SENTENCES["given" if key else "own"].format(key=document["key"])
    return (
        (SENTENCES["earlier"] if earlier else "") + clauses + (source if document["key"] else ".")
    )


def hint_code(content: bytes | None) -> str | None:
    """Return the code of what to do with a file that is unreadable, if its bytes show that."""
    if content is None:
        return None
    if code := HINTS.get(content[:2]):
        return code
    return "cut_off" if is_cut_off(content) else None


def read_bytes(name: str) -> bytes:
    try:
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        error.filename = name  # it is missing if reading fails
        raise


def verify_document(
    raw: bytes,
    earlier: bytes | None = None,
    key: str | None = None,
    export: bytes | None = None,
) -> Verdict:
    """Check a document; the code is the first that applies. `key` is hexadecimal."""
    if key is not None and not re.fullmatch("[0-9a-fA-F]{64}", key):
        return 2, "key_unreadable", None
    try:
        document = read_document(raw)
    except ValueError:
        return 2, "unreadable", None
    try:
        parsed_earlier = read_document(earlier) if earlier is not None else None
        require(parsed_earlier is None or parsed_earlier["kind"] not in NOT_EARLIER)
    except ValueError:
        return 2, "earlier_unreadable", None
    try:
        parsed_export = read_document(export) if export is not None else None
        require(parsed_export is None or parsed_export["kind"] == "export")
    except ValueError:
        return 2, "export_unreadable", None
    if parsed_export is not None and document["kind"] not in ("statement", "group"):
        return 2, "no_statement", None
    key = key and key.lower()
    try:
        proven = CHECKS[document["kind"]](document, key)
        if parsed_export is not None:
            EXPORT_CHECKS[document["kind"]](document, parsed_export, key)
            proven = with_export(document, proven, parsed_export, key)
        if parsed_earlier:
            check_earlier(document, proven, parsed_earlier)
    except Refused as refused:
        return 2 if refused.code == "event_unknown" else 1, refused.code, refused.version
    return verdict_of_valid(document, parsed_export)


def with_export(document: Document, proven: Any, export: Document, key: str | None) -> Any:
    """Return what a statement proves together with the export that it was made anew from."""
    if document["kind"] == "group":
        of_session = {**check_export(export, key), **proven[export["session"]]}
        return {**proven, export["session"]: of_session}
    return proven and {**check_export(export, key), **proven}


def verdict_of_valid(document: Document, export: Document | None) -> Verdict:
    """Return what is proven of a valid document: the signature, and the figures given an export."""
    kind, version = document["kind"], document.get("version")
    if kind == "names":
        return 3, "names_agree", None
    if kind in ("statement", "group") and document["signature"] is None:
        figures = "figures" if kind == "statement" else "group_figures"
        return 3, "adds_up" if export is None else figures, version
    remade = "remade" if kind == "statement" else "group_remade"
    return 0, kind if export is None else remade, version


if __name__ == "__main__":
    sys.exit(main())
