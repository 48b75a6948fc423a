"""Responses are those that openapi.yaml promises for their operation, refusals included."""

import json
from base64 import b64encode
from typing import Any
from uuid import UUID

import pytest

from api.representations import event_stream as streams
from ledger.proofs.checkpoint import note_text, public_bytes
from ledger.proofs.cosignature import cosign, cosigner_name
from tests.support.api.balance_import import import_body
from tests.support.api.openapi_contract import (
    COMMON_PROBLEMS,
    OPERATIONS,
    SCHEMAS,
    ContractClient,
    action,
    find_errors,
    resolve,
)
from tests.support.player_names import FOUR_PLAYERS
from tests.support.proofs.cosigned_documents import AT, phone_key


@pytest.fixture(scope="module")
def app(module_app: Any) -> Any:
    """An app with its own database, because a session can be imported only once into each."""
    return module_app


@pytest.fixture
def client(app: Any) -> ContractClient:
    return ContractClient(app.test_client())


def deal(number: int, declarers: list[str], *winners: str, vola: str = "") -> list[dict[str, Any]]:
    tricks = [action("trick", winner=winner) for winner in winners]
    vole_actions = [action("la_vola", player=vola)] if vola else []
    return [
        action("open_deal", number=number),
        action("declare", players=declarers),
        *tricks[:2],
        *vole_actions,
        *tricks[2:],
    ]


