"""The commands that give or end access, each with an evening or a group of its own."""

from __future__ import annotations

from tests.verification.chaos.boundaries.scenarios import (
    RIVAL,
    Ask,
    Host,
    Scenario,
    Target,
    by_name,
    table_scenario,
)

PHONE = {"label": "Bos telefon", "role": "scorer", "player": "p2"}


def join_request(code: str) -> Ask:
    body = {"code": code, "label": "Bos telefon"}
    return lambda c, key: c.post("/v1/join-requests", json=body, headers={"Idempotency-Key": key})


def withdrawal(host: Host, table: Target) -> Ask:
    """Return a request that withdraws a join request, with the token that the latter returned."""
    reply = host.send(join_request(join_code(host, table))).json
    assert reply
    return Target(table.path, reply["token"]).request("/join-request", method="DELETE")


def ending_link(host: Host, group: Target, link: str) -> Scenario:
    """Return a scenario that ends a link of the group, while a scorer adds a member."""
    headers = {"Authorization": f"Bearer {group.token}"}
    reply = host.client.get(f"{group.path}/links", headers=headers).json
    assert reply
    scorer = next(
        shared_link["path"] for shared_link in reply["links"] if shared_link["role"] == "scorer"
    )
    role, mark, query = link.partition("?")
    end_link = group.request(f"/links/{role}/rotation{mark}{query}", {})
    return Scenario(
        ask=lambda client, key: end_link(client, f"{key}, which nobody guesses"),
        rival=Target(group.path, scorer.rpartition("/")[2]).request("/members", {"name": RIVAL}),
        group=group.id,
    )


def join_code(host: Host, table: Target) -> str:
    reply = host.send(table.request("/join-code", {})).json
    assert reply
    return str(reply["code"])


def add_a_device(host: Host) -> Scenario:
    table = host.table()
    return table_scenario(table, table.request("/devices", PHONE))


def remove_a_device(host: Host) -> Scenario:
    table = host.table()
    host.send(table.request("/devices", PHONE))
    return table_scenario(table, table.request("/devices/phone1", method="DELETE"))


def end_a_link(host: Host) -> Scenario:
    table = host.table()
    return table_scenario(table, table.request("/links/viewer/rotation", {}))


def open_a_join_code(host: Host) -> Scenario:
    table = host.table()
    return table_scenario(table, table.request("/join-code", {}))


def close_a_join_code(host: Host) -> Scenario:
    table = host.table()
    join_code(host, table)
    return table_scenario(table, table.request("/join-code", method="DELETE"))


def request_to_join(host: Host) -> Scenario:
    table = host.table()
    return table_scenario(table, join_request(join_code(host, table)))


def accept_a_join_request(host: Host) -> Scenario:
    table = host.table()
    host.send(join_request(join_code(host, table)))
    return table_scenario(table, table.request("/join-requests/1/approval", {}))


def refuse_a_join_request(host: Host) -> Scenario:
    table = host.table()
    host.send(join_request(join_code(host, table)))
    return table_scenario(table, table.request("/join-requests/1", method="DELETE"))


def withdraw_a_join_request(host: Host) -> Scenario:
    table = host.table()
    return table_scenario(table, withdrawal(host, table))


def end_a_link_of_a_group(host: Host) -> Scenario:
    return ending_link(host, host.group(), "viewer")


def end_the_host_link_of_a_group(host: Host) -> Scenario:
    """End the link that the phone also uses to repeat this request when its answer is lost."""
    return ending_link(host, host.group(), "host")


def end_a_link_of_a_group_and_all(host: Host) -> Scenario:
    """End the links of two evenings too, while the rival records a transfer in one of them."""
    group = host.group()
    first, second = host.group_session(group), host.group_session(group)
    scenario = ending_link(host, group, "viewer?evenings=true")
    scenario.rival, scenario.evenings = second.rival_transfer(), [first.id, second.id]
    return scenario


COMMANDS = by_name(
    add_a_device,
    remove_a_device,
    end_a_link,
    open_a_join_code,
    close_a_join_code,
    request_to_join,
    accept_a_join_request,
    refuse_a_join_request,
    withdraw_a_join_request,
    end_a_link_of_a_group,
    end_the_host_link_of_a_group,
    end_a_link_of_a_group_and_all,
)
