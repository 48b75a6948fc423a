"""Every command of the product, each with an evening or a group of its own.

A host prepares a command; then it is sent under one key until it is answered. Its rival is a
request of another writer to the same evening or group, sent at the same time.
"""

from __future__ import annotations

from tests.support.player_names import FOUR_NAMES
from tests.verification.chaos.boundaries.scenarios import (
    AGREED,
    DEAL,
    RIVAL,
    VOLA,
    WON,
    Action,
    Host,
    Scenario,
    actions_request,
    by_name,
    group_request,
    session_request,
    table_scenario,
)

PIZZA = {"payer": "p4", "amount": 101, "purpose": "Pizza"}


def open_a_session(host: Host) -> Scenario:
    return Scenario(
        ask=session_request("Fredag"), rival=session_request("Lördag"), opens="sessions"
    )


def a_whole_deal(host: Host) -> Scenario:
    """A la vola is won, so three payments are due."""
    table = host.table()
    return table_scenario(table, actions_request(table, *DEAL, VOLA))


def one_action(host: Host) -> Scenario:
    table = host.table(DEAL)
    return table_scenario(table, actions_request(table, WON))


def undo(host: Host) -> Scenario:
    """Undo a la vola that has been settled: three payments back are due."""
    table = host.table([*DEAL, VOLA])
    return table_scenario(table, actions_request(table, {"type": "undo"}))


def reseat(host: Host) -> Scenario:
    table = host.table()
    return table_scenario(
        table, actions_request(table, {"type": "reseat", "players": ["p3", "p1", "p4", "p2"]})
    )


def join_a_session(host: Host) -> Scenario:
    table = host.table()
    return table_scenario(table, table.request("/players", {"name": "Fia"}))


def join_a_group_session(host: Host) -> Scenario:
    """Join the group with the evening, while the rival joins the group."""
    group = host.group()
    table = host.group_session(group)
    return Scenario(
        ask=table.request("/players", {"name": "Fia"}),
        rival=group.request("/members", {"name": RIVAL}),
        evenings=[table.id],
        group=group.id,
    )


def transfer(host: Host) -> Scenario:
    table = host.table()
    return table_scenario(
        table, table.request("/transfers", {"from": "p1", "to": "p3", "amount": 20})
    )


def record_a_cost(host: Host) -> Scenario:
    table = host.table()
    return table_scenario(table, table.request("/costs", PIZZA))


def _pizza_scenario(host: Host, method: str, body: Action | None = None) -> Scenario:
    """Return a request about a cost that was recorded before."""
    table = host.table()
    host.send(table.request("/costs", PIZZA))
    return table_scenario(table, table.request("/costs/1", body, method))


def correct_a_cost(host: Host) -> Scenario:
    """Two events: the cost is voided, and recorded again."""
    return _pizza_scenario(host, "PUT", {**PIZZA, "amount": 120, "parts": {"p1": 2, "p2": 1}})


def void_a_cost(host: Host) -> Scenario:
    return _pizza_scenario(host, "DELETE")


def correct_a_deal(host: Host) -> Scenario:
    """Correct a la vola from won to lost; what was settled is paid back."""
    table = host.table([*DEAL, VOLA], [*DEAL, WON])
    lost: Action = {"type": "result", "la_vola": {"player": "p2", "won": False}}
    correction = {"actions": [*DEAL[1:], lost], "reason": "Bo hade fel", "later": "void"}
    return table_scenario(table, table.request("/deals/1", correction, "PUT"))


def void_a_deal(host: Host) -> Scenario:
    table = host.table([*DEAL, VOLA])
    return table_scenario(table, table.request("/deals/1?reason=felgiv", method="DELETE"))


def close(host: Host) -> Scenario:
    table = host.table([*DEAL, {"type": "result", "winner": "p3"}])
    return table_scenario(table, table.request("/closure", {"leftover_policy": "refund_bets"}))


def erase_a_name(host: Host) -> Scenario:
    """Erase a name while the rival sends a request whose answer could contain it."""
    table = host.table([*DEAL, WON])
    return table_scenario(
        table, table.request("/players/p3/name", method="DELETE"), erased_name="Cilla"
    )


def found_a_group(host: Host) -> Scenario:
    return Scenario(
        ask=group_request("Torsdagar", *FOUR_NAMES), rival=group_request("Fredagar"), opens="groups"
    )


def join_a_group(host: Host) -> Scenario:
    group = host.group()
    return Scenario(
        ask=group.request("/members", {"name": "Fia"}),
        rival=group.request("/members", {"name": RIVAL}),
        group=group.id,
    )


def open_a_group_session(host: Host) -> Scenario:
    group = host.group()
    return Scenario(
        ask=group.request("/sessions", AGREED),
        rival=group.request("/members", {"name": RIVAL}),
        group=group.id,
        opens="sessions",
    )


def open_and_carry_forward(host: Host) -> Scenario:
    """Carry an evening forward while the rival records a transfer in it."""
    group = host.group()
    earlier = host.group_session(group, [*DEAL, {"type": "result", "winner": "p3"}])
    host.close(earlier)
    return Scenario(
        ask=group.request("/sessions", {**AGREED, "carry": True}),
        rival=earlier.rival_transfer(),
        evenings=[earlier.id],
        group=group.id,
        opens="sessions",
    )


def add_a_session(host: Host) -> Scenario:
    group, table = host.group(), host.table([*DEAL, WON])
    members = {f"p{n}": f"m{n}" for n in range(1, 5)}
    return Scenario(
        ask=group.request(
            f"/sessions/{table.id}", {"token": table.token, "members": members}, "PUT"
        ),
        rival=table.rival_transfer(),
        evenings=[table.id],
        group=group.id,
    )


def erase_a_member(host: Host) -> Scenario:
    """Erase a member from the group and two evenings, while the rival records a transfer in one."""
    group = host.group()
    first = host.group_session(group, [*DEAL, WON])
    second = host.group_session(group)
    return Scenario(
        ask=group.request("/members/m3/name", method="DELETE"),
        rival=second.rival_transfer(),
        evenings=[first.id, second.id],
        group=group.id,
        erased_name="Cilla",
    )


def erase_a_member_during_opening(host: Host) -> Scenario:
    """Erase a member while the rival opens an evening with them.

    Either the evening comes first and its name is erased too, or the member is unknown by then."""
    group = host.group()
    table = host.group_session(group)
    return Scenario(
        ask=group.request("/members/m3/name", method="DELETE"),
        rival=group.request("/sessions", AGREED),
        evenings=[table.id],
        group=group.id,
        erased_name="Cilla",
    )


COMMANDS = by_name(
    open_a_session,
    a_whole_deal,
    one_action,
    undo,
    reseat,
    join_a_session,
    join_a_group_session,
    transfer,
    record_a_cost,
    correct_a_cost,
    void_a_cost,
    correct_a_deal,
    void_a_deal,
    close,
    erase_a_name,
    found_a_group,
    join_a_group,
    open_a_group_session,
    open_and_carry_forward,
    add_a_session,
    erase_a_member,
    erase_a_member_during_opening,
)
