"""A group's statement shows imported evenings apart, in every format that has tables."""

import json
from io import BytesIO

import pytest
from openpyxl import load_workbook

from api.i18n.catalog import LANGUAGES
from api.i18n.translator import Translator
from api.statements.saved_statement_check import check_saved_statement
from tests.support.api.balance_import import import_body
from tests.support.api.group_client import play_and_close_e3
from tests.support.proofs.verifier import verify

FILE = b"Datum;Ada;Bo;Cilla\n2024-01-05;10;-10;\n2024-01-12;5,50;-5;-0,50\n"


def record(group, content=FILE, **more):
    answer = group.write("/imports", import_body(content, **{"settled": False, **more}))
    assert answer.status_code == 201, answer.json
    return answer.json


def statement(group, query=""):
    return group.get(f"/statement?lang=en{query}")


def test_imports_are_shown_and_are_in_no_sum(group):
    play_and_close_e3(group)
    before = statement(group).json
    assert "imports" not in before
    recorded = record(group)
    after = statement(group).json
    assert after["imports"] == [
        {
            "number": 1,
            "sha256": recorded["sha256"],
            "settled": False,
            "from": "2024-01-05",
            "to": "2024-01-12",
            "evening_count": 2,
            "results": {"m1": 1550, "m2": -1500, "m3": -50},
        }
    ]
    for field in ("results", "balances", "others", "on_tables", "lines", "closing"):
        assert after[field] == before[field]


def test_only_evenings_of_the_period_and_the_currency_are_shown(group):
    record(group)
    record(group, b"Datum;Ada;Bo\n2024-01-05;1;-1\n", currency="DKK")
    (shown,) = statement(group, "&currency=SEK&from=2024-01-06&to=2024-02-01").json["imports"]
    assert (shown["evening_count"], shown["results"]["m1"]) == (1, 550)
    assert "imports" not in statement(group, "&currency=SEK&from=2024-02-01").json
    assert statement(group, "&currency=DKK").json["imports"][0]["number"] == 2


def test_a_void_import_is_not_shown(group):
    record(group)
    group.write("/imports/1", method="DELETE")
    assert "imports" not in statement(group).json


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_says_that_they_come_from_a_file(group, language):
    record(group)
    page = group.get(f"/statement?lang={language}&format=html&member=m1").text
    first, last = map(Translator(language).format_day, ("2024-01-05", "2024-01-12"))
    assert f"{first} – {last}" in page
    assert "15,50" in page
    assert group.get(f"/statement?lang={language}&format=pdf").status_code == 200


@pytest.mark.parametrize("holder", ["", "&member=m1", "&member=m4"])
def test_a_workbook_has_them_beside_what_the_statement_is_of(group, holder):
    record(group)
    raw = statement(group, f"&format=xlsx{holder}").data
    cells = [cell for row in load_workbook(BytesIO(raw)).worksheets[-1].values for cell in row]
    texts = [cell for cell in cells if isinstance(cell, str)]
    days = "05/01/2024 – 12/01/2024"
    assert any(days in text for text in texts) == ("m4" not in holder)
    assert any("15,50" in text for text in texts) == ("m4" not in holder)


def test_a_workbook_has_no_sheet_without_entries(group):
    sheets = len(load_workbook(BytesIO(statement(group, "&format=xlsx").data)).worksheets)
    record(group, settled=True)
    raw = statement(group, "&format=xlsx").data
    assert len(load_workbook(BytesIO(raw)).worksheets) == sheets


def test_a_saved_statement_with_imports_is_made_again_as_it_was(group, app):
    play_and_close_e3(group)
    record(group)
    saved = [statement(group).data]
    group.write("/imports/1", method="DELETE")
    saved.append(statement(group).data)
    record(group, b"Datum;Ada;Bo\n2023-01-05;1;-1\n")
    saved.append(statement(group).data)
    assert [len(json.loads(raw).get("imports", [])) for raw in saved] == [1, 0, 1]
    for raw in saved:
        assert list(check_saved_statement(app, raw)) == []
        assert verify.verify_document(raw)[0] == 0
    forged = saved[0].replace(b'"m1":1550', b'"m1":1650')
    assert forged != saved[0]
    assert {finding.code for _, finding in check_saved_statement(app, forged)} == {
        "statement_wrong",
        "statement_differs",
    }


@pytest.mark.parametrize("query", ["&format=html", "&format=csv&profile=excel", "&member=m3"])
def test_a_new_name_of_a_member_who_never_sat_is_sent(group, query):
    group.open_session("m4", "m5", "m1")
    record(group)
    first = statement(group, query)
    unchanged = {"If-None-Match": first.headers["ETag"]}
    assert group.get(f"/statement?lang=en{query}", **unchanged).status_code == 304
    assert "Cilla" in first.text + first.headers["Content-Disposition"]
    assert group.write("/members/m3/name", method="DELETE").status_code == 200
    again = group.get(f"/statement?lang=en{query}", **unchanged)
    assert again.status_code == 200
    assert "Cilla" not in again.text + again.headers["Content-Disposition"]
