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
from tests.support.api.openapi_contract import OPERATIONS, SPEC, resolve
from tests.support.player_names import FOUR_PLAYERS
from tests.support.proofs.cosigned_documents import AT, phone_key

DEAL = [
    {"type": "open_deal", "number": 1},
    {"type": "declare", "players": ["p2"]},
    *[{"type": "trick", "winner": "p3"}] * 2,
    {"type": "la_vola", "player": "p3"},
    *[{"type": "trick", "winner": "p3"}] * 3,
]
ROTATE_TOKENS = {
    "session": "UPDATE vola.sessions SET token_generations = '{1,1,1}' WHERE session_id = %s",
    "group": "UPDATE vola.groups SET token_generations = '{1,1,1}' WHERE group_id = %s",
}
GENERATIONS = (1, 1, 1)

keys = count(1)


class ExampleSessions:
    """A session and its group, and other sessions and groups that are unrelated to them."""

    def __init__(self, app: Flask, owner_url: str) -> None:
        self.client = app.test_client(use_cookies=False)
        self.secret = app.extensions["session_metadata"].secret
        self.key = f"example {next(keys)}"
        self.session, self.alone, self.other = (self._play_session() for _ in range(3))
        self.group, self.other_group = self._open_group(), self._open_group()
        for session, group in ((self.session, self.group), (self.other, self.other_group)):
            assignment = {"token": session.tokens["host"], "members": {"p1": "m1", "p2": "m2"}}
            path = f"/v1/groups/{group.id}/sessions/{session.id}"
            self._post(path, assignment, group, "PUT")
        phones = {role: self._add_device(self.session, role) for role in ROLES}
        shut_out = self._add_device(self.session, "host")
        self._write(self.session, "/devices/phone4", method="DELETE")
        code = self._write(self.session, "/join-code", {})["code"]
        join_requests = [
            self._post("/v1/join-requests", {"code": code, "label": name}) for name in "ab"
        ]
        self._expired_tokens = {
            "session": {**self.session.tokens, "device": shut_out},
            "group": self.group.tokens,
        }
        with psycopg.connect(owner_url) as db:
            db.execute(ROTATE_TOKENS["session"], [self.session.id])
            db.execute(ROTATE_TOKENS["group"], [self.group.id])
        session_links = session_tokens(self.secret, UUID(self.session.id), GENERATIONS)
        group_links = group_tokens(self.secret, UUID(self.group.id), GENERATIONS)
        request_token = join_requests[1]["token"]
        self.session = TokenHolder(self.session.id, dict(session_links), phones, request_token)
        self.group = TokenHolder(self.group.id, dict(group_links))

    def holder(self, kind: str) -> TokenHolder:
        return self.session if kind == "session" else self.group

    def other_holders(self, kind: str) -> list[TokenHolder]:
        """Return other sessions and groups: first one of the same kind, then one that is related to
        this one but has tokens of its own, then unrelated ones."""
        if kind == "session":
            return [self.other, self.group, self.other_group, self.alone]
        return [self.other_group, self.session, self.other, self.alone]

    def expired_tokens(self, kind: str) -> dict[str, str]:
        """Return tokens that were valid until their generation changed."""
        return self._expired_tokens[kind]

    def request(self, name: str, ids: dict[str, str] | None = None) -> dict[str, Any]:
        """Return a request that succeeds with a sufficient token. It is always the same one, so
        that it can be repeated. `ids` replace the ids of this session and group."""
        operation = OPERATIONS[name]
        item = SPEC["paths"][operation["path"]]
        parts = EXAMPLE_PARTS.get(name, lambda _: {})(self)
        path = {"session": self.session.id, "group": self.group.id, **parts.get("path", {})}
        query, headers = dict(parts.get("query", {})), {}
        for reference in (*item.get("parameters", []), *operation.get("parameters", [])):
            parameter = resolve(reference)
            match parameter:
                case {"in": "path", "name": field}:
                    path.setdefault(field, parameter["example"])
                case {"in": "query", "name": field, "required": True}:
                    query.setdefault(field, parameter["example"])
                case {"in": "header", "name": "Idempotency-Key"}:
                    headers["HTTP_IDEMPOTENCY_KEY"] = self.key
                case {"in": "header", "name": "If-Match"}:
                    headers["HTTP_IF_MATCH"] = "*"
        body = b""
        if "requestBody" in operation:
            [(kind, media)] = resolve(operation["requestBody"])["content"].items()
            headers["CONTENT_TYPE"] = kind
            body = json.dumps(parts.get("body", media["example"])).encode()
        return {
            "method": operation["method"],
            "path": operation["path"].format(**{**path, **(ids or {})}),
            "query": urlencode(query),
            "headers": headers,
            "body": body,
        }

    def misshapen_requests(
        self, name: str, ids: dict[str, str] | None = None
    ) -> dict[str, dict[str, Any]]:
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

    def _play_session(self) -> TokenHolder:
        document = self._post("/v1/sessions", {"game": "polskt_pass", "players": FOUR_PLAYERS})
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
            "/v1/groups", {"name": "Torsdagar", "members": [*FOUR_PLAYERS[:3], {"name": "Emil"}]}
        )
        return TokenHolder(document["id"], document["tokens"])

    def _post(
        self, path: str, body: Any, holder: TokenHolder | None = None, method: str = "POST"
    ) -> Any:
        headers = {"Idempotency-Key": f"preparation of examples {next(keys)}"}
        if holder:
            headers["Authorization"] = f"Bearer {holder.tokens['host']}"
        request_body = {} if body is None else {"json": body}
        answer = self.client.open(path, method=method, headers=headers, **request_body)
        assert answer.status_code < 300, answer.text
        return answer.get_json()


