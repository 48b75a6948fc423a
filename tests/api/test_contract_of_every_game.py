"""The responses of the other three games keep to the contract, in play and in all resources."""

from typing import Any

import pytest

from api.resources.games import actions_of
from engine.games.registry import GAMES
from tests.support.api.openapi_contract import (
    OPERATIONS,
    SCHEMAS,
    SPEC,
    ContractClient,
    action,
    find_errors,
)
from tests.support.player_names import FOUR_PLAYERS


@pytest.fixture
def client(app: Any) -> ContractClient:
    return ContractClient(app.test_client())


def read_everything(client: ContractClient) -> set[str]:
    """Read every resource, check each against the contract, and return the types of all events."""
    for kind in ("getSession", "getPot", "listBets", "listBalances", "listPayments"):
        client(kind, role="viewer")
    for kind in ("listDeals", "getSettlement", "auditSession"):
        client(kind, role="viewer")
    for deal in client("listDeals").get_json()["deals"]:
        client("getDeal", deal=deal["number"])
    for form in ("json", "csv", "html", "xlsx", "pdf", "hledger"):
        for unit in ("points", "money"):
            client("getStatement", query={"format": form, "unit": unit})
        client("getStatement", query={"format": form, "player": "p2"})
    events = client("listEvents", query={"limit": 1000}).get_json()["events"]
    return {event["type"] for event in events}


def played(client: ContractClient, *actions: dict[str, Any]) -> Any:
    """Play these actions, which must be accepted. Return the state after them."""
    answer = client.play(*actions)
    assert answer.status_code == 201, answer.text
    return answer.get_json()["session"]


def actions(kind: str, *fields: str, by: str = "player") -> list[dict[str, Any]]:
    return [action(kind, **{by: player}) for player in fields]


def test_an_evening_of_polskpas_keeps_to_the_contract(client: ContractClient) -> None:
    client.open_session(game="polskpas", options={"stake": 500, "removed_ten": "C"})
    played(
        client,
        *(action("open_deal", number=1), action("declare", players=["p2"])),
        *actions("trick", "p2", "p2", by="winner"),
        *(action("vole", player="p2"), *actions("trick", "p2", "p2", "p2", by="winner")),
    )
    played(
        client,
        *(action("open_deal"), action("declare", players=["p1"], trump="S")),
        action("result", winner="p3", vole={"player": "p1", "won": False}),
    )
    played(
        client,
        *(
            action("open_deal"),
            action("turn_up", card="10H"),
            action("bid", player="p4", call="pass"),
        ),
        *(action("bid", player="p1", call="accept"), action("discard", player="p1", card="9H")),
        action("play", player="p4", card="AS"),
    )
    played(client, action("undo"), action("undo"), action("discard", player="p1"))
    played(client, action("result", winner="p2"), action("open_deal"), action("all_pass"))
    played(client, action("reseat", players=["p1", "p2", "p3"]))
    client("closeSession", {"leftover_policy": "split_equal"})
    assert read_everything(client) >= {"vole_announced", "penalty_paid", "la_vola_won"}


def test_an_evening_of_spader_keeps_to_the_contract(client: ContractClient) -> None:
    client.open_session(
        game="spader",
        options={
            "blind_nil_deficit": 0,
            "blind_nil_partner_zero": True,
            "double_blind_nil": True,
            "bag_limit": 1,
            "joint_nil_fail": -100,
            "point_value": 100,
        },
    )
    north, east = "p1+p3", "p2+p4"
    played(
        client,
        *(action("open_deal", number=1), action("redeal", player="p3", reason="long_suit")),
        *(
            action("side_bid", side=east, tricks=4, nil="p2"),
            action("side_bid", side=north, tricks=5),
        ),
        *(action("hand", player="p1", cards=[f"{rank}C" for rank in [*range(2, 11), *"JQKA"]]),),
        action("play", player="p1", card="2C"),
    )
    played(client, *[action("undo")] * 2)
    played(client, action("tricks", taken={"p1": 4, "p3": 3, "p4": 6}))
    played(
        client,
        *(action("open_deal"), action("side_bid", side=north, blind_nil=["p1", "p3"])),
        *(action("side_bid", side=east, tricks=3), action("swap")),
        *actions("trick", *["p1", "p2", "p3", "p4"] * 3, "p1", by="winner"),
    )
    played(
        client,
        *(action("open_deal"), action("side_bid", side=east, tricks=13)),
        action("side_bid", side=north, joint_nil=True),
    )
    played(client, action("tricks", taken={"p2": 13}))
    played(
        client,
        *(action("open_deal"), action("side_bid", side=north, blind_nil="p1", nil="p3")),
        action("side_bid", side=east, tricks=13, nil="p2"),
    )
    state = played(client, action("no_swap"), action("tricks", taken={"p4": 12, "p1": 1}))
    assert set(state["overtricks"]) == {north, east}
    closed = client("closeSession", {}).get_json()
    assert closed["session"]["balances"]["p1"] != 0
    assert read_everything(client) >= {
        *("side_bid_made", "redeal_claimed", "cards_swapped", "swap_declined", "tricks_counted"),
        *("scored", "points_paid", "evening_closed"),
    }


