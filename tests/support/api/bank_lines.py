"""Lines of a bank in tests: an evening with a debt, a line that pays it, and what is said of it."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime, timedelta
from typing import Any

from werkzeug.test import TestResponse

from tests.support.api.group_client import GroupClient
from tests.support.api.session_client import SessionClient
from tests.support.ledger.bank_files import Row, semicolon_file

TOMORROW = datetime.now(UTC).date() + timedelta(1)
PIZZA = 10_750
"""What each of four owes Disa for a pizza of 430 kr."""


def pizza_evening(group: GroupClient) -> SessionClient:
    """Return a closed evening in which Ada, Bo and Cilla owe Disa for a pizza."""
    session = group.open_session("m1", "m2", "m3", "m4", title="Fredag")
    parts = {"p1": 1, "p2": 1, "p3": 1, "p4": 1}
    body = {"payer": "p4", "amount": 4 * PIZZA, "parts": parts}
    assert session.write("/costs", body).status_code == 201
    assert session.write("/closure", {}, match="*").status_code == 201
    return session


def payment_row(name: str, amount: int = PIZZA, days: int = 0) -> Row:
    return (TOMORROW + timedelta(days), amount, f"SWISH {name.upper()}, Vola")


def preview(group: GroupClient, *rows: Row, account: str = "m4", **more: Any) -> Any:
    content = b64encode(more.pop("write", semicolon_file)(rows)).decode()
    answer = group.client.post(
        f"{group.path}/bank-lines/preview",
        json={"file": content, "account": account, **more},
        headers={"Authorization": f"Bearer {group.tokens['host']}"},
    )
    assert answer.status_code == 200, answer.json
    assert answer.headers["Cache-Control"] == "no-store"  # it is an extract of an account
    return answer.json["lines"]


def approval(line: Any, place: int = 0) -> dict[str, Any]:
    transfer = line["transfers"][place]
    return {
        "line_sha256": line["line_sha256"],
        "amount": abs(line["amount"]),
        **{key: transfer[key] for key in ("session", "from", "to", "open_amount")},
    }


def approve(group: GroupClient, *approvals: dict[str, Any], **more: Any) -> TestResponse:
    body = {"lines": list(approvals), "currency": "SEK", "method": "swish"}
    return group.write("/bank-lines", body, **more)


def release(group: GroupClient, line: Any, **more: Any) -> TestResponse:
    return group.write(f"/bank-lines/{line['line_sha256']}", method="DELETE", **more)
