"""Attacks on the end of a history, and events put in: what is missing or more than there was."""

from __future__ import annotations

import json
from copy import deepcopy

from tests.verification.attack.corruption import on_rows
from tests.verification.attack.forger import Event, Forger, Nothing
from tests.verification.attack.stored_events import canonical


def _cut(f: Forger) -> list[Event]:
    """The history without its last events; whoever saw them has a receipt."""
    ends = sorted({v for (v,) in f.db.execute(
        "SELECT version FROM vola.stored_replies WHERE session_id = %s",
        (f.id,)).fetchall()})  # fmt: skip
    ends = [end for end in ends if end < len(f.before)]
    if not ends:
        raise Nothing
    left = f.die.choice(ends)
    f.keep(left + 1)
    return deepcopy(f.before[:left])


@on_rows("the tail cut")
def tail(f: Forger) -> None:
    f.replace(_cut(f))


@on_rows("the tail cut and the head moved back")
def tail_and_head(f: Forger) -> None:
    kept = _cut(f)
    f.replace(kept)
    f.move_head(kept)


@on_rows("the tail cut, and everything made to fit")
def tail_and_all(f: Forger) -> None:
    f.rewrite(_cut(f))


@on_rows("the tail cut and another one grown")
def another_tail(f: Forger) -> None:
    kept, whole = _cut(f), len(f.before)
    while len(kept) < whole + f.die.randint(0, 3):
        kept.append(_transfer(f, kept[-1]))
    f.rewrite(kept)


def _transfer(f: Forger, after: Event) -> Event:
    """Something that could have happened at any time."""
    players = json.loads(f.before[0].data)["players"]
    payer, payee = f.die.sample(players, 2)
    said = {"amount": f.die.randint(1, 999), "payee": payee, "payer": payer}
    return Event(0, "transfer_recorded", 1, after.at + 1, "host.0", canonical(said), b"")


@on_rows("an event inserted, unsealed")
def inserted(f: Forger) -> None:
    place = f.die.randint(1, len(f.before))
    events = deepcopy(f.before)
    new = deepcopy(f.die.choice(events[:place]))
    events.insert(place, new)
    for number, e in enumerate(events, start=1):
        e.version = number
    f.replace(events)


@on_rows("an event inserted, and everything sealed anew")
def inserted_and_sealed(f: Forger) -> None:
    place = f.die.randint(1, len(f.before) - 1) if len(f.before) > 1 else 0
    if not place:
        raise Nothing
    f.keep(place + 1)
    events = deepcopy(f.before)
    new = _transfer(f, events[place - 1])
    new.at -= 1
    events.insert(place, new)
    f.rewrite(events, answers=False)


@on_rows("an event appended and sealed, the head left")
def appended(f: Forger) -> None:
    events = [*deepcopy(f.before), _transfer(f, f.before[-1])]
    f.replace(f.seal(events))


@on_rows("an event appended and sealed, the projections left")
def appended_with_head(f: Forger) -> None:
    events = [*deepcopy(f.before), _transfer(f, f.before[-1])]
    f.replace(f.seal(events))
    f.move_head(events)


@on_rows("an event appended that nobody was answered")
def appended_unasked(f: Forger) -> None:
    f.rewrite([*deepcopy(f.before), _transfer(f, f.before[-1])])


@on_rows("an event appended as if by the worker")
def appended_by_worker(f: Forger) -> None:
    new = _transfer(f, f.before[-1])
    new.by = "worker"
    f.rewrite([*deepcopy(f.before), new])
