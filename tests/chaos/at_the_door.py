"""The commands of those who let others in, each with an evening of its own to be asked of."""

from __future__ import annotations

from tests.chaos.commands import COMMANDS, command
from tests.chaos.host import Ask, Host, Place, Scene, at_table

__all__ = ["COMMANDS"]  # all of them, now that these are among them

PHONE = {"label": "Bos telefon", "role": "scorer", "player": "p2"}
PIN = {"pin": "4711"}


def knocking(code: str) -> Ask:
    body = {"code": code, "label": "Bos telefon"}
    return lambda c, key: c.post("/v1/knocks", json=body, headers={"Idempotency-Key": key})


def code_of(host: Host, table: Place) -> str:
    made = host.made(table.asking("/code", {})).json
    assert made
    return str(made["code"])


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
