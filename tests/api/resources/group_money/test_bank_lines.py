"""Lines of a bank's file are proposed, approved once, released, and never stored."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from ledger.events.timestamps import to_microseconds
from ledger.groups.bank_lines import line_approval
from ledger.groups.group_events import BankLineUsed
from tests.support.api.balance_import import import_body
from tests.support.api.bank_lines import (
    PIZZA,
    TOMORROW,
    approval,
    approve,
    payment_row,
    pizza_evening,
    preview,
    release,
)
from tests.support.api.group_client import (
    GroupClient,
    clone_client,
    find_tables_with_name,
    has_no_findings,
)
from tests.support.api.session_client import SessionClient
from tests.support.api.simultaneous_calls import call_simultaneously
from tests.support.ledger.bank_files import BANK_FILES, semicolon_file
from tests.support.ledger.stored_groups import append_events


@pytest.fixture
def pizza(group: GroupClient) -> SessionClient:
    """A closed evening in which Ada, Bo and Cilla owe Disa for a pizza."""
    return pizza_evening(group)


@pytest.mark.parametrize("write", BANK_FILES.values(), ids=BANK_FILES)
def test_a_line_is_proposed_with_its_reasons(
    group: GroupClient, pizza: SessionClient, write: Any
) -> None:
    rows = [
        payment_row("Ada A"),
        payment_row("Bo"),
        (TOMORROW, -9900, "ICA, mat"),
        payment_row("Emil"),
    ]
    ada, bo, shop, emil = preview(group, *rows, write=write)
    assert [line["status"] for line in (ada, bo, shop, emil)] == [
        "proposed",
        "proposed",
        "left_over",
        "left_over",
    ]
    assert ada["transfers"] == [
        {
            "session": pizza.id,
            "number": 1,
            "title": "Fredag",
            "from": "m1",
            "to": "m4",
            "open_amount": PIZZA,
            "reasons": ["amount", "name", "message", "date"],
        }
    ]


def test_approved_lines_settle_the_evening(group: GroupClient, pizza: SessionClient) -> None:
    lines = preview(group, payment_row("Ada"), payment_row("Bo"), payment_row("Cilla"))
    answer = approve(group, *map(approval, lines))
    assert answer.status_code == 201, answer.json
    used = answer.json["lines"]
    assert [line["from"] for line in used] == ["m3", "m2", "m1"]
    assert [line["session"] for line in used] == [pizza.id] * 3
    assert set(pizza.state["balances"].values()) == {0}
    assert pizza.get("/settlement").json["transfers"] == []
    assert pizza.get("/audit").json["findings"] == []
    assert [line["status"] for line in preview(group, payment_row("Ada"), payment_row("Bo"))] == [
        "used"
    ] * 2


def test_a_line_used_after_midnight_was_used_on_the_new_day(
    group: GroupClient, pizza: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    (line,) = preview(group, payment_row("Ada"))
    after_midnight = to_microseconds(datetime.fromisoformat("2026-07-01T00:30+02:00"))

    def refuse(*_: object) -> None:
        raise line_approval.LineAlreadyUsed(line["line_sha256"], after_midnight)

    monkeypatch.setattr(line_approval, "approve_lines", refuse)
    assert approve(group, approval(line)).json["day"] == "2026-07-01"


def test_an_outgoing_line_pays_what_the_account_holder_owes(
    group: GroupClient, pizza: SessionClient
) -> None:
    (line,) = preview(group, (TOMORROW, -PIZZA, "Swish till Disa"), account="m2")
    assert approve(group, approval(line)).status_code == 201
    assert pizza.state["balances"] == {"p1": -PIZZA, "p2": 0, "p3": -PIZZA, "p4": 2 * PIZZA}


def test_a_line_is_used_once(group: GroupClient, pizza: SessionClient) -> None:
    (line,) = preview(group, payment_row("Ada"))
    assert approve(group, approval(line)).status_code == 201
    bo = {**approval(line), "from": "m2"}
    answer = approve(group, bo)
    assert (answer.status_code, answer.json["code"]) == (409, "bank_line_used")
    assert answer.json["day"] in answer.json["detail"]
    assert answer.json["line"] == line["line_sha256"]
    assert len(pizza.get("/events").json["events"]) == pizza.version


def test_a_repeated_request_records_nothing_more(group: GroupClient, pizza: SessionClient) -> None:
    (line,) = preview(group, payment_row("Ada"))
    first = approve(group, approval(line), key="once")
    version = pizza.version
    again = approve(group, approval(line), key="once")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.data == first.data
    assert pizza.version == version
    other = approve(group, {**approval(line), "amount": 1}, key="once")
    assert (other.status_code, other.json["code"]) == (422, "idempotency_key_reused")


def test_bank_lines_are_approved_all_or_none(group: GroupClient, pizza: SessionClient) -> None:
    lines = preview(group, payment_row("Ada"), payment_row("Bo"))
    pizza.write("/transfers", {"from": "p2", "to": "p4", "amount": PIZZA}, match="*")
    version = pizza.version
    answer = approve(group, *map(approval, lines))
    assert (answer.status_code, answer.json["code"]) == (409, "transfer_not_open")
    assert answer.json["line"] == lines[1]["line_sha256"]
    assert pizza.version == version
    assert group.get("/bank-lines").json["lines"] == []


@pytest.mark.parametrize(
    "change",
    [{"open_amount": PIZZA + 1}, {"amount": PIZZA + 1}, {"from": "m5"},
     {"from": "m4", "to": "m1"}, {"session": str(UUID(int=7))}, {"session": None}],
    ids=str,
)  # fmt: skip
def test_what_is_not_open_is_refused(
    group: GroupClient, pizza: SessionClient, change: dict[str, Any]
) -> None:
    (line,) = preview(group, payment_row("Ada"))
    answer = approve(group, {**approval(line), **change})
    assert (answer.status_code, answer.json["code"]) == (409, "transfer_not_open")


def test_a_line_in_another_currency_pays_nothing(group: GroupClient, pizza: SessionClient) -> None:
    (line,) = preview(group, payment_row("Ada"))
    answer = group.write("/bank-lines", {"lines": [approval(line)], "currency": "DKK"})
    assert (answer.status_code, answer.json["code"]) == (409, "transfer_not_open")
    assert [line["status"] for line in preview(group, payment_row("Ada"), currency="DKK")] == [
        "left_over"
    ]


def test_two_lines_do_not_pay_one_transfer(group: GroupClient, pizza: SessionClient) -> None:
    lines = preview(group, payment_row("Ada"), payment_row("Ada"))
    assert [line["status"] for line in lines] == ["ambiguous", "ambiguous"]
    answer = approve(group, *map(approval, lines))
    assert (answer.status_code, answer.json["code"]) == (409, "transfer_not_open")
    answer = approve(group, approval(lines[0]), approval(lines[0]))
    assert answer.status_code == 422
    assert answer.json["errors"][0]["code"] == "same_line"
    assert approve(group, approval(lines[0])).status_code == 201
    assert [line["status"] for line in preview(group, payment_row("Ada"), payment_row("Ada"))] == [
        "used",
        "left_over",
    ]


def test_a_part_leaves_the_rest_open(group: GroupClient, pizza: SessionClient) -> None:
    (line,) = preview(group, payment_row("Ada", 5000))
    assert approve(group, approval(line)).status_code == 201
    (rest,) = preview(group, payment_row("Ada", PIZZA - 5000))
    assert rest["transfers"][0]["open_amount"] == PIZZA - 5000
    assert rest["status"] == "proposed"


def test_an_approval_taken_back_opens_the_transfer_again(
    group: GroupClient, pizza: SessionClient
) -> None:
    (line,) = preview(group, payment_row("Ada"))
    approve(group, approval(line))
    answer = release(group, line, key="back")
    assert (answer.status_code, answer.json) == (200, {"lines": []})
    assert release(group, line, key="back").headers["Idempotency-Replayed"] == "true"
    transfers = [e["data"] for e in pizza.get("/events").json["events"]][-2:]
    assert [(t["payer"], t["payee"], t["amount"]) for t in transfers] == [
        ("p1", "p4", PIZZA),
        ("p4", "p1", PIZZA),
    ]
    answer = release(group, line)
    assert (answer.status_code, answer.json["code"]) == (404, "bank_line_not_used")
    (again,) = preview(group, payment_row("Ada"))
    assert again["status"] == "proposed"
    assert approve(group, approval(again)).status_code == 201
    assert pizza.get("/audit").json["findings"] == []


def test_a_line_is_approved_and_taken_back_again_and_again(
    group: GroupClient, pizza: SessionClient
) -> None:
    owed = pizza.state["balances"]
    for _ in range(2):
        (line,) = preview(group, payment_row("Ada"))
        assert approve(group, approval(line)).status_code == 201
        assert release(group, line).status_code == 200
        assert pizza.state["balances"] == owed
    assert has_no_findings(group)


def test_two_evenings_are_paid_at_once_over_the_group(group: GroupClient) -> None:
    first, second = pizza_evening(group), pizza_evening(group)
    (line,) = preview(group, payment_row("Ada", 2 * PIZZA))
    assert line["transfers"][0]["session"] is None
    answer = approve(group, approval(line))
    assert answer.status_code == 201, answer.json
    assert answer.json["lines"][0]["session"] is None
    # Ada owes nothing more, although the balances of both sessions are unchanged
    assert [line["status"] for line in preview(group, payment_row("Ada"))] == ["left_over"]
    assert first.state["balances"]["p1"] == second.state["balances"]["p1"] == -PIZZA
    assert [line["status"] for line in preview(group, payment_row("Bo"))] == ["ambiguous"]
    release(group, line)
    assert [line["status"] for line in preview(group, payment_row("Ada", 2 * PIZZA))] == [
        "proposed"
    ]


@pytest.mark.parametrize("first_is_total", [True, False])
def test_a_debt_is_not_paid_by_evening_and_over_the_group(
    group: GroupClient, first_is_total: bool
) -> None:
    pizza_evening(group), pizza_evening(group)
    total, part = preview(group, payment_row("Ada", 2 * PIZZA), payment_row("Ada"))
    assert total["transfers"][0]["session"] is None
    assert part["transfers"][0]["session"] is not None
    approvals = [approval(total), approval(part)]
    answer = approve(group, *(approvals if first_is_total else approvals[::-1]))
    assert (answer.status_code, answer.json["code"]) == (409, "transfer_not_open")
    assert group.get("/bank-lines", role="host").json["lines"] == []


def test_lines_that_cannot_be_approved_together_are_ambiguous(group: GroupClient) -> None:
    pizza_evening(group)
    second = group.open_session("m1", "m2", "m3", "m4", title="Torsdag")
    second.write("/costs", {"payer": "p4", "amount": 3 * PIZZA, "parts": {"p1": 1, "p2": 1}})
    second.write("/closure", {}, match="*")
    rows = [payment_row("Ada"), payment_row("Ada", PIZZA + PIZZA * 3 // 2), payment_row("Cilla")]
    first, total, cilla = preview(group, *rows)
    assert [line["transfers"][0]["session"] is None for line in (first, total)] == [False, True]
    assert [line["status"] for line in (first, total)] == ["ambiguous", "ambiguous"]
    assert cilla["status"] == "proposed"
    assert [line["status"] for line in preview(group, *rows[::2])] == ["proposed"] * 2
    assert approve(group, approval(first), approval(cilla)).status_code == 201


def test_two_lines_pay_no_more_than_is_open_since_a_payment(group: GroupClient) -> None:
    pizza_evening(group), pizza_evening(group)
    paid = {"from": "m1", "to": "m4", "amount": PIZZA, "currency": "SEK"}
    assert group.write("/transfers", paid).status_code == 201
    lines = preview(group, payment_row("Ada"), payment_row("Ada", days=1))
    answer = approve(group, *(approval(line, place) for place, line in enumerate(lines)))
    assert (answer.status_code, answer.json["code"]) == (409, "transfer_not_open")
    assert approve(group, approval(lines[0])).status_code == 201


def test_of_phones_that_approve_a_line_at_once_one_does(
    app: Flask, group: GroupClient, pizza: SessionClient
) -> None:
    """Another line of the same amount is approved at the same time."""
    ada, bo = map(approval, preview(group, payment_row("Ada"), payment_row("Bo")))
    phones = [clone_client(app, group) for _ in range(12)]
    answers = call_simultaneously(
        *(lambda p=p, n=n: approve(p, bo if n == 5 else ada) for n, p in enumerate(phones))
    )
    codes = Counter(a.json["code"] if a.status_code != 201 else "" for a in answers)
    assert codes == {"": 2, "bank_line_used": 10}
    assert len(group.get("/bank-lines").json["lines"]) == 2
    assert pizza.state["balances"] == {"p1": 0, "p2": 0, "p3": -PIZZA, "p4": PIZZA}
    assert has_no_findings(group)


def test_one_key_many_times_at_once_records_one_transfer(
    app: Flask, group: GroupClient, pizza: SessionClient
) -> None:
    (line,) = preview(group, payment_row("Ada"))
    version, phones = pizza.version, [clone_client(app, group) for _ in range(12)]
    answers = call_simultaneously(
        *(lambda p=p: approve(p, approval(line), key="once") for p in phones)
    )
    assert Counter(answer.status_code for answer in answers) == {201: 12}
    assert len({answer.data for answer in answers}) == 1
    assert pizza.version == version + 1


def test_what_is_carried_forward_is_paid_where_it_was_carried_to(
    group: GroupClient, pizza: SessionClient
) -> None:
    (line,) = preview(group, payment_row("Ada"))
    approve(group, approval(line))
    second = group.open_session("m1", "m2", "m3", "m4", carry=True)
    answer = release(group, line)
    assert (answer.status_code, answer.json["code"]) == (409, "already_carried_forward")
    second.write("/closure", {}, match="*")
    (line,) = preview(group, payment_row("Bo"))
    assert [transfer["session"] for transfer in line["transfers"]] == [second.id]


def test_a_member_who_has_left_owes_nothing_of_the_old_evenings(group: GroupClient) -> None:
    pizza_evening(group)
    body = {"agreement": "write_off", "borne_by": ["m4"]}
    answer = group.write("/members/m1/departure", body)
    assert answer.status_code == 201, answer.json
    assert [line["status"] for line in preview(group, payment_row("Ada"))] == ["left_over"]


@pytest.mark.parametrize("former", ["m1", "m4"])
def test_the_approval_of_a_member_who_has_left_stays(group: GroupClient, former: str) -> None:
    transfer = {"from": "m4", "to": "m1", "amount": PIZZA, "currency": "SEK"}
    group.write("/transfers", transfer)
    (line,) = preview(group, payment_row("Ada"))
    assert approve(group, approval(line)).status_code == 201
    assert group.write(f"/members/{former}/departure", {}).status_code == 201
    answer = release(group, line)
    assert (answer.status_code, answer.json["code"]) == (409, "member_has_left")
    group.write(f"/members/{former}/departure", method="DELETE")
    assert release(group, line).status_code == 200


@pytest.mark.parametrize("parties", [("m1", "m2"), ("p1", "p2")])
def test_a_line_of_an_evening_of_no_group_is_not_released(
    app: Flask, group: GroupClient, parties: tuple[str, str]
) -> None:
    """An archive may say that there is one."""
    (payer, payee), line = parties, {"line_sha256": "0" * 64}
    used = {"payer": payer, "payee": payee, "amount": 5, "currency": "SEK"}
    event = BankLineUsed(**line, session=str(UUID(int=1)), **used)
    append_events(app.extensions["store"].pool, UUID(group.id), [event])
    answer = release(group, line)
    assert (answer.status_code, answer.json["code"]) == (404, "bank_line_not_used")


def test_what_is_owed_without_an_evening_is_paid_over_the_group(group: GroupClient) -> None:
    transfer = {"from": "m4", "to": "m1", "amount": PIZZA, "currency": "SEK"}
    assert group.write("/transfers", transfer).status_code == 201
    (line,) = preview(group, payment_row("Ada"))
    (fit,) = line["transfers"]
    assert (fit["session"], "message" in fit["reasons"]) == (None, True)
    assert approve(group, approval(line)).status_code == 201
    assert [line["status"] for line in preview(group, payment_row("Ada", PIZZA, 1))] == [
        "left_over"
    ]


def test_an_import_settles_no_evening(group: GroupClient) -> None:
    """What is left open before the book and in an evening are two debts, as of two evenings."""
    file = f"date;Ada;Disa\n2020-01-03;{PIZZA // 100},50;-{PIZZA // 100},50\n".encode()
    imported = group.write("/imports", import_body(file, settled=False))
    assert imported.status_code == 201, imported.json
    evening = pizza_evening(group)
    (line,) = preview(group, payment_row("Ada"))
    assert [fit["session"] for fit in line["transfers"]] == [evening.id]
    assert approve(group, approval(line)).status_code == 201
    assert evening.state["balances"]["p1"] == 0


def test_an_open_evening_is_left_alone(group: GroupClient) -> None:
    session = group.open_session("m1", "m2", "m3", "m4")
    session.write("/costs", {"payer": "p4", "amount": 4 * PIZZA})
    lines = preview(group, payment_row("Ada"))
    assert all(fit["session"] is None for line in lines for fit in line["transfers"])


def test_nothing_of_the_file_is_stored(
    app: Flask, group: GroupClient, pizza: SessionClient
) -> None:
    (line,) = preview(group, (TOMORROW, PIZZA, "SWISH ADA, kvittens 4711"))
    approve(group, approval(line))
    assert find_tables_with_name(app, "kvittens", group.id, pizza.id) == []
    with app.extensions["store"].pool.connection() as db:
        rows = db.execute("SELECT data FROM vola.group_events WHERE group_id = %s", [group.id])
        assert "4711" not in str(rows.fetchall())


def test_only_the_host_sees_a_file_and_approves(
    app: Flask, group: GroupClient, pizza: SessionClient
) -> None:
    (line,) = preview(group, payment_row("Ada"))
    file = {"file": b64encode(semicolon_file([payment_row("Ada")])).decode(), "account": "m4"}
    for role in ("viewer", "scorer"):
        assert group.write("/bank-lines/preview", file, role=role).status_code == 403
        assert approve(group, approval(line), role=role).status_code == 403
        assert release(group, line, role=role).status_code == 403
    assert clone_client(app, group).get("/bank-lines", role="viewer").status_code == 200


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"account": "m99"}, 404, "unknown_member"),
        ({"account": "Disa"}, 422, "wrong_shape"),
        ({"file": "not base64!"}, 422, "wrong_shape"),
        ({"file": b64encode(b"PK\x03\x04").decode()}, 422, "table_unreadable"),
        ({"columns": {"date": 1}}, 422, "wrong_shape"),
        ({"columns": {"date": 1, "amount": 50}}, 422, "table_unreadable"),
        ({"currency": "XXXX"}, 422, "wrong_shape"),
        ({"date_order": "ydm"}, 422, "wrong_shape"),
    ],
    ids=str,
)
def test_a_bad_file_is_refused_in_a_sentence(
    group: GroupClient, change: dict[str, Any], status: int, code: str
) -> None:
    file = {"file": b64encode(semicolon_file([payment_row("Ada")])).decode(), "account": "m4"}
    answer = group.write("/bank-lines/preview", {**file, **change})
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert answer.json["detail"]