def send_once(
    examples: ExampleSessions, holder: TokenHolder, path: str, body: Any, done_code: str = ""
) -> Any:
    """Send a request that the example needs, always with the same key. Return the response, which
    may be a refusal with `done_code`: an earlier request has already had this effect."""
    headers = {
        "Authorization": f"Bearer {holder.tokens['host']}",
        "Idempotency-Key": f"before: {path}",
        "If-Match": "*",
    }
    answer = examples.client.post(path, json=body, headers=headers)
    document = answer.get_json()
    assert answer.status_code < 300 or document["code"] == done_code, answer.text
    return document


def read_as_host(examples: ExampleSessions, path: str) -> Any:
    """Return what the host of the session reads there."""
    headers = {"Authorization": f"Bearer {examples.session.tokens['host']}"}
    return examples.client.get(
        f"/v1/sessions/{examples.session.id}{path}", headers=headers
    ).get_json()


def find_payment_code(examples: ExampleSessions) -> dict[str, Any]:
    """Return a payer and a payee of the payment plan, which decides who pays whom."""
    transfers = read_as_host(examples, "/settlement")["transfers"]
    line = next(t for t in transfers if "pot" not in (t["from"], t["to"]))
    return {
        "path": {"payer": line["from"], "payee": line["to"]},
        "query": {"kind": "swish", "number": "0701234567"},
    }


def prepare_cost(examples: ExampleSessions) -> dict[str, Any]:
    """Record the first cost, unless an earlier request has, so that one counts."""
    path = f"/v1/sessions/{examples.session.id}/costs"
    body = {"payer": "p4", "amount": 43000, "purpose": "Pizza"}
    send_once(examples, examples.session, path, body, done_code="session_closed")
    return {"path": {"cost": 1}}


def prepare_departure(examples: ExampleSessions) -> dict[str, Any]:
    """Let a member leave, unless an earlier request has, so that the member can return."""
    path = f"/v1/groups/{examples.group.id}/members/m3/departure"
    send_once(examples, examples.group, path, {}, done_code="member_has_left")
    return {"path": {"member": "m3"}}


def prepare_import(examples: ExampleSessions) -> dict[str, Any]:
    """Import earlier evenings, unless an earlier request has."""
    body = import_body(b"Date;Ada;Bo\n2023-12-29;7;-7\n", settled=True)
    path = f"/v1/groups/{examples.group.id}/imports"
    return {"path": {"number": send_once(examples, examples.group, path, body)["number"]}}