def test_an_evening_of_knektpass_keeps_to_the_contract(client: ContractClient) -> None:
    players = [
        *FOUR_PLAYERS,
        *({"name": name} for name in ("Emil", "Frida", "Gun", "Hans", "Ida", "Jon")),
    ]
    client.open_session(game="knektpass", players=players, options={"start": 5})
    players = [f"p{number}" for number in [*range(2, 11), 1]]
    played(
        client,
        *(action("open_deal", number=1), action("turn_up", card="JH")),
        *(action("exchange", player="p1", turn_up=True), *actions("stay", "p2", "p3")),
        *(*actions("pass", *players[2:-1]), action("stay", player="p1")),
        *(action("exchange", player="p2", cards=1),),
    )
    played(client, action("play", player="p2", card="AH"), action("undo"))
    played(client, *actions("trick", "p1", "p1", "p1", "p2", "p3", by="winner"))
    played(client, action("open_deal"), action("all_pass"))
    played(
        client, action("open_deal"), *actions("pass", *[f"p{n}" for n in range(4, 11)], "p1", "p2")
    )
    won = played(client, action("stay", player="p3"))
    assert (won["scores"]["p3"], won["winner"]) == (5 - 1 - 5, ["p3"])
    refused = client.play(action("open_deal"))
    assert (refused.status_code, refused.get_json()["code"]) == (409, "game_is_won")
    refused = client("recordTransfer", {"from": "p1", "to": "p2", "amount": 100})
    assert refused.get_json()["code"] == "played_for_points"
    client("getStatement", query={"unit": "öre"})
    refused = client("addPlayer", {"name": "Karin"})
    assert refused.get_json()["code"] == "roster_is_fixed"
    assert client("listBalances").get_json()["balances"] is None
    assert read_everything(client) >= {
        *("turn_up_exchanged", "stayed", "passed", "cards_exchanged", "scored", "game_won"),
    }


def test_two_may_play_knektpass_and_only_four_spader(client: ContractClient) -> None:
    assert client.open_session(game="knektpass", players=FOUR_PLAYERS[:2])["scores"] == {
        "p1": 12,
        "p2": 12,
    }
    for count in (3, 5):
        body = {"game": "spader", "players": [*FOUR_PLAYERS, {"name": "Emil"}][:count]}
        assert find_errors(body, SCHEMAS["NewSession"])
        assert client("openSession", body).status_code == 422


