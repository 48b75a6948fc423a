"""Every format of a statement: the same lines, what all of them must show, and periods."""

import csv
import fcntl
import io
import re
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import datetime, timedelta
from decimal import Decimal

import openpyxl
import pypdf
import pytest

from api.i18n.catalog import LANGUAGES
from api.i18n.translator import Translator
from api.printing.typst_compiler import LOCKED_FILE
from ledger.events.timestamps import EPOCH, format_timestamp
from tests.support.api import hledger_reader
from tests.support.api.statement_text import STATEMENT_FORMATS, statement_text

WON = ({"type": "open_deal"}, {"type": "declare", "players": ["p2"]})


@pytest.fixture
def played(open_session):
    """Four deals at a stake of 10,50: Bo lays a bet, Cilla takes it, twice; then Ada pays Bo."""
    session = open_session(options={"stake": 1050}, title="Fredag")
    for winner in ("p3", "p2", "p3", "p2"):
        session.act(*WON, {"type": "result", "winner": winner})
    session.write(
        "/transfers", {"from": "p1", "to": "p2", "amount": 250}, match=f'"{session.version}"'
    )
    return session


@pytest.mark.parametrize("form", STATEMENT_FORMATS)
@pytest.mark.parametrize("player", ["", "&player=p2"])
def test_every_form_says_which_evening_it_is_of_and_where_it_is_checked(played, form, player):
    day = played.get("/events").json["events"][0]["at"][:10]
    query = f"{player}&from={day}&tz=UTC&lang=en"
    answer = played.get(f"/statement?format={form}{query}")
    assert answer.status_code == 200
    language = answer.headers["Content-Language"]
    cosignatures = "-0" if form == "json" else ""
    assert re.fullmatch(
        rf'"{played.version}-{language}-[0-9a-f]{{8}}-{form}{cosignatures}"', answer.headers["ETag"]
    )
    receipt = played.get(f"/receipts/{played.version}").json
    text = statement_text(answer)
    assert receipt["hash"] in text
    assert played.get(f"/statement?format=json{query}").json["page"] in text
    people_read_it = form in ("html", "pdf")
    assert (Translator("en").format_day(day) if people_read_it else day) in text
    if form not in ("json", "csv"):
        assert "Fredag" in text
        assert ("Bo,amountsinSEK" if player else "Thewholeevening,amountsinSEK") in text


def test_every_form_of_a_players_statement_has_the_same_lines(played):
    statement = played.get("/statement?player=p3").json
    changes = [line["change"] for line in statement["lines"]]
    assert len(changes) == 3
    assert (
        statement["opening"] + sum(changes)
        == statement["closing"]
        == played.state["balances"]["p3"]
    )
    rows = list(csv.DictReader(io.StringIO(played.get("/statement?format=csv&player=p3").text)))
    assert [int(row["change"]) for row in rows if row["change"]] == changes
    sheet = openpyxl.load_workbook(
        io.BytesIO(played.get("/statement?format=xlsx&player=p3").data)
    ).worksheets[0]
    moved = [row[7].value for row in sheet.iter_rows(min_row=3) if row[7].value is not None]
    assert [round(100 * change) for change in moved] == changes
    journal = hledger_reader.parse_journal(played.get("/statement?format=hledger&player=p3").text)
    mine = [a for t in journal for account, a in t.postings if "p3" in account and a]
    assert [int(100 * change) for change in mine] == changes
    paper = statement_text(played.get("/statement?format=pdf&player=p3&lang=en"))
    state = played.state
    figures = [*changes, *state["results"].values(), *state["balances"].values()]
    assert paper.count("+10,50") == figures.count(1050), "and as results and balances"


def test_what_is_still_to_settle_is_as_of_now_like_the_result(played):
    paid = played.get("/statement?format=json").json["lines"][-1]
    query = f"&player=p1&to={paid['at']}"
    statement = played.get(f"/statement?format=json{query}").json
    due = statement["balances"]["p1"]
    assert due == statement["closing"] + 250
    rows = list(csv.DictReader(io.StringIO(played.get(f"/statement?format=csv{query}").text)))
    assert [int(row["balance"]) for row in rows if row["kind"] == "to_settle"] == [due]
    raw = played.get(f"/statement?format=xlsx{query}").data
    about = [*openpyxl.load_workbook(io.BytesIO(raw)).worksheets[-1].values]
    ((_, _, shown),) = (row for row in about if row[0] == "Ada")
    assert round(100 * shown) == due


