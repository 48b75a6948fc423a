"""The commands of those who let others in and out, each with an evening or a circle of its own."""

from __future__ import annotations

from tests.verification.chaos.commands import COMMANDS, command
from tests.verification.chaos.scenarios import RIVAL, Ask, Host, Place, Scene, at_table

__all__ = ["COMMANDS"]  # all of them, now that these are among them

PHONE = {"label": "Bos telefon", "role": "scorer", "player": "p2"}
PIN = {"pin": "4711"}


def knocking(code: str) -> Ask:
    body = {"code": code, "label": "Bos telefon"}
    return lambda c, key: c.post("/v1/knocks", json=body, headers={"Idempotency-Key": key})


def withdrawing(host: Host, table: Place) -> Ask:
    """By the right that knocking has given."""
    reply = host.made(knocking(code_of(host, table))).json
    assert reply
    return Place(table.path, reply["token"]).asking("/knock", method="DELETE")


def ending(host: Host, circle: Place, link: str) -> Scene:
    """A link of the circle, which a scorer has somebody join at the same time."""
    right = {"Authorization": f"Bearer {circle.token}"}
    links = host.client.get(f"{circle.path}/links", headers=right).json
    assert links
    scorer = next(one["path"] for one in links["links"] if one["role"] == "scorer")
    told = circle.asking(f"/links/{link}", method="DELETE")
    return Scene(
        ask=lambda client, key: told(client, f"{key}, which nobody guesses"),
        rival=Place(circle.path, scorer.rpartition("/")[2]).asking("/members", {"name": RIVAL}),
        circle=circle.id,
    )


def code_of(host: Host, table: Place) -> str:
    reply = host.made(table.asking("/code", {})).json
    assert reply
    return str(reply["code"])


@command
def let_a_phone_in(host: Host) -> Scene:
    """Of a player who has a PIN."""
    table = host.table()
    host.made(table.asking("/players/p2/pin", PIN, "PUT"))
    return at_table(table, table.asking("/phones", {**PHONE, **PIN}))


@command
def shut_a_phone_out(host: Host) -> Scene:
    table = host.table()
    host.made(table.asking("/phones", PHONE))
    return at_table(table, table.asking("/phones/phone1", method="DELETE"))


@command
def end_a_link(host: Host) -> Scene:
    table = host.table()
    return at_table(table, table.asking("/links/viewer", method="DELETE"))


@command
def set_a_pin(host: Host) -> Scene:
    table = host.table()
    return at_table(table, table.asking("/players/p2/pin", PIN, "PUT"))


@command
def take_a_pin_away(host: Host) -> Scene:
    table = host.table()
    host.made(table.asking("/players/p2/pin", PIN, "PUT"))
    return at_table(table, table.asking("/players/p2/pin", method="DELETE"))


@command
def open_the_door(host: Host) -> Scene:
    table = host.table()
    return at_table(table, table.asking("/code", {}))


@command
def shut_the_door(host: Host) -> Scene:
    table = host.table()
    code_of(host, table)
    return at_table(table, table.asking("/code", method="DELETE"))


@command
def knock(host: Host) -> Scene:
    table = host.table()
    return at_table(table, knocking(code_of(host, table)))


@command
def let_somebody_in(host: Host) -> Scene:
    table = host.table()
    host.made(knocking(code_of(host, table)))
    return at_table(table, table.asking("/knocks/1", {}, "PUT"))


@command
def let_somebody_wait_outside(host: Host) -> Scene:
    table = host.table()
    host.made(knocking(code_of(host, table)))
    return at_table(table, table.asking("/knocks/1", method="DELETE"))


@command
def take_a_knock_back(host: Host) -> Scene:
    table = host.table()
    return at_table(table, withdrawing(host, table))


@command
def end_a_link_of_a_circle(host: Host) -> Scene:
    return ending(host, host.circle(), "viewer")


@command
def end_the_host_s_own_link_of_a_circle(host: Host) -> Scene:
    """By which it is asked again, when nobody has heard the answer."""
    return ending(host, host.circle(), "host")


@command
def end_a_link_of_a_circle_and_of_its_evenings(host: Host) -> Scene:
    """In one of which somebody pays at the same time."""
    circle = host.circle()
    first, second = host.gathered(circle), host.gathered(circle)
    scene = ending(host, circle, "viewer?evenings=true")
    scene.rival, scene.evenings = second.pays(), [first.id, second.id]
    return scene