def test_an_evening_answers_as_promised_from_the_first_request_to_the_last(
    app: Any, client: ContractClient
) -> None:
    opened = client.open_session(title="Fredag", options={"stake": 1000})
    store, session = app.extensions["store"], UUID(opened["id"])
    played = client.play(*deal(1, ["p2"], "p3", "p3", "p4", "p3", "p2"), headers={"If-Match": None})
    key = played.request.headers["Idempotency-Key"]
    replayed = client.play(
        *deal(1, ["p2"], "p3", "p3", "p4", "p3", "p2"),
        headers={"If-Match": None, "Idempotency-Key": key},
    )
    assert replayed.headers["Idempotency-Replayed"] == "true"
    assert replayed.data == played.data
    client.play(*deal(2, ["p3", "p4"], "p1", "p1", "p2", "p4", "p4"))  # dealt by p2: refused
    client.play(action("open_deal"), action("all_pass"))
    client.play(
        action("open_deal"), action("declare", players=["p2", "p3"]), action("result", winner="p1")
    )
    client.play(action("merge"))
    client.play(action("merge", together=False))
    client.play(*deal(4, ["p1"], *["p3"] * 5, vola="p3"))
    store.settle(session)
    client.version = store.load(session).version
    client.play(
        action("undo"), action("undo"), action("trick", winner="p2")
    )  # la vola lost instead
    client.play(
        *(action("open_deal"), action("cut", card="JC"), action("turn_up", card="9H")),
        *(action("discard", player="p4"), action("discard", player="p1", card="9H")),
        action("hand", player="p2", cards=["AC", "KH", "10H", "QS", "9S"]),
        action("play", player="p2", card="AC"),
    )
    client("getSession")
    client("voidDeal", deal=5, query={"reason": "A card fell face up"})
    client.play(action("open_deal"), action("cut", card="9C"), action("turn_up", card="AS"))
    client.play(action("decline"), action("bid", player="p2", call="pass"))
    client.play(*[action("undo")] * 2, action("take"), action("undo"))
    client("getDeal", deal=6)
    client.play(*[action("undo")] * 3)
    assert client("addPlayer", {"name": "Emil"}, role="scorer").get_json()["id"] == "p5"
    client.play(action("reseat", players=["p1", "p2", "p3", "p4", "p5"], dealer="p5"))
    client.play(
        action("open_deal"), action("declare", players=["p1"]), action("result", winner=None)
    )
    client.play(
        action("open_deal"),
        action("declare", players=["p1"], trump="S"),
        action("result", la_vola={"player": "p1", "won": False}),
    )
    client.play(
        *(action("open_deal"), action("declare", players=["p2"])),
        *[action("trick", winner="p2")] * 3,
        action("finish"),
    )
    payer = {"from": "p1", "to": "p2", "amount": 100, "method": "swish"}
    client("recordTransfer", payer)
    share_costs(client)
    client("previewCorrection", {"actions": [action("all_pass")]}, role="scorer", deal=1)
    client("previewCorrection", {"later": "void"}, role="scorer", deal=1)
    passed = {"actions": [action("all_pass")], "reason": "Nobody declared"}
    client("correctDeal", passed, deal=1, headers={"If-Match": f'"{client.version}"'})
    client("voidDeal", deal=1, query={"reason": "It never counted", "later": "void"})
    client.play(action("undo"), action("undo"))
    client("voidDeal", deal=1, query={"reason": "It never counted", "later": "void"})

    owes = client("getSettlement", role="viewer", query={"through": "p1"}).get_json()["transfers"]
    line = next(t for t in owes if "pot" not in (t["from"], t["to"]))
    between = {"payer": line["from"], "payee": line["to"]}
    client("getPaymentCode", **between, query={**CODE, "through": "p1"})
    for kind in ("listDeals", "getPot", "listBets", "listBalances", "listPayments"):
        client(kind, role="viewer")
    client("retryPayments")
    for kind in ("getSettlement", "auditSession", "listEvents"):
        assert client(kind, role="viewer").get_json().get("findings", []) == []
    for number in range(1, 9):
        client("getDeal", deal=number, query={"lang": "da"})
    client("getSession", query={"at": 1})
    client("getSession", headers={"If-None-Match": f'"{client.version}"'})
    after, versions = 0, []
    while after is not None:
        page = client("listEvents", query={"after": after, "limit": 7}).get_json()
        versions += [event["version"] for event in page["events"]]
        after = page["next"]
    assert versions == list(range(1, client.version + 1))
    client("getReceipt", version=client.version)
    client("getReceipt", role="viewer", version=3, query={"to": 5})
    client("exportSession", role="viewer")
    client("listDeals", query={"limit": 2})
    client("listPayments", query={"limit": 1})
    export = client("exportSession", query={"names": "true"}).get_json()
    for form in ("json", "csv", "html", "xlsx", "pdf", "hledger"):
        client("getStatement", role="viewer", query={"format": form})
        client("getStatement", role="viewer", query={"format": form, "player": "p1"})
    client("getStatement", headers={"Accept": "text/html"})
    link_of_page = client("getStatement").get_json()["page"].rpartition("/")[2]
    for link, status in ((link_of_page, 200), (f"{link_of_page}x", 404)):
        assert client("getLinkedStatement", role=None, link=link).status_code == status
    paper = {"role": "viewer", "query": {"paper": "a5", "deals": 20}}
    etag = client("getScoreSheet", **paper).headers["ETag"]
    assert client("getScoreSheet", **paper, headers={"If-None-Match": etag}).status_code == 304
    client("listLinks")
    client("getBackup")
    client("setCookie", role="viewer")
    client("getPot", role=None)  # with that cookie
    client("addObjection", {"version": 3}, role="viewer", player="p1", headers=NO_KEY)
    assert len(client("listObjections", role="viewer").get_json()["objections"]) == 1
    cosign_version(client)
    assert client("listObjections", role="viewer").get_json()["objections"] == []
    admit_devices(client)
    would_end = client("getSettlement", query={"leftover_policy": "split_equal"}).get_json()
    client("closeSession", {"leftover_policy": "refund_bets"})
    client("reopenSession")
    assert client("reopenSession").get_json()["code"] == "session_not_closed"
    client("closeSession", {"leftover_policy": "split_equal"})
    state = client("getSession").get_json()
    assert would_end["results"] == state["results"]
    assert would_end["transfers"] == client("getSettlement").get_json()["transfers"]
    with pytest.MonkeyPatch.context() as minute:
        minute.setattr(streams, "STREAM_SECONDS", 0.5)
        client("reportPresence", {"deal": 9}, headers=NO_KEY)
        stream = client("streamSession").text
        assert "event: version" in stream
        assert "event: presence" in stream
    client("listEvents", query={"limit": 1000})
    client("recordTransfer", payer)
    assert client("renamePlayer", {"name": "Bosse"}, player="p2").get_json()["name"] == "Bosse"
    assert client("reopenSession").get_json()["code"] == "paid_since_closing"
    assert client("erasePlayerName", player="p2").get_json()["name"] == "Spelare 2"
    for kind in ("getKey", "listKeys", "getRules", "getVerifyPage", "getVerifier"):
        client(kind, role=None)
    with store.pool.connection() as db:  # no worker settles what other tests left due
        for (owing,) in db.execute(
            "SELECT session_id FROM projections.payments WHERE status = 'due'"
        ):
            store.settle(owing)
    operating = ("getHealth", "getReadiness", "getMetrics")
    for kind in (*operating, "getContract", "getDocs", "getForm", "listGames"):
        etag = client(kind, role=None).headers.get("ETag")
    client("listGames", role=None, headers={"If-None-Match": etag})
    kinds = {event["type"] for event in client("listEvents").get_json()["events"]}
    assert len(kinds) > 20
    carry_group_forward(client)
    assert client("importSession", export, role=None, headers={"If-Match": None}).status_code == 409
    example = OPERATIONS["importSession"]["requestBody"]["content"]["application/json"]["example"]
    imported = client("importSession", example, role=None, headers={"If-Match": None})
    assert imported.status_code == 201, imported.text

    promised = {
        (name, int(status), media)
        for name, operation in OPERATIONS.items()
        for status, promise in operation["responses"].items()
        if status.startswith(("2", "3"))
        for media in (resolve(promise).get("content") or {None: None})
    }
    sent = {(o, s, m if s not in (204, 304) else None) for o, s, m in client.seen if s < 400}
    assert sent == promised, "request in this test what is on the right and not on the left"


