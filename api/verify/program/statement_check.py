"""Whether a statement is what its book signed, and whether its sums add up.

Needs no export. Whether the lines are those of the events is checked in statement_lines.py.
"""

from api.verify.program.document import Document, ProvenVersions, Refused
from api.verify.program.signed_note import (
    check_cosignatures,
    checkpoint_root,
    is_key_endorsed,
    is_signed_note,
    public_key,
)


def check_statement(document: Document, expected_key: str | None) -> ProvenVersions:
    """Return what a session's statement proves: its version, if it is signed. Raise Refused if it
    is not what its book signed, or does not add up."""
    proven: ProvenVersions = {}
    if document["checkpoint"] is not None or document["signature"] is not None:
        proven = check_checkpoint(document, expected_key)
    elif document["witnessed"] or document["witnesses"]:
        raise Refused("unsigned")  # what was cosigned can lead to no version without a checkpoint
    elif document["key"] is not None and not is_key_endorsed(expected_key, document):
        raise Refused("other_key")
    if document["player"] is not None:
        check_running_balance(document)
    if document["balances"] is not None:
        paid_bets = [bet["amount"] for bet in document["bets"] or [] if bet["paid"] is not False]
        if sum(document["balances"].values()) + (document["pot"] or 0) + sum(paid_bets) != 0:
            raise Refused("sum_wrong")
    check_statement_note(document, document["session"])
    return proven


def check_group_statement(
    document: Document, expected_key: str | None
) -> dict[str, ProvenVersions]:
    """Check a statement over many sessions, each of which has a checkpoint of its own."""
    proven: dict[str, ProvenVersions] = {}
    for summary in document["sessions"]:
        summary["earlier_keys"] = document["earlier_keys"]
        proven[summary["session"]] = check_checkpoint(summary, expected_key)
        if document["key"] not in (None, summary["key"]):
            raise Refused("other_key")
    if document["member"] is not None:
        check_running_balance(document)
    if sum(document["balances"].values()) + document["others"] + document["on_tables"] != 0:
        raise Refused("sum_wrong")
    is_of_book = document["signature"] is not None or document["key"] is not None
    if is_of_book and not is_key_endorsed(expected_key, document):
        raise Refused("other_key")
    check_statement_note(document, document["group"])
    return proven


def check_checkpoint(claim: Document, expected_key: str | None) -> ProvenVersions:
    """Return the version that a session's checkpoint and its cosignatures prove."""
    root = checkpoint_root(claim, claim["session"], public_key(claim, expected_key))
    check_cosignatures(claim, claim["version"], root)
    return {claim["version"]: (claim["hash"], lambda: root)}


def check_running_balance(document: Document) -> None:
    """Add up the lines, from the opening balance to the closing balance."""
    balance = document["opening"]
    for line in document["lines"]:
        balance += line["change"] or 0
        if line["change"] is None or balance != line["balance"]:
            raise Refused("sum_wrong")
    if balance != document["closing"]:
        raise Refused("sum_wrong")


def check_statement_note(document: Document, origin_id: str) -> None:
    """Check the signed note with the digest of the statement; version 0.1 wrote none."""
    if document["signature"] is None:
        return
    text = f"vola-statement/{origin_id}\n{document['digest']}\n"
    if document["key"] is None or not is_signed_note(
        document["signature"], text, origin_id, document["key"]
    ):
        raise Refused("statement_wrong")
