"""Attacks on stored events: flipped, edited, deleted, swapped or replaced."""

from __future__ import annotations

import json
from copy import deepcopy
from uuid import uuid4

from ledger.events.codec import EVENT_CLASSES
from tests.verification.attack.attacks import Attacks
from tests.verification.attack.event_fields import MONEY, add_amount, canonical_json, shift_share
from tests.verification.attack.forger import Event, Forger, NotApplicable, number_events

ATTACKS = Attacks()

SET = "UPDATE vola.events SET data = %s WHERE session_id = %s AND version = %s"
DELETE = "DELETE FROM vola.events WHERE session_id = %s AND version = %s"


@ATTACKS.register("a character of an event flipped")
def flip_character(forger: Forger) -> None:
    event = forger.pick_event()
    place = forger.die.randrange(len(event.data))
    sign = chr(ord(event.data[place]) ^ (1 << forger.die.randrange(5)))
    if not (" " <= sign <= "~"):
        sign = "#" if event.data[place] != "#" else "."
    forger.execute(
        SET, event.data[:place] + sign + event.data[place + 1 :], forger.session_id, event.version
    )


@ATTACKS.register("an amount edited")
def edit_amount(forger: Forger) -> None:
    event = forger.pick_event(*MONEY)
    fields = json.loads(event.data)
    if not add_amount(fields, forger.die.choice((-1, 1, 100, 10**6))):
        raise NotApplicable
    forger.execute(SET, canonical_json(fields), forger.session_id, event.version)


@ATTACKS.register("a share of a cost edited, so that the shares still add up")
def edit_share(forger: Forger) -> None:
    event = forger.pick_event("cost_recorded")
    fields = json.loads(event.data)
    shift_share(fields)
    forger.execute(SET, canonical_json(fields), forger.session_id, event.version)


@ATTACKS.register("a cost that counts marked as void")
def mark_cost_void(forger: Forger) -> None:
    event = forger.pick_event("cost_recorded")
    forger.execute(
        "UPDATE vola.events SET type = 'cost_voided' WHERE session_id = %s AND version = %s",
        forger.session_id,
        event.version,
    )


@ATTACKS.register("what a corrected deal comes to edited")
def edit_correction(forger: Forger) -> None:
    event = forger.pick_event("deal_corrected")
    fields = json.loads(event.data)
    facts = [
        fact
        for rescored_deal in fields["rescored"]
        for fact in (*rescored_deal["was"], *rescored_deal["facts"])
    ]
    forger.die.shuffle(facts)
    if not any(add_amount(fact, forger.die.choice((-1, 1, 100))) for fact in facts):
        raise NotApplicable
    forger.execute(SET, canonical_json(fields), forger.session_id, event.version)


@ATTACKS.register("a player edited")
def edit_player(forger: Forger) -> None:
    event = forger.pick_event()
    present = [n for n in range(1, 10) if f'"p{n}"' in event.data]
    if not present:
        raise NotApplicable
    old = forger.die.choice(present)
    forger.execute(
        SET, event.data.replace(f'"p{old}"', f'"p{old % 9 + 1}"'), forger.session_id, event.version
    )


@ATTACKS.register("the spelling of an event changed, not its meaning")
def edit_spelling(forger: Forger) -> None:
    event = forger.pick_event()
    forger.execute(
        SET,
        event.data.replace(":", ": ") if ":" in event.data else event.data + " ",
        forger.session_id,
        event.version,
    )


@ATTACKS.register("the type of an event edited")
def edit_type(forger: Forger) -> None:
    event = forger.pick_event()
    other_type = forger.die.choice([k for k in EVENT_CLASSES if k != event.type])
    forger.execute(
        "UPDATE vola.events SET type = %s WHERE session_id = %s AND version = %s",
        other_type,
        forger.session_id,
        event.version,
    )


@ATTACKS.register("the schema of an event edited")
def edit_schema(forger: Forger) -> None:
    forger.execute(
        "UPDATE vola.events SET schema = schema + 1 WHERE session_id = %s AND version = %s",
        forger.session_id,
        forger.pick_event().version,
    )


@ATTACKS.register("the time of an event edited")
def edit_time(forger: Forger) -> None:
    by = forger.die.choice((-1, 1, -3_600_000_000, 86_400_000_000, -(2**62)))
    forger.execute(
        "UPDATE vola.events SET at = at + %s WHERE session_id = %s AND version = %s",
        by,
        forger.session_id,
        forger.pick_event().version,
    )


@ATTACKS.register("the writer of an event edited")
def edit_writer(forger: Forger) -> None:
    event = forger.pick_event()
    by = forger.die.choice([w for w in ("host.0", "scorer.0", "worker", "x") if w != event.by])
    forger.execute(
        'UPDATE vola.events SET "by" = %s WHERE session_id = %s AND version = %s',
        by,
        forger.session_id,
        event.version,
    )


