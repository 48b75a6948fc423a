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
def flip_character(forger: Forger) -> None:
    e = forger.event()
    place = forger.die.randrange(len(e.data))
    sign = chr(ord(e.data[place]) ^ (1 << forger.die.randrange(5)))
    if not (" " <= sign <= "~"):
        sign = "#" if e.data[place] != "#" else "."
    forger.run(SET, e.data[:place] + sign + e.data[place + 1 :], forger.id, e.version)


@event_attack("an amount edited")
def edit_amount(forger: Forger) -> None:
    e = forger.event(*MONEY)
    fields = json.loads(e.data)
    if not add_amount(fields, forger.die.choice((-1, 1, 100, 10**6))):
        raise NotApplicable
    forger.run(SET, canonical_json(fields), forger.id, e.version)


def shift_share(fields: Any) -> None:
    """Move one unit of a cost from the first share to the last one.

    Raise NotApplicable if there is only one share, or the first is zero."""
    *_, last = shares = fields["shares"]
    if len(shares) < 2 or shares[0]["amount"] == 0:
        raise NotApplicable
    shares[0]["amount"] -= 1
    last["amount"] += 1


@event_attack("a share of a cost edited, so that the shares still add up")
def edit_share(forger: Forger) -> None:
    e = forger.event("cost_recorded")
    fields = json.loads(e.data)
    shift_share(fields)
    forger.run(SET, canonical_json(fields), forger.id, e.version)


@event_attack("a cost that counts marked as void")
def mark_cost_void(forger: Forger) -> None:
    e = forger.event("cost_recorded")
    forger.run(
        "UPDATE vola.events SET type = 'cost_voided' WHERE session_id = %s AND version = %s",
        forger.id,
        e.version,
    )


@event_attack("what a corrected deal comes to edited")
def edit_correction(forger: Forger) -> None:
    e = forger.event("deal_corrected")
    fields = json.loads(e.data)
    facts = [
        fact
        for rescored_deal in fields["rescored"]
        for fact in (*rescored_deal["was"], *rescored_deal["facts"])
    ]
    forger.die.shuffle(facts)
    if not any(add_amount(fact, forger.die.choice((-1, 1, 100))) for fact in facts):
        raise NotApplicable
    forger.run(SET, canonical_json(fields), forger.id, e.version)


@event_attack("a player edited")
def edit_player(forger: Forger) -> None:
    e = forger.event()
    present = [n for n in range(1, 10) if f'"p{n}"' in e.data]
    if not present:
        raise NotApplicable
    old = forger.die.choice(present)
    forger.run(SET, e.data.replace(f'"p{old}"', f'"p{old % 9 + 1}"'), forger.id, e.version)


@event_attack("the spelling of an event changed, not its meaning")
def edit_spelling(forger: Forger) -> None:
    e = forger.event()
    forger.run(
        SET, e.data.replace(":", ": ") if ":" in e.data else e.data + " ", forger.id, e.version
    )


@event_attack("the type of an event edited")
def edit_type(forger: Forger) -> None:
    e = forger.event()
    other_type = forger.die.choice([k for k in EVENT_CLASSES if k != e.type])
    forger.run(
        "UPDATE vola.events SET type = %s WHERE session_id = %s AND version = %s",
        other_type,
        forger.id,
        e.version,
    )


@event_attack("the schema of an event edited")
def edit_schema(forger: Forger) -> None:
    forger.run(
        "UPDATE vola.events SET schema = schema + 1 WHERE session_id = %s AND version = %s",
        forger.id,
        forger.event().version,
    )


@event_attack("the time of an event edited")
def edit_time(forger: Forger) -> None:
    by = forger.die.choice((-1, 1, -3_600_000_000, 86_400_000_000, -(2**62)))
    forger.run(
        "UPDATE vola.events SET at = at + %s WHERE session_id = %s AND version = %s",
        by,
        forger.id,
        forger.event().version,
    )


@event_attack("the writer of an event edited")
def edit_writer(forger: Forger) -> None:
    e = forger.event()
    by = forger.die.choice([w for w in ("host.0", "scorer.0", "worker", "x") if w != e.by])
    forger.run(
        'UPDATE vola.events SET "by" = %s WHERE session_id = %s AND version = %s',
        by,
        forger.id,
        e.version,
    )


