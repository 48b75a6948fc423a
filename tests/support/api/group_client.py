"""A group driven through Flask's test client, and sessions of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar
from uuid import UUID

from flask import Flask
from flask.testing import FlaskClient
from psycopg import sql
from werkzeug.test import TestResponse

from tests.support.api.session_client import SessionClient, TokenClient, keys
from tests.support.worked_evenings import E3, lines

Client = TypeVar("Client", bound=TokenClient)


@dataclass
class GroupClient(TokenClient):
    """A group through the test client; `sessions` are those that a helper has played in it."""

    sessions: tuple[SessionClient, ...] = ()

    @property
    def path(self) -> str:
        return f"/v1/groups/{self.id}"

    def get(self, path: str = "", role: str | None = "viewer", **headers: str) -> TestResponse:
        return super().get(path, role, **headers)

    def open_session(self, *members: str, status: int = 201, **fields: Any) -> SessionClient:
        """Open a session of the group, for all members unless some are named."""
        seated = list(members) or [m["id"] for m in self.state["members"]]
        body = {"game": "polskt_pass", "members": seated, **fields}
        answer = self.write("/sessions", body)
        assert answer.status_code == status, answer.json
        return SessionClient(self.client, answer.json["id"], answer.json["tokens"])

    @property
    def standings_by_member(self) -> dict[str, Any]:
        return {m["id"]: m for m in self.get("/standings").json["members"]}


def create_group(client: FlaskClient, *names: str, name: str = "Torsdagar") -> GroupClient:
    """Create a group of members with these names."""
    body = {"name": name, "members": [{"name": member} for member in names]}
    answer = client.post(
        "/v1/groups",
        json=body,
        headers={"Idempotency-Key": f"a group with a key of its own, {next(keys)}"},
    )
    assert answer.status_code == 201, answer.json
    return GroupClient(client, answer.json["id"], answer.json["tokens"])


def play_deals(session: SessionClient, table: str) -> None:
    """Play every deal of a worked evening, such as E3."""
    for line in lines(table):
        assert session.act(*line.actions()).status_code == 201


def settle_payments(app: Flask, session: SessionClient) -> None:
    """Settle the payments that are due, as a worker does."""
    app.extensions["store"].settle(UUID(session.id))


NAME_COLUMNS = {
    "group_members": "name || matching_key",
    "players": "name || matching_key",
    "remarks": "remark",
    "sessions": "title",
    "stored_replies": "operands::text",
    "group_stored_replies": "operands::text",
    "devices": "label",
    "join_requests": "label",
}
"""The SQL expression of the text that can hold a name, by its table."""


def find_tables_with_name(app: Flask, name: str, *ids: str) -> list[str]:
    """Return the tables that hold a name in rows of these groups and sessions."""
    rows = []
    with app.extensions["store"].pool.connection() as db:
        for table_name, expression in NAME_COLUMNS.items():
            owner = "group_id" if table_name.startswith("group_") else "session_id"
            query = sql.SQL(
                "SELECT count(*) FROM vola.{} WHERE {}::text = ANY(%s) AND "
                + expression
                + " ILIKE %s"
            ).format(sql.Identifier(table_name), sql.Identifier(owner))
            [(count,)] = db.execute(query, (list(ids), f"%{name}%")).fetchall()
            rows += [table_name] * count
    return rows


def play_and_close_e3(group: GroupClient) -> SessionClient:
    """Play E3 and close it with its bets still on the table (docs/rules.md §8: Σ −130 + 130)."""
    session = group.open_session()
    play_deals(session, E3)
    assert session.write("/closure", {}, match="*").status_code == 201
    return session


def clone_client(app: Flask, original: Client) -> Client:
    """Return the client of another phone, with the same tokens."""
    return replace(original, client=app.test_client())


def list_sessions(group: GroupClient) -> list[SessionClient]:
    """Return every session, with the host's token that the group's host gets for it."""
    return [
        SessionClient(group.client, entry["session"], {"host": entry["path"].rpartition("/")[2]})
        for entry in group.get(role="host").json["sessions"]
    ]


def has_no_findings(group: GroupClient) -> bool:
    """Return whether the audit finds nothing in any session of the group."""
    return all(session.get("/audit").json["findings"] == [] for session in list_sessions(group))


def open_session_with_payments(
    group: GroupClient,
    *payments: tuple[str, str, int],
    currency: str = "SEK",
    closed: bool = True,
) -> SessionClient:
    """Open a session of all members in which no deal is played and players pay: (from, to,
    amount)."""
    session = group.open_session(currency=currency)
    for payer, payee, amount in payments:
        paid = {"from": payer, "to": payee, "amount": amount}
        assert session.write("/transfers", paid, match="*").status_code == 201
    if closed:
        assert session.write("/closure", {}, match="*").status_code == 201
    return session
