"""Deals that were entered from paper and what costs were for, in every format of a statement."""

from __future__ import annotations

import csv
import io
from typing import Any

import openpyxl
import pytest

from api.i18n.catalog import LANGUAGES, catalog
from tests.support.api.group_client import GroupClient, create_group
from tests.support.api.session_client import SessionClient
from tests.support.api.statement_text import STATEMENT_FORMATS, statement_text
from tests.support.api.two_sessions import read_journal
from tests.support.proofs.verifier import verify

PASSED = {"type": "all_pass"}
LATE = {"type": "open_deal", "late_entry": True}
PURPOSE = "Pizza: =1+1; med ost"


def play(session: SessionClient) -> None:
    """Play four deals, 1, 2 and 4 from paper; Disa pays two costs, one of them with a purpose."""
    for opening in (LATE, LATE, {"type": "open_deal"}, LATE):
        assert session.act(opening, PASSED).status_code == 201
    for body in ({"purpose": PURPOSE}, {}):
        answer = session.write("/costs", {"payer": "p4", "amount": 400, **body})
        assert answer.status_code == 201, answer.json


@pytest.fixture
def marked(session: SessionClient) -> SessionClient:
    play(session)
    return session


@pytest.fixture
def group(app: Any) -> GroupClient:
    group = create_group(app.test_client(), "Ada", "Bo", "Cilla", "Disa")
    play(group.open_session())
    return group


def marks_in_json(statement: Any) -> list[tuple[Any, Any, Any]]:
    lines = statement["lines"]
    return [(x["deal"], x.get("late_entry"), x.get("purpose")) for x in lines]


IN_JSON = [
    *[(1, True, None), (2, True, None), (3, None, None), (4, True, None)],
    *[(None, None, PURPOSE)] * 3,
    *[(None, None, None)] * 3,
]


def marks_in_csv(text: str, delimiter: str = ",") -> list[tuple[str, str]]:
    rows = csv.DictReader(io.StringIO(text.lstrip("\ufeff")), delimiter=delimiter)
    moved = [row for row in rows if row["amount"]]
    return [(row["late_entry"], row["purpose"]) for row in moved]


IN_CSV = [
    *[("true", ""), ("true", ""), ("", ""), ("true", "")],
    *[("", PURPOSE)] * 3,
    *[("", "")] * 3,
]


def marks_in_workbook(data: bytes) -> list[tuple[Any, Any]]:
    sheet = openpyxl.load_workbook(io.BytesIO(data)).worksheets[0]
    heads = [cell.value for cell in sheet[1]]
    late, purpose, amount = (heads.index(x) for x in ("From paper", "What it was for", "Amount"))
    rows = [row for row in sheet.iter_rows(min_row=2, values_only=True) if row[amount]]
    return [(row[late], row[purpose]) for row in rows]


IN_WORKBOOK = [("✓" if late else None, purpose or None) for late, purpose in IN_CSV]


def test_json_marks_the_lines(marked: SessionClient) -> None:
    answer = marked.get("/statement")
    assert marks_in_json(answer.json) == IN_JSON
    assert verify.verify_document(answer.data)[0] == 0
    export = marked.get("/export?names=true").data
    assert verify.verify_document(answer.data, export=export)[1] == "remade"


def test_csv_has_a_column_for_each_mark(marked: SessionClient) -> None:
    assert marks_in_csv(marked.get("/statement?format=csv").text) == IN_CSV
    excel = marked.get("/statement?format=csv&profile=excel").text
    assert marks_in_csv(excel, ";") == IN_CSV


def test_a_workbook_has_a_column_for_each_mark(marked: SessionClient) -> None:
    data = marked.get("/statement?format=xlsx&lang=en").data
    assert marks_in_workbook(data) == IN_WORKBOOK


def test_a_journal_has_a_tag_and_a_comment(marked: SessionClient) -> None:
    text = marked.get("/statement?format=hledger&lang=en").text
    assert read_journal(text), "read strictly, with its closing balances"
    heads = [line for line in text.splitlines() if "kind=deal_opened" in line]
    assert ["late_entry=true" in head for head in heads] == [True, True, False, True]
    assert [line for line in text.splitlines() if "SEK  ; Pizza" in line] != []


