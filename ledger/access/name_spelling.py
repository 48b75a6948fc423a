"""Correct the spelling of a player's name.

The new spelling replaces the name everywhere. The earlier ones are stored with the time and the
author of each correction, because the commitment in the first event is to the first of them. No
event is written, and no sum, hash or receipt changes.
"""

from collections.abc import Iterable
from uuid import UUID

from msgspec.structs import asdict

from engine.errors import RuleViolation
from engine.values import Player
from ledger.access.name_erasure import read_names, replace_name
from ledger.store.append_request import PlayerName
from ledger.store.connection_pool import Connection, fetch_value
from ledger.store.name_matching import matching_key

NAME_TAKEN = """
SELECT 1 FROM vola.players WHERE session_id = %(session_id)s AND player_id <> %(player)s
   AND matching_key = %(matching_key)s
 UNION ALL
SELECT 1 FROM vola.spellings WHERE session_id = %(session_id)s AND player_id <> %(player)s
   AND matching_key = %(matching_key)s
"""
"""Also finds earlier spellings of other players, so that two players cannot swap their names."""
COUNT_SPELLINGS = """
SELECT count(*) FROM vola.spellings WHERE session_id = %(session_id)s AND player_id = %(player)s
"""
INSERT_SPELLING = """
INSERT INTO vola.spellings
       (session_id, player_id, number, name, matching_key, replaced_at, replaced_by)
SELECT p.session_id, p.player_id, 1 + earlier.count, p.name, p.matching_key,
       greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, earlier.latest), %(by)s
  FROM vola.players p,
       (SELECT count(*), max(replaced_at) AS latest FROM vola.spellings
         WHERE session_id = %(session_id)s AND player_id = %(player)s) earlier
 WHERE p.session_id = %(session_id)s AND p.player_id = %(player)s
"""
"""A clock that was set back must not reverse the history of a name either."""
RENAME = """
UPDATE vola.players SET name = %(name)s, matching_key = %(matching_key)s
 WHERE session_id = %(session_id)s AND player_id = %(player)s
"""
IMPORT_SPELLING = """
INSERT INTO vola.spellings
       (session_id, player_id, number, name, matching_key, replaced_at, replaced_by)
VALUES (%(session_id)s, %(player)s, %(number)s, %(name)s, %(matching_key)s, %(until)s, %(by)s)
"""
MAX_SPELLINGS = 20


class NameIsErased(RuleViolation):
    """The name of {player} has been erased for good."""


class NameTaken(Exception):
    """The name is, or was, that of another player."""


class TooManySpellings(RuleViolation):
    """The name has been corrected {most} times, as often as it can be."""


def correct_name(db: Connection, session_id: UUID, player: Player, name: str, by: str) -> None:
    """Correct a name, in a transaction that has locked the session; the spelling that it already
    has changes nothing. Raise NoSuchPlayer, NameIsErased, NameTaken, TooManySpellings."""
    names = read_names(db, session_id, player)
    old_name = names[player]
    if old_name is None:
        raise NameIsErased(player=player)
    if old_name == name:
        return
    key = matching_key(name)
    change = {"session_id": session_id, "player": player, "name": name, "matching_key": key}
    check_name_is_free(db, session_id, player, name)
    if fetch_value(db, COUNT_SPELLINGS, change) >= MAX_SPELLINGS:
        raise TooManySpellings(most=MAX_SPELLINGS)
    db.execute(INSERT_SPELLING, {**change, "by": by})
    db.execute(RENAME, change)
    replace_name(db, session_id, old_name, name, names.values())


def check_name_is_free(db: Connection, session_id: UUID, player: Player, name: str) -> None:
    """Raise NameTaken if another player has the name, or had it before it was corrected."""
    parameters = {"session_id": session_id, "player": player, "matching_key": matching_key(name)}
    if db.execute(NAME_TAKEN, parameters).fetchone() is not None:
        raise NameTaken


def import_spellings(db: Connection, session_id: UUID, names: Iterable[PlayerName]) -> None:
    """Write the earlier spellings of an imported session's names."""
    for player_name in names:
        for number, spelling in enumerate(player_name.spellings, start=1):
            place = {"session_id": session_id, "player": player_name.player, "number": number}
            key = {"matching_key": matching_key(spelling.name)}
            db.execute(IMPORT_SPELLING, {**place, **asdict(spelling), **key})
