"""A group's statement in every format: the same lines, and what must be on all of them; and the
statement of a session carried forward from another."""

import csv
import io
import zipfile
from decimal import Decimal

import openpyxl
import pypdf
import pytest

from api.i18n.translator import Translator
from tests.support.api.group_client import create_group
from tests.support.api.statement_text import STATEMENT_FORMATS, statement_text
from tests.support.api.two_sessions import TITLE, get_statement, play_two_sessions, read_journal
from tests.support.player_names import FIVE_NAMES


@pytest.fixture
def two_sessions(app):
    return play_two_sessions(create_group(app.test_client(), *FIVE_NAMES))


@pytest.mark.parametrize("form", STATEMENT_FORMATS)
@pytest.mark.parametrize("member", ["", "&member=m2"])
def test_every_format_says_what_it_covers_and_where_it_is_checked(two_sessions, form, member):
    day = get_statement(two_sessions)["sessions"][0]["created_at"][:10]
    query = f"{member}&from={day}&tz=UTC&lang=en"
    answer = two_sessions.get(f"/statement?format={form}{query}")
    assert answer.status_code == 200
    text = statement_text(answer)
    for number, session in enumerate(two_sessions.sessions, start=1):
        receipt = session.get(f"/receipts/{session.version}").json
        assert receipt["hash"] in text
        assert str(number) in text
    people_read_it = form in ("html", "pdf")
    assert (Translator("en").format_day(day) if people_read_it else day) in text
    assert "".join(TITLE.split()) in text
    assert two_sessions.get(f"/statement?format=json{query}").json["page"] in text
    assert "/verify" in text
    assert "Torsdagar" in text
    if form != "json":
        unit = "1/100SEK" if form == "csv" else "SEK"
        assert f"{'Bo' if member else 'Thewholegroup'},amountsin{unit}" in text


def test_every_format_has_the_same_lines(two_sessions):
    changes = [line["change"] for line in get_statement(two_sessions, "?member=m2")["lines"]]
    rows = list(
        csv.DictReader(io.StringIO(two_sessions.get("/statement?format=csv&member=m2").text))
    )
    assert list(rows[0])[:3] == ["session_number", "session", "version"]
    assert [int(row["change"]) for row in rows if row["change"]] == changes
    assert [row["session_number"] for row in rows if row["kind"] == "session"] == ["1", "2"]
    assert [rows[0]["balance"], rows[-1]["balance"]] == ["0", "-30"]
    excel = two_sessions.get("/statement?format=csv&profile=excel&member=m2").text.lstrip("\ufeff")
    cents = [
        int(row["change"].replace(",", ""))
        for row in csv.DictReader(io.StringIO(excel), delimiter=";")
        if row["change"]
    ]
    assert cents == changes
    journal = read_journal(two_sessions.get("/statement?format=hledger&member=m2").text)
    changes_of_bo = [x for t in journal for account, x in t.postings if "m2 Bo" in account and x]
    assert [int(100 * change) for change in changes_of_bo] == changes


def test_a_workbook_has_a_sheet_of_lines_and_one_of_sessions(two_sessions):
    answer = two_sessions.get("/statement?format=xlsx&member=m2")
    lines, _, evenings = openpyxl.load_workbook(io.BytesIO(answer.data)).worksheets
    assert lines.title == "Bo"
    assert [cell.value for cell in lines[1]][:2] == ["Kväll", "Rubrik"]
    balances = [row[10].value for row in lines.iter_rows(min_row=3) if row[10].value is not None]
    assert round(100 * balances[-1]) == -30
    numbered = [row for row in evenings.iter_rows(values_only=True) if row[0] in (1, 2)]
    assert [(row[1], round(100 * row[7])) for row in numbered] == [
        ("Polskt pass", 50),
        (TITLE, -30),
    ]
    with zipfile.ZipFile(io.BytesIO(answer.data)) as packed:
        assert len([name for name in packed.namelist() if name.endswith(".png")]) == 3