def test_a_players_statement_is_marked_as_well(marked: SessionClient) -> None:
    lines = marked.get("/statement?player=p1").json["lines"]
    assert [line["deal"] for line in lines if line.get("late_entry")] == [1]
    assert [line["purpose"] for line in lines if "purpose" in line] == [PURPOSE]


def test_a_groups_statement_marks_the_lines_as_the_sessions(group: GroupClient) -> None:
    answer = group.get("/statement?lang=en")
    assert marks_in_json(answer.json) == IN_JSON
    assert verify.verify_document(answer.data)[0] == 0
    assert marks_in_csv(group.get("/statement?format=csv").text) == IN_CSV
    assert marks_in_workbook(group.get("/statement?format=xlsx&lang=en").data) == IN_WORKBOOK
    assert "late_entry=true" in group.get("/statement?format=hledger").text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", STATEMENT_FORMATS)
def test_a_groups_statement_names_deals_and_costs(
    group: GroupClient, form: str, language: str
) -> None:
    text = statement_text(group.get(f"/statement?format={form}&lang={language}"))
    words = catalog(language)["statement"]
    if form in ("html", "pdf", "csv", "hledger"):
        assert "".join(words["late_deals"].split()) in text
        assert "1–2,4" in text
    assert "Pizza" in text


def test_an_undone_opening_leaves_no_mark(session: SessionClient) -> None:
    session.act(LATE)
    session.act({"type": "undo"})
    session.act({"type": "open_deal"}, PASSED)
    assert marks_in_json(session.get("/statement").json) == [(1, None, None)]


def test_a_corrected_cost_has_its_last_purpose(session: SessionClient) -> None:
    session.write("/costs", {"payer": "p4", "amount": 400, "purpose": "Pizza"})
    body = {"payer": "p4", "amount": 800, "purpose": "Taxi"}
    assert session.write("/costs/1", body, method="PUT", match="*").status_code == 200
    assert {mark[2] for mark in marks_in_json(session.get("/statement").json)} == {"Taxi"}


def test_the_costs_of_a_list_have_equally_many_decimals(session: SessionClient) -> None:
    session.write("/costs", {"payer": "p4", "amount": 400, "purpose": "Pizza"})
    session.write("/costs", {"payer": "p4", "amount": 1250, "purpose": "Taxi"}, match="*")
    paper = statement_text(session.get("/statement?format=pdf&lang=en"))
    assert "1.Pizza(paidbyDisa)4,00kr2.Taxi(paidbyDisa)12,50kr" in paper


def test_a_curve_says_what_it_leaves_out(session: SessionClient) -> None:
    """It ends at another sum than the balance as soon as there is a cost."""
    left_out = "without payments and shared costs"
    assert left_out not in session.get("/statement?format=html&lang=en").text
    session.write("/costs", {"payer": "p4", "amount": 400, "purpose": "Pizza"})
    assert left_out in session.get("/statement?format=html&lang=en").text
    paper = statement_text(session.get("/statement?format=pdf&lang=en"))
    assert left_out.replace(" ", "") in paper


def test_an_erased_name_is_gone_from_the_purpose_of_a_line(session: SessionClient) -> None:
    session.write("/costs", {"payer": "p4", "amount": 400, "purpose": "Taxi till Cilla"})
    assert session.write("/players/p3/name", method="DELETE").status_code == 200
    assert {mark[2] for mark in marks_in_json(session.get("/statement").json)} == {
        "Taxi till Spelare 3"
    }


def test_a_purpose_without_an_erased_name_is_sent_again(app: Any) -> None:
    """A name erased in the session stays in the group, but is gone from the session's remarks."""
    group = create_group(app.test_client(), "Ada", "Bo", "Cilla", "Disa")
    session = group.open_session()
    session.write("/costs", {"payer": "p4", "amount": 400, "purpose": "Taxi till Cilla"})
    tag = group.get("/statement?format=csv").headers["ETag"]
    assert session.write("/players/p3/name", method="DELETE").status_code == 200
    again = group.get("/statement?format=csv", **{"If-None-Match": tag})
    assert (again.status_code, "Taxi till Cilla" in again.text) == (200, False)
