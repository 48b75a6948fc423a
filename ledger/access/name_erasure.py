"""Erase a player's name for good; what was played stays.

The name, its matching key, its earlier spellings and the salt of its commitment are deleted
together; without the salt, the commitment in the first event reveals nothing. In the title, remarks
and labels a replacement takes the place of the name. No event changes: names are in no hash, sum or
receipt.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from uuid import UUID

from psycopg import sql

from engine.errors import NoSuchPlayer
from engine.values import Player
from ledger.store.connection_pool import Connection
from ledger.store.name_matching import MAX_LABEL_CHARACTERS

NAMES = "SELECT player_id, name FROM vola.players WHERE session_id = %(session_id)s"
ERASE_NAME = """
UPDATE vola.players SET name = NULL, matching_key = NULL, salt = NULL
 WHERE session_id = %(session_id)s AND player_id = %(player)s
"""
DELETE_SPELLINGS = """
DELETE FROM vola.spellings WHERE session_id = %(session_id)s AND player_id = %(player)s
RETURNING name
"""
TEXTS = """
SELECT {number}, {text} FROM vola.{table}
 WHERE session_id = %(session_id)s AND {text} IS NOT NULL
"""
REPLACE_TEXT = """
UPDATE vola.{table} SET {text} = %(text)s
 WHERE session_id = %(session_id)s AND {number} = %(number)s
"""
MAX_TEXT_CHARACTERS = 8000
"""The longest that a remark or label becomes: 200 characters, each a name that was replaced by one
of 40. Names that are each corrected to contain another could let it grow without end."""
TEXT_COLUMNS = (
    ({"table": "sessions", "number": "session_id", "text": "title"}, MAX_LABEL_CHARACTERS),
    ({"table": "remarks", "number": "version", "text": "remark"}, MAX_TEXT_CHARACTERS),
    ({"table": "devices", "number": "device_number", "text": "label"}, MAX_TEXT_CHARACTERS),
    ({"table": "join_requests", "number": "request_number", "text": "label"}, MAX_TEXT_CHARACTERS),
)
"""The texts that people have written in their own words, and the longest that each becomes."""


def read_names(db: Connection, session_id: UUID, player: Player) -> dict[Player, str | None]:
    """Return the names of the session's players, None for an erased one. Raise NoSuchPlayer unless
    `player` is among them."""
    rows = db.execute(NAMES, {"session_id": session_id})
    names: dict[Player, str | None] = dict(rows.fetchall())
    if player not in names:
        raise NoSuchPlayer(player=player)
    return names


def erase_player_name(db: Connection, session_id: UUID, player: Player, replacement: str) -> None:
    """Erase a name, in a transaction that has locked the session; erasing it again changes nothing.
    `replacement` is what the player is called from now on. Raise NoSuchPlayer."""
    names = read_names(db, session_id, player)
    name = names[player]
    if name is None:
        return
    parameters = {"session_id": session_id, "player": player}
    earlier_names = [spelling for (spelling,) in db.execute(DELETE_SPELLINGS, parameters)]
    db.execute(ERASE_NAME, parameters)
    for spelling in dict.fromkeys((name, *earlier_names)):
        replace_name(db, session_id, spelling, replacement, [*names.values(), *earlier_names])


def replace_name(
    db: Connection, session_id: UUID, name: str, replacement: str, names: Iterable[str | None]
) -> None:
    """Replace the name in the title, remarks and labels; `names` as for `replace_in_sentence`."""
    parameters, present_names = {"session_id": session_id}, [n for n in names if n]
    for columns, max_characters in TEXT_COLUMNS:
        identifiers = {key: sql.Identifier(value) for key, value in columns.items()}
        for number, text in db.execute(sql.SQL(TEXTS).format(**identifiers), parameters).fetchall():
            new_text = replace_in_label(text, name, replacement, present_names, max_characters)
            if new_text != text:
                change = {**parameters, "number": number, "text": new_text}
                db.execute(sql.SQL(REPLACE_TEXT).format(**identifiers), change)


def replace_in_label(
    text: str,
    name: str,
    replacement: str,
    names: Sequence[str],
    max_characters: int = MAX_LABEL_CHARACTERS,
) -> str:
    """Return the text as `replace_in_sentence` does, in the form in which it is stored."""
    new_text = replace_in_sentence(text, name, replacement, names)
    return _as_stored(new_text, [*names, replacement], max_characters)


def replace_in_sentence(text: str, name: str, replacement: str, names: Iterable[str]) -> str:
    """Return the text with the replacement wherever the whole name stands, in any capitalisation
    and also in the genitive. `names` are those of all players, so that Bo is not found in Bo Ek."""

    def replace_match(match: re.Match[str]) -> str:
        return replacement if match[1].casefold() == name.casefold() else match[1]

    return _name_pattern({name, *names}).sub(replace_match, text)


def _name_pattern(names: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    any_name = "|".join(re.escape(spelling) for spelling in longest_first)
    return re.compile(rf"(?<!\w)({any_name})(?='?s?(?!\w))", re.IGNORECASE)


def _as_stored(text: str, names: Iterable[str], max_characters: int) -> str:
    """Return the text in NFC, of which a name and its neighbours may form other characters, and cut
    to this length, but inside no name: the rest of it could not be erased later."""
    text = unicodedata.normalize("NFC", text)
    if len(text) <= max_characters:
        return text
    end = max_characters
    for match in _name_pattern({*names}).finditer(text):
        if match.end() > end:
            end = min(end, match.start())
            break
    return text[:end].rstrip()
