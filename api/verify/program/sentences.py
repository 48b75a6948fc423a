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

from api.verify.program.document import Document, read_document
from api.verify.program.strict_json import parse_object

SENTENCES = {
    "export": "Up to version {version} no event is missing and none is changed, as its book has "
    "signed; whether the evening went on after that, this file cannot show",
    "receipt": "Version {version} is signed and stands in the signed evening it leads to",
    "statement": "Every figure, name and sentence is as its book signed it at version {version}; "
    "that its lines are those of the events, only the export can show",
    "remade": "Every figure, name and sentence is as its book signed it at version {version}, and "
    "made anew from the events of the export lines and balances are the same",
    "group": "Every figure, name and sentence is as its book signed it (evenings: {version}); "
    "that its lines are those of their events, only the book can show",
    "group_remade": "Every figure, name and sentence is as its book signed it (evenings: "
    "{version}), and the lines of the export's evening are those of its events; that the other "
    "lines are those of theirs, only the book can show",
    "adds_up": "The sums add up, but the book has not signed this statement: figures, names and "
    "sentences may be others than it gave",
    "figures": "Made anew from the events of the export lines and balances are the same, but the "
    "book has not signed this statement: results, names and sentences may be others than it gave",
    "group_figures": "The lines of the export's evening are those of its events, but the book has "
    "not signed this statement: other figures, names and sentences may be others than it gave",
    "earlier": "; what you kept earlier still stands",
    "witnessed": "; what it was at version {confirmed} is confirmed by {witnesses}, each with a "
    "key of their own phone",
    "witnesses": "; up to version {seen} it is witnessed by {books} (another book)",
    "confirmed_sessions": "; the sums of {count} of its {sessions} evenings are confirmed by "
    "phones of their players",
    "confirmed_evening": "; those of the export's evening, at version {confirmed}, by {witnesses}",
    "witnessed_sessions": "; {count} of its {sessions} evenings are witnessed by {books} (another "
    "book)",
    "names_agree": "No player in it bears a name that another was seen to bear.",
    "names_unsigned": "No signature that a phone keeps covers a name, so the file says what the "
    "phone was shown and proves it to nobody else; the host's export with names shows which name "
    "each player had first.",
    "given": "; the key is the one you gave.",
    "own": "; the key is the file's own, so compare it with one from elsewhere: {key}",
    "names_moved": "The phone was shown the name {name} for {who}, after it had seen {owner} bear "
    "it.",
    "version_denied": "Version {version} was there, as its book has signed; that the server then "
    "denied it, this file says and does not prove.",
    "unsigned": "It carries no signature.",
    "other_key": "It is signed with another key than the one you know.",
    "hole": "Version {version} is not where it should be.",
    "hash_wrong": "Version {version} is not as it was written.",
    "head_wrong": "It does not end where it says: at version {version}.",
    "checkpoint_wrong": "The checkpoint of version {version} is about something else.",
    "signature_wrong": "The signature of version {version} was not made with this key.",
    "root_wrong": "The checkpoint of version {version} is of other events.",
    "names_wrong": "The names are not those that it was kept with, up to version {version}.",
    "labels_wrong": "Title, names and remarks are not those that were signed at version {version}.",
    "cosignature_wrong": "A confirmation of version {version} is not what that phone signed.",
    "witness_wrong": "The cosignature of version {version} is not what that witness signed.",
    "inclusion_wrong": "It is not shown that version {version} stands in that evening.",
    "consistency_wrong": "It is not shown that the evening went on from version {version}.",
    "sum_wrong": "The statement does not add up.",
    "statement_wrong": "The statement is not what its book signed.",
    "remade_wrong": "Made anew from the events of the export, the statement has other figures, at "
    "version {version}.",
    "export_wrong": "The export is itself not what was signed.",
    "export_other": "The export is of another evening.",
    "export_short": "The export ends before version {version}, which the statement is of.",
    "export_differs": "In the export version {version} is another than in the statement.",
    "event_unknown": "This check does not know what version {version} did: use a newer one.",
    "other_session": "What you kept earlier is of another evening.",
    "tail_missing": "It ends before version {version}, for which you kept a receipt.",
    "rewritten": "Version {version} was another when you got your receipt.",
    "earlier_wrong": "What you kept earlier is itself not what was signed.",
    "not_shown": "It does not say what became of version {version}; ask for that receipt again.",
    "unreadable": "This file cannot be checked. What can be checked are exports, receipts and "
    "statements in JSON. A statement in another format is checked at the address that it shows.",
    "earlier_unreadable": "What you kept earlier is no export, receipt or statement of Vola.",
    "export_unreadable": "What should be the export of a statement is no export of Vola.",
    "no_statement": "An export goes with a statement, and this is none.",
    "key_unreadable": "The key must be 64 hexadecimal digits.",
    "keys_differ": "They are signed with different keys, and neither key vouches for the other. "
    "Each book has its own key: if the evening was imported, take both files from the same book; "
    "if not, ask the host why the key has changed.",
    "archive": "It is a zip file: if it is the archive of a book, unpack it and check the files in "
    "its folder sessions.",
    "cut_off": "The file ends in the middle, as if it had been cut off on the way: ask for it "
    "again.",
}
MISMATCH_CODES = ("export_other", "export_short", "other_session", "not_shown", "keys_differ")
"""What is said of two files of which each may hold by itself."""
SIGNED_FILES = {
    "export": "the export of {evening} up to version {version} of {date}",
    "receipt": "the receipt for version {version} of {evening}, dated {date},",
}
STATEMENTS = {
    "player": "the statement of {who}, {evening}, up to version {version} of {date}",
    "session": "the statement of everybody, {evening}, up to version {version} of {date}",
    "member": "the statement of {who} in the group {group}, {period},",
    "group": "the statement of everybody in the group {group}, {period},",
    "member_without_lines": "the statement without lines of {who} in the group {group}",
    "group_without_lines": "the statement without lines of everybody in the group {group}",
}
UNSIGNED = "The sums add up, but the file is not signed; it claims to be "
SUMMARIES = {
    subject: {
        "holds": f"T{claim[1:]} holds.",
        "fails": f"The file does not hold; it claims to be {claim.rstrip(',')}.",
        **({"adds_up": f"{UNSIGNED}{claim.rstrip(',')}."} if subject in STATEMENTS else {}),
    }
    for subject, claim in {**SIGNED_FILES, **STATEMENTS}.items()
} | {
    "bare": {
        "fails": "Alone this receipt for version {version} of {date} shows nothing: give it as the "
        "one you kept earlier, with an export of the evening.",
    },
    "names": {
        "fails": "Names in {evening} have moved from one player to another, a file of {date} says.",
        "adds_up": "No name in {evening} has moved from one player to another in this file of "
        "{date}.",
    },
    "denial": {
        "fails": "A version of {evening} no longer exists, a file of {date} says.",
    },
}
NAMELESS = {"player": "Player {number}", "member": "Member {number}", "evening": "evening {id}"}
OUTCOMES = {0: "holds", 1: "fails", 3: "adds_up"}
UNNAMED_SUMMARIES = {
    "fails": "It does not hold.",
    "adds_up": "It adds up, and more than that is not shown.",
    "apart": "The files do not go together; each of them may hold by itself.",
}
CHECKPOINT_TIME = re.compile(r"^time (\S{27})$", re.MULTILINE)
MAX_LABEL_CHARACTERS = 40
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)


def summary_line(
    exit_code: int, raw: bytes, export: bytes | None = None, sentence_code: str = ""
) -> str:
    """Return the sentence about a readable document. Only an export that was checked may give the
    name of a statement's player."""
    document, fields = read_document(raw), parse_object(raw.decode("utf-8"))
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
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"
