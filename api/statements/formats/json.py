"""A statement as a JSON document, signed: the note over all of it comes last.

Amounts are whole minor units, as everywhere in JSON.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from api.statements.session_section import SessionSection
from api.statements.statement import Statement
from ledger.events.timestamps import format_timestamp
from ledger.proofs.checkpoint import sign_note
from ledger.proofs.statement_note import NOTE_MEMBER, StatementDigest, statement_body
from ledger.reporting.statement import StatementLine

LINES_PER_CHUNK = 100


def write_json(statement: Statement) -> Iterator[bytes]:
    """Yield one object in pieces: head, lines, what they add up to, and the note over all of it."""
    head, foot = statement.json_head_and_foot()
    head |= {"lang": statement.translator.language}
    digest = StatementDigest(head | foot)
    yield msgspec.json.encode(head)[:-1] + b',"lines":['
    comma = b""
    batch: list[bytes] = []
    for section in statement.sections:
        for line, sentence in statement.worded_lines(section):
            json_line = _json_line(statement, section, line, sentence)
            digest.add(json_line)
            batch.append(msgspec.json.encode(json_line))
            if len(batch) == LINES_PER_CHUNK:
                yield comma + b",".join(batch)
                batch, comma = [], b","
    body = statement_body(statement.subject_id, digest.finish())
    note = sign_note(statement.context.signing_key.private_key, statement.subject_id, body)
    foot |= {NOTE_MEMBER: note}
    yield (comma if batch else b"") + b",".join(batch) + b"]," + msgspec.json.encode(foot)[1:]


def _json_line(
    statement: Statement, section: SessionSection, line: StatementLine, sentence: str
) -> dict[str, Any]:
    posting = line.explanation.posting
    return {
        **statement.section_cells(section),
        "version": line.version,
        "at": format_timestamp(line.at),
        "deal": line.deal,
        "kind": line.kind,
        "from": section.statement_account(posting.source),
        "to": section.statement_account(posting.target),
        "amount": posting.amount,
        **({} if line.change is None else {"change": line.change, "balance": line.balance}),
        "why": sentence,
        **({"late_entry": True} if section.marks.is_late_entry(line) else {}),
        **({"purpose": purpose} if (purpose := section.marks.purpose(line)) else {}),
    }
