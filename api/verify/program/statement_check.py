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


def check_statement(doc: Document, expected_key: str | None) -> ProvenVersions:
    """Return what a session's statement proves: its version, if it is signed. Raise Refused if it
    is not what its book signed, or does not add up."""
    proven: ProvenVersions = {}
    if doc["checkpoint"] is not None or doc["signature"] is not None:
        proven = check_checkpoint(doc, expected_key)
    elif doc["witnessed"] or doc["witnesses"]:
        raise Refused("unsigned")  # what was cosigned can lead to no version without a checkpoint
    elif doc["key"] is not None and not is_key_endorsed(expected_key, doc):
        raise Refused("other_key")
    if doc["player"] is not None:
        check_running_balance(doc)
    if doc["balances"] is not None:
        paid_bets = [bet["amount"] for bet in doc["bets"] or [] if bet["paid"] is not False]
        if sum(doc["balances"].values()) + (doc["pot"] or 0) + sum(paid_bets) != 0:
            raise Refused("sum_wrong")
    check_statement_note(doc, doc["session"])
    return proven


def check_group_statement(doc: Document, expected_key: str | None) -> dict[str, ProvenVersions]:
    """Check a statement over many sessions, each of which has a checkpoint of its own."""
    proven: dict[str, ProvenVersions] = {}
    for summary in doc["sessions"]:
        summary["earlier_keys"] = doc["earlier_keys"]
        proven[summary["session"]] = check_checkpoint(summary, expected_key)
        if doc["key"] not in (None, summary["key"]):
            raise Refused("other_key")
    if doc["member"] is not None:
        check_running_balance(doc)
    if sum(doc["balances"].values()) + doc["others"] + doc["on_tables"] != 0:
        raise Refused("sum_wrong")
    is_of_book = doc["signature"] is not None or doc["key"] is not None
    if is_of_book and not is_key_endorsed(expected_key, doc):
        raise Refused("other_key")
    check_statement_note(doc, doc["group"])
    return proven


def check_checkpoint(claim: Document, expected_key: str | None) -> ProvenVersions:
    """Return the version that a session's checkpoint and its cosignatures prove."""
    root = checkpoint_root(claim, claim["session"], public_key(claim, expected_key))
    check_cosignatures(claim, claim["version"], root)
    return {claim["version"]: (claim["hash"], lambda: root)}


def check_running_balance(doc: Document) -> None:
    """Add up the lines, from the opening balance to the closing balance."""
    balance = doc["opening"]
    for line in doc["lines"]:
        balance += line["change"] or 0
        if line["change"] is None or balance != line["balance"]:
            raise Refused("sum_wrong")
    if balance != doc["closing"]:
        raise Refused("sum_wrong")


def check_statement_note(doc: Document, origin_id: str) -> None:
    """Check the signed note with the digest of the statement; version 0.1 wrote none."""
    if doc["signature"] is None:
        return
    text = f"vola-statement/{origin_id}\n{doc['digest']}\n"
    if doc["key"] is None or not is_signed_note(doc["signature"], text, origin_id, doc["key"]):
        raise Refused("statement_wrong")
