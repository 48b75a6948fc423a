"""A name is only a name in every form of a statement; one that could not be is refused (S3)."""

import csv
import io
import os
import re
import unicodedata
import zipfile
from html.parser import HTMLParser
from itertools import count, islice

import openpyxl
import pypdf
import pytest
from openpyxl.utils.escape import unescape
from werkzeug.test import TestResponse

from api.statements.signs import legible, no_formula, sheet_name
from tests.api import ledger_text
from tests.api.hostile import TRICKS, names

MANY = int(os.environ.get("HOSTILE_NAMES", "240"))
A_TABLE = 16
FORMULA = tuple("=+-@＝＋－＠\t\r")
DIRECTION = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u200e\u200f\u061c")
tables = count(1)


class Elements(HTMLParser):
    """Which elements and attributes a page has, and what its words are."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, str]] = set()
        self.words = ""

    def handle_starttag(self, tag, attrs):
        self.found |= {(tag, name) for name, _ in attrs} | {(tag, "")}

    def handle_data(self, data):
        self.words += data


def elements(answer: TestResponse) -> Elements:
    parser = Elements()
    parser.feed(answer.text)
    return parser


def hostile(open_table, wanted):
    """A table with all who may be called so, each having paid somebody; and who they are."""
    accepted, refused = [], []
    table = open_table(players=[{"name": f"Först {n}"} for n in (1, 2, 3)], title="Fredag")
    for name in wanted:
        answer = table.write("/players", {"name": name}, match=f'"{table.version}"')
        (accepted if answer.status_code == 201 else refused).append(name)
        assert answer.status_code in (201, 400, 422), (name, answer.text)
        if answer.status_code == 201:
            paid = {"from": answer.json["id"], "to": "p1", "amount": 5}
            assert table.write("/transfers", paid, match=answer.headers["ETag"]).status_code == 201
    return table, [unicodedata.normalize("NFC", name).strip() for name in accepted]


@pytest.fixture(scope="module")
def groups():
    wanted = iter(names(MANY))
    return [list(islice(wanted, A_TABLE - 3)) for _ in range(-(-MANY // (A_TABLE - 3)))]


def cells(answer, delimiter):
    return [c for row in csv.reader(io.StringIO(answer.text), delimiter=delimiter) for c in row]


def a_number(cell):
    return re.fullmatch(r"-?[0-9]+([.,][0-9]+)?", cell)


def check_table(answer, accepted, delimiter):
    """No cell begins a formula, wherever the line is cut."""
    found = cells(answer, delimiter)
    assert all(len(row) == 10 for row in csv.reader(io.StringIO(answer.text), delimiter=delimiter))
    for cut in (",", ";", "\t", "|"):
        for cell in (part for whole in found for part in whole.split(cut)):
            assert a_number(cell) or not cell.strip(' "').startswith(FORMULA), cell
    assert not DIRECTION & set(answer.text)


def check_workbook(answer, accepted):
    with zipfile.ZipFile(io.BytesIO(answer.data)) as packed:
        assert packed.testzip() is None
        assert not any("<f>" in packed.read(n).decode() for n in packed.namelist() if "sheet" in n)
        assert not any(
            "<hyperlink" in packed.read(n).decode("utf-8", "replace").lower()
            for n in packed.namelist()
            if n.endswith((".xml", ".rels")) and "sheet" in n
        )
    book = openpyxl.load_workbook(io.BytesIO(answer.data))
    seen = set()
    for sheet in book:
        assert 0 < len(sheet.title) <= 31
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f", cell.value
                seen.add(unescape(cell.value) if isinstance(cell.value, str) else cell.value)
    for name in accepted:
        assert legible(name) in seen, name


def check_page(answer, accepted, harmless):
    found = elements(answer)
    assert found.found <= harmless.found
    assert not DIRECTION & set(answer.text)
    for name in accepted:
        assert legible(name) in found.words, name


def check_journal(answer, accepted):
    made = ledger_text.read(answer.text)
    assert len(made) == len(accepted) + 1
    assert all(len(one.postings) == 2 for one in made[:-1])
    assert {one.date for one in made} == {made[0].date}
    assert not DIRECTION & set(answer.text)


def check_print(answer, accepted):
    told = pypdf.PdfReader(io.BytesIO(answer.data))
    words = "".join(page.extract_text() for page in told.pages)
    assert all("/Annots" not in page for page in told.pages), "no name becomes a link"
    assert "/etc/passwd" not in words or any("/etc/passwd" in name for name in accepted)
    flat = re.sub(r"[\s\u200b]", "", words)
    for name in accepted:
        if name.isascii():
            assert all(word in flat for word in re.findall(r"[A-Za-z0-9]+", name)), name


@pytest.fixture(scope="module")
def kept(groups):
    return {"accepted": 0, "refused": 0}


def test_no_name_does_any_harm_in_any_form(open_table, groups, kept, capsys):
    quiet = open_table(players=[{"name": "Ada"}, {"name": "Bo"}, {"name": "Cilla"}])
    paid = {"from": "p1", "to": "p2", "amount": 5}
    quiet.write("/transfers", paid, match=f'"{quiet.version}"')
    harmless = elements(quiet.get("/statement?format=html"))
    harmless.found |= {("bdi", "")}
    for group in groups:
        table, accepted = hostile(open_table, group)
        kept["accepted"] += len(accepted)
        kept["refused"] += len(group) - len(accepted)
        check_table(table.get("/statement?format=csv"), accepted, ",")
        check_table(table.get("/statement?format=csv&profile=excel"), accepted, ";")
        check_workbook(table.get("/statement?format=xlsx"), accepted)
        check_page(table.get("/statement?format=html"), accepted, harmless)
        check_journal(table.get("/statement?format=hledger"), accepted)
        check_print(table.get("/statement?format=pdf"), accepted)
        told = table.get("/statement?format=json")
        assert len(told.json["lines"]) == len(accepted)
        assert not DIRECTION & set(told.text)
    with capsys.disabled():
        print(
            f"\n{kept['accepted']} names written in seven ways, {kept['refused']} refused at once"
        )
    assert kept["accepted"] > MANY // 2


@pytest.mark.parametrize("name", [n for n in TRICKS if n.strip() and n.isprintable()][::5])
def test_a_players_own_statement_bears_his_name(open_table, name):
    """In the title of its sheet, in its file and in its heading."""
    answer = open_table(players=[{"name": name}, {"name": "Bo"}, {"name": "C"}], title=name)
    for form in ("xlsx", "pdf", "html", "csv", "hledger", "json"):
        told = answer.get(f"/statement?format={form}&player=p1")
        assert told.status_code == 200, (form, told.text)
        assert re.fullmatch(
            r'(inline|attachment); filename="vola-[0-9a-f]{8}-p1-v1\.\w+"|',
            told.headers.get("Content-Disposition", ""),
        )
    book = openpyxl.load_workbook(io.BytesIO(answer.get("/statement?format=xlsx&player=p1").data))
    assert len(book.sheetnames) == 2


def test_a_name_from_right_to_left_stays_where_it_is_written():
    assert legible("Ada") == "Ada"
    assert legible("אבג") == "\u2068אבג\u2069"
    assert legible("A\u202eda") == "A\ufffdda"
    assert legible("A\ufffe") == "A\ufffd"


def test_an_apostrophe_stands_before_whatever_could_be_a_formula():
    assert no_formula("=1+1") == "'=1+1"
    assert no_formula("Ada;=1+1") == "Ada;'=1+1"
    assert no_formula('Ada, "-1') == "Ada, \"'-1"
    assert no_formula("Ada vinner −10 kr") == "Ada vinner −10 kr"


def test_a_sheet_can_be_called_what_a_workbook_allows():
    assert sheet_name("Ada]x:y*?/\\") == "Ada x y"
    assert sheet_name("🂡" * 20) == "🂡" * 15
    assert sheet_name("''") == ""
