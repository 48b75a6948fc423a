"""A name taken out of the book for good: what was played stands, who it was is gone.

Name, what it sounds like, its earlier spellings and the salt of its commitment go together; from
then on the commitment in the first event matches any name as well as any other. Answers that were
kept to be given again, and remarks in people's own words, are told anew with a number in the name's
place. No event is touched: no seal, no sum and no receipt had the name in it.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

import msgspec
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
ANSWERS = """
SELECT key, body FROM vola.stored_replies
 WHERE session_id = %(session_id)s
   AND (position(%(name)s::bytea IN body) > 0 OR position('"label":'::bytea IN body) > 0)
"""
"""A phone may be called by the name in other letters."""
ANSWER_ANEW = """
UPDATE vola.stored_replies SET body = %(body)s WHERE session_id = %(session_id)s AND key = %(key)s
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

UNTOUCHED = frozenset({"data", "title"})
"""Events are sealed, and a title is not a player's name."""
IN_OWN_WORDS = frozenset({"reason", "remark", "label"})


def erase_player_name(
    pool: Pool,
    session_id: UUID,
    player: Player,
    request: AppendRequest,
    instead: str,
    render: Callable[[int], bytes],
) -> StoredReply:
    """Erase one name, once; a second time nothing is left to do, and the answer is the same.

    `instead` is what answers call him from now on, `render` makes the answer at a version.
    UnknownSession, UnknownPlayer, KeyReused; LockNotAvailable as for any write.
    """

    def work(db: Connection, version: int) -> bytes:
        ask = {"session_id": session_id}
        names: dict[Player, str | None] = dict(db.execute(NAMES, ask).fetchall())
        if player not in names:
            raise UnknownPlayer(player=player)
        _erase(db, session_id, player, names, instead)
        return render(version)

    # who writes now would keep the name
    return metadata_write.write_metadata(pool, session_id, request, work)


def erase_player(pool: Pool, session_id: UUID, player: Player, instead: str) -> None:
    with pool.connection() as db:
        stream = lock_stream(db, session_id, with_names=True)
        _erase(db, session_id, player, (stream and stream.names) or {}, instead)


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
        replace_name(db, session_id, player, spelling, instead, [*names.values(), *spelled])


def replace_name(
    db: Connection,
    session_id: UUID,
    player: Player,
    name: str,
    instead: str,
    names: Iterable[str | None],
) -> None:
    """Put `instead` where the name stands: in answers that are kept, in remarks and on labels."""
    parameters = {"session_id": session_id}
    forget = NameReplacer(player, name, instead, [n for n in names if n])
    with db.cursor("answers") as stored:  # an evening can have many: a few at a time
        for key, body in stored.execute(ANSWERS, {**parameters, "name": forget.escaped_name}):
            db.execute(ANSWER_ANEW, {**parameters, "key": key, "body": forget.reply(body)})
    for columns in TEXT_COLUMNS:
        identifiers = {key: sql.Identifier(value) for key, value in columns.items()}
        for number, text in db.execute(sql.SQL(TEXTS).format(**identifiers), parameters).fetchall():
            change = {**parameters, "number": number, "text": forget.sentence(text)}
            if change["text"] != text:
                db.execute(sql.SQL(REPLACE_TEXT).format(**identifiers), change)


class NameReplacer:
    """Puts a number where a name stood, in answers and in sentences."""

    def __init__(self, player: Player, name: str, instead: str, names: Iterable[str]) -> None:
        self.player, self.name, self.instead = player, name, instead
        self.escaped_name = msgspec.json.encode(name)[1:-1]  # as it is spelled within a JSON text
        longest_first = sorted({name, *names}, key=len, reverse=True)  # Bo is not Bo Ek
        any_name = "|".join(re.escape(spelling) for spelling in longest_first)
        self.pattern = re.compile(rf"(?<!\w)({any_name})(?='?s?(?!\w))", re.IGNORECASE)

    def reply(self, body: bytes) -> bytes:
        """Return the body of a stored reply with the number in it."""
        return msgspec.json.encode(self(msgspec.json.decode(body)))

    def __call__(self, value: Any, key: str = "") -> Any:
        match value:
            case dict():
                if value.get("id") == self.player and value.get("name") == self.name:
                    return {**value, "name": self.instead}
                return {k: v if k in UNTOUCHED else self(v, k) for k, v in value.items()}
            case list():
                return [self(item, key) for item in value]
            case str() if key in IN_OWN_WORDS or " " in value:  # never a code, an id or a card
                return value if key == "name" else self.sentence(value)
        return value

    def sentence(self, text: str) -> str:
        """The name whole, also in the genitive, however it is capitalised."""

        def put(match: re.Match[str]) -> str:
            mine = match[1].casefold() == self.name.casefold()
            return self.instead if mine else match[1]

        return self.pattern.sub(put, text)