def share_costs(client: ContractClient) -> None:
    """Record, correct and void costs, and correct a voided one."""
    pizza = {"payer": "p4", "amount": 43001, "purpose": "Pizza"}
    client("recordCost", pizza, headers={"If-Match": None})
    client("recordCost", {"payer": "p1", "amount": 1, "parts": {"p2": 2, "p3": 0}})
    assert client("recordCost", {**pizza, "parts": {"p4": 1}}).status_code == 409
    client("correctCost", {**pizza, "parts": {"p1": 2, "p2": 1}}, cost=1)
    client("voidCost", cost=2)
    assert client("voidCost", cost=2).get_json()["code"] == "cost_does_not_count"
    client("correctCost", {**pizza, "purpose": None}, cost=2)
    client("voidCost", cost=2)
    assert client("getCost", cost=3).get_json()["code"] == "unknown_cost"
    etag = client("getCost", role="viewer", cost=1, query={"lang": "de"}).headers["ETag"]
    client("getCost", cost=1, query={"lang": "de"}, headers={"If-None-Match": etag})
    etag = client("listCosts", role="viewer").headers["ETag"]
    client("listCosts", headers={"If-None-Match": etag})
    assert len(client("listCosts", query={"limit": 1}).get_json()["costs"]) == 1


def cosign_version(client: ContractClient) -> None:
    """Let a phone confirm the sums of version 3, and another book witness that version."""
    checkpoint = client("getReceipt", role="viewer", version=3).get_json()["checkpoint"]
    key, name = phone_key("p1"), cosigner_name(UUID(client.path["session"]), "p1")
    signature = b64encode(cosign(key, name, note_text(checkpoint), AT)).decode()
    body = {"version": 3, "player": "p1", "signature": signature}
    public = public_bytes(key).hex()
    client("addCosignature", body, role="viewer", key=public, headers=NO_KEY)
    name = "kortklubben.example"
    signature = b64encode(cosign(key, name, note_text(checkpoint), AT)).decode()
    body = {"version": 3, "name": name, "signature": signature}
    client("addWitness", body, role="viewer", key=public, headers=NO_KEY)
    listed = client("listCosignatures", role="viewer").get_json()
    assert (len(listed["cosignatures"]), len(listed["witnesses"])) == (1, 1)


