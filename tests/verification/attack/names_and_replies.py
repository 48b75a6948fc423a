"""Attacks on names, remarks, stored replies, keys and tokens."""

from __future__ import annotations

from uuid import UUID, uuid4

from ledger.store.name_matching import matching_key
from tests.verification.attack.attacks import Attacks
from tests.verification.attack.forger import Forger, NotApplicable

ATTACKS = Attacks()

NAMED = "SELECT player_id, name FROM vola.players WHERE session_id = %s AND name IS NOT NULL"
SET_NAME = """
UPDATE vola.players SET name = %s, matching_key = %s WHERE session_id = %s AND player_id = %s
"""
OF_SESSION = " WHERE session_id = %s"
OF_PLAYER = " WHERE session_id = %s AND player_id = %s"
REPLIES = """
SELECT key FROM vola.stored_replies
 WHERE session_id = %s AND version > 1 AND event_count > 0
"""
OF_SPELLING = OF_PLAYER + " AND number = %s"
INSERT_SPELLING = "INSERT INTO vola.spellings VALUES (%s, %s, %s, %s, %s, %s, 'host.0')"
MOVE_CREATION_KEY = "UPDATE vola.creation_keys SET session_id = %s WHERE session_id = %s"
INSERT_CREATION_KEY = "INSERT INTO vola.creation_keys VALUES (%s, %s)"
OF_KEY = " WHERE session_id = %s AND key = %s"


def _pick_player(forger: Forger) -> tuple[UUID, str]:
    player, _ = forger.pick_row(NAMED, forger.session_id)
    return forger.session_id, player


def _set_name(forger: Forger, player: str, name: str) -> None:
    forger.execute(SET_NAME, name, matching_key(name), forger.session_id, player)


def _pick_reply(forger: Forger) -> tuple[UUID, str]:
    (key,) = forger.pick_row(REPLIES, forger.session_id)
    return forger.session_id, key


ATTACKS.register_statements(
    {
        "a salt": "UPDATE vola.players SET salt = sha256(salt)",
        "a name that sounds like another": "UPDATE vola.players SET matching_key = 'somebody'",
        "a player's row is gone": "DELETE FROM vola.players",
    },
    OF_PLAYER,
    _pick_player,
)
ATTACKS.register_statements(
    {
        "an answer about a version that is not there": (
            "UPDATE vola.stored_replies SET version = 99999"
        ),
        "an answer about an earlier version": (
            "UPDATE vola.stored_replies SET version = version - 1"
        ),
        "an answer is gone": "DELETE FROM vola.stored_replies",
        "an answer of another status": "UPDATE vola.stored_replies SET status = 500",
        "an answer of one event too many": (
            "UPDATE vola.stored_replies SET event_count = event_count + 1"
        ),
        "an answer of one event too few": (
            "UPDATE vola.stored_replies SET event_count = event_count - 1"
        ),
    },
    OF_KEY,
    _pick_reply,
)
ATTACKS.register_statements(
    {
        "the key that opened it is gone": "DELETE FROM vola.creation_keys",
        "the session's metadata is gone": "DELETE FROM vola.sessions",
        "tokens that were never made": "UPDATE vola.sessions SET token_generations = '{0,0}'",
        "tokens set back": "UPDATE vola.sessions SET token_generations = '{-1,0,0}'",
    },
    OF_SESSION,
)
ATTACKS.register_statements(
    {
        "a name of somebody who never came": (
            "INSERT INTO vola.players VALUES (%s, 'p77', 'Nils', 'nils', '\\x00')"
        ),
        "a remark on a version that is not there": (
            "INSERT INTO vola.remarks VALUES (%s, 99999, 'felgiv')"
        ),
        "a remark on something that was not voided": (
            "INSERT INTO vola.remarks VALUES (%s, 1, 'felgiv')"
        ),
    }
)


@ATTACKS.register("a name that was not committed to")
def change_name(forger: Forger) -> None:
    player, _ = forger.pick_row(NAMED, forger.session_id)
    _set_name(forger, player, "Nils")


@ATTACKS.register("two players' names swapped")
def swap_names(forger: Forger) -> None:
    named = forger.db.execute(NAMED, (forger.session_id,)).fetchall()
    if len(named) < 2:
        raise NotApplicable
    (player, name), (other_player, other_name) = forger.die.sample(named, 2)
    _set_name(forger, player, "free")  # two players of a session may not have the same name
    _set_name(forger, other_player, name)
    _set_name(forger, player, other_name)


@ATTACKS.register("the key that opened it opens another evening")
def move_creation_key(forger: Forger) -> None:
    other_id = forger.die.choice(forger.other_ids)
    forger.execute(MOVE_CREATION_KEY, other_id, forger.session_id)


@ATTACKS.register("it was opened under two keys")
def add_second_key(forger: Forger) -> None:
    forger.execute(INSERT_CREATION_KEY, str(uuid4()), forger.session_id)


def _respell(forger: Forger, *spellings: str) -> str:
    """Respell a player's name as the host could have done; return the player."""
    player, name = forger.pick_row(NAMED, forger.session_id)
    for number, spelling in enumerate((name, *spellings[:-1]), start=1):
        values = (player, number, spelling, matching_key(spelling), number)
        forger.execute(INSERT_SPELLING, forger.session_id, *values)
    _set_name(forger, player, spellings[-1])
    return player


@ATTACKS.register("the spelling that was committed to")
def change_first_spelling(forger: Forger) -> None:
    player = _respell(forger, "Nils")
    respell = "UPDATE vola.spellings SET name = 'Olle', matching_key = 'olle'"
    forger.execute(respell + OF_SPELLING, forger.session_id, player, 1)


@ATTACKS.register("the first of two spellings is gone")
def delete_spelling(forger: Forger) -> None:
    player = _respell(forger, "Nils", "Olle")
    forger.execute("DELETE FROM vola.spellings" + OF_SPELLING, forger.session_id, player, 1)


@ATTACKS.register("a spelling of another time")
def change_spelling_time(forger: Forger) -> None:
    player = _respell(forger, "Nils", "Olle")
    change_time = "UPDATE vola.spellings SET replaced_at = 0"
    forger.execute(change_time + OF_SPELLING, forger.session_id, player, 2)


ATTACKS.register_statements(
    {
        "a spelling of somebody who never came": (
            "INSERT INTO vola.spellings VALUES (%s, 'p77', 1, 'Nils', 'nils', 1, 'host.0')"
        )
    }
)


@ATTACKS.register("a spelling of somebody who is erased")
def erase_respelled_player(forger: Forger) -> None:
    player = _respell(forger, "Nils")
    erase = "UPDATE vola.players SET name = NULL, matching_key = NULL, salt = NULL"
    forger.execute(erase + OF_PLAYER, forger.session_id, player)
