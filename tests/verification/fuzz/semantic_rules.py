"""Rules that the contract states in words because JSON Schema cannot; requests are made to fit.

Two players have different names; the first dealer is seated; a whole number is written without a
decimal point; a receipt leads to a later version. A request that breaks such a rule is refused
(tests/api/http/test_json_body.py and tests/api/resources/test_actions.py test that), so a fuzzer
that always broke them would never reach the code behind. The module knows no operation: it knows
fields by their names, which mean the same everywhere.
"""

from __future__ import annotations

import unicodedata
from base64 import b64encode
from collections.abc import Callable
from datetime import datetime
from itertools import count
from random import Random
from typing import Any
from zoneinfo import available_timezones

from babel.numbers import list_currencies

from api.schemas.fields import INVISIBLE
from engine.games.registry import GAMES
from ledger.store.name_matching import is_visible, matching_key
from tests.verification.fuzz.client_knowledge import KnownResource

CURRENCIES = sorted([*list_currencies(), "chips"])
ZONES = sorted(zone for zone in available_timezones() if zone[0].isupper())
"""Without `localtime`, which some systems have beside the zones, and the API refuses."""
SMALLEST_GAME = min(GAMES, key=lambda key: GAMES[key].player_counts[0])
"""The game that the smallest group can play."""
MAX_LENGTHS = {"name": 40, "title": 40, "label": 40, "purpose": 60, "reason": 200, "message": 50}
"""The texts that people read, and how long they may be."""
new_numbers = count(1)


def fit_body(value: Any, resource: KnownResource | None, die: Random) -> Any:
    """Return the body as a client would send it that follows the contract."""
    fields = normalize(value)
    if not isinstance(fields, dict):
        return fields
    fields = {field: _limit_text(field, value) for field, value in fields.items()}
    for field in ("players", "members"):
        if isinstance(fields.get(field), list):
            fields[field] = _unique_people(fields[field])
        elif isinstance(fields.get(field), dict):
            fields[field] = _unique_attendance(fields[field])
    if fields.get("player") is not None and resource is not None and resource.people:
        fields["player"] = die.choice(resource.people)
    if isinstance(fields.get("name"), str) and resource is not None:
        fields["name"] = f"{fields['name'][:30]} {next(new_numbers)}"  # a new name
    if fields.get("currency") not in CURRENCIES and "currency" in fields:
        fields["currency"] = die.choice(CURRENCIES)
    if fields.get("game") in GAMES:
        _seat_players(fields, resource, die)
    if isinstance(fields.get("file"), str):
        _fill_file(fields, die)
    if isinstance(fields.get("lines"), list):
        fields["lines"] = _unique_lines(fields["lines"])
    return fields


def _unique_lines(lines: list[Any]) -> list[Any]:
    """Return the lines of a bank's file, each once."""
    return list({line["line_sha256"]: line for line in lines}.values())


def _fill_file(fields: dict[str, Any], die: Random) -> None:
    """Set `file` to a table whose date, names and amounts can all be found. Files that are no
    tables have tests of their own (tests/ledger/transfer/csv_table)."""
    day = f"20{die.randint(10, 25)}-0{die.randint(1, 9)}-1{die.randint(0, 9)}"
    amount = next(new_numbers)
    table = f"Date;Name;Amount\n{day};Ada;{amount}\n{day};Bo;-{amount}\n"
    fields["file"] = b64encode(table.encode()).decode()
    for choice in ("mapping", "columns"):
        fields.pop(choice, None)