def admit_devices(client: ContractClient) -> None:
    """Add a device, create a join code, and approve, refuse and withdraw join requests."""
    client("addDevice", {"label": "Adas telefon", "player": "p1", "role": "scorer"})
    code = client("createJoinCode", {}).get_json()["code"]
    client("getJoinCode")
    client("reportPresence", {"deal": 9}, role="scorer", headers=NO_KEY)
    assert len(client("listPresence", role="viewer").get_json()["presence"]) == 1
    client("endPresence", role="scorer", headers=NO_KEY)
    assert client("endPresence", page="<").status_code == 422
    for label in ("Bo", "Cilla", "Emil"):
        knocked = client("createJoinRequest", {"code": code, "label": label}, role=None).get_json()
        client.tokens[label] = knocked["token"]
    client("listJoinRequests")
    client("approveJoinRequest", {}, number=1)
    client("refuseJoinRequest", number=2)
    client("approveJoinRequest", {}, number=2)
    client("withdrawJoinRequest", role="Emil")
    client("approveJoinRequest", {}, number=3)
    client("withdrawJoinRequest", role="Bo")
    for label in ("Bo", "Cilla", "Emil"):
        client("getOwnJoinRequest", role=label)
    client("deleteJoinCode")
    client("createJoinRequest", {"code": code, "label": "Disa"}, role=None)
    client("listDevices", role="viewer")
    client("getDevice", role="viewer", device="phone1")
    client("endDeviceAccess", device="phone1")
    client("endDeviceAccess", device="phone9")
    client("rotateLink", {}, link="viewer")
    client("rotateLink", {}, link="host")


def carry_group_forward(client: ContractClient) -> None:
    """Add the session to a new group, open sessions of the group, and carry one forward."""
    played, host = client.path["session"], client.tokens["host"]
    people = FOUR_PLAYERS[:3]
    founded = client("createGroup", {"name": "Torsdagar", "members": people}, role=None)
    client.path = {"group": founded.get_json()["id"]}
    client.tokens = group_tokens = founded.get_json()["tokens"]
    added = {"token": host, "members": {"p1": "m1", "p3": "m2"}}
    client("addSession", added, session=played)
    assert client("addMember", {"name": "Emil"}, role="scorer").get_json()["id"] == "m4"
    members = {"game": "polskt_pass", "members": ["m2", "m1", "m4"]}
    first = client("openGroupSession", members, role="scorer").get_json()
    client.path["session"], client.tokens = first["id"], first["tokens"]
    client.play(*deal(1, ["p2"], *["p3"] * 5))
    client("closeSession", {})
    client.tokens = group_tokens
    assert client("getGroup", role="viewer").get_json()["carry_forward"]["ready"]
    second = client("openGroupSession", {**members, "carry": True}).get_json()
    client.tokens = first["tokens"]
    assert client("getSession").get_json()["carried_to"] == second["id"]
    assert client("getSettlement").get_json()["carried_to"] == second["id"]
    client("listEvents")
    client.path["session"], client.tokens = second["id"], second["tokens"]
    client.play(*deal(1, ["p1"], *["p1"] * 5))
    client("listEvents")
    client("getDeal", deal=1)
    client("getStatement", query={"format": "json"})
    client.tokens = group_tokens
    for kind in ("getGroup", "getStandings", "getHeadToHead"):
        tag = client(kind, role="viewer").headers["ETag"]
        client(kind, role="viewer", headers={"If-None-Match": tag})
    tag = client("getMember", role="viewer", member="m1").headers["ETag"]
    client("getMember", role="viewer", member="m1", headers={"If-None-Match": tag})
    for form in ("json", "csv", "html", "xlsx", "pdf", "hledger"):
        for holder in ({}, {"member": "m2"}):
            query = {"format": form, "currency": "SEK", **holder}
            client("getGroupStatement", role="viewer", query=query)
    settle_up_and_leave(client, second["tokens"]["scorer"])
    import_old_book(client)
    use_bank_lines(client)
    client("listGroupLinks")
    client("rotateGroupLink", {"sessions": True}, link="scorer")
    client("rotateGroupLink", {}, link="bystander")
    client("rotateGroupLink", {"sessions": "some"}, link="scorer")
    assert client("eraseMemberName", member="m4").get_json()["name"] == "Medlem 4"
    client("setGroupCookie", role="viewer")
    client("getStandings", role=None, query={"from": "2026-01-01"})  # with that cookie


