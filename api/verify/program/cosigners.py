"""Who has confirmed a valid document, and which other books witness it: clauses of its verdict.

Cosignatures name players by their ids. Only names that have been checked stand for them: those of
an export, which its book has signed and whose events have commitments to them.
"""

from collections.abc import Iterable, Iterator

from api.verify.program.document import Document, read_document
from api.verify.program.sentences import SENTENCES, label, nameless


def cosigner_clauses(doc: Document, export: bytes | None) -> Iterator[str]:
    """Yield the clauses about a document that was found valid, together with its export if any."""
    exported = doc if export is None else read_document(export)
    if doc["kind"] == "group":
        yield from session_clauses(doc["sessions"], exported)
        return
    names = checked_names(exported)
    if claim := doc.get("witnessed"):
        yield SENTENCES["witnessed"].format(**confirmation(claim, names))
    witnesses = doc.get("witnesses") or []
    for version in dict.fromkeys(witness["version"] for witness in witnesses):
        books = book_names(witness for witness in witnesses if witness["version"] == version)
        yield SENTENCES["witnesses"].format(seen=version, books=books)


def session_clauses(summaries: list[Document], exported: Document) -> Iterator[str]:
    """Yield the clauses about the sessions of a group; names of the export's session alone."""
    confirmed = [summary for summary in summaries if summary["witnessed"]]
    if confirmed:
        counts = {"count": len(confirmed), "sessions": len(summaries)}
        yield SENTENCES["confirmed_sessions"].format(**counts)
    for summary in confirmed:
        if summary["session"] == exported.get("session"):
            operands = confirmation(summary["witnessed"], checked_names(exported))
            yield SENTENCES["confirmed_evening"].format(**operands)
    if witnessed := [summary for summary in summaries if summary["witnesses"]]:
        books = book_names(witness for s in witnessed for witness in s["witnesses"])
        counts = {"count": len(witnessed), "sessions": len(summaries)}
        yield SENTENCES["witnessed_sessions"].format(**counts, books=books)


def checked_names(export: Document) -> dict[str, str | None]:
    """Return the names by player; empty unless this is an export with names."""
    return {name["id"]: label(name["name"]) for name in export.get("names") or []}


def confirmation(claim: Document, names: dict[str, str | None]) -> dict[str, object]:
    players = dict.fromkeys(cosignature["player"] for cosignature in claim["cosignatures"])
    known = [names.get(player) or nameless("player", player) for player in players]
    return {"confirmed": claim["version"], "witnesses": ", ".join(known)}


def book_names(witnesses: Iterable[Document]) -> str:
    return ", ".join(dict.fromkeys(witness["name"] for witness in witnesses))
