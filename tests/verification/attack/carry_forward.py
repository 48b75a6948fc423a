"""Attacks on the earlier and the later of two sessions, of which one continues the other.

The attacker also rewrites hashes, projections and replies, so that only the two sessions together,
or the group, reveal the attack.
"""

from __future__ import annotations

from uuid import UUID, uuid4

from tests.verification.attack.attacks import Attacks
from tests.verification.attack.brought_forward import find_brought_forward, find_predecessor
from tests.verification.attack.forger import Event, Forger, NotApplicable, canonical_json

ATTACKS = Attacks()

INSERT_REPLY = """
INSERT INTO vola.stored_replies (session_id, key, request, status, version, event_count)
VALUES (%s, %s, '', 201, %s, 1)
"""
SESSION_TABLES = (
    "vola.sessions",
    "vola.heads",
    "vola.events",
    "vola.players",
    "vola.remarks",
    "vola.spellings",
    "vola.stored_replies",
    "vola.creation_keys",
    "vola.group_sessions",
    "vola.attendance",
    "projections.payments",
    "projections.journal",
)
"""The tables with a session's rows."""

COLUMNS = """
SELECT column_name FROM information_schema.columns
 WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position
"""
NEXT_NUMBER = """
(SELECT max(o.number) + 1 FROM vola.group_sessions o WHERE o.group_id = group_sessions.group_id)
"""
RENAME_CREATION_REPLIES = """
UPDATE vola.stored_replies SET key = key || '.' WHERE session_id = %(copy)s
   AND key IN (SELECT left(key, -1) FROM vola.creation_keys WHERE session_id = %(copy)s)
"""
MOVE_HEAD = "UPDATE vola.heads SET version = version + 1 WHERE session_id = %s"


def _rewrite_both(forger: Forger, earlier: Forger, events: list[Event]) -> None:
    """Rewrite both histories; the later one cites the new hash and version of the earlier one."""
    earlier.rewrite(events)
    later_events = forger.history()
    event, fields = find_brought_forward(later_events)
    fields |= {"hash": events[-1].hash.hex(), "version": events[-1].version}
    event.data = canonical_json(fields)
    forger.rewrite(later_events)


@ATTACKS.register("carried forward to another evening, both hashed again")
def change_successor(forger: Forger) -> None:
    earlier = find_predecessor(forger)
    events = earlier.history()
    events[-1].data = canonical_json({"to": str(forger.die.choice([*forger.other_ids, uuid4()]))})
    _rewrite_both(forger, earlier, events)


@ATTACKS.register("an event appended after the carry-forward, answered and hashed")
def append_after_carry_forward(forger: Forger) -> None:
    earlier = find_predecessor(forger)
    events = earlier.history()
    events.append(earlier.make_transfer(events[-1]))
    earlier.execute(INSERT_REPLY, earlier.session_id, str(uuid4()), len(events))
    earlier.rewrite(events, keep_replies=True)


@ATTACKS.register("an event inserted before the carry-forward, both hashed again")
def insert_before_carry_forward(forger: Forger) -> None:
    earlier = find_predecessor(forger)
    events = earlier.history()
    events.insert(-1, earlier.make_transfer(events[-2]))
    forger.also_audited_ids.append(earlier.session_id)
    _rewrite_both(forger, earlier, events)


@ATTACKS.register("two evenings rewritten together, but for a receipt")
def rewrite_both_sessions(forger: Forger) -> None:
    earlier = find_predecessor(forger)
    events = earlier.history()
    for event in events:
        event.at -= 1
    forger.keep_receipt(find_brought_forward(forger.original_events)[0].version)
    _rewrite_both(forger, earlier, events)


@ATTACKS.register("a second evening that continues the same one")
def add_second_successor(forger: Forger) -> None:
    """Copy the session with metadata, names and keys of its own."""
    find_brought_forward(forger.original_events)
    copy_id = uuid4()
    for table in SESSION_TABLES:
        _copy_rows(forger, table, copy_id)
    if not forger.db.execute(RENAME_CREATION_REPLIES, {"copy": copy_id}).rowcount:
        raise NotApplicable
    successor = Forger(forger.db, copy_id, forger.die, forger.other_ids)
    successor.rewrite(successor.history())
    forger.also_audited_ids.append(copy_id)


def _copy_rows(forger: Forger, table: str, copy_id: UUID) -> None:
    """Copy the session's rows of a table; keys and numbers that must be unique get other values."""
    schema, name = table.split(".")
    replacements = {
        "session_id": "%(copy)s::uuid",
        "key": "key" if name == "stored_replies" else "key || '.'",
    }
    if name == "group_sessions":
        replacements["number"] = NEXT_NUMBER
    columns = [column for (column,) in forger.db.execute(COLUMNS, (schema, name))]
    expressions = ", ".join(replacements.get(column, f'"{column}"') for column in columns)
    forger.db.execute(
        f"INSERT INTO {table} SELECT {expressions} FROM {table} WHERE session_id = %(original)s",
        {"copy": copy_id, "original": forger.session_id},
    )


@ATTACKS.register("the evening that it continues is gone, with every row of it")
def delete_predecessor(forger: Forger) -> None:
    earlier = find_predecessor(forger)
    for table in SESSION_TABLES:
        forger.db.execute(f"DELETE FROM {table} WHERE session_id = %s", (earlier.session_id,))


@ATTACKS.register("the head of the evening that it continues moved")
def move_head_of_predecessor(forger: Forger) -> None:
    forger.execute(MOVE_HEAD, find_predecessor(forger).session_id)
