"""The statement of a group that follows from the events of its only session."""

from __future__ import annotations

from uuid import UUID

from tests.support.proofs.exported_files import Doc, SignedBook

ACCOUNTS = {"player:p1": "member:m1", "player:p2": "member:m2", "player:p3": "guest:1.p3"}


def true_group_statement(
    book: SignedBook, member: str | None = "m1", size: int | None = None
) -> Doc:
    """Return the signed statement of a member, or of the whole group, at a version."""
    session = book.true_statement(member and member.replace("m", "p"), size)
    group_id = UUID(int=book.session.int ^ 1)
    lines = [
        {
            **line,
            "session_number": 1,
            "session": session["session"],
            "from": ACCOUNTS.get(line["from"], line["from"]),
            "to": ACCOUNTS.get(line["to"], line["to"]),
        }
        for line in session["lines"]
    ]
    balances = session["balances"]
    members = {"m1": balances["p1"], "m2": balances["p2"]}
    head = ("session", "key", "version", "hash", "checkpoint")
    summary = {**{name: session[name] for name in head}, "results": members}
    kept = ("currency", "period", "filters", "opening", "closing")
    doc = {
        **{name: session[name] for name in kept},
        **book.signing_key.json_fields(),
        "group": str(group_id),
        "name": "Torsdagarna",
        "member": member,
        "sessions": [summary],
        "lines": lines,
        "balances": members,
        "others": balances["p3"],
        "on_tables": session["pot"] + sum(bet["amount"] for bet in session["bets"]),
    }
    return book.sign_document(doc, group_id)