def settle_up_and_leave(client: ContractClient, session_token: str) -> None:
    """Record a payment over several sessions, and let a member leave and return. The token is one
    of a session that goes on."""
    tag = client("getOpenBalances", role="viewer").headers["ETag"]
    client("getOpenBalances", role="viewer", headers={"If-None-Match": tag})
    paid = {"from": "m1", "to": "m4", "amount": 100, "currency": "DKK", "method": "cash"}
    client("recordGroupTransfer", paid, role="scorer")
    unplanned = client("recordGroupTransfer", {**paid, "open_amount": 10**9}, role="scorer")
    assert unplanned.get_json()["code"] == "plan_has_changed"
    assert client("recordGroupTransfer", {**paid, "to": "m1"}).get_json()["code"] == "same_player"
    leaves = {"agreement": "hand_over", "recipient": "m1"}
    refused = client("leaveGroup", leaves, member="m2")
    assert refused.get_json()["code"] == "evening_is_open"
    assert client("leaveGroup", {}, member="m3").status_code == 201
    seated = {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}
    joining = {"Authorization": f"Bearer {session_token}", "If-Match": "*"}
    for answer in (
        client("leaveGroup", {}, member="m3"),
        client("openGroupSession", seated),
        client("addPlayer", {"name": "Cilla"}, headers=joining),
    ):
        assert answer.get_json()["code"] == "member_has_left"
    client("returnToGroup", member="m3")
    client("previewDeparture", leaves, member="m3")


def import_old_book(client: ContractClient) -> None:
    """Import earlier evenings from a file, one of which does not add up, and void the import."""
    body = import_body(b"Date;Ada;Bo\n2024-01-05;12.50;-12.50\n2024-01-12;5;-4\n")
    assert client("previewImport", body).get_json()["ready"] is False
    refused = client("importBalances", {**body, "settled": True})
    assert refused.get_json()["code"] == "evenings_do_not_add_up"
    assert client("importBalances", {**body, "settled": 1}).status_code == 422
    chosen = {**body, "settled": False, "omitted_rows": [3]}
    assert client("importBalances", chosen).status_code == 201
    assert client("importBalances", chosen).get_json()["code"] == "already_imported"
    assert client("previewImport", {**body, "file": ""}).get_json()["code"] == "table_unreadable"
    for kind, path in (("listImports", {}), ("getImport", {"number": 1})):
        tag = client(kind, role="viewer", **path).headers["ETag"]
        client(kind, role="viewer", headers={"If-None-Match": tag}, **path)
    assert client("getImport", number=2).get_json()["code"] == "unknown_import"
    assert client("voidImport", number=1).get_json()["status"] == "voided"
    assert client("voidImport", number=1).get_json()["code"] == "import_does_not_count"


def use_bank_lines(client: ContractClient) -> None:
    """Approve a line of a bank's file that pays for a pizza, and release it again."""
    group_tokens, session = client.tokens, client.path.pop("session")
    members = {"game": "polskt_pass", "members": ["m1", "m2", "m3"], "currency": "DKK"}
    opened = client("openGroupSession", members).get_json()
    client.path["session"], client.tokens, client.version = opened["id"], opened["tokens"], 1
    client("recordCost", {"payer": "p1", "amount": 300})
    client.version = 2
    client("closeSession", {})
    client.path["session"], client.tokens = session, group_tokens
    content = b"Dato;Tekst;Bel\xf8b\n31-12-2090;MobilePay Bo;1,00\n31-12-2090;Netto;-5,00"
    file = {"file": b64encode(content).decode(), "account": "m1", "currency": "DKK"}
    line, other = client("previewBankLines", file).get_json()["lines"]
    assert (line["status"], other["status"]) == ("proposed", "left_over")
    for broken in ({"account": "m9"}, {"file": ""}, {"account": "Ada"}):
        client("previewBankLines", {**file, **broken})
    transfer = {key: line["transfers"][0][key] for key in ("session", "from", "to", "open_amount")}
    digest = line["line_sha256"]
    approval = {"line_sha256": digest, "amount": 100, **transfer}
    danish: dict[str, Any] = {"currency": "DKK"}
    stale = client("approveBankLines", {**danish, "lines": [{**approval, "open_amount": 101}]})
    assert stale.get_json()["code"] == "transfer_not_open"
    assert client("approveBankLines", {**danish, "lines": [approval]}).status_code == 201
    again = client("approveBankLines", {**danish, "lines": [approval]})
    assert again.get_json()["code"] == "bank_line_used"
    client("previewBankLines", file)
    tag = client("listBankLines", role="viewer").headers["ETag"]
    client("listBankLines", role="viewer", headers={"If-None-Match": tag})
    assert client("releaseBankLine", line=digest).get_json() == {"lines": []}
    assert client("releaseBankLine", line=digest).status_code == 404