def test_a_workbook_of_a_period_says_that_its_standings_go_beyond_it(played):
    for query, noted in (("&to=2030-01-01", 1), ("", 0)):
        raw = played.get(f"/statement?format=xlsx&lang=en{query}").data
        about = [*openpyxl.load_workbook(io.BytesIO(raw)).worksheets[-1].values]
        notes = [row[0] for row in about if f"as of version {played.version}, " in str(row[0])]
        assert len(notes) == noted


def test_a_workbook_has_numbers_a_frozen_head_and_a_picture_to_scan(played):
    answer = played.get("/statement?format=xlsx&player=p3")
    book = openpyxl.load_workbook(io.BytesIO(answer.data))
    lines, _, about_sheet = book.worksheets
    assert lines.title == "Cilla"
    assert lines.freeze_panes == "A2"
    assert all(lines.column_dimensions[x].width > 5 for x in "ABDEFGHIJ")
    amounts = [c.value for c in lines["G"][2:] if c.value is not None]
    assert amounts
    assert all(isinstance(amount, int | float) for amount in amounts)
    assert "0.00" in lines["G3"].number_format
    assert lines["B3"].is_date
    with zipfile.ZipFile(io.BytesIO(answer.data)) as packed:
        assert [name for name in packed.namelist() if name.endswith(".png")]
    assert about_sheet["A1"].value == "Kontoutdrag"


def test_a_pdf_can_be_read_aloud_and_its_pages_are_counted(played):
    answer = played.get("/statement?format=pdf&lang=en")
    file = pypdf.PdfReader(io.BytesIO(answer.data))
    catalog = file.trailer["/Root"]
    assert catalog["/MarkInfo"]["/Marked"]
    assert catalog["/Lang"] == "en"
    assert b"<pdfuaid:part>1</pdfuaid:part>" in answer.data
    assert [round(x) for x in file.pages[0].mediabox[2:]] == [595, 842]
    assert "Page 1 of 1" in file.pages[0].extract_text()
    assert answer.data == played.get("/statement?format=pdf&lang=en").data, "the same file again"


def test_a_pdf_waits_while_another_process_sets_one(played):
    played.get("/statement?format=pdf")  # the first PDF also loads the fonts
    with LOCKED_FILE.open("rb") as other_process, ThreadPoolExecutor(1) as reader:
        fcntl.flock(other_process, fcntl.LOCK_EX)
        answer = reader.submit(played.get, "/statement?format=pdf")
        finished, _ = wait([answer], timeout=1)
        fcntl.flock(other_process, fcntl.LOCK_UN)
        assert not finished
        assert answer.result().data.startswith(b"%PDF")


def test_a_sign_that_no_font_has_does_not_stop_the_printer(open_session):
    session = open_session(players=[{"name": "Ada 𓀀"}, {"name": "Bo \U0001fae8"}, {"name": "ᚠ"}])
    answer = session.get("/statement?format=pdf&player=p1")
    assert answer.status_code == 200
    assert pypdf.PdfReader(io.BytesIO(answer.data)).trailer["/Root"]["/MarkInfo"]["/Marked"]


