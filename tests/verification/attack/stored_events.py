"""Attacks on the stored events: flipped, edited, deleted, swapped, borrowed."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any
from uuid import uuid4

from ledger.events.codec import EVENT_CLASSES
from tests.verification.attack.corruption import on_rows
from tests.verification.attack.forger import Event, Forger, Nothing

MONEY = ("deal_opened", "pot_taken", "bet_laid", "bet_taken", "scored", "transfer_recorded")
SET = "UPDATE vola.events SET data = %s WHERE session_id = %s AND version = %s"
DELETE = "DELETE FROM vola.events WHERE session_id = %s AND version = %s"


def add(said: Any, more: int) -> bool:
    for name in ("amount", "each", "stake", "points"):
        if name in said:
            said[name] += more
            return True
    return False


def canonical(said: Any) -> str:
    return json.dumps(said, sort_keys=True, separators=(",", ":"))


@on_rows("a character of an event flipped")
def flipped(f: Forger) -> None:
    e = f.event()
    place = f.die.randrange(len(e.data))
    sign = chr(ord(e.data[place]) ^ (1 << f.die.randrange(5)))
    if not (" " <= sign <= "~"):
        sign = "#" if e.data[place] != "#" else "."
    f.run(SET, e.data[:place] + sign + e.data[place + 1 :], f.id, e.version)


@on_rows("an amount edited")
def amount(f: Forger) -> None:
    e = f.event(*MONEY)
    said = json.loads(e.data)
    if not add(said, f.die.choice((-1, 1, 100, 10**6))):
        raise Nothing
    f.run(SET, canonical(said), f.id, e.version)


@on_rows("what a corrected deal comes to edited")
def corrected(f: Forger) -> None:
    e = f.event("deal_corrected")
    said = json.loads(e.data)
    told = [fact for again in said["rescored"] for fact in (*again["was"], *again["facts"])]
    f.die.shuffle(told)
    if not any(add(fact, f.die.choice((-1, 1, 100))) for fact in told):
        raise Nothing
    f.run(SET, canonical(said), f.id, e.version)


@on_rows("a player edited")
def player(f: Forger) -> None:
    e = f.event()
    here = [n for n in range(1, 10) if f'"p{n}"' in e.data]
    if not here:
        raise Nothing
    old = f.die.choice(here)
    f.run(SET, e.data.replace(f'"p{old}"', f'"p{old % 9 + 1}"'), f.id, e.version)


@on_rows("the spelling of an event changed, not its meaning")
def spelling(f: Forger) -> None:
    e = f.event()
    f.run(SET, e.data.replace(":", ": ") if ":" in e.data else e.data + " ", f.id, e.version)


@on_rows("the type of an event edited")
def kind(f: Forger) -> None:
    e = f.event()
    other = f.die.choice([k for k in EVENT_CLASSES if k != e.type])
    f.run("UPDATE vola.events SET type = %s WHERE session_id = %s AND version = %s",
          other, f.id, e.version)  # fmt: skip


@on_rows("the schema of an event edited")
def schema(f: Forger) -> None:
    f.run("UPDATE vola.events SET schema = schema + 1 WHERE session_id = %s AND version = %s",
          f.id, f.event().version)  # fmt: skip


@on_rows("the time of an event edited")
def time(f: Forger) -> None:
    by = f.die.choice((-1, 1, -3_600_000_000, 86_400_000_000, -(2**62)))
    f.run("UPDATE vola.events SET at = at + %s WHERE session_id = %s AND version = %s",
          by, f.id, f.event().version)  # fmt: skip


@on_rows("the writer of an event edited")
def writer(f: Forger) -> None:
    e = f.event()
    by = f.die.choice([w for w in ("host.0", "scorer.0", "worker", "x") if w != e.by])
    f.run('UPDATE vola.events SET "by" = %s WHERE session_id = %s AND version = %s',
          by, f.id, e.version)  # fmt: skip


@on_rows("a bit of a seal flipped")
def seal_flipped(f: Forger) -> None:
    f.run("UPDATE vola.events SET hash = set_bit(hash, %s, 1 - get_bit(hash, %s))"
          " WHERE session_id = %s AND version = %s",
          *((f.die.randrange(256),) * 2), f.id, f.event().version)  # fmt: skip


@on_rows("an edited event sealed anew, those after it not")
def sealed_alone(f: Forger) -> None:
    e = f.event(*MONEY)
    events = deepcopy(f.before)
    said = json.loads(e.data)
    if e.version == len(events) or not add(said, 7):
        raise Nothing
    events[e.version - 1].data = canonical(said)
    f.replace([*f.seal(events[: e.version]), *events[e.version :]])


@on_rows("an edited event and all after it sealed anew, the head not")
def head_left(f: Forger) -> None:
    e = f.event(*MONEY)
    events = deepcopy(f.before)
    said = json.loads(e.data)
    if not add(said, 7):
        raise Nothing
    events[e.version - 1].data = canonical(said)
    f.replace(f.seal(events))


@on_rows("an event in the middle deleted")
def deleted(f: Forger) -> None:
    e = f.event()
    if e.version == len(f.before):
        raise Nothing
    f.run(DELETE, f.id, e.version)


@on_rows("the first event deleted")
def beheaded(f: Forger) -> None:
    f.run(DELETE, f.id, 1)


@on_rows("an event deleted and the later ones moved up")
def closed_up(f: Forger) -> None:
    gone = f.event(after=1).version
    events = [e for e in deepcopy(f.before) if e.version != gone]
    for number, e in enumerate(events, start=1):
        e.version = number
    f.replace(events)


@on_rows("all events deleted")
def emptied(f: Forger) -> None:
    f.run("DELETE FROM vola.events WHERE session_id = %s", f.id)


def _swapped(f: Forger) -> tuple[list[Event], int]:
    events = deepcopy(f.before)
    if len(events) < 3:
        raise Nothing
    one, other = sorted(f.die.sample(range(1, len(events)), 2))
    if events[one].data == events[other].data and events[one].type == events[other].type:
        raise Nothing
    events[one], events[other] = events[other], events[one]
    return events, one + 1


@on_rows("two events swapped")
def swapped(f: Forger) -> None:
    events, _ = _swapped(f)
    for number, e in enumerate(events, start=1):
        e.version = number
    f.replace(events)


@on_rows("two events swapped, and everything sealed anew")
def swapped_and_sealed(f: Forger) -> None:
    events, first = _swapped(f)
    times = sorted(e.at for e in events)
    for e, at in zip(events, times, strict=True):
        e.at = at
    f.keep(first)
    f.rewrite(events)


@on_rows("an event of another evening put in its place")
def borrowed(f: Forger) -> None:
    other = f.die.choice(f.others)
    e = f.event()
    f.run("DELETE FROM vola.events WHERE session_id = %s AND version = %s", f.id, e.version)
    f.run('INSERT INTO vola.events SELECT %s, version, type, schema, at, "by", data, hash'
          " FROM vola.events WHERE session_id = %s AND version = %s",
          f.id, other, e.version)  # fmt: skip


@on_rows("the whole history of another evening put in its place")
def replaced(f: Forger) -> None:
    other = f.die.choice(f.others)
    f.db.execute("DELETE FROM vola.events WHERE session_id = %s", (f.id,))
    f.run('INSERT INTO vola.events SELECT %s, version, type, schema, at, "by", data, hash'
          " FROM vola.events WHERE session_id = %s", f.id, other)  # fmt: skip
    f.run("UPDATE vola.heads h SET version = o.version, conflict_version = o.conflict_version,"
          " at = o.at, hash = o.hash"
          "  FROM vola.heads o WHERE h.session_id = %s AND o.session_id = %s",
          f.id, other)  # fmt: skip


@on_rows("an event given to an evening that nobody knows")
def orphaned(f: Forger) -> None:
    e = f.event()
    f.run("UPDATE vola.events SET session_id = %s WHERE session_id = %s AND version = %s",
          uuid4(), f.id, e.version)  # fmt: skip
