"""A name is only a name in every form of a statement; one that could not be is refused (S3)."""

import io
import os
import re
import unicodedata
from html import unescape
from itertools import islice

import openpyxl
import pytest

from api.statements.wording.sanitize import escape_formulas, legible_name, sheet_name
from tests.support.api.hostile_names import TRICKS, list_hostile_names
from tests.support.api.statement_checks import (
    DIRECTION_MARKS,
    DISPOSITION,
    check_journal,
    check_page,
    check_print,
    check_table,
    check_workbook,
    parse_page,
)
from tests.support.api.statement_text import statement_text

MANY = int(os.environ.get("HOSTILE_NAMES", "169"))  # every trick, and some mixtures
A_TABLE = 16


def hostile(open_session, names_to_write):
    """A session with a player of each accepted name, who has paid someone, and these names."""
    accepted, refused = [], []
    session = open_session(players=[{"name": f"Först {n}"} for n in (1, 2, 3)], title="Fredag")
    for name in names_to_write:
        answer = session.write("/players", {"name": name}, match="*")
        (accepted if answer.status_code == 201 else refused).append(name)
        assert answer.status_code in (201, 400, 422), (name, answer.text)
        if answer.status_code == 201:
            paid = {"from": answer.json["id"], "to": "p1", "amount": 5}
            assert (
                session.write("/transfers", paid, match=answer.headers["ETag"]).status_code == 201
            )
    return session, [unicodedata.normalize("NFC", name).strip() for name in accepted]


@pytest.fixture(scope="module")
def name_batches():
    remaining_names = iter(list_hostile_names(MANY))
    return [list(islice(remaining_names, A_TABLE - 3)) for _ in range(-(-MANY // (A_TABLE - 3)))]


@pytest.fixture(scope="module")
def counts(name_batches):
    return {"accepted": 0, "refused": 0}


def test_no_name_does_any_harm_in_any_form(open_session, name_batches, counts, capsys):
    quiet = open_session(players=[{"name": "Ada"}, {"name": "Bo"}, {"name": "Cilla"}])
    paid = {"from": "p1", "to": "p2", "amount": 5}
    quiet.write("/transfers", paid, match=f'"{quiet.version}"')
    harmless = parse_page(quiet.get("/statement?format=html"))
    harmless.elements |= {("bdi", "")}
    for name_batch in name_batches:
        session, accepted = hostile(open_session, name_batch)
        counts["accepted"] += len(accepted)
        counts["refused"] += len(name_batch) - len(accepted)
        check_table(session.get("/statement?format=csv"), accepted, ",")
        check_table(session.get("/statement?format=csv&profile=excel"), accepted, ";")
        check_workbook(session.get("/statement?format=xlsx"), accepted)
        check_page(session.get("/statement?format=html"), accepted, harmless)
        check_journal(session.get("/statement?format=hledger"), accepted)
        check_print(session.get("/statement?format=pdf"), accepted)
        answer = session.get("/statement?format=json")
        assert len(answer.json["lines"]) == len(accepted)
        assert not DIRECTION_MARKS & set(answer.text)
    with capsys.disabled():
        print(
            f"\n{counts['accepted']} names written in seven ways, "
            f"{counts['refused']} refused at once"
        )
    assert counts["accepted"] > MANY // 2


@pytest.mark.parametrize("name", [n for n in TRICKS if n.strip() and n.isprintable()][::5])
def test_a_players_own_statement_bears_his_name(open_session, name):
    """The title of its sheet, its file and its heading have the name."""
    answer = open_session(players=[{"name": name}, {"name": "Bo"}, {"name": "C"}], title=name)
    for form in ("xlsx", "pdf", "html", "csv", "hledger", "json"):
        statement = answer.get(f"/statement?format={form}&player=p1")
        assert statement.status_code == 200, (form, statement.text)
        assert re.fullmatch(DISPOSITION, statement.headers["Content-Disposition"])
    book = openpyxl.load_workbook(io.BytesIO(answer.get("/statement?format=xlsx&player=p1").data))
    name = unicodedata.normalize("NFC", name)
    assert sheet_name(name) in book.sheetnames[0]
    assert len(book.sheetnames) == 3
    page = unescape(statement_text(answer.get("/statement?format=html&player=p1")))
    assert "".join(legible_name(name).split()) in page


def test_a_name_from_right_to_left_stays_where_it_is_written():
    assert legible_name("Ada") == "Ada"
    assert legible_name("אבג") == "\u2068אבג\u2069"
    assert legible_name("A\u202eda") == "A\ufffdda"
    assert legible_name("A\ufffe") == "A\ufffd"


def test_an_apostrophe_stands_before_whatever_could_be_a_formula():
    assert escape_formulas("=1+1") == "'=1+1"
    assert escape_formulas("Ada;=1+1") == "Ada;'=1+1"
    assert escape_formulas('Ada, "-1') == "Ada, \"'-1"
    assert escape_formulas("Ada vinner −10 kr") == "Ada vinner −10 kr"


def test_a_sheet_can_be_called_what_a_workbook_allows():
    assert sheet_name("Ada]x:y*?/\\") == "Ada x y"
    assert sheet_name("🂡" * 20) == "🂡" * 15
    assert sheet_name("''") == ""
