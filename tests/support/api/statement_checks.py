"""Checks that a statement in any format treats a name as text."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from html.parser import HTMLParser
from urllib.parse import urlsplit

import openpyxl
import pypdf
from openpyxl.utils.escape import unescape
from werkzeug.test import TestResponse

from api.statements.wording.sanitize import legible_name
from tests.support.api import hledger_reader

FORMULA = tuple("=+-@＝＋－＠\t\r")


DISPOSITION = (
    r"""(inline|attachment); filename="[\w !&'()+,.-]+"(; filename\*=UTF-8''[\w!$%&.~+-]+)?"""
)


DIRECTION_MARKS = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u200e\u200f\u061c")


class PageElements(HTMLParser):
    """The elements, attributes and words of an HTML page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[tuple[str, str]] = set()
        self.words = ""

    def handle_starttag(self, tag, attrs):
        self.elements |= {(tag, name) for name, _ in attrs} | {(tag, "")}

    def handle_data(self, data):
        self.words += data


def parse_page(answer: TestResponse) -> PageElements:
    parser = PageElements()
    parser.feed(answer.text)
    return parser


def csv_cells(answer, delimiter):
    return [c for row in csv.reader(io.StringIO(answer.text), delimiter=delimiter) for c in row]


def is_number(cell):
    return re.fullmatch(r"-?[0-9]+([.,][0-9]+)?", cell)


def check_table(answer, accepted, delimiter):
    """Assert that no cell begins a formula, no matter where a reader splits the line."""
    found_cells = csv_cells(answer, delimiter)
    assert all(len(row) == 12 for row in csv.reader(io.StringIO(answer.text), delimiter=delimiter))
    for cut in (",", ";", "\t", "|"):
        for part in (piece for cell in found_cells for piece in cell.split(cut)):
            assert is_number(part) or not part.strip(' "').startswith(FORMULA), part
    assert not DIRECTION_MARKS & set(answer.text)


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
    values = set()
    for sheet in book:
        assert 0 < len(sheet.title) <= 31
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f", cell.value
                values.add(unescape(cell.value) if isinstance(cell.value, str) else cell.value)
    for name in accepted:
        assert legible_name(name) in values, name


def check_page(answer, accepted, harmless):
    page = parse_page(answer)
    assert page.elements <= harmless.elements
    assert not DIRECTION_MARKS & set(answer.text)
    for name in accepted:
        assert legible_name(name) in page.words, name


def check_journal(answer, accepted):
    transactions = hledger_reader.parse_journal(answer.text)
    assert len(transactions) == len(accepted) + 1
    assert all(len(transaction.postings) == 2 for transaction in transactions[:-1])
    assert {transaction.date for transaction in transactions} == {transactions[0].date}
    assert not DIRECTION_MARKS & set(answer.text)


def check_print(answer, accepted):
    document = pypdf.PdfReader(io.BytesIO(answer.data))
    words = "".join(page.extract_text() for page in document.pages)
    links = [note["/A"]["/URI"] for page in document.pages for note in page.annotations or ()]
    assert {urlsplit(link).netloc for link in links} <= {"localhost"}, "no name becomes a link"
    assert "/etc/passwd" not in words or any("/etc/passwd" in name for name in accepted)
    flat = re.sub(r"[\s\u200b]", "", words)
    for name in accepted:
        if name.isascii():
            assert all(word in flat for word in re.findall(r"[A-Za-z0-9]+", name)), name
