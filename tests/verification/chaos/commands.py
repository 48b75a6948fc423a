"""Every command of the product, each with an evening or a circle of its own to be asked of.

A command is prepared by a host, and then asked under a key, as often as it takes. Its rival is
another writer of the same evening or circle, who asks at the same time.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.verification.chaos.scenarios import (
    AGREED,
    DEAL,
    FOUR,
    RIVAL,
    VOLA,
    WON,
    Action,
    Host,
    Scene,
    acting,
    at_table,
    founding,
    opening,
)

Prepare = Callable[[Host], Scene]
COMMANDS: dict[str, Prepare] = {}


def command(prepare: Prepare) -> Prepare:
    return COMMANDS.setdefault(prepare.__name__.replace("_", " "), prepare)


@command
def open_an_evening(host: Host) -> Scene:
    return Scene(ask=opening("Fredag"), rival=opening("Lördag"), opens="sessions")


@command
def a_whole_deal(host: Host) -> Scene:
    """With a la vola won: three payments are due."""
    table = host.table()
    return at_table(table, acting(table, *DEAL, VOLA))


@command
def one_action(host: Host) -> Scene:
    table = host.table(DEAL)
    return at_table(table, acting(table, WON))


@command
def undo(host: Host) -> Scene:
    """Of a la vola that has been settled: three payments back."""
    table = host.table([*DEAL, VOLA])
    return at_table(table, acting(table, {"type": "undo"}))


@command
def reseat(host: Host) -> Scene:
    table = host.table()
    return at_table(table, acting(table, {"type": "reseat", "players": ["p3", "p1", "p4", "p2"]}))


@command
def join_an_evening(host: Host) -> Scene:
    table = host.table()
    return at_table(table, table.asking("/players", {"name": "Fia"}))


@command
def join_an_evening_of_a_circle(host: Host) -> Scene:
    """Who is thereby of the circle, which the rival joins."""
    circle = host.circle()
    table = host.gathered(circle)
    return Scene(
        ask=table.asking("/players", {"name": "Fia"}),
        rival=circle.asking("/members", {"name": RIVAL}),
        evenings=[table.id],
        circle=circle.id,
    )


@command
def transfer(host: Host) -> Scene:
    table = host.table()
    return at_table(table, table.asking("/transfers", {"from": "p1", "to": "p3", "amount": 20}))


@command
def correct_a_deal(host: Host) -> Scene:
    """A la vola was lost and not won; what was settled is paid back."""
    table = host.table([*DEAL, VOLA], [*DEAL, WON])
    lost: Action = {"type": "result", "la_vola": {"player": "p2", "won": False}}
    said = {"actions": [*DEAL[1:], lost], "reason": "Bo hade fel", "later": "void"}
    return at_table(table, table.asking("/deals/1", said, "PUT"))


@command
def void_a_deal(host: Host) -> Scene:
    table = host.table([*DEAL, VOLA])
    return at_table(table, table.asking("/deals/1?reason=felgiv", method="DELETE"))


@command
def close(host: Host) -> Scene:
    table = host.table([*DEAL, {"type": "result", "winner": "p3"}])
    return at_table(table, table.asking("/closure", {"leftover_policy": "refund_bets"}))


@command
def erase_a_name(host: Host) -> Scene:
    """While the rival's answer would have the name in it."""
    table = host.table([*DEAL, WON])
    return at_table(table, table.asking("/players/p3/name", method="DELETE"), gone="Cilla")


@command
def found_a_circle(host: Host) -> Scene:
    return Scene(ask=founding("Torsdagar", *FOUR), rival=founding("Fredagar"), opens="circles")


@command
def join_a_circle(host: Host) -> Scene:
    circle = host.circle()
    return Scene(
        ask=circle.asking("/members", {"name": "Fia"}),
        rival=circle.asking("/members", {"name": RIVAL}),
        circle=circle.id,
    )


@command
def gather(host: Host) -> Scene:
    circle = host.circle()
    return Scene(
        ask=circle.asking("/evenings", AGREED),
        rival=circle.asking("/members", {"name": RIVAL}),
        circle=circle.id,
        opens="sessions",
    )


@command
def gather_and_carry(host: Host) -> Scene:
    """What the earlier evening left open, in which somebody pays at the same time."""
    circle = host.circle()
    earlier = host.gathered(circle, [*DEAL, {"type": "result", "winner": "p3"}])
    host.closed(earlier)
    return Scene(
        ask=circle.asking("/evenings", {**AGREED, "carry": True}),
        rival=earlier.pays(),
        evenings=[earlier.id],
        circle=circle.id,
        opens="sessions",
    )


@command
def add_an_evening(host: Host) -> Scene:
    circle, table = host.circle(), host.table([*DEAL, WON])
    who = {f"p{n}": f"m{n}" for n in range(1, 5)}
    return Scene(
        ask=circle.asking(f"/evenings/{table.id}", {"token": table.token, "members": who}, "PUT"),
        rival=table.pays(),
        evenings=[table.id],
        circle=circle.id,
    )


@command
def erase_a_member(host: Host) -> Scene:
    """From the circle and two evenings, in one of which somebody pays at the same time."""
    circle = host.circle()
    first = host.gathered(circle, [*DEAL, WON])
    second = host.gathered(circle)
    return Scene(
        ask=circle.asking("/members/m3/name", method="DELETE"),
        rival=second.pays(),
        evenings=[first.id, second.id],
        circle=circle.id,
        gone="Cilla",
    )


@command
def erase_a_member_as_they_gather(host: Host) -> Scene:
    """The evening that the rival opens has the name in it, or the member is not known any more."""
    circle = host.circle()
    table = host.gathered(circle)
    return Scene(
        ask=circle.asking("/members/m3/name", method="DELETE"),
        rival=circle.asking("/evenings", AGREED),
        evenings=[table.id],
        circle=circle.id,
        gone="Cilla",
    )
