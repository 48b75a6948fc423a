"""Attacks on stored events: flipped, edited, deleted, swapped or replaced."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any
from uuid import uuid4

from ledger.events.codec import EVENT_CLASSES
from tests.verification.attack.corruption import event_attack
from tests.verification.attack.forger import Event, Forger, NotApplicable

MONEY = (
    *("deal_opened", "pot_taken", "bet_laid", "bet_taken", "scored"),
    *("transfer_recorded", "cost_recorded"),
)
SET = "UPDATE vola.events SET data = %s WHERE session_id = %s AND version = %s"
DELETE = "DELETE FROM vola.events WHERE session_id = %s AND version = %s"


def add_amount(fields: Any, amount: int) -> bool:
    for name in ("amount", "each", "stake", "points"):
        if name in fields:
            fields[name] += amount
            return True
    return False


def canonical_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@event_attack("a character of an event flipped")
def flip_character(f: Forger) -> None:
    e = f.event()
    place = f.die.randrange(len(e.data))
    sign = chr(ord(e.data[place]) ^ (1 << f.die.randrange(5)))
    if not (" " <= sign <= "~"):
        sign = "#" if e.data[place] != "#" else "."
    f.run(SET, e.data[:place] + sign + e.data[place + 1 :], f.id, e.version)


@event_attack("an amount edited")
def edit_amount(f: Forger) -> None:
    e = f.event(*MONEY)
    fields = json.loads(e.data)
    if not add_amount(fields, f.die.choice((-1, 1, 100, 10**6))):
        raise NotApplicable
    f.run(SET, canonical_json(fields), f.id, e.version)


def shift_share(fields: Any) -> None:
    """Move one unit of a cost from the first share to the last one.

    Raise NotApplicable if there is only one share, or the first is zero."""
    *_, last = shares = fields["shares"]
    if len(shares) < 2 or shares[0]["amount"] == 0:
        raise NotApplicable
    shares[0]["amount"] -= 1
    last["amount"] += 1


@event_attack("a share of a cost edited, so that the shares still add up")
def edit_share(f: Forger) -> None:
    e = f.event("cost_recorded")
    fields = json.loads(e.data)
    shift_share(fields)
    f.run(SET, canonical_json(fields), f.id, e.version)


@event_attack("a cost that counts marked as void")
def mark_cost_void(f: Forger) -> None:
    e = f.event("cost_recorded")
    f.run("UPDATE vola.events SET type = 'cost_voided' WHERE session_id = %s AND version = %s",
          f.id, e.version)  # fmt: skip


@event_attack("what a corrected deal comes to edited")
def edit_correction(f: Forger) -> None:
    e = f.event("deal_corrected")
    fields = json.loads(e.data)
    facts = [
        fact
        for rescored_deal in fields["rescored"]
        for fact in (*rescored_deal["was"], *rescored_deal["facts"])
    ]
    f.die.shuffle(facts)
    if not any(add_amount(fact, f.die.choice((-1, 1, 100))) for fact in facts):
        raise NotApplicable
    f.run(SET, canonical_json(fields), f.id, e.version)


@event_attack("a player edited")
def edit_player(f: Forger) -> None:
    e = f.event()
    present = [n for n in range(1, 10) if f'"p{n}"' in e.data]
    if not present:
        raise NotApplicable
    old = f.die.choice(present)
    f.run(SET, e.data.replace(f'"p{old}"', f'"p{old % 9 + 1}"'), f.id, e.version)


@event_attack("the spelling of an event changed, not its meaning")
def edit_spelling(f: Forger) -> None:
    e = f.event()
    f.run(SET, e.data.replace(":", ": ") if ":" in e.data else e.data + " ", f.id, e.version)


@event_attack("the type of an event edited")
def edit_type(f: Forger) -> None:
    e = f.event()
    other_type = f.die.choice([k for k in EVENT_CLASSES if k != e.type])
    f.run("UPDATE vola.events SET type = %s WHERE session_id = %s AND version = %s",
          other_type, f.id, e.version)  # fmt: skip


@event_attack("the schema of an event edited")
def edit_schema(f: Forger) -> None:
    f.run("UPDATE vola.events SET schema = schema + 1 WHERE session_id = %s AND version = %s",
          f.id, f.event().version)  # fmt: skip


@event_attack("the time of an event edited")
def edit_time(f: Forger) -> None:
    by = f.die.choice((-1, 1, -3_600_000_000, 86_400_000_000, -(2**62)))
    f.run("UPDATE vola.events SET at = at + %s WHERE session_id = %s AND version = %s",
          by, f.id, f.event().version)  # fmt: skip


@event_attack("the writer of an event edited")
def edit_writer(f: Forger) -> None:
    e = f.event()
    by = f.die.choice([w for w in ("host.0", "scorer.0", "worker", "x") if w != e.by])
    f.run('UPDATE vola.events SET "by" = %s WHERE session_id = %s AND version = %s',
          by, f.id, e.version)  # fmt: skip


@event_attack("a bit of a hash flipped")
def flip_hash_bit(f: Forger) -> None:
    f.run("UPDATE vola.events SET hash = set_bit(hash, %s, 1 - get_bit(hash, %s))"
          " WHERE session_id = %s AND version = %s",
          *((f.die.randrange(256),) * 2), f.id, f.event().version)  # fmt: skip


@event_attack("an edited event hashed again, those after it not")
def hash_one_event_again(f: Forger) -> None:
    e = f.event(*MONEY)
    events = deepcopy(f.before)
    fields = json.loads(e.data)
    if e.version == len(events) or not add_amount(fields, 7):
        raise NotApplicable
    events[e.version - 1].data = canonical_json(fields)
    f.replace([*f.hash_again(events[: e.version]), *events[e.version :]])


@event_attack("an edited event and all after it hashed again, the head not")
def keep_old_head(f: Forger) -> None:
    e = f.event(*MONEY)
    events = deepcopy(f.before)
    fields = json.loads(e.data)
    if not add_amount(fields, 7):
        raise NotApplicable
    events[e.version - 1].data = canonical_json(fields)
    f.replace(f.hash_again(events))


@event_attack("an event in the middle deleted")
def delete_middle_event(f: Forger) -> None:
    e = f.event()
    if e.version == len(f.before):
        raise NotApplicable
    f.run(DELETE, f.id, e.version)


@event_attack("the first event deleted")
def delete_first_event(f: Forger) -> None:
    f.run(DELETE, f.id, 1)


@event_attack("an event deleted and the later ones moved up")
def delete_and_renumber(f: Forger) -> None:
    removed = f.event(after=1).version
    events = [e for e in deepcopy(f.before) if e.version != removed]
    for number, e in enumerate(events, start=1):
        e.version = number
    f.replace(events)


@event_attack("all events deleted")
def delete_all_events(f: Forger) -> None:
    f.run("DELETE FROM vola.events WHERE session_id = %s", f.id)


def _swap_two_events(f: Forger) -> tuple[list[Event], int]:
    events = deepcopy(f.before)
    if len(events) < 3:
        raise NotApplicable
    first, second = sorted(f.die.sample(range(1, len(events)), 2))
    if events[first].data == events[second].data and events[first].type == events[second].type:
        raise NotApplicable
    events[first], events[second] = events[second], events[first]
    return events, first + 1


@event_attack("two events swapped")
def swap_events(f: Forger) -> None:
    events, _ = _swap_two_events(f)
    for number, e in enumerate(events, start=1):
        e.version = number
    f.replace(events)


@event_attack("two events swapped, and everything hashed again")
def swap_events_and_hash_again(f: Forger) -> None:
    events, first = _swap_two_events(f)
    times = sorted(e.at for e in events)
    for e, at in zip(events, times, strict=True):
        e.at = at
    f.keep_receipt(first)
    f.rewrite(events)


@event_attack("an event of another evening put in its place")
def take_event_of_another_session(f: Forger) -> None:
    other_id = f.die.choice(f.other_ids)
    e = f.event()
    f.run("DELETE FROM vola.events WHERE session_id = %s AND version = %s", f.id, e.version)
    f.run('INSERT INTO vola.events SELECT %s, version, type, schema, at, "by", data, hash'
          " FROM vola.events WHERE session_id = %s AND version = %s",
          f.id, other_id, e.version)  # fmt: skip


@event_attack("the whole history of another evening put in its place")
def take_history_of_another_session(f: Forger) -> None:
    other_id = f.die.choice(f.other_ids)
    f.db.execute("DELETE FROM vola.events WHERE session_id = %s", (f.id,))
    f.run('INSERT INTO vola.events SELECT %s, version, type, schema, at, "by", data, hash'
          " FROM vola.events WHERE session_id = %s", f.id, other_id)  # fmt: skip
    f.run("UPDATE vola.heads h SET version = o.version, conflict_version = o.conflict_version,"
          " at = o.at, hash = o.hash"
          "  FROM vola.heads o WHERE h.session_id = %s AND o.session_id = %s",
          f.id, other_id)  # fmt: skip


@event_attack("an event given to an evening that nobody knows")
def move_event_to_unknown_session(f: Forger) -> None:
    e = f.event()
    f.run("UPDATE vola.events SET session_id = %s WHERE session_id = %s AND version = %s",
          uuid4(), f.id, e.version)  # fmt: skip