def prepare_open_transfers(examples: ExampleSessions) -> list[dict[str, Any]]:
    """Play and close a session once, and return what two members owe a third after it."""
    agreed = {"game": "polskt_pass", "members": ["m1", "m2", "m4"], "currency": "DKK"}
    sessions_path = f"/v1/groups/{examples.group.id}/sessions"
    document = send_once(examples, examples.group, sessions_path, agreed)
    session = TokenHolder(document["id"], document["tokens"])
    path = f"/v1/sessions/{session.id}"
    send_once(examples, session, f"{path}/costs", {"payer": "p1", "amount": 300})
    send_once(examples, session, f"{path}/closure", {})
    return [
        {
            "line_sha256": member[1] * 64,
            "session": session.id,
            "from": member,
            "to": "m1",
            "amount": 100,
            "open_amount": 100,
        }
        for member in ("m2", "m4")  # m3 leaves in other examples
    ]


def prepare_used_line(examples: ExampleSessions) -> dict[str, Any]:
    """Approve a line of a bank file, so that it is used."""
    approval = prepare_open_transfers(examples)[1]
    path = f"/v1/groups/{examples.group.id}/bank-lines"
    send_once(examples, examples.group, path, {"lines": [approval], "currency": "DKK"})
    return {"path": {"line": approval["line_sha256"]}}


def prepare_closure(examples: ExampleSessions) -> dict[str, Any]:
    """Close the session, unless an earlier request has, so that it can be reopened."""
    path = f"/v1/sessions/{examples.session.id}/closure"
    send_once(examples, examples.session, path, {}, done_code="session_closed")
    return {}


def sign_as_phone(examples: ExampleSessions) -> dict[str, Any]:
    """Return what a phone signs for this session."""
    name = cosigner_name(UUID(examples.session.id), "p1")
    return _sign_version(examples, "p1", name, {"player": "p1"})


def sign_as_witness(examples: ExampleSessions) -> dict[str, Any]:
    """Return what another book signs for this session."""
    name = "kortklubben.example"
    return _sign_version(examples, "kortklubben", name, {"name": name})


def _sign_version(
    examples: ExampleSessions, key_seed: str, name: str, signer: dict[str, str]
) -> dict[str, Any]:
    text = note_text(read_as_host(examples, "/receipts/2")["checkpoint"])
    key = phone_key(key_seed)
    signature = b64encode(cosign(key, name, text, AT)).decode()
    return {
        "path": {"key": public_bytes(key).hex()},
        "body": {"version": 2, **signer, "signature": signature},
    }


EXAMPLE_PARTS: dict[str, Callable[[ExampleSessions], dict[str, Any]]] = {
    "endDeviceAccess": lambda examples: {"path": {"device": "phone3"}},
    "approveJoinRequest": lambda examples: {"path": {"number": 1}},
    "refuseJoinRequest": lambda examples: {"path": {"number": 1}},
    "getDeal": lambda examples: {"path": {"deal": 1}},
    "getCost": prepare_cost,
    "correctCost": prepare_cost,
    "voidCost": prepare_cost,
    "correctDeal": lambda examples: {"path": {"deal": 1}},
    "previewCorrection": lambda examples: {"path": {"deal": 1}},
    "approveBankLines": lambda examples: {
        "body": {"lines": [prepare_open_transfers(examples)[0]], "currency": "DKK"}
    },
    "releaseBankLine": prepare_used_line,
    "reopenSession": prepare_closure,
    "returnToGroup": prepare_departure,
    "getImport": prepare_import,
    "voidImport": prepare_import,
    "voidDeal": lambda examples: {"path": {"deal": 1}},
    "getReceipt": lambda examples: {"path": {"version": 2}},
    "getPaymentCode": find_payment_code,
    "addCosignature": sign_as_phone,
    "addWitness": sign_as_witness,
    "openGroupSession": lambda examples: {
        "body": {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}
    },
    "addSession": lambda examples: {
        "path": {"session": examples.alone.id},
        "body": {"token": examples.alone.tokens["host"], "members": {"p3": "m3"}},
    },
}
