"""Names that the host gives to other players."""

from __future__ import annotations

import json
from copy import deepcopy

from tests.verification.attack.forger import NotApplicable
from tests.verification.attack.phones.dishonest_host import Scene, answer_from, register_host
from tests.verification.attack.phones.phone import Doc

SWAPPED = "names swapped"


def seen_players(scene: Scene, count: int, players: list[Doc]) -> list[Doc]:
    """Return `count` random players whose present names the phone has seen.

    Raise NotApplicable if there are fewer."""
    names = scene.phone.record["names"]
    known = [player for player in players if player["name"] in names.get(player["id"], ())]
    if len(known) < count:
        raise NotApplicable
    return scene.die.sample(known, count)


def look_at_moved(scene: Scene, count: int) -> str | None:
    """Give each of `count` players the name of the next one, and let the phone look."""
    players = deepcopy(scene.players)
    chosen = seen_players(scene, count, players)
    names = [player["name"] for player in chosen]
    for player, name in zip(chosen, [*names[1:], names[0]], strict=True):
        player["name"] = name
    return look_at(scene, players)


def look_at(scene: Scene, players: list[Doc]) -> str | None:
    if scene.die.random() < 0.15:
        return scene.phone.check_export(players, json.dumps(scene.book.export()))
    return scene.look_at(len(scene.book.events), players, answer_from(scene.book))


@register_host(SWAPPED, "two players' names")
def _(scene: Scene) -> str | None:
    return look_at_moved(scene, 2)


@register_host(SWAPPED, "three players' names")
def _(scene: Scene) -> str | None:
    return look_at_moved(scene, 3)


@register_host(SWAPPED, "one player's name is given to another, who loses theirs")
def _(scene: Scene) -> str | None:
    players = deepcopy(scene.players)
    first, second = seen_players(scene, 2, players)
    second["name"], first["name"] = first["name"], "Emil the third"
    return look_at(scene, players)


@register_host(SWAPPED, "by way of a third name, which the phone sees")
def _(scene: Scene) -> str | None:
    players = deepcopy(scene.players)
    first, second = seen_players(scene, 2, players)
    name, first["name"] = first["name"], "Emil the third"
    version, answer = len(scene.book.events), answer_from(scene.book)
    assert scene.look_at(version, players, answer) is None, "a name may be corrected"
    first["name"], second["name"] = second["name"], name
    return look_at(scene, players)


@register_host(SWAPPED, "in capitals")
def _(scene: Scene) -> str | None:
    players = deepcopy(scene.players)
    first, second = seen_players(scene, 2, players)
    first["name"], second["name"] = second["name"].upper(), first["name"].upper()
    return look_at(scene, players)


@register_host(SWAPPED, "their commitments, and the chain written anew")
def _(scene: Scene) -> str | None:
    events = scene.history()
    opened = json.loads(events[0]["data"])
    names = opened["names"]
    first, second = scene.die.sample(range(len(names)), 2)
    names[first], names[second] = names[second], names[first]
    events[0]["data"] = json.dumps(opened, sort_keys=True, separators=(",", ":"))
    return scene.look_somehow(scene.forged(events))


@register_host(SWAPPED, "in an export with names, on the page /verify")
def _(scene: Scene) -> str | None:
    export = deepcopy(scene.labelled_export)
    named = [label for label in export["names"] if label["name"] is not None]
    if len(named) < 2:
        raise NotApplicable
    first, second = scene.die.sample(named, 2)
    for field in ("name", "salt"):
        first[field], second[field] = second[field], first[field]
    return scene.phone.compare_files(json.dumps(export), None)