@event_attack("a bit of a hash flipped")
def flip_hash_bit(forger: Forger) -> None:
    forger.run(
        "UPDATE vola.events SET hash = set_bit(hash, %s, 1 - get_bit(hash, %s))"
        " WHERE session_id = %s AND version = %s",
        *((forger.die.randrange(256),) * 2),
        forger.id,
        forger.event().version,
    )


@event_attack("an edited event hashed again, those after it not")
def hash_one_event_again(forger: Forger) -> None:
    e = forger.event(*MONEY)
    events = deepcopy(forger.before)
    fields = json.loads(e.data)
    if e.version == len(events) or not add_amount(fields, 7):
        raise NotApplicable
    events[e.version - 1].data = canonical_json(fields)
    forger.replace([*forger.hash_again(events[: e.version]), *events[e.version :]])


@event_attack("an edited event and all after it hashed again, the head not")
def keep_old_head(forger: Forger) -> None:
    e = forger.event(*MONEY)
    events = deepcopy(forger.before)
    fields = json.loads(e.data)
    if not add_amount(fields, 7):
        raise NotApplicable
    events[e.version - 1].data = canonical_json(fields)
    forger.replace(forger.hash_again(events))


@event_attack("an event in the middle deleted")
def delete_middle_event(forger: Forger) -> None:
    e = forger.event()
    if e.version == len(forger.before):
        raise NotApplicable
    forger.run(DELETE, forger.id, e.version)


@event_attack("the first event deleted")
def delete_first_event(forger: Forger) -> None:
    forger.run(DELETE, forger.id, 1)


@event_attack("an event deleted and the later ones moved up")
def delete_and_renumber(forger: Forger) -> None:
    removed = forger.event(after=1).version
    events = [e for e in deepcopy(forger.before) if e.version != removed]
    for number, e in enumerate(events, start=1):
        e.version = number
    forger.replace(events)


@event_attack("all events deleted")
def delete_all_events(forger: Forger) -> None:
    forger.run("DELETE FROM vola.events WHERE session_id = %s", forger.id)


def _swap_two_events(forger: Forger) -> tuple[list[Event], int]:
    events = deepcopy(forger.before)
    if len(events) < 3:
        raise NotApplicable
    first, second = sorted(forger.die.sample(range(1, len(events)), 2))
    if events[first].data == events[second].data and events[first].type == events[second].type:
        raise NotApplicable
    events[first], events[second] = events[second], events[first]
    return events, first + 1


@event_attack("two events swapped")
def swap_events(forger: Forger) -> None:
    events, _ = _swap_two_events(forger)
    for number, e in enumerate(events, start=1):
        e.version = number
    forger.replace(events)


@event_attack("two events swapped, and everything hashed again")
def swap_events_and_hash_again(forger: Forger) -> None:
    events, first = _swap_two_events(forger)
    times = sorted(e.at for e in events)
    for e, at in zip(events, times, strict=True):
        e.at = at
    forger.keep_receipt(first)
    forger.rewrite(events)


@event_attack("an event of another evening put in its place")
def take_event_of_another_session(forger: Forger) -> None:
    other_id = forger.die.choice(forger.other_ids)
    e = forger.event()
    forger.run(
        "DELETE FROM vola.events WHERE session_id = %s AND version = %s", forger.id, e.version
    )
    forger.run(
        'INSERT INTO vola.events SELECT %s, version, type, schema, at, "by", data, hash'
        " FROM vola.events WHERE session_id = %s AND version = %s",
        forger.id,
        other_id,
        e.version,
    )


@event_attack("the whole history of another evening put in its place")
def take_history_of_another_session(forger: Forger) -> None:
    other_id = forger.die.choice(forger.other_ids)
    forger.db.execute("DELETE FROM vola.events WHERE session_id = %s", (forger.id,))
    forger.run(
        'INSERT INTO vola.events SELECT %s, version, type, schema, at, "by", data, hash'
        " FROM vola.events WHERE session_id = %s",
        forger.id,
        other_id,
    )
    forger.run(
        "UPDATE vola.heads h SET version = o.version, conflict_version = o.conflict_version,"
        " at = o.at, hash = o.hash"
        "  FROM vola.heads o WHERE h.session_id = %s AND o.session_id = %s",
        forger.id,
        other_id,
    )


@event_attack("an event given to an evening that nobody knows")
def move_event_to_unknown_session(forger: Forger) -> None:
    e = forger.event()
    forger.run(
        "UPDATE vola.events SET session_id = %s WHERE session_id = %s AND version = %s",
        uuid4(),
        forger.id,
        e.version,
    )