@pytest.mark.parametrize("member", ["", "&member=m2"])
def test_a_pdf_begins_with_the_sessions_and_is_accessible(two_sessions, member):
    answer = two_sessions.get(f"/statement?format=pdf&lang=en{member}")
    file = pypdf.PdfReader(io.BytesIO(answer.data))
    assert b"<pdfuaid:part>1</pdfuaid:part>" in answer.data
    summary, *rest = (page.extract_text().replace("\u00a0", " ") for page in file.pages)
    assert "The results, evening by evening" in summary
    assert "2 Sjunde november" in summary
    assert "Bo wins deal" not in summary
    assert "Bo wins deal" in rest[0]
    if member:
        figures = "−0,10 kr −0,80 kr −0,30 kr"
        assert figures in summary, "the result, the change and the balance"


def test_a_page_draws_the_sessions_and_lists_their_figures(two_sessions):
    page = two_sessions.get("/statement?format=html&member=m2&lang=en").text
    assert "Bo: 0,00\u00a0kr → 0,40\u00a0kr" in page, "without what Disa paid him later"
    assert page.count('aria-label="QR code: shows and checks') == 3, (
        "of the group, and of each session"
    )
    assert "Goes on from evening" in page


@pytest.mark.parametrize("form", ["html", "pdf", "xlsx"])
def test_a_period_says_that_its_result_is_of_whole_evenings(two_sessions, form):
    statement = f"/statement?format={form}&lang=en"
    note = "Theresultcountseacheveningwhole,intheperiodinwhichitbegan"
    assert note in statement_text(two_sessions.get(f"{statement}&from=2020-01-01"))
    assert note not in statement_text(two_sessions.get(statement))


def test_the_journal_asserts_the_balance_of_every_member(two_sessions):
    transactions = read_journal(two_sessions.get("/statement?format=hledger").text)
    sums: dict[str, Decimal] = {}
    for transaction in transactions:
        for account, amount in transaction.postings:
            sums[account] = sums.get(account, Decimal(0)) + amount
    assert sums.pop("assets:bets") * 100 == 90
    assert sums.pop("assets:pot") == 0
    assert {a.split(":")[2]: int(x * 100) for a, x in sums.items()} == {
        "m1 Ada": -20,
        "m2 Bo": -30,
        "m3 Cilla": -60,
        "m4 Disa": 0,
        "m5 Emil": 20,
    }


@pytest.mark.parametrize("player", ["", "&player=p1", "&player=p2", "&player=p4"])
def test_a_session_carried_forward_begins_with_earlier_balances(two_sessions, player):
    second = two_sessions.sessions[1]
    statement = second.get(f"/statement?lang=en{player}").json
    carried = [line for line in statement["lines"] if line["kind"] == "brought_forward"]
    assert {"brought"} & {end for line in carried for end in (line["from"], line["to"])}
    journal = read_journal(second.get(f"/statement?format=hledger{player}").text)
    assert sum(x for t in journal for a, x in t.postings if a == "equity:brought") == (
        0 if not player else Decimal(carried[0]["change"]) / -100
    )
    for form in STATEMENT_FORMATS:
        answer = second.get(f"/statement?format={form}&lang=en{player}")
        assert answer.status_code == 200
        if form != "hledger":
            assert "aftertheeveningbefore" in statement_text(answer)


def test_the_curve_begins_where_the_earlier_session_ended(two_sessions):
    second = two_sessions.sessions[1]
    page = second.get("/statement?format=html&player=p1&lang=en").text
    assert "Ada: −0,70\u00a0kr → −0,20\u00a0kr." in page
    third = two_sessions.open_session("m1", "m2", "m3")
    third.write("/closure", {}, match="*")
    second.write("/closure", {}, match="*")
    fourth = two_sessions.open_session(carry=True)
    for form in ("pdf", "html"):
        assert fourth.get(f"/statement?format={form}&player=p1").status_code == 200
    assert "Ada: −0,20\u00a0kr → −0,20\u00a0kr." in fourth.get("/statement?format=html").text