def normalize(value: Any) -> Any:
    """Return the value without 3.0 as a whole number and without NUL in a text: JSON Schema accepts
    both, the contract (§1) neither."""
    if isinstance(value, dict):
        return {normalize(key): normalize(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [normalize(inner) for inner in value]
    if isinstance(value, str):
        return value.replace("\0", "0")
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _limit_text(field: str, value: Any) -> Any:
    if field in MAX_LENGTHS and isinstance(value, str):
        return make_readable(value, MAX_LENGTHS[field])
    return value


def make_readable(text: str, max_length: int) -> str:
    """Return the text without invisible and control characters; never empty."""
    normalized = unicodedata.normalize("NFC", INVISIBLE.sub("", text))
    visible = "".join(
        sign for sign in normalized if unicodedata.category(sign)[0] not in "CZM" or sign == " "
    )
    visible = visible.strip()[:max_length].strip()
    return visible if is_visible(visible) else "Ada"


def _unique_people(listed: list[Any]) -> list[Any]:
    """Return each person once: by name where they are named, else by id."""
    names: set[str] = set()
    people: list[Any] = []
    for person in listed:
        if not isinstance(person, dict) or not isinstance(person.get("name"), str):
            people += [] if person in people else [person]
            continue
        name = make_readable(person["name"], 40)
        if matching_key(name) in names:
            name = f"{name[:30]} {next(new_numbers)}"
        names.add(matching_key(name))
        people.append({**person, "name": name})
    return people


def _unique_attendance(attendance: dict[str, Any]) -> dict[str, Any]:
    """Return the attendance with no player in two places."""
    place_of: dict[Any, str] = {}
    for place, player in attendance.items():
        place_of.setdefault(str(player), place)
    return {place: attendance[place] for place in place_of.values()}


def _seat_players(terms: dict[str, Any], resource: KnownResource | None, die: Random) -> None:
    """Seat as many people as the game takes, all of them known, and let one of them deal first."""
    by_members = isinstance(terms.get("members"), list)
    people = resource.people if by_members and resource is not None else []
    if 0 < len(people) < GAMES[terms["game"]].player_counts[0]:
        terms |= {"game": SMALLEST_GAME, "options": {}}
    seats = GAMES[terms["game"]].player_counts
    if len(people) > 1:
        present = [member for member in people if member in terms["members"]]
        absent = [member for member in people if member not in present]
        player_counts = [n for n in seats if n <= len(people)] or [seats[0]]
        seated = len(present) if len(present) in player_counts else die.choice(player_counts)
        terms["members"] = [*present, *absent][:seated]
    if terms.get("first_dealer") is not None:
        ids = [f"p{place + 1}" for place in range(len(terms.get("players", ())))]
        terms["first_dealer"] = die.choice(terms.get("members") or ids)


def fit_query(
    fields: dict[str, Any],
    path: str,
    ids: dict[str, Any],
    resource: KnownResource | None,
    die: Random,
) -> None:
    """Apply the rules to the query parameters. Changes `fields`."""
    fields.update({field: normalize(value) for field, value in fields.items()})
    for field, fit in QUERY_RULES.items():
        if field in fields:
            fields[field] = fit(fields[field], die)
    for field, max_length in MAX_LENGTHS.items():
        if isinstance(fields.get(field), str):
            fields[field] = make_readable(fields[field], max_length)
    for kind, extra in REQUIRED_WITH.items():
        if fields.get("kind") == kind:
            fields.update({name: value for name, value in extra.items() if name not in fields})
    if "profile" in fields:
        fields["format"] = "csv"
    if resource is not None:
        _fill_from_answers(fields, path, resource, die)
    version = str(ids.get("version", ""))
    if "to" in fields and version.isdecimal():
        requested = str(fields["to"])
        fields["to"] = max(int(version), int(requested)) if requested.isdecimal() else version


def _fill_from_answers(
    fields: dict[str, Any], path: str, resource: KnownResource, die: Random
) -> None:
    """Set the parameters whose values a client knows only from earlier answers."""
    if "unit" in fields and resource.unit is not None:
        fields["unit"] = resource.unit
    if "after" in fields:  # a cursor comes from an earlier answer
        cursor = resource.cursors.get(path.rpartition("/")[2])
        fields["after"] = cursor if cursor and "at" not in fields else 0
    if "currency" in fields:
        fields["currency"] = "SEK"
        if set(resource.currencies) - {"SEK"}:  # a list does not say which of them was for money
            del fields["currency"]
    if "at" in fields and resource.version and die.random() < 0.8:
        fields["at"] = die.randint(1, resource.version)


def _existing_zone(value: Any, die: Random) -> Any:
    return value if value in ZONES else die.choice(ZONES)


def _version_or_date(value: Any, die: Random) -> Any:
    """Return a version, or a date that is in the calendar."""
    text = str(value)
    if text.isdecimal():
        return value  # a version
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return f"2026-{die.randint(1, 12):02d}-{die.randint(1, 28):02d}"
    return value


QUERY_RULES: dict[str, Callable[[Any, Random], Any]] = {
    "tz": _existing_zone,
    "from": _version_or_date,
    "to": _version_or_date,
    "number": lambda _, die: f"07{die.randrange(10**8):08d}",
    "amount": lambda _, die: 1,
    "iban": lambda _, die: "FI21 1234 5600 0007 85",
}

REQUIRED_WITH = {
    "swish": {"number": "070-123 45 67"},
    "epc": {"name": "Cilla Berg", "iban": "FI21 1234 5600 0007 85"},
}
"""What a choice requires; OpenAPI cannot say that one parameter requires another."""