def test_paper_is_for_a_period_and_not_for_a_book(played, monkeypatch):
    monkeypatch.setattr(sys.modules["api.statements.formats.pdf"], "MAX_LINES", 2)
    answer = played.get("/statement?format=pdf&lang=en")
    assert (answer.status_code, answer.json["code"]) == (422, "wrong_shape")
    lines = len(played.get("/statement").json["lines"])
    assert answer.json["errors"][0]["detail"] == (
        f"A PDF holds 2 lines at most and this is {lines}; "
        "choose a shorter period, or CSV or Excel, which hold everything."
    )
    for form in set(STATEMENT_FORMATS) - {"pdf"}:
        assert played.get(f"/statement?format={form}").status_code == 200, "what is said instead"
    moment = played.get("/statement").json["lines"][0]["at"]
    assert played.get(f"/statement?format=pdf&to={moment}").status_code == 200, (
        "or a shorter period"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_workbook_with_more_lines_than_a_sheet_is_refused(played, monkeypatch, language):
    lines = len(played.get("/statement").json["lines"])
    workbooks = sys.modules["api.statements.formats.xlsx"]
    monkeypatch.setattr(workbooks, "MAX_LINES", lines - 1)
    answer = played.get(f"/statement?format=xlsx&lang={language}")
    assert (answer.status_code, answer.json["code"]) == (422, "wrong_shape")
    [error] = answer.json["errors"]
    assert error["pointer"] == "?format"
    assert all(word in error["detail"] for word in (str(lines - 1), str(lines), "CSV"))
    assert played.get("/statement?format=csv").status_code == 200
    monkeypatch.setattr(workbooks, "MAX_LINES", lines)
    assert played.get("/statement?format=xlsx").status_code == 200


def test_a_page_finds_its_stylesheet(app, played):
    assert 'href="/static/statement.css"' in played.get("/statement?format=html").text
    with app.test_client().get("/static/statement.css") as response:
        assert (response.status_code, response.mimetype) == (200, "text/css")


def test_a_page_tells_its_curve_in_words_and_in_figures(played):
    page = played.get("/statement?format=html&player=p3&lang=en").text
    assert '<svg class="chart" role="img" aria-labelledby="chart-title chart-words"' in page
    assert "Cilla: 0,00\u00a0kr → 10,50\u00a0kr" in page
    assert "The figures behind the curve" in page
    assert 'aria-label="QR code: shows and checks' in page
    assert " style=" not in page, "the page's own rules forbid it"


@pytest.mark.parametrize("player", ["", "&player=p1", "&player=p2", "&player=p3"])
@pytest.mark.parametrize("period", ["", "&from=2026-01-01&to=2099-12-31"])
def test_a_journal_is_one_that_hledger_accepts(played, player, period, tmp_path):
    text = played.get(f"/statement?format=hledger{player}{period}").text
    assert hledger_reader.parse_journal(text)
    if hledger := shutil.which("hledger"):
        file = tmp_path / "vola.journal"
        file.write_text(text, "utf-8")
        subprocess.run([hledger, "-f", file, "check", "--strict"], check=True)


def test_the_journal_of_a_whole_evening_asserts_what_the_state_says(played):
    journal = hledger_reader.parse_journal(played.get("/statement?format=hledger").text)
    sums: dict[str, Decimal] = {}
    for transaction in journal:
        for account, amount in transaction.postings:
            sums[account] = sums.get(account, Decimal(0)) + amount
    for player, balance in played.state["balances"].items():
        (mine,) = (x for a, x in sums.items() if a.startswith(f"assets:players:{player} "))
        assert mine * 100 == balance


def test_points_are_a_commodity_of_their_own(open_session):
    session = open_session(game="knektpass", options={})
    text = session.get("/statement?format=hledger&player=p2").text
    assert "commodity 1000. P" in text
    (opening, closing) = hledger_reader.parse_journal(text)
    assert opening.postings[0][0] == "assets:points:p2 Bo"
    assert closing.postings == [("assets:points:p2 Bo", 0)]


@pytest.fixture
def one_for_another(open_session):
    """A deal that only Bo stayed in, corrected to Cilla: his five points go to her in one line."""
    session = open_session(game="knektpass", options={})
    passed = [{"type": "pass", "player": player} for player in ("p2", "p3", "p4", "p1")]
    bo, cilla = ({"type": "stay", "player": player} for player in ("p2", "p3"))
    session.act({"type": "open_deal"}, bo, *passed[1:])
    credentials = {"actions": [passed[0], cilla, *passed[2:]]}
    corrected = session.write("/deals/1", credentials, method="PUT", match=f'"{session.version}"')
    assert corrected.status_code == 200, corrected.json
    return session


@pytest.mark.parametrize(("player", "points"), [("p2", [-5, 5]), ("p3", [-5])])
def test_points_that_go_from_one_to_another_are_on_both_statements(one_for_another, player, points):
    statement = one_for_another.get(f"/statement?player={player}").json
    opening, *changes = [line["change"] for line in statement["lines"]]
    assert changes == points
    assert statement["closing"] == opening + sum(points) == one_for_another.state["scores"][player]
    line = statement["lines"][-1]
    assert (line["kind"], line["from"], line["to"]) == ("deal_corrected", "score:p3", "score:p2")


@pytest.mark.parametrize("form", STATEMENT_FORMATS)
def test_points_that_go_from_one_to_another_are_told_in_every_form(one_for_another, form):
    answer = one_for_another.get(f"/statement?format={form}&lang=en")
    assert answer.status_code == 200
    assert "Deal1wascorrected" in statement_text(answer)
    if form == "html":
        assert "<td>Bo<br>Cilla</td>" in answer.text
        assert '<td class="money">+5<br>−5</td>' in answer.text


def test_a_nordic_excel_gets_semicolons_decimal_commas_and_its_mark(played):
    answer = played.get("/statement?format=csv&profile=excel&player=p3")
    assert answer.data.startswith("\ufeffversion;at;".encode())
    rows = list(csv.DictReader(io.StringIO(answer.text.lstrip("\ufeff")), delimiter=";"))
    assert rows[1]["amount"] == "10,50"
    cents = [int(row["change"].replace(",", "")) for row in rows if row["change"]]
    assert sum(cents) == played.state["balances"]["p3"]
    assert rows[1]["from"] in ("Potten", "potten")


@pytest.mark.parametrize(
    ("form", "unit"),
    [("csv", "1/100 SEK"), ("csv&profile=excel", "SEK"), ("hledger", "SEK"), ("pdf", "SEK")],
)
def test_a_statement_says_what_its_amounts_are_in(played, form, unit):
    answer = played.get(f"/statement?format={form}&lang=en")
    assert f"Thewholeevening,amountsin{unit.replace(' ', '')}" in statement_text(answer)


def test_what_came_before_a_period_is_its_opening_balance(played):
    complete = played.get("/statement?player=p3").json
    times = [line["at"] for line in complete["lines"]]
    assert len(set(times)) == 2
    for cut in sorted(set(times)):
        late = played.get(f"/statement?player=p3&from={cut}").json
        early = played.get(f"/statement?player=p3&to={cut}").json
        assert early["lines"] + late["lines"] == complete["lines"], "that moment itself is late"
        assert (early["opening"], late["closing"]) == (0, complete["closing"])
        assert early["closing"] == late["opening"] == sum(x["change"] for x in early["lines"])
        assert late["filters"]["from"] == cut
        hledger_reader.parse_journal(
            played.get(f"/statement?format=hledger&player=p3&from={cut}").text
        )
        hledger_reader.parse_journal(played.get(f"/statement?format=hledger&from={cut}").text)


def test_a_day_is_meant_with_all_its_hours_on_the_wall(played):
    statement = played.get("/statement?player=p3").json
    day = statement["period"]["from"][:10]

    def filters_of(query):
        """Return the filters of a statement with this query, which is otherwise the same."""
        own = ("filters", "page", "receipt", "signature")
        same_statement = played.get(f"/statement?player=p3{query}").json
        assert {k: x for k, x in same_statement.items() if k not in own} == {
            k: x for k, x in statement.items() if k not in own
        }
        return same_statement["filters"]

    following = (datetime.fromisoformat(day) + timedelta(days=1)).date()
    midnights = [f"{date}T00:00:00.000000Z" for date in (day, following)]
    period = {"from": day, "to": day, "tz": "UTC"}
    assert filters_of(f"&from={day}&to={day}&tz=UTC") == {
        **period,
        **dict(zip(("begins", "ends"), midnights, strict=True)),
    }
    west = f"{statement['period']['to'][:19]}-12:00"  # twelve hours after the same time in UTC
    assert played.get(f"/statement?player=p3&from={west}").json["lines"] == []
    east = datetime.fromisoformat(f"{statement['period']['from'][:19]}+01:00")
    assert filters_of(f"&from={statement['period']['from'][:19]}%2B01:00") == {
        "from": f"{statement['period']['from'][:19]}+01:00",
        "to": None,
        "tz": "Europe/Stockholm",
        "begins": format_timestamp((east - EPOCH) // timedelta(microseconds=1)),
        "ends": None,
    }


@pytest.mark.parametrize(
    "query",
    [
        *("?from=yesterday", "?to=2026-13-01", "?from=2026-02-30", "?from=20261121"),
        *("?from=2026-11-21T25:00", "?from=2026-11-21T10:00%2B99:00"),
        *("?profile=excel", "?format=csv&profile=word", "?format=pdf&profile=excel"),
        *("?from=2026-11-21T10:00:00Z%00", "?from=%D9%A1"),
    ],
)
def test_a_period_or_profile_that_cannot_be_is_refused(session, query):
    answer = session.get(f"/statement{query}")
    assert (answer.status_code, answer.json["code"]) == (422, "wrong_shape")


def test_a_profile_without_a_table_is_told_its_format(session):
    answer = session.get("/statement?profile=excel&lang=en")
    assert answer.json["errors"][0]["detail"] == "`profile` needs `format=csv` with it."


def test_the_printed_address_is_never_somebody_elses(played):
    answer = played.get("/statement?format=pdf", Host='evil"><script>')
    assert answer.status_code == 400


def test_a_statement_being_sent_is_not_changed_by_an_undo(played):
    """A statement is of one version, whatever is appended while it is sent."""
    version = played.version
    before = played.get("/statement?format=csv").text
    answer = played.client.get(
        f"{played.path}/statement?format=csv",
        headers={"Authorization": f"Bearer {played.tokens['host']}"},
        buffered=False,
    )
    played.act({"type": "undo"})
    assert answer.text == before
    assert answer.headers["ETag"].startswith(f'"{version}-')
    assert played.get("/statement?format=csv").text != before