def test_what_the_app_calls_misshapen_of_these_games_the_contract_does_too(
    client: ContractClient,
) -> None:
    client.open_session(game="spader")
    side, vola = {"side": "p1+p3"}, {"player": "p1", "won": True}
    for body in (
        action("side_bid", **side),
        action("side_bid", side="p1", tricks=4),
        action("side_bid", **side, tricks=0),
        action("side_bid", **side, tricks=14),
        action("side_bid", **side, nil="p1"),
        action("side_bid", **side, tricks=4, nil="p1", blind_nil="p3"),
        action("side_bid", **side, tricks=4, joint_nil=True),
        action("side_bid", **side, joint_nil=False),
        action("side_bid", **side, joint_nil=True, nil="p1"),
        action("side_bid", **side, blind_nil=["p1"]),
        action("side_bid", **side, blind_nil=["p1", "p3"], nil="p3"),
        action("side_bid", **side, blind_nil=["p1", "p3"], tricks=1),
        action("side_bid", **side, blind_nil="p1"),
        action("side_bid", **side, blind_nil=7, tricks=3),
        action("redeal", player="p1", reason="bad_luck"),
        action("redeal", player="p1"),
        action("swap", side="p1+p3"),
        action("tricks"),
        action("tricks", taken={"Ada": 13}),
        action("tricks", taken={"p1": 14}),
        action("tricks", taken={"p1": "5"}),
        action("tricks", taken={"p1": None}),
        action("tricks", taken=[13]),
        action("stay"),
        action("exchange", player="p1"),
        action("exchange", player="p1", cards=0),
        action("exchange", player="p1", cards=6),
        action("exchange", player="p1", turn_up=False),
        action("exchange", player="p1", cards=1, turn_up=True),
        action("vole", player="p0"),
        action("result", vole=vola),
        action("result", la_vola=vola, vole=vola),
        action("result", winner="p1", vole={"player": "p1"}),
    ):
        assert find_errors({"actions": [body]}, SCHEMAS["Batch"]), body
        refused = client.play(body)
        assert refused.status_code == 422, (body, refused.text)
        for error in refused.get_json()["errors"]:
            assert error["pointer"].startswith("/actions/0")
            assert "Field" not in error["detail"], "in the reader's words"
    schema = OPERATIONS["openSession"]["requestBody"]["content"]["application/json"]["schema"]
    for game, option in (
        ("polskpas", {"bet_multiplier": 1}),
        ("polskpas", {"removed_ten": "X"}),
        ("spader", {"joint_nil_fail": -51}),
        ("spader", {"joint_nil_fail": 50}),
        ("spader", {"loss_floor": 0}),
        ("spader", {"stake": 10}),
        ("spader", {"nil": None}),
        ("knektpass", {"min_trick_floor": 2}),
        ("knektpass", {"min_trick_floor": False}),
        ("knektpass", {"point_value": 0}),
    ):
        body = {"game": game, "players": FOUR_PLAYERS, "options": option}
        assert find_errors(body, schema), body
        assert client("openSession", body).status_code == 422, body


def test_every_shape_that_the_app_takes_the_contract_takes(client: ContractClient) -> None:
    client.open_session(game="spader")
    side = {"side": "p1+p3"}
    for body in (
        action("side_bid", **side, tricks=4),
        action("side_bid", **side, tricks=4, nil=None, blind_nil=None, joint_nil=False),
        action("side_bid", **side, tricks=4, nil="p1"),
        action("side_bid", **side, tricks=4, blind_nil="p1"),
        action("side_bid", **side, tricks=None, nil="p1", blind_nil="p3"),
        action("side_bid", **side, blind_nil=["p1", "p3"]),
        action("side_bid", **side, joint_nil=True),
        action("tricks", taken={}),
        action("exchange", player="p1", cards=None, turn_up=True),
        action("exchange", player="p1", cards=5, turn_up=False),
        action("result", winner="p1", vole={"player": "p2", "won": False}),
    ):
        assert find_errors({"actions": [body]}, SCHEMAS["Batch"]) == [], body
        assert client.play(body).status_code == 409, "no deal is open"


@pytest.mark.parametrize("key", GAMES)
def test_every_action_of_a_game_is_in_the_contract(key: str) -> None:
    mapped = SCHEMAS["Action"]["discriminator"]["mapping"]
    assert {str(kind.__struct_config__.tag) for kind in actions_of(GAMES[key])} <= set(mapped)


def test_the_contract_has_no_sentence_cut_in_two() -> None:
    """A comma in a plain YAML scalar of a flow mapping turns the text after it into a key."""

    def keys(node: Any) -> Any:
        if isinstance(node, dict):
            yield from node
            for inner in node.values():
                yield from keys(inner)
        elif isinstance(node, list):
            for inner in node:
                yield from keys(inner)

    keys_of_spec = [key for key in keys(SPEC) if isinstance(key, str)]
    assert not [key for key in keys_of_spec if key.endswith(".") or "`" in key]
