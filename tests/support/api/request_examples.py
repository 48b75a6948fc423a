"""A session, its group, and others of both; and a request for each operation of openapi.yaml that
succeeds there with a sufficient token.

The requests come from the examples of the contract. EXAMPLE_PARTS replaces the parts of an example
that belong to another session.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable
from itertools import count
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import psycopg
from flask import Flask

from api.auth.tokens import group_tokens, session_tokens
from ledger.proofs.checkpoint import note_text, public_bytes
from ledger.proofs.cosignature import cosign, cosigner_name
from tests.support.api.balance_import import import_body
from tests.support.api.callers import ROLES, TokenHolder
from tests.support.api.openapi_contract import OPERATIONS, SPEC, resolved
from tests.support.proofs.cosigned_documents import AT, phone_key

NAMES = [{"name": name} for name in ("Ada", "Bo", "Cilla", "Disa")]
DEAL = [
    {"type": "open_deal", "number": 1},
    {"type": "declare", "players": ["p2"]},
    *[{"type": "trick", "winner": "p3"}] * 2,
    {"type": "la_vola", "player": "p3"},
    *[{"type": "trick", "winner": "p3"}] * 3,
]
MOVE_ON = {
    "session": "UPDATE vola.sessions SET token_generations = '{1,1,1}' WHERE session_id = %s",
    "group": "UPDATE vola.groups SET token_generations = '{1,1,1}' WHERE group_id = %s",
}
GENERATIONS = (1, 1, 1)

keys = count(1)


class Room:
    """A session and its group, and other sessions and groups that are unrelated to them."""

    def __init__(self, app: Flask, owner_url: str) -> None:
        self.client, self.secret = (
            app.test_client(use_cookies=False),
            app.extensions["session_metadata"].secret,
        )
        self.key = f"in room {next(keys)}"
        self.session, self.alone, self.other = self._evening(), self._evening(), self._evening()
        self.group, self.other_group = self._open_group(), self._open_group()
        for evening, group in ((self.session, self.group), (self.other, self.other_group)):
            assignment = {"token": evening.tokens["host"], "members": {"p1": "m1", "p2": "m2"}}
            path = f"/v1/groups/{group.id}/sessions/{evening.id}"
            self._post(path, assignment, group, "PUT")
        phones = {role: self._add_device(self.session, role) for role in ROLES}
        shut_out = self._add_device(self.session, "host")
        self._write(self.session, "/devices/phone4", method="DELETE")
        code = self._write(self.session, "/join-code", {})["code"]
        knocks = [self._post("/v1/join-requests", {"code": code, "label": name}) for name in "ab"]
        self._old = {
            "session": {**self.session.tokens, "device": shut_out},
            "group": self.group.tokens,
        }
        with psycopg.connect(owner_url) as db:
            db.execute(MOVE_ON["session"], [self.session.id])
            db.execute(MOVE_ON["group"], [self.group.id])
        session, group = UUID(self.session.id), UUID(self.group.id)
        links = dict(session_tokens(self.secret, session, GENERATIONS))
        self.session = TokenHolder(self.session.id, links, phones, knocks[1]["token"])
        self.group = TokenHolder(self.group.id, dict(group_tokens(self.secret, group, GENERATIONS)))

    def holder(self, kind: str) -> TokenHolder:
        return self.session if kind == "session" else self.group

    def other_holders(self, kind: str) -> list[TokenHolder]:
        """Return other sessions and groups: first one of the same kind, then one that is related to
        this one but has tokens of its own, then unrelated ones."""
        if kind == "session":
            return [self.other, self.group, self.other_group, self.alone]
        return [self.other_group, self.session, self.other, self.alone]

    def old(self, kind: str) -> dict[str, str]:
        """Return tokens that were valid until their generation changed."""
        return self._old[kind]

    def request(self, name: str, ids: dict[str, str] | None = None) -> dict[str, Any]:
        """Return a request that succeeds with a sufficient token. It is always the same one, so
        that it can be repeated. `ids` replace the ids of this room."""
        operation = OPERATIONS[name]
        item = SPEC["paths"][operation["path"]]
        parts = EXAMPLE_PARTS.get(name, lambda _: {})(self)
        path = {"session": self.session.id, "group": self.group.id, **parts.get("path", {})}
        query, headers = dict(parts.get("query", {})), {}
        for reference in (*item.get("parameters", []), *operation.get("parameters", [])):
            parameter = resolved(reference)
            match parameter:
                case {"in": "path", "name": of}:
                    path.setdefault(of, parameter["example"])
                case {"in": "query", "name": of, "required": True}:
                    query.setdefault(of, parameter["example"])
                case {"in": "header", "name": "Idempotency-Key"}:
                    headers["HTTP_IDEMPOTENCY_KEY"] = self.key
                case {"in": "header", "name": "If-Match"}:
                    headers["HTTP_IF_MATCH"] = "*"
        body = b""
        if "requestBody" in operation:
            [(kind, media)] = resolved(operation["requestBody"])["content"].items()
            headers["CONTENT_TYPE"] = kind
            body = json.dumps(parts.get("body", media["example"])).encode()
        return {
            "method": operation["method"],
            "path": operation["path"].format(**{**path, **(ids or {})}),
            "query": urlencode(query),
            "headers": headers,
            "body": body,
        }

    def misshapen(self, name: str, ids: dict[str, str] | None = None) -> dict[str, dict[str, Any]]:
        """Return requests with a fault that the server reports only to callers with a sufficient
        token."""
        request, path = self.request(name, ids), OPERATIONS[name]["path"]
        stale = {**request["headers"], "HTTP_IF_MATCH": '"999"'}
        unmatched = {k: v for k, v in request["headers"].items() if k != "HTTP_IF_MATCH"}
        misshapen = {
            "a strange query": {**request, "query": "at=never&format=none&limit=-1&lang=xx"},
        }
        if inner := [p for p in re.findall(r"{(\w+)}", path) if p not in ("session", "group")]:
            misshapen["no such thing in it"] = self.request(name, {**(ids or {}), inner[-1]: "99"})
        if "HTTP_IF_MATCH" in request["headers"]:
            misshapen["a version long gone"] = {**request, "headers": stale}
            misshapen["no version"] = {**request, "headers": unmatched}
        if request["body"]:
            misshapen["another shape"] = {**request, "body": b'{"a": [1]}'}
        return misshapen

    def _evening(self) -> TokenHolder:
        document = self._post("/v1/sessions", {"game": "polskt_pass", "players": NAMES})
        holder = TokenHolder(document["id"], document["tokens"])
        self._write(holder, "/actions", {"actions": DEAL})
        return holder

    def _add_device(self, holder: TokenHolder, role: str) -> str:
        device = {"label": f"a {role}'s phone", "role": role}
        return str(self._write(holder, "/devices", device)["token"])

    def _write(self, holder: TokenHolder, path: str, body: Any = None, method: str = "POST") -> Any:
        return self._post(f"/v1/sessions/{holder.id}{path}", body, holder, method)

    def _open_group(self) -> TokenHolder:
        document = self._post(
            "/v1/groups", {"name": "Torsdagar", "members": [*NAMES[:3], {"name": "Emil"}]}
        )
        return TokenHolder(document["id"], document["tokens"])

    def _post(
        self, path: str, body: Any, holder: TokenHolder | None = None, method: str = "POST"
    ) -> Any:
        headers = {"Idempotency-Key": f"a room for everybody, {next(keys)}"}
        if holder:
            headers["Authorization"] = f"Bearer {holder.tokens['host']}"
        request_body = {} if body is None else {"json": body}
        answer = self.client.open(path, method=method, headers=headers, **request_body)
        assert answer.status_code < 300, answer.text
        return answer.get_json()


def payment_code(room: Room) -> dict[str, Any]:
    """The payment plan decides who pays whom."""
    right = {"Authorization": f"Bearer {room.session.tokens['host']}"}
    plan = room.client.get(f"/v1/sessions/{room.session.id}/settlement", headers=right).get_json()
    line = next(t for t in plan["transfers"] if "pot" not in (t["from"], t["to"]))
    return {
        "path": {"payer": line["from"], "payee": line["to"]},
        "query": {"kind": "swish", "number": "0701234567"},
    }


def recorded_cost(room: Room) -> dict[str, Any]:
    """A cost that counts: the first one, recorded here or by an earlier request."""
    headers = {
        "Authorization": f"Bearer {room.session.tokens['host']}",
        "Idempotency-Key": "a cost before",
    }
    body = {"payer": "p4", "amount": 43000, "purpose": "Pizza"}
    answer = room.client.post(f"/v1/sessions/{room.session.id}/costs", json=body, headers=headers)
    assert answer.status_code < 300 or answer.get_json()["code"] == "session_closed", answer.text
    return {"path": {"cost": 1}}


def departed(room: Room) -> dict[str, Any]:
    """A member who can return, because this request or an earlier one let the member leave."""
    headers = {
        "Authorization": f"Bearer {room.group.tokens['host']}",
        "Idempotency-Key": "left before",
    }
    path = f"/v1/groups/{room.group.id}/members/m3/departure"
    answer = room.client.post(path, json={}, headers=headers)
    assert answer.status_code < 300 or answer.get_json()["code"] == "member_has_left", answer.text
    return {"path": {"member": "m3"}}


def imported(room: Room) -> dict[str, Any]:
    """An import of earlier evenings, made by this request or an earlier one."""
    headers = {
        "Authorization": f"Bearer {room.group.tokens['host']}",
        "Idempotency-Key": "imported before",
    }
    body = import_body(b"Date;Ada;Bo\n2023-12-29;7;-7\n", settled=True)
    answer = room.client.post(f"/v1/groups/{room.group.id}/imports", json=body, headers=headers)
    assert answer.status_code == 201, answer.text
    return {"path": {"number": answer.get_json()["number"]}}


def open_transfers(room: Room) -> list[dict[str, Any]]:
    """What two members owe a third after a closed evening, which is played once."""

    def post(path: str, body: Any, token: str) -> Any:
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": path, "If-Match": "*"}
        answer = room.client.post(path, json=body, headers=headers)
        assert answer.status_code == 201, answer.text
        return answer.get_json()

    agreed = {"game": "polskt_pass", "members": ["m1", "m2", "m4"], "currency": "DKK"}
    sessions = f"/v1/groups/{room.group.id}/sessions"
    evening = post(sessions, agreed, room.group.tokens["host"])
    path, host = f"/v1/sessions/{evening['id']}", evening["tokens"]["host"]
    post(f"{path}/costs", {"payer": "p1", "amount": 300}, host)
    post(f"{path}/closure", {}, host)
    return [
        {
            "line_sha256": member[1] * 64,
            "session": evening["id"],
            "from": member,
            "to": "m1",
            "amount": 100,
            "open_amount": 100,
        }
        for member in ("m2", "m4")  # m3 leaves in other examples
    ]


def used_line(room: Room) -> dict[str, Any]:
    """A used line of a bank file, approved here."""
    approval = open_transfers(room)[1]
    headers = {
        "Authorization": f"Bearer {room.group.tokens['host']}",
        "Idempotency-Key": "a line before",
    }
    path = f"/v1/groups/{room.group.id}/bank-lines"
    answer = room.client.post(path, json={"lines": [approval], "currency": "DKK"}, headers=headers)
    assert answer.status_code == 201, answer.text
    return {"path": {"line": approval["line_sha256"]}}


def closed(room: Room) -> dict[str, Any]:
    """A session that can be reopened: closed by this request or an earlier one."""
    headers = {
        "Authorization": f"Bearer {room.session.tokens['host']}",
        "Idempotency-Key": "closed before",
        "If-Match": "*",
    }
    path = f"/v1/sessions/{room.session.id}/closure"
    answer = room.client.post(path, json={}, headers=headers)
    is_closed = answer.status_code < 300 or answer.get_json()["code"] == "session_closed"
    assert is_closed, answer.text
    return {}


def cosigned_version(room: Room) -> dict[str, Any]:
    """What a phone signs for this session."""
    right = {"Authorization": f"Bearer {room.session.tokens['host']}"}
    path = f"/v1/sessions/{room.session.id}/receipts/2"
    text = note_text(room.client.get(path, headers=right).get_json()["checkpoint"])
    key, name = phone_key("p1"), cosigner_name(UUID(room.session.id), "p1")
    signature = b64encode(cosign(key, name, text, AT)).decode()
    return {
        "path": {"key": public_bytes(key).hex()},
        "body": {"version": 2, "player": "p1", "signature": signature},
    }


def witnessed_version(room: Room) -> dict[str, Any]:
    """What another book signs for this session."""
    right = {"Authorization": f"Bearer {room.session.tokens['host']}"}
    path = f"/v1/sessions/{room.session.id}/receipts/2"
    text = note_text(room.client.get(path, headers=right).get_json()["checkpoint"])
    key, name = phone_key("kortklubben"), "kortklubben.example"
    signature = b64encode(cosign(key, name, text, AT)).decode()
    return {
        "path": {"key": public_bytes(key).hex()},
        "body": {"version": 2, "name": name, "signature": signature},
    }


EXAMPLE_PARTS: dict[str, Callable[[Room], dict[str, Any]]] = {
    "endDeviceAccess": lambda room: {"path": {"device": "phone3"}},
    "approveJoinRequest": lambda room: {"path": {"number": 1}},
    "refuseJoinRequest": lambda room: {"path": {"number": 1}},
    "getDeal": lambda room: {"path": {"deal": 1}},
    "getCost": recorded_cost,
    "correctCost": recorded_cost,
    "voidCost": recorded_cost,
    "correctDeal": lambda room: {"path": {"deal": 1}},
    "previewCorrection": lambda room: {"path": {"deal": 1}},
    "approveBankLines": lambda room: {
        "body": {"lines": [open_transfers(room)[0]], "currency": "DKK"}
    },
    "releaseBankLine": used_line,
    "reopenSession": closed,
    "returnToGroup": departed,
    "getImport": imported,
    "voidImport": imported,
    "voidDeal": lambda room: {"path": {"deal": 1}},
    "getReceipt": lambda room: {"path": {"version": 2}},
    "getPaymentCode": payment_code,
    "addCosignature": cosigned_version,
    "addWitness": witnessed_version,
    "openGroupSession": lambda room: {
        "body": {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}
    },
    "addSession": lambda room: {
        "path": {"session": room.alone.id},
        "body": {"token": room.alone.tokens["host"], "members": {"p3": "m3"}},
    },
}
