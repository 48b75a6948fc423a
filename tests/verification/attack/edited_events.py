"""Attacks that edit stored events in their places."""

from __future__ import annotations

import json
from typing import Any

from ledger.events.codec import EVENT_CLASSES
from tests.verification.attack.attacks import Attacks
from tests.verification.attack.event_fields import MONEY, add_amount, shift_share
from tests.verification.attack.forger import Event, Forger, NotApplicable, canonical_json

ATTACKS = Attacks()


def _update(forger: Forger, event: Event, assignment: str, *values: Any) -> None:
    """Change a column of a stored event, for instance with the assignment "type = %s"."""
    update = f"UPDATE vola.events SET {assignment} WHERE session_id = %s AND version = %s"
    forger.execute(update, *values, forger.session_id, event.version)


@ATTACKS.register("a character of an event flipped")
def flip_character(forger: Forger) -> None:
    event = forger.pick_event()
    place = forger.die.randrange(len(event.data))
    character = chr(ord(event.data[place]) ^ (1 << forger.die.randrange(5)))
    if not (" " <= character <= "~"):
        character = "#" if event.data[place] != "#" else "."
    _update(forger, event, "data = %s", event.data[:place] + character + event.data[place + 1 :])


@ATTACKS.register("an amount edited")
def edit_amount(forger: Forger) -> None:
    event = forger.pick_event(*MONEY)
    fields = json.loads(event.data)
    if not add_amount(fields, forger.die.choice((-1, 1, 100, 10**6))):
        raise NotApplicable
    _update(forger, event, "data = %s", canonical_json(fields))


@ATTACKS.register("a share of a cost edited, so that the shares still add up")
def edit_share(forger: Forger) -> None:
    event = forger.pick_event("cost_recorded")
    fields = json.loads(event.data)
    shift_share(fields)
    _update(forger, event, "data = %s", canonical_json(fields))


@ATTACKS.register("a cost that counts marked as void")
def mark_cost_void(forger: Forger) -> None:
    _update(forger, forger.pick_event("cost_recorded"), "type = 'cost_voided'")


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
    _update(forger, event, "data = %s", canonical_json(fields))


@ATTACKS.register("a player edited")
def edit_player(forger: Forger) -> None:
    event = forger.pick_event()
    present = [seat for seat in range(1, 10) if f'"p{seat}"' in event.data]
    if not present:
        raise NotApplicable
    seat = forger.die.choice(present)
    _update(forger, event, "data = %s", event.data.replace(f'"p{seat}"', f'"p{seat % 9 + 1}"'))


@ATTACKS.register("the spelling of an event changed, not its meaning")
def edit_spelling(forger: Forger) -> None:
    event = forger.pick_event()
    data = event.data.replace(":", ": ") if ":" in event.data else event.data + " "
    _update(forger, event, "data = %s", data)


@ATTACKS.register("the type of an event edited")
def edit_type(forger: Forger) -> None:
    event = forger.pick_event()
    other_types = [name for name in EVENT_CLASSES if name != event.type]
    _update(forger, event, "type = %s", forger.die.choice(other_types))


@ATTACKS.register("the schema of an event edited")
def edit_schema(forger: Forger) -> None:
    _update(forger, forger.pick_event(), "schema = schema + 1")


@ATTACKS.register("the time of an event edited")
def edit_time(forger: Forger) -> None:
    microseconds = forger.die.choice((-1, 1, -3_600_000_000, 86_400_000_000, -(2**62)))
    _update(forger, forger.pick_event(), "at = at + %s", microseconds)


@ATTACKS.register("the writer of an event edited")
def edit_writer(forger: Forger) -> None:
    event = forger.pick_event()
    other_writers = [
        writer for writer in ("host.0", "scorer.0", "worker", "x") if writer != event.by
    ]
    _update(forger, event, '"by" = %s', forger.die.choice(other_writers))


@ATTACKS.register("a bit of a hash flipped")
def flip_hash_bit(forger: Forger) -> None:
    bit = forger.die.randrange(256)
    flip = "hash = set_bit(hash, %s, 1 - get_bit(hash, %s))"
    _update(forger, forger.pick_event(), flip, bit, bit)


def _edit_amount_in_copy(forger: Forger) -> tuple[list[Event], int]:
    """Return the history with an edited amount, not hashed again, and the event's version."""
    version = forger.pick_event(*MONEY).version
    events = forger.history()
    fields = json.loads(events[version - 1].data)
    if not add_amount(fields, 7):
        raise NotApplicable
    events[version - 1].data = canonical_json(fields)
    return events, version


@ATTACKS.register("an edited event hashed again, those after it not")
def hash_one_event_again(forger: Forger) -> None:
    events, version = _edit_amount_in_copy(forger)
    if version == len(events):
        raise NotApplicable
    forger.replace_events([*forger.hash_again(events[:version]), *events[version:]])


@ATTACKS.register("an edited event and all after it hashed again, the head not")
def keep_old_head(forger: Forger) -> None:
    events, _ = _edit_amount_in_copy(forger)
    forger.replace_events(forger.hash_again(events))
