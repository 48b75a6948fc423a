"""A circle's statement in every form: the same lines, and what must be on all of them; and the
statement of an evening that goes on from another.
"""

import csv
import io
import zipfile
from decimal import Decimal

import openpyxl
import pypdf
import pytest

from tests.api.test_circles import FIVE, founded
from tests.api.test_statement_forms import FORMS, words
from tests.api.two_evenings import TITLE, hledger, told, went_on


@pytest.fixture
def two(app):
    return went_on(founded(app.test_client(), *FIVE))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("member", ["", "&member=m2"])
def test_every_form_says_what_it_is_of_and_where_the_receipts_are(two, form, member):
    day = told(two)["evenings"][0]["begun_at"][:10]
    answer = two.get(f"/statement?format={form}{member}&from={day}&tz=UTC&lang=en")
    assert answer.status_code == 200
    said = words(answer)
    for number, table in enumerate(two.evenings, start=1):
        receipt = table.get(f"/receipts/{table.version}").json
        assert receipt["hash"] in said
        assert f"/v1/sessions/{table.id}/receipts/{table.version}" in said
        assert str(number) in said
    assert day in said
    assert "".join(TITLE.split()) in said
    assert "/verify" in said
    assert "Torsdagar" in said
    if form != "json":
        assert ("Bo,amountsinSEK" if member else "Thewholecircle,amountsinSEK") in said


def test_every_form_has_the_same_lines(two):
    changes = [line["change"] for line in told(two, "?member=m2")["lines"]]
    rows = list(csv.DictReader(io.StringIO(two.get("/statement?format=csv&member=m2").text)))
    assert list(rows[0])[:3] == ["evening", "session", "version"]
    assert [int(row["change"]) for row in rows if row["change"]] == changes
    assert [row["evening"] for row in rows if row["kind"] == "evening"] == ["1", "2"]
    assert [rows[0]["balance"], rows[-1]["balance"]] == ["0", "-30"]
    excel = two.get("/statement?format=csv&profile=excel&member=m2").text.lstrip("\ufeff")
    cents = [
        int(row["change"].replace(",", ""))
        for row in csv.DictReader(io.StringIO(excel), delimiter=";")
        if row["change"]
    ]
    assert cents == changes
    journal = hledger(two.get("/statement?format=hledger&member=m2").text)
    mine = [x for t in journal for account, x in t.postings if "m2 Bo" in account and x]
    assert [int(100 * change) for change in mine] == changes


def test_a_workbook_has_a_sheet_of_lines_and_one_of_evenings(two):
    answer = two.get("/statement?format=xlsx&member=m2")
    lines, evenings = openpyxl.load_workbook(io.BytesIO(answer.data)).worksheets
    assert lines.title == "Bo"
    assert [cell.value for cell in lines[1]][:2] == ["Kväll", "Kvällens id"]
    balances = [row[10].value for row in lines.iter_rows(min_row=3) if row[10].value is not None]
    assert round(100 * balances[-1]) == -30
    numbered = [row for row in evenings.iter_rows(values_only=True) if row[0] in (1, 2)]
    assert [(row[1], round(100 * row[7])) for row in numbered] == [
        ("Polskt pass", 50),
        (TITLE, -30),
    ]
    with zipfile.ZipFile(io.BytesIO(answer.data)) as packed:
        assert len([name for name in packed.namelist() if name.endswith(".png")]) == 2


@pytest.mark.parametrize("member", ["", "&member=m2"])
def test_a_pdf_begins_with_the_evenings_and_can_be_read_aloud(two, member):
    answer = two.get(f"/statement?format=pdf&lang=en{member}")
    file = pypdf.PdfReader(io.BytesIO(answer.data))
    assert b"<pdfuaid:part>1</pdfuaid:part>" in answer.data
    summary, *rest = (page.extract_text().replace("\u00a0", " ") for page in file.pages)
    assert "The balance, evening by evening" in summary
    assert "2 Sjunde november" in summary
    assert "Bo wins deal" not in summary
    assert "Bo wins deal" in rest[0]
    if member:
        assert "−0,80 kr −0,30 kr" in summary, "what the evening changed, and what he had come to"


def test_a_page_draws_the_evenings_and_tells_their_figures(two):
    page = two.get("/statement?format=html&member=m2&lang=en").text
    assert "Bo: 0,00\u00a0kr → −0,30\u00a0kr" in page
    assert page.count('aria-label="QR code of the receipt') == 2
    assert "Goes on from evening" in page


def test_the_journal_asserts_what_everybody_came_to(two):
    made = hledger(two.get("/statement?format=hledger").text)
    sums = dict[str, Decimal]()
    for one in made:
        for account, amount in one.postings:
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
def test_the_evening_that_goes_on_begins_with_what_was_brought(two, player):
    second = two.evenings[1]
    made = second.get(f"/statement?lang=en{player}").json
    brought = [line for line in made["lines"] if line["kind"] == "brought_forward"]
    assert {"brought"} & {end for line in brought for end in (line["from"], line["to"])}
    journal = hledger(second.get(f"/statement?format=hledger{player}").text)
    assert sum(x for t in journal for a, x in t.postings if a == "equity:brought") == (
        0 if not player else Decimal(brought[0]["change"]) / -100
    )
    for form in FORMS:
        answer = second.get(f"/statement?format={form}&lang=en{player}")
        assert answer.status_code == 200
        if form != "hledger":
            assert "aftertheeveningbefore" in words(answer)


def test_its_curve_begins_where_the_other_ended(two):
    second = two.evenings[1]
    page = second.get("/statement?format=html&player=p1&lang=en").text
    assert "Ada: −0,70\u00a0kr → −0,20\u00a0kr." in page
    third = two.gather("m1", "m2", "m3")
    third.write("/closure", {}, match="*")
    second.write("/closure", {}, match="*")
    fourth = two.gather(carry=True)
    for form in ("pdf", "html"):
        assert fourth.get(f"/statement?format={form}&player=p1").status_code == 200
    assert "Ada: −0,20\u00a0kr → −0,20\u00a0kr." in fourth.get("/statement?format=html").text
