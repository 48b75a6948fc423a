"""A line of a bank that may be a payment recorded already is not proposed as certain."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.api import bank_lines
from tests.support.api.bank_lines import PIZZA, payment_row, preview
from tests.support.api.group_client import GroupClient
from tests.support.api.session_client import SessionClient

HALF = PIZZA // 2


@pytest.fixture
def pizza(group: GroupClient) -> SessionClient:
    """A closed evening in which Ada, Bo and Cilla owe Disa for a pizza."""
    return bank_lines.pizza_evening(group)


def status(line: Any) -> tuple[str, bool]:
    """Return the status of a line, and whether a fit says that it may be recorded already."""
    return line["status"], any("recorded" in fit["reasons"] for fit in line["transfers"])


def pay_half(group: GroupClient, session: SessionClient | None) -> None:
    if session:
        paid = {"from": "p1", "to": "p4", "amount": HALF}
        assert session.write("/transfers", paid, match="*").status_code == 201
    else:
        paid = {"from": "m1", "to": "m4", "amount": HALF, "currency": "SEK"}
        assert group.write("/transfers", paid).status_code == 201


@pytest.mark.parametrize("in_session", [True, False])
def test_the_half_that_was_recorded_by_hand_is_not_certain(
    group: GroupClient, pizza: SessionClient, in_session: bool
) -> None:
    (line,) = preview(group, payment_row("Ada", HALF))
    assert status(line) == ("proposed", False)
    pay_half(group, pizza if in_session else None)
    (line,) = preview(group, payment_row("Ada", HALF))
    assert status(line) == ("ambiguous", True)
    assert bank_lines.approve(group, bank_lines.approval(line)).status_code == 201, (
        "a person may know better"
    )


def test_a_line_of_the_other_account_is_not_certain(
    group: GroupClient, pizza: SessionClient
) -> None:
    (line,) = preview(group, payment_row("Ada", HALF))
    assert bank_lines.approve(group, bank_lines.approval(line)).status_code == 201
    (line,) = preview(group, (bank_lines.TOMORROW, -HALF, "Swish till Disa"), account="m1")
    assert status(line) == ("ambiguous", True)


def test_the_second_half_in_the_same_file_stays_certain(
    group: GroupClient, pizza: SessionClient
) -> None:
    first, second = payment_row("Ada", HALF), payment_row("Ada", HALF, days=3)
    line = preview(group, first)[0]
    assert bank_lines.approve(group, bank_lines.approval(line)).status_code == 201
    assert [status(line) for line in preview(group, first, second)] == [
        ("used", False),
        ("proposed", False),
    ]


def test_a_payment_that_was_taken_back_is_not_recorded(
    group: GroupClient, pizza: SessionClient
) -> None:
    (line,) = preview(group, payment_row("Ada", HALF))
    assert bank_lines.approve(group, bank_lines.approval(line)).status_code == 201
    assert bank_lines.release(group, line).status_code == 200
    assert status(preview(group, payment_row("Ada", HALF))[0]) == ("proposed", False)


def test_a_payment_weeks_later_is_another(group: GroupClient, pizza: SessionClient) -> None:
    pay_half(group, pizza)
    for days, expected in ((5, ("ambiguous", True)), (8, ("proposed", False))):
        assert status(preview(group, payment_row("Ada", HALF, days=days))[0]) == expected
