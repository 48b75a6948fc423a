"""Files in which a phone or a witness keeps two documents of one session."""

from __future__ import annotations

from tests.support.proofs.exported_files import Book, Doc


def contradiction_file(book: Book, version: int, kept_by: str, kept: Book | None = None) -> Doc:
    """Return the file in which a phone or a witness keeps a checkpoint of the book `kept` and a
    receipt of this one."""
    kept = kept or book
    head = kept.checkpoint_fields(version)
    if kept_by == "a phone":
        of_phone = {name: head[name] for name in ("version", "hash", "checkpoint")}
        record = {"key": kept.key, "head": of_phone, "receipts": []}
    else:
        document = kept.receipt(1, version)
        record = {"key": kept.key, "head": head, "receipts": [], "document": document}
    return {
        "format": "vola contradiction 1",
        "session": str(book.session),
        "reason": "rewritten",
        "version": version,
        "at": "2026-11-26T12:00:00.000Z",
        "kept": record,
        "received": book.receipt(version, len(book.events)),
    }
