"""What the contract says in words and JSON Schema cannot: kept, so that a request gets in.

Two players have two names; the first dealer sits; a whole number is written without a point; a
receipt leads forward. A request that breaks one of these is refused (test_strict_json.py and
test_names.py hold that); if fuzzing broke them all the time it would never come to what lies
behind. Nothing here knows an operation: fields are known by their names, as they mean the same
everywhere.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import datetime
from itertools import count
from random import Random
from typing import Any
from zoneinfo import available_timezones

from babel.numbers import list_currencies

from engine.games.registry import GAMES
from ledger.store.name_matching import is_visible, matching_key
from tests.verification.fuzz.client_knowledge import Thing

CURRENCIES = sorted([*list_currencies(), "chips"])
ZONES = sorted(available_timezones())
FOR_TWO = min(GAMES, key=lambda key: GAMES[key].player_counts[0])
"""The game that the smallest circle can play."""
LABELS = {"name": 40, "title": 40, "label": 40, "reason": 200, "message": 50}
"""What people read, and how long it may be."""
numbers = count(1)


def body(given: Any, thing: Thing | None, die: Random) -> Any:
    """The same, as somebody would send it who has read the contract."""
    kept = written(given)
    if not isinstance(kept, dict):
        return kept
    kept = {field: _label(field, value) for field, value in kept.items()}
    for field in ("players", "members"):
        if isinstance(kept.get(field), list):
            kept[field] = _people(kept[field])
        elif isinstance(kept.get(field), dict):
            kept[field] = _one_each(kept[field])
    named = kept.get("player") is not None or {"pin", "label"} <= kept.keys()  # whose pin it is
    if named and thing is not None and thing.people:
        kept["player"] = die.choice(thing.people)
    if isinstance(kept.get("name"), str) and thing is not None:
        kept["name"] = f"{kept['name'][:30]} {next(numbers)}"  # somebody new
    if kept.get("currency") not in CURRENCIES and "currency" in kept:
        kept["currency"] = die.choice(CURRENCIES)
    if kept.get("game") in GAMES:
        _table(kept, thing, die)
    return kept


def written(value: Any) -> Any:
    """JSON Schema takes 3.0 for a whole number, and NUL for text; the contract (§1) neither."""
    if isinstance(value, dict):
        return {written(key): written(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [written(inner) for inner in value]
    if isinstance(value, str):
        return value.replace("\0", "0")
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _label(field: str, value: Any) -> Any:
    return readable(value, LABELS[field]) if field in LABELS and isinstance(value, str) else value


def readable(text: str, most: int) -> str:
    """Without what cannot be seen or steers what can; never empty."""
    seen = unicodedata.normalize("NFC", text)
    kept = "".join(
        sign for sign in seen if unicodedata.category(sign)[0] not in "CZM" or sign == " "
    )
    kept = kept.strip()[:most].strip()
    return kept if is_visible(kept) else "Ada"


def _people(listed: list[Any]) -> list[Any]:
    """Everybody once: by name where they are named, else by id."""
    heard, people = set[str](), list[Any]()
    for one in listed:
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            people += [] if one in people else [one]
            continue
        name = readable(one["name"], 40)
        if matching_key(name) in heard:
            name = f"{name[:30]} {next(numbers)}"
        heard.add(matching_key(name))
        people.append({**one, "name": name})
    return people


def _one_each(attendance: dict[str, Any]) -> dict[str, Any]:
    """Nobody in two places."""
    found = dict[Any, str]()
    for place, who in attendance.items():
        found.setdefault(str(who), place)
    return {place: attendance[place] for place in found.values()}


def _table(agreed: dict[str, Any], thing: Thing | None, die: Random) -> None:
    """So many as the game takes, who are there, and one of them deals first."""
    brought = isinstance(agreed.get("members"), list)
    people = thing.people if brought and thing is not None else []
    if 0 < len(people) < GAMES[agreed["game"]].player_counts[0]:
        agreed |= {"game": FOR_TWO, "options": {}}
    seats = GAMES[agreed["game"]].player_counts
    if len(people) > 1:
        there = [who for who in people if who in agreed["members"]]
        others = [who for who in people if who not in there]
        at_most = [n for n in seats if n <= len(people)] or [seats[0]]
        wanted = len(there) if len(there) in at_most else die.choice(at_most)
        agreed["members"] = [*there, *others][:wanted]
    if agreed.get("first_dealer") is not None:
        ids = [f"p{place + 1}" for place in range(len(agreed.get("players", ())))]
        agreed["first_dealer"] = die.choice(agreed.get("members") or ids)


def query(
    given: dict[str, Any], path: str, ids: dict[str, Any], thing: Thing | None, die: Random
) -> None:
    """The same for what is asked for in the address. Changes `given`."""
    for field, keep in ASKED.items():
        if field in given:
            given[field] = keep(given[field], die)
    for field, most in LABELS.items():
        if isinstance(given.get(field), str):
            given[field] = readable(given[field], most)
    for kind, also in BROUGHT.items():
        if given.get("kind") == kind:
            given.update({name: value for name, value in also.items() if name not in given})
    if "profile" in given:
        given["format"] = "csv"
    if thing is not None:
        _known(given, path, thing, die)
    version = str(ids.get("version", ""))
    if "to" in given and version.isdecimal():
        asked = str(given["to"])
        given["to"] = max(int(version), int(asked)) if asked.isdecimal() else version


def _known(given: dict[str, Any], path: str, thing: Thing, die: Random) -> None:
    """What can only be asked by somebody who has asked before."""
    if "unit" in given and thing.unit is not None:
        given["unit"] = thing.unit
    if "after" in given:  # a cursor is somebody's answer
        cursor = thing.cursors.get(path.rpartition("/")[2])
        given["after"] = cursor if cursor and "at" not in given else 0
    if "currency" in given:
        given["currency"] = "SEK"
        if set(thing.currencies) - {"SEK"}:  # of which a list does not say what was for money
            del given["currency"]
    if "at" in given and thing.version and die.random() < 0.8:
        given["at"] = die.randint(1, thing.version)


def _zone(value: Any, die: Random) -> Any:
    return value if value in ZONES else die.choice(ZONES)


def _moment(value: Any, die: Random) -> Any:
    """A date that is in the calendar."""
    text = str(value)
    if text.isdecimal():
        return value  # a version
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return f"2026-{die.randint(1, 12):02d}-{die.randint(1, 28):02d}"
    return value


ASKED: dict[str, Callable[[Any, Random], Any]] = {
    "tz": _zone,
    "from": _moment,
    "to": _moment,
    "number": lambda _, die: f"07{die.randrange(10**8):08d}",
    "amount": lambda _, die: 1,
    "iban": lambda _, die: "FI21 1234 5600 0007 85",
}

BROUGHT = {
    "swish": {"number": "070-123 45 67"},
    "epc": {"name": "Cilla Berg", "iban": "FI21 1234 5600 0007 85"},
}
"""What goes with a choice; OpenAPI has no word for one parameter that asks for another."""
