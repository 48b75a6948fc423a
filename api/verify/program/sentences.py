"""The sentences of a verdict: what the file is and whether it holds, and what is proven of it.

Cosignatures name players by their ids. Only names that have been checked stand for them: those of
an export, which its book has signed and whose events have commitments to them.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from api.verify.program import TEXTS
from api.verify.program.document import Document, read_document
from api.verify.program.strict_json import parse_object

SENTENCES = {code: text.replace("’", "'") for code, text in TEXTS["said"].items()} | {
    "earlier": "; what you kept earlier still stands",
    "witnessed": "; what it was at version {confirmed} is confirmed by {witnesses}, each with a "
    "key of their own phone",
    "witnesses": "; up to version {seen} it is witnessed by {books} (another book)",
    "confirmed_sessions": "; the sums of {count} of its {sessions} evenings are confirmed by "
    "phones of their players",
    "confirmed_evening": "; those of the export's evening, at version {confirmed}, by {witnesses}",
    "witnessed_sessions": "; {count} of its {sessions} evenings are witnessed by {books} (another "
    "book)",
    "given": "; the key is the one you gave.",
    "own": "; the key is the file's own, so compare it with one from elsewhere: {key}",
}
"""Those of the page, with an apostrophe that every terminal has, and clauses in one sentence."""
MISMATCH_CODES = ("export_other", "export_short", "other_session", "not_shown", "keys_differ")
"""What is said of two files of which each may hold by itself."""
SUMMARIES: dict[str, dict[str, str]] = TEXTS["summary"]
NAMELESS = {"player": "Player {number}", "member": "Member {number}", "evening": "evening {id}"}
OUTCOMES = {0: "holds", 1: "fails", 3: "adds_up"}
UNNAMED_SUMMARIES = {key: f"{TEXTS[key]}." for key in ("fails", "adds_up", "apart")}
CHECKPOINT_TIME = re.compile(r"^time (\S{27})$", re.MULTILINE)
MAX_LABEL_CHARACTERS = 40


def summary_line(
    exit_code: int, raw: bytes, export: bytes | None = None, sentence_code: str = ""
) -> str:
    """Return the sentence about a readable document. Only an export that was checked may give the
    name of a statement's player."""
    document, fields = read_document(raw), parse_object(raw.decode("utf-8-sig"))
    if document["kind"] == "names" and sentence_code == "unsigned":  # not because a name has moved
        return UNNAMED_SUMMARIES[OUTCOMES[exit_code]]
    labels = read_document(export) if export is not None else {"title": None, "names": None}
    version, names = document.get("version"), labels["names"] or []
    title = (
        document["title"]
        if document["kind"] == "export"
        else fields.get("title") or labels["title"]
    )
    unnamed_evening = NAMELESS["evening"].format(id=(document.get("session") or "")[:8])
    evening = unnamed_evening if document["kind"] == "receipt" else label(title) or unnamed_evening
    try:
        match document["kind"]:
            case "group":
                subject, operands = group_summary(document, fields)
            case "statement":
                subject = "session" if document["player"] is None else "player"
                signed = CHECKPOINT_TIME.search(document["checkpoint"] or "")
                at = signed[1] if signed else (document["period"] or {}).get("to")
                exported = (name["name"] for name in names if name["id"] == document["player"])
                player = label(next(exported, None)) or nameless("player", document["player"])
                operands = {"who": player, "evening": evening, "date": date_text(at)}
            case kind:
                subject, operands = kind, {"evening": evening, "date": date_text(document["at"])}
    except ValueError:
        return UNNAMED_SUMMARIES[OUTCOMES[exit_code]]
    return SUMMARIES[subject][OUTCOMES[exit_code]].format(version=version, **operands)


def group_summary(document: Document, fields: Document) -> tuple[str, dict[str, str]]:
    subject, period = "group" if document["member"] is None else "member", document["period"] or {}
    operands = {
        "group": label(fields.get("name")) or document["group"][:8],
        "who": nameless("member", document["member"]),
    }
    if period.get("from") is None or period.get("to") is None:
        return f"{subject}_without_lines", operands
    days = dict.fromkeys(map(date_text, sorted([period["from"], period["to"]])))
    return subject, {**operands, "period": " – ".join(days)}


def cosigner_clauses(document: Document, export: bytes | None) -> Iterator[str]:
    """Yield the clauses about a document that was found valid, together with its export if any."""
    exported = document if export is None else read_document(export)
    if document["kind"] == "group":
        yield from session_clauses(document["sessions"], exported)
        return
    names = checked_names(exported)
    if claim := document.get("witnessed"):
        yield SENTENCES["witnessed"].format(**confirmation(claim, names))
    witnesses = document.get("witnesses") or []
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
    labels = [names.get(player) or nameless("player", player) for player in players]
    return {"confirmed": claim["version"], "witnesses": ", ".join(labels)}


def book_names(witnesses: Iterable[Document]) -> str:
    return ", ".join(dict.fromkeys(witness["name"] for witness in witnesses))


def nameless(kind: str, of_id: str | None) -> str:
    numbered = re.fullmatch("[pm]([1-9][0-9]{0,3})", of_id or "")
    return NAMELESS[kind].format(number=numbered[1] if numbered else label(of_id) or "?")


def label(text: object) -> str | None:
    """Return a title or a name from the file, safe to print: without characters that control a
    terminal or the direction of text, cut, and isolated if it runs from right to left."""
    if not isinstance(text, str) or not text.strip():
        return None
    clean = "".join("\ufffd" if is_control(c) else c for c in text)
    short = clean[:MAX_LABEL_CHARACTERS] + "…" * (len(clean) > MAX_LABEL_CHARACTERS)
    backwards = any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in short)
    return f"\u2068{short}\u2069" if backwards else short


def is_control(character: str) -> bool:
    category = unicodedata.category(character)
    return character != "\u200d" and category in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def date_text(at: str | None) -> str:
    """Return the day of a time as in "5 November 2026", in Stockholm if the zone is known here."""
    moment = datetime.strptime(at or "", "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)  # noqa: UP017
    with suppress(ZoneInfoNotFoundError, OverflowError):
        moment = moment.astimezone(ZoneInfo("Europe/Stockholm"))
    return f"{moment.day} {moment:%B} {moment.year}"