def test_what_the_app_calls_misshapen_the_contract_does_too(client: ContractClient) -> None:
    client.open_session()
    names = FOUR_PLAYERS[:3]
    new_session = {"game": "polskt_pass", "players": names}
    for operation, body in (
        ("openSession", {"game": "polskt_pass"}),
        ("openSession", {**new_session, "game": "whist"}),
        ("openSession", {**new_session, "players": names[:2]}),
        ("openSession", {**new_session, "options": {"stake": 0}}),
        ("openSession", {**new_session, "options": {"stake": "5"}}),
        ("openSession", {**new_session, "options": {"bet_multiplier": 3}}),
        ("openSession", {**new_session, "options": {"rake": 1}}),
        ("openSession", {**new_session, "currency": "kronor"}),
        ("openSession", {**new_session, "host": True}),
        ("recordActions", {"actions": []}),
        ("recordActions", {"actions": [action("undo")] * 101}),
        ("recordActions", {"actions": [action("shuffle")]}),
        ("recordActions", {"actions": [action("trick")]}),
        ("recordActions", {"actions": [action("trick", winner="Ada")]}),
        ("recordActions", {"actions": [action("trick", winner=None)]}),
        ("recordActions", {"actions": [action("cut", card="1C")]}),
        ("recordActions", {"actions": [action("declare", players=["p1"], trump="X")]}),
        ("recordActions", {"actions": [action("undo", times=2)]}),
        ("recordActions", {"actions": [action("result")]}),
        (
            "recordActions",
            {"actions": [action("result", winner="p1", la_vola={"player": "p1", "won": True})]},
        ),
        ("recordActions", {"actions": [action("open_deal", number=1.5)]}),
        ("recordTransfer", {"from": "p1", "to": "p2", "amount": 0}),
        ("recordTransfer", {"from": "p1", "to": "p2", "amount": True}),
        ("addPlayer", {"name": ""}),
        ("reportPresence", {"deal": 0}),
        ("reportPresence", {"deal": 1, "page": "<"}),
        ("closeSession", {"leftover_policy": "keep"}),
        ("closeSession", []),
    ):
        schema = OPERATIONS[operation]["requestBody"]["content"]["application/json"]["schema"]
        assert find_errors(body, schema), (operation, body)
        refused = client(operation, body)
        assert refused.status_code == 422, (operation, body, refused.text)
        assert all({"pointer", "code", "detail"} <= set(e) for e in refused.get_json()["errors"])
        assert "invalid" not in {e["code"] for e in refused.get_json()["errors"]}


