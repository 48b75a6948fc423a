"""What the file of an alarm shows that has no two signed documents to compare.

A phone or a witness saves it: names that have moved between players, or a server that denies a
version which was kept. The form finds moved names in the same way (moved_names.js).
"""

import unicodedata
from typing import Any

from api.verify.program.document import Document, Refused, kept_claim
from api.verify.program.sentences import SENTENCES, label, nameless
from api.verify.program.signed_note import checkpoint_root


def check_names(doc: Document, expected_key: str | None) -> Any:
    """Refuse names of which one has moved from one player to another."""
    if moved_names(doc):
        raise Refused("names_moved")


def moved_names(doc: Document) -> list[tuple[str, str, str]]:
    """Return each player who bears a name that another was seen to bear: the player, the name, and
    the other. A player whose name is erased bears none."""
    kept, players = doc["kept"]["names"], doc["received"]["players"]
    present = [(p["id"], p["name"]) for p in players if p["name"] != f"Spelare {p['id'][1:]}"]
    bearers = {name_key(name): player for player, _ in present for name in kept.get(player, [])}
    owned = [(player, name, bearers.get(name_key(name), player)) for player, name in present]
    return [move for move in owned if move[0] != move[2]]


def names_sentence(doc: Document) -> str:
    """Return which names have moved, and what a file of names cannot prove."""
    sentences = [
        SENTENCES["names_moved"].format(
            who=nameless("player", player), name=label(name) or "?", owner=nameless("player", owner)
        )
        for player, name, owner in moved_names(doc)
    ]
    return " ".join([*(sentences or [SENTENCES["names_agree"]]), SENTENCES["names_unsigned"]])


def name_key(name: str) -> str:
    return unicodedata.normalize("NFKC", name).lower()


def check_denial(doc: Document, expected_key: str | None) -> Any:
    """Refuse a version that was there, as its checkpoint shows, and is there no more, as the file
    says."""
    kept = doc["kept"]
    if kept["head"] is None or kept["key"] is None:
        raise Refused("unsigned")
    if expected_key not in (None, kept["key"]):
        raise Refused("other_key")
    checkpoint_root(kept_claim(kept), doc["session"], kept["key"])
    raise Refused("version_denied", kept["head"]["version"])
