"""In a circle's statement, too, a name is only a name: a member's, an evening's, its own (S3)."""

import csv
import io
import re
import unicodedata
import zipfile

import openpyxl
import pypdf
import pytest

from api.statements.signs import legible
from tests.api import ledger_text
from tests.api.conftest import keys
from tests.api.hostile import TRICKS, names
from tests.api.test_circles import Circle, founded
from tests.api.test_statement_names import (
    DIRECTION,
    FORMULA,
    a_number,
    check_page,
    check_print,
    check_workbook,
    elements,
)

GROUPS = 12
A_GROUP = 13
HOSTILE = names(GROUPS * A_GROUP)
COLUMNS = 12


def named(client, name: str) -> Circle:
    """A circle that is called so, or as most are."""
    for called in (name, "Torsdagar"):
        body = {"name": called, "members": [{"name": x} for x in ("Ada", "Bo", "Cilla")]}
        head = {"Idempotency-Key": f"named-{next(keys)}"}
        answer = client.post("/v1/circles", json=body, headers=head)
        if answer.status_code == 201:
            return Circle(client, answer.json["id"], answer.json["tokens"])
    raise AssertionError(answer.json)


def hostile(client, wanted):
    """Members of such names have each paid Ada, on evenings of such titles; and who they are."""
    circle = named(client, wanted[0])
    seated = {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}
    if circle.write("/evenings", {**seated, "title": wanted[1]}).status_code != 201:
        circle.gather("m1", "m2", "m3")
    table = circle.gather("m1", "m2", "m3")
    accepted = []
    for name in wanted:
        answer = table.write("/players", {"name": name}, match="*")
        if answer.status_code == 201:
            accepted.append(unicodedata.normalize("NFC", name).strip())
            paid = {"from": answer.json["id"], "to": "p1", "amount": 5}
            assert table.write("/transfers", paid, match="*").status_code == 201
    return circle, accepted


def check_table(text: str, delimiter: str) -> None:
    """No cell begins a formula, wherever the line is cut."""
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    assert {len(row) for row in rows} == {COLUMNS}
    for cut in (",", ";", "\t", "|"):
        for cell in (part for row in rows for whole in row for part in whole.split(cut)):
            assert a_number(cell) or not cell.strip(' "').startswith(FORMULA), cell
    assert not DIRECTION & set(text)


@pytest.mark.parametrize("group", range(GROUPS))
def test_no_name_does_any_harm_in_any_form(client, group):
    quiet = founded(client, "Ada", "Bo", "Cilla")
    table = quiet.gather()
    table.write("/transfers", {"from": "p1", "to": "p2", "amount": 5}, match="*")
    harmless = elements(quiet.get("/statement?format=html"))
    circle, accepted = hostile(client, HOSTILE[group * A_GROUP : (group + 1) * A_GROUP])
    check_table(circle.get("/statement?format=csv").text, ",")
    check_table(circle.get("/statement?format=csv&profile=excel").text, ";")
    check_workbook(circle.get("/statement?format=xlsx"), accepted)
    check_page(circle.get("/statement?format=html"), accepted, harmless)
    check_print(circle.get("/statement?format=pdf"), accepted)
    journal = circle.get("/statement?format=hledger")
    made = ledger_text.read(journal.text)
    assert len(made) == len(accepted) + 1
    assert all(len(one.postings) == 2 for one in made[:-1])
    assert not DIRECTION & set(journal.text)
    told = circle.get("/statement?format=json")
    assert len(told.json["lines"]) == len(accepted)
    assert not DIRECTION & set(told.text)


@pytest.mark.parametrize("name", [n for n in TRICKS if n.strip() and n.isprintable()][::7])
def test_a_members_own_statement_bears_his_name(client, name):
    """In the title of its sheet, in its heading and in its journal; never in its file's name."""
    circle = named(client, name)
    joined = circle.write("/members", {"name": name})
    if joined.status_code != 201:
        return
    member = joined.json["id"]
    table = circle.gather("m1", "m2", member)
    table.write("/transfers", {"from": "p3", "to": "p1", "amount": 5}, match="*")
    for form in ("json", "csv", "html", "xlsx", "pdf", "hledger"):
        answer = circle.get(f"/statement?format={form}&member={member}")
        assert answer.status_code == 200, (form, answer.text)
        assert re.fullmatch(
            r'(inline|attachment); filename="vola-[0-9a-f]{8}-m4\.\w+"|',
            answer.headers.get("Content-Disposition", ""),
        )
    answer = circle.get(f"/statement?format=xlsx&member={member}")
    with zipfile.ZipFile(io.BytesIO(answer.data)) as packed:
        assert packed.testzip() is None
    assert len(openpyxl.load_workbook(io.BytesIO(answer.data)).sheetnames) == 2
    ledger_text.read(circle.get(f"/statement?format=hledger&member={member}").text)
    paper = circle.get(f"/statement?format=pdf&member={member}")
    assert pypdf.PdfReader(io.BytesIO(paper.data)).pages
    assert circle.get(f"/statement?member={member}").json["name"] in (legible(name), "Torsdagar")
