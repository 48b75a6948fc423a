"""Names that the host gives to other players."""

from __future__ import annotations

import json
from copy import deepcopy

from tests.verification.attack.forger import NotApplicable
from tests.verification.attack.phones.dishonest_host import Attempt, Hosts, answer_from
from tests.verification.attack.phones.phone import Doc

SWAPPED = Hosts()


def seen_players(attempt: Attempt, count: int, players: list[Doc]) -> list[Doc]:
    """Return `count` random players whose present names the phone has seen.

    Raise NotApplicable if there are fewer."""
    names = attempt.phone.record["names"]
    known = [player for player in players if player["name"] in names.get(player["id"], ())]
    if len(known) < count:
        raise NotApplicable
    return attempt.die.sample(known, count)


def look_at_moved(attempt: Attempt, count: int) -> str | None:
    """Give each of `count` players the name of the next one, and let the phone look."""
    players = deepcopy(attempt.players)
    chosen = seen_players(attempt, count, players)
    names = [player["name"] for player in chosen]
    for player, name in zip(chosen, [*names[1:], names[0]], strict=True):
        player["name"] = name
    return look_at(attempt, players)


def look_at(attempt: Attempt, players: list[Doc]) -> str | None:
    if attempt.die.random() < 0.15:
        return attempt.phone.check_export(players, json.dumps(attempt.book.export()))
    return attempt.look_at(len(attempt.book.events), players, answer_from(attempt.book))


@SWAPPED.register("two players' names")
def _(attempt: Attempt) -> str | None:
    return look_at_moved(attempt, 2)


@SWAPPED.register("three players' names")
def _(attempt: Attempt) -> str | None:
    return look_at_moved(attempt, 3)


@SWAPPED.register("one player's name is given to another, who loses theirs")
def _(attempt: Attempt) -> str | None:
    players = deepcopy(attempt.players)
    first, second = seen_players(attempt, 2, players)
    second["name"], first["name"] = first["name"], "Emil the third"
    return look_at(attempt, players)


@SWAPPED.register("by way of a third name, which the phone sees")
def _(attempt: Attempt) -> str | None:
    players = deepcopy(attempt.players)
    first, second = seen_players(attempt, 2, players)
    name, first["name"] = first["name"], "Emil the third"
    version, answer = len(attempt.book.events), answer_from(attempt.book)
    assert attempt.look_at(version, players, answer) is None, "a name may be corrected"
    first["name"], second["name"] = second["name"], name
    return look_at(attempt, players)


@SWAPPED.register("in capitals")
def _(attempt: Attempt) -> str | None:
    players = deepcopy(attempt.players)
    first, second = seen_players(attempt, 2, players)
    first["name"], second["name"] = second["name"].upper(), first["name"].upper()
    return look_at(attempt, players)


@SWAPPED.register("their commitments, and the chain written anew")
def _(attempt: Attempt) -> str | None:
    events = attempt.history()
    opened = json.loads(events[0]["data"])
    names = opened["names"]
    first, second = attempt.die.sample(range(len(names)), 2)
    names[first], names[second] = names[second], names[first]
    events[0]["data"] = json.dumps(opened, sort_keys=True, separators=(",", ":"))
    return attempt.look_somehow(attempt.forge_book(events))


@SWAPPED.register("in an export with names, on the page /verify")
def _(attempt: Attempt) -> str | None:
    export = deepcopy(attempt.labelled_export)
    named = [label for label in export["names"] if label["name"] is not None]
    if len(named) < 2:
        raise NotApplicable
    first, second = attempt.die.sample(named, 2)
    for field in ("name", "salt"):
        first[field], second[field] = second[field], first[field]
    return attempt.phone.compare_files(json.dumps(export), None)
