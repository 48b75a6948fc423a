"""A name taken out of the book for good: what was played stands, who it was is gone.

Name, what it sounds like, its earlier spellings and the salt of its commitment go together; from
then on the commitment in the first event matches any name as well as any other. Remarks and labels
in people's own words get a number in the name's place. No event is touched: no hash, no sum and no
receipt had the name in it.
"""

import re
from collections.abc import Iterable
from uuid import UUID

from psycopg import sql

from engine.errors import UnknownPlayer
from engine.values import Player
from ledger.store import metadata_write
from ledger.store.append_request import AppendRequest, StoredReply
from ledger.store.append_sql import lock_stream
from ledger.store.connection_pool import Connection, Pool

NAMES = "SELECT player_id, name FROM vola.players WHERE session_id = %(session_id)s"
FORGET = """
UPDATE vola.players SET name = NULL, matching_key = NULL, salt = NULL
 WHERE session_id = %(session_id)s AND player_id = %(player)s
"""
SPELLINGS = """
SELECT name FROM vola.spellings WHERE session_id = %(session_id)s AND player_id = %(player)s
"""
FORGET_SPELLINGS = """
DELETE FROM vola.spellings WHERE session_id = %(session_id)s AND player_id = %(player)s
"""
TEXTS = """
SELECT {number}, {text} FROM vola.{table}
 WHERE session_id = %(session_id)s AND {text} IS NOT NULL
"""
REPLACE_TEXT = """
UPDATE vola.{table} SET {text} = %(text)s
 WHERE session_id = %(session_id)s AND {number} = %(number)s
"""
TEXT_COLUMNS = (
    {"table": "remarks", "number": "version", "text": "remark"},
    {"table": "devices", "number": "device_number", "text": "label"},
    {"table": "join_requests", "number": "request_number", "text": "label"},
)
"""Where people have written in their own words."""


def names_with(db: Connection, session_id: UUID, player: Player) -> dict[Player, str | None]:
    """Return the names of the session's players, None for an erased one. UnknownPlayer."""
    rows = db.execute(NAMES, {"session_id": session_id})
    names: dict[Player, str | None] = dict(rows.fetchall())
    if player not in names:
        raise UnknownPlayer(player=player)
    return names


def erase_player_name(
    pool: Pool, session_id: UUID, player: Player, request: AppendRequest, instead: str
) -> StoredReply:
    """Erase one name, once; a second time nothing is left to do, and the answer is the same.

    `instead` is what the player is called from now on. UnknownSession, UnknownPlayer, KeyReused;
    LockNotAvailable as for any write.
    """

    def work(db: Connection) -> dict[str, object]:
        names = names_with(db, session_id, player)
        _erase(db, session_id, player, names, instead)
        return {}

    return metadata_write.write_metadata(pool, session_id, request, work)


def erase_player(pool: Pool, session_id: UUID, player: Player, instead: str) -> None:
    with pool.connection() as db:
        stream = lock_stream(db, session_id)
        _erase(db, session_id, player, stream.names if stream else {}, instead)


def _erase(
    db: Connection,
    session_id: UUID,
    player: Player,
    names: dict[Player, str | None],
    instead: str,
) -> None:
    """Erase the name if it still stands."""
    name = names.get(player)
    if name is None:
        return
    parameters = {"session_id": session_id, "player": player}
    spelled = [spelling for (spelling,) in db.execute(SPELLINGS, parameters).fetchall()]
    db.execute(FORGET_SPELLINGS, parameters)
    db.execute(FORGET, parameters)
    for spelling in dict.fromkeys((name, *spelled)):
        replace_name(db, session_id, spelling, instead, [*names.values(), *spelled])


def replace_name(
    db: Connection,
    session_id: UUID,
    name: str,
    instead: str,
    names: Iterable[str | None],
) -> None:
    """Put `instead` where the name stands, in remarks and on labels."""
    parameters, present_names = {"session_id": session_id}, [n for n in names if n]
    for columns in TEXT_COLUMNS:
        identifiers = {key: sql.Identifier(value) for key, value in columns.items()}
        for number, text in db.execute(sql.SQL(TEXTS).format(**identifiers), parameters).fetchall():
            new_text = replace_in_sentence(text, name, instead, present_names)
            if new_text != text:
                change = {**parameters, "number": number, "text": new_text}
                db.execute(sql.SQL(REPLACE_TEXT).format(**identifiers), change)


def replace_in_sentence(text: str, name: str, instead: str, names: Iterable[str]) -> str:
    """Put `instead` where the whole name stands, also in the genitive, however it is capitalised.

    `names`: all that people are called, so that Bo is not found in Bo Ek.
    """
    longest_first = sorted({name, *names}, key=len, reverse=True)
    any_name = "|".join(re.escape(spelling) for spelling in longest_first)

    def put(match: re.Match[str]) -> str:
        is_name = match[1].casefold() == name.casefold()
        return instead if is_name else match[1]

    return re.sub(rf"(?<!\w)({any_name})(?='?s?(?!\w))", put, text, flags=re.IGNORECASE)