@ATTACKS.register("a bit of a hash flipped")
def flip_hash_bit(forger: Forger) -> None:
    forger.execute(
        "UPDATE vola.events SET hash = set_bit(hash, %s, 1 - get_bit(hash, %s))"
        " WHERE session_id = %s AND version = %s",
        *((forger.die.randrange(256),) * 2),
        forger.session_id,
        forger.pick_event().version,
    )


@ATTACKS.register("an edited event hashed again, those after it not")
def hash_one_event_again(forger: Forger) -> None:
    event = forger.pick_event(*MONEY)
    events = deepcopy(forger.original_events)
    fields = json.loads(event.data)
    if event.version == len(events) or not add_amount(fields, 7):
        raise NotApplicable
    events[event.version - 1].data = canonical_json(fields)
    forger.replace_events([*forger.hash_again(events[: event.version]), *events[event.version :]])


@ATTACKS.register("an edited event and all after it hashed again, the head not")
def keep_old_head(forger: Forger) -> None:
    event = forger.pick_event(*MONEY)
    events = deepcopy(forger.original_events)
    fields = json.loads(event.data)
    if not add_amount(fields, 7):
        raise NotApplicable
    events[event.version - 1].data = canonical_json(fields)
    forger.replace_events(forger.hash_again(events))


@ATTACKS.register("an event in the middle deleted")
def delete_middle_event(forger: Forger) -> None:
    event = forger.pick_event()
    if event.version == len(forger.original_events):
        raise NotApplicable
    forger.execute(DELETE, forger.session_id, event.version)


@ATTACKS.register("the first event deleted")
def delete_first_event(forger: Forger) -> None:
    forger.execute(DELETE, forger.session_id, 1)


@ATTACKS.register("an event deleted and the later ones moved up")
def delete_and_renumber(forger: Forger) -> None:
    removed = forger.pick_event(after=1).version
    events = [event for event in deepcopy(forger.original_events) if event.version != removed]
    number_events(events)
    forger.replace_events(events)


@ATTACKS.register("all events deleted")
def delete_all_events(forger: Forger) -> None:
    forger.execute("DELETE FROM vola.events WHERE session_id = %s", forger.session_id)


def _swap_two_events(forger: Forger) -> tuple[list[Event], int]:
    events = deepcopy(forger.original_events)
    if len(events) < 3:
        raise NotApplicable
    first, second = sorted(forger.die.sample(range(1, len(events)), 2))
    if events[first].data == events[second].data and events[first].type == events[second].type:
        raise NotApplicable
    events[first], events[second] = events[second], events[first]
    return events, first + 1


@ATTACKS.register("two events swapped")
def swap_events(forger: Forger) -> None:
    events, _ = _swap_two_events(forger)
    number_events(events)
    forger.replace_events(events)


@ATTACKS.register("two events swapped, and everything hashed again")
def swap_events_and_hash_again(forger: Forger) -> None:
    events, first = _swap_two_events(forger)
    times = sorted(event.at for event in events)
    for event, at in zip(events, times, strict=True):
        event.at = at
    forger.keep_receipt(first)
    forger.rewrite(events)


@ATTACKS.register("an event of another evening put in its place")
def take_event_of_another_session(forger: Forger) -> None:
    other_id = forger.die.choice(forger.other_ids)
    event = forger.pick_event()
    forger.execute(
        "DELETE FROM vola.events WHERE session_id = %s AND version = %s",
        forger.session_id,
        event.version,
    )
    forger.execute(
        'INSERT INTO vola.events SELECT %s, version, type, schema, at, "by", data, hash'
        " FROM vola.events WHERE session_id = %s AND version = %s",
        forger.session_id,
        other_id,
        event.version,
    )


@ATTACKS.register("the whole history of another evening put in its place")
def take_history_of_another_session(forger: Forger) -> None:
    other_id = forger.die.choice(forger.other_ids)
    forger.db.execute("DELETE FROM vola.events WHERE session_id = %s", (forger.session_id,))
    forger.execute(
        'INSERT INTO vola.events SELECT %s, version, type, schema, at, "by", data, hash'
        " FROM vola.events WHERE session_id = %s",
        forger.session_id,
        other_id,
    )
    forger.execute(
        "UPDATE vola.heads h SET version = o.version, conflict_version = o.conflict_version,"
        " at = o.at, hash = o.hash"
        "  FROM vola.heads o WHERE h.session_id = %s AND o.session_id = %s",
        forger.session_id,
        other_id,
    )


@ATTACKS.register("an event given to an evening that nobody knows")
def move_event_to_unknown_session(forger: Forger) -> None:
    event = forger.pick_event()
    forger.execute(
        "UPDATE vola.events SET session_id = %s WHERE session_id = %s AND version = %s",
        uuid4(),
        forger.session_id,
        event.version,
    )
