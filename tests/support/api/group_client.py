"""A group driven through Flask's test client, and sessions of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from flask import Flask
from flask.testing import FlaskClient
from psycopg import sql
from werkzeug.test import TestResponse

from tests.support.api.session_client import SessionClient, TokenClient, keys
from tests.support.worked_evenings import E3, lines

FIVE = ("Ada", "Bo", "Cilla", "Disa", "Emil")


@dataclass
class GroupClient(TokenClient):
    """A group through the test client."""

    @property
    def path(self) -> str:
        return f"/v1/groups/{self.id}"

    def get(self, path: str = "", role: str | None = "viewer", **headers: str) -> TestResponse:
        return super().get(path, role, **headers)

    def gather(self, *members: str, status: int = 201, **agreed: Any) -> SessionClient:
        """Open a session of the group, for all members unless some are named."""
        seated = list(members) or [m["id"] for m in self.state["members"]]
        body = {"game": "polskt_pass", "members": seated, **agreed}
        answer = self.write("/sessions", body)
        assert answer.status_code == status, answer.json
        return SessionClient(self.client, answer.json["id"], answer.json["tokens"])

    @property
    def season(self) -> dict[str, Any]:
        return {m["id"]: m for m in self.get("/standings").json["members"]}


def founded(client: FlaskClient, *names: str, name: str = "Torsdagar") -> GroupClient:
    body = {"name": name, "members": [{"name": member} for member in names]}
    answer = client.post(
        "/v1/groups",
        json=body,
        headers={"Idempotency-Key": f"a group with a key of its own, {next(keys)}"},
    )
    assert answer.status_code == 201, answer.json
    return GroupClient(client, answer.json["id"], answer.json["tokens"])


def play(session: SessionClient, evening: str) -> None:
    for line in lines(evening):
        assert session.act(*line.actions()).status_code == 201


def settle(app: Flask, session: SessionClient) -> None:
    """Settle the payments that are due, as a worker does."""
    app.extensions["store"].settle(UUID(session.id))


TEXTS = {
    "group_members": "name || matching_key",
    "players": "name || matching_key",
    "remarks": "remark",
    "stored_replies": "operands::text",
    "group_stored_replies": "operands::text",
    "devices": "label",
    "join_requests": "label",
}
"""The tables that can hold a name, and the SQL expression of the text that holds it."""


def kept_anywhere(app: Flask, name: str, *ids: str) -> list[str]:
    """Return the tables that still hold a name, in rows of this group and these sessions."""
    rows = []
    with app.extensions["store"].pool.connection() as db:
        for table_name, text in TEXTS.items():
            of = "group_id" if table_name.startswith("group_") else "session_id"
            query = sql.SQL(
                "SELECT count(*) FROM vola.{} WHERE {}::text = ANY(%s) AND " + text + " ILIKE %s"
            ).format(sql.Identifier(table_name), sql.Identifier(of))
            [(count,)] = db.execute(query, (list(ids), f"%{name}%")).fetchall()
            rows += [table_name] * count
    return rows


def e3_closed(group: GroupClient) -> SessionClient:
    """Play E3 and close it with its bets still on the table (docs/rules.md §8: Σ −130 + 130)."""
    session = group.gather()
    play(session, E3)
    assert session.write("/closure", {}, match="*").status_code == 201
    return session


def phone(app: Flask, group: GroupClient) -> GroupClient:
    """Return another phone's client, with the same tokens."""
    return GroupClient(app.test_client(), group.id, group.tokens)


def seat(app: Flask, session: SessionClient) -> SessionClient:
    return SessionClient(app.test_client(), session.id, session.tokens)


def sessions(group: GroupClient) -> list[SessionClient]:
    """Return every session, with the host's token that the group's host gets for it."""
    return [
        SessionClient(group.client, e["session"], {"host": e["path"].rpartition("/")[2]})
        for e in group.get(role="host").json["sessions"]
    ]


def clean(group: GroupClient) -> bool:
    return all(session.get("/audit").json["findings"] == [] for session in sessions(group))


def evening_of_payments(
    group: GroupClient,
    *payments: tuple[str, str, int],
    currency: str = "SEK",
    closed: bool = True,
) -> SessionClient:
    """Open a session of all members in which no deal is played and players pay: (from, to,
    amount)."""
    session = group.gather(currency=currency)
    for payer, payee, amount in payments:
        paid = {"from": payer, "to": payee, "amount": amount}
        assert session.write("/transfers", paid, match="*").status_code == 201
    if closed:
        assert session.write("/closure", {}, match="*").status_code == 201
    return session