def test_refusals_are_problems_with_a_code_that_their_operation_names(
    client: ContractClient,
) -> None:
    client.open_session()
    stale = {"headers": {"If-Match": '"9"'}}
    batch = {"actions": [action("open_deal")]}
    client("erasePlayerName", player="p2")
    for status, code, refused in (
        (400, "malformed_json", client("recordActions", raw=b'{"a":NaN}', headers=JSON)),
        (
            400,
            "idempotency_key_missing",
            client("recordActions", batch, headers={"Idempotency-Key": None}),
        ),
        (400, "idempotency_key_malformed", client("recordActions", batch, headers=LONG_KEY)),
        (400, "idempotency_key_too_short", client("openSession", {}, None, headers=SHORT_KEY)),
        (400, "if_match_malformed", client("recordActions", batch, headers={"If-Match": "3"})),
        (403, "role_too_low", client("recordActions", batch, role="viewer")),
        (403, "role_too_low", client("listLinks", role="scorer")),
        (404, "unknown_session", client("getPot", headers={"Authorization": "Bearer x"})),
        (404, "unknown_session", client("getPot", session="nothing")),
        (404, "unknown_version", client("getSession", query={"at": 99})),
        (404, "unknown_version", client("getStatement", query={"at": 99})),
        (404, "unknown_version", client("getReceipt", version=99)),
        (404, "unknown_deal", client("getDeal", deal=99)),
        (404, "unknown_player", client("getStatement", query={"player": "p9"})),
        (404, "unknown_player", client("getSettlement", query={"through": "p9"})),
        (404, "unknown_player", client("erasePlayerName", player="p9")),
        (404, "unknown_player", client("renamePlayer", {"name": "Bosse"}, player="p9")),
        (409, "name_is_erased", client("renamePlayer", {"name": "Bosse"}, player="p2")),
        (403, "role_too_low", client("erasePlayerName", player="p1", role="scorer")),
        (404, "transfer_not_planned", client("getPaymentCode", **BETWEEN, query=CODE)),
        (409, "wrong_currency", client("getPaymentCode", **BETWEEN, query={"kind": "epc"})),
        (406, "not_acceptable", client("getStatement", query={"format": "docx"})),
        (409, "no_open_deal", client.play(action("all_pass"))),
        (409, "nothing_to_undo", client.play(action("undo"))),
        (409, "same_player", client("recordTransfer", {"from": "p1", "to": "p1", "amount": 1})),
        (409, "no_such_player", client("recordTransfer", {"from": "p9", "to": "p1", "amount": 1})),
        (404, "unknown_deal", client("voidDeal", deal=9)),
        (412, "stale_version", client.play(action("undo"), **stale)),
        (413, "too_large", client("recordActions", raw=b" " * 200_000, headers=JSON)),
        (415, "unsupported_media_type", client("recordActions", raw=b"{}", headers=TEXT)),
        (422, "wrong_shape", client("listEvents", query={"limit": 0})),
        (422, "wrong_shape", client("getSession", query={"at": "now"})),
        (428, "version_required", client.play(action("undo"), headers={"If-Match": None})),
    ):
        problem = refused.get_json()
        assert (refused.status_code, problem["code"]) == (status, code)
        assert refused.headers["Content-Language"] == "en"
    assert client.play(*deal(1, ["p2"], *["p3"] * 5)).status_code == 201
    refused_deal = client.play(action("open_deal", number=1))
    assert refused_deal.get_json()["code"] == "deal_taken"
    assert find_errors(refused_deal.get_json()["deal"], SCHEMAS["DealRecord"]) == []
    key = refused_deal.request.headers["Idempotency-Key"]
    assert client.play(action("undo"), headers={"Idempotency-Key": key}).status_code == 201
    reused = client.play(action("open_deal"), headers={"Idempotency-Key": key})
    assert (reused.status_code, reused.get_json()["code"]) == (422, "idempotency_key_reused")


NO_KEY = {"Idempotency-Key": None, "If-Match": None}
CODE = {"kind": "swish", "number": "0701234567"}
BETWEEN = {"payer": "p1", "payee": "p2"}
JSON = {"Content-Type": "application/json"}
TEXT = {"Content-Type": "text/plain"}
LONG_KEY = {"Idempotency-Key": "k" * 256}
SHORT_KEY = {"Idempotency-Key": "k" * 21}


def test_an_address_or_method_that_does_not_exist_is_a_problem_too(client: ContractClient) -> None:
    for method, path, status in (
        ("GET", "/v1/nothing", 404),
        ("PUT", "/v1/sessions", 405),
        ("POST", "/healthz", 405),
    ):
        refused = client.client.open(path, method=method)
        assert refused.status_code == status
        assert refused.mimetype == "application/problem+json"
        assert find_errors(json.loads(refused.data), SCHEMAS["Problem"]) == []
        assert (refused.get_json()["code"], status) in COMMON_PROBLEMS
