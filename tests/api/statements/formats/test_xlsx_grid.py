"""A workbook has a sheet of all changes: a row for each deal, or for each session of a group."""

import errno
import gc
import io
import re
import tempfile
import zipfile

import openpyxl
import pytest

from api.i18n.catalog import LANGUAGES, catalog
from api.statements.formats import xlsx
from ledger.projections.postings import postings_of
from tests.support.api.group_client import create_group, settle_payments
from tests.support.api.money_events import MONEY_EVENTS
from tests.support.api.two_sessions import TITLE, play_two_sessions
from tests.support.player_names import FIVE_NAMES


def load_book(answer):
    assert answer.status_code == 200, answer.text
    return openpyxl.load_workbook(io.BytesIO(answer.data))


def sheet_rows(sheet):
    return [[*row] for row in sheet.iter_rows(values_only=True)]


@pytest.fixture
def recorded_session(open_session):
    """Bo lays a bet and Cilla wins; all pass; Ada takes pot and bet; then Bo pays Ada."""
    session = open_session(options={"stake": 1050}, title="Fredag")
    session.act(
        {"type": "open_deal"},
        {"type": "declare", "players": ["p2"]},
        {"type": "result", "winner": "p3"},
    )
    session.act({"type": "open_deal"}, {"type": "all_pass"})
    session.act(
        {"type": "open_deal"},
        {"type": "declare", "players": ["p1"]},
        {"type": "result", "winner": "p1"},
    )
    session.write("/transfers", {"from": "p2", "to": "p1", "amount": 250}, match="*")
    return session


def test_every_deal_has_a_row_and_the_columns_add_up(recorded_session):
    sheet = load_book(recorded_session.get("/statement?format=xlsx&lang=en")).worksheets[1]
    assert sheet.title == "Deal by deal"
    head, *deals, transfer, total = sheet_rows(sheet)
    names = ["Ada", "Bo", "Cilla", "Disa", "On the table"]
    assert head == ["Deal", "Dealer", "Declarer", "What happened", *names]
    assert [row[:3] for row in deals] == [[1, "Ada", "Bo"], [2, "Bo", None], [3, "Cilla", "Ada"]]
    assert deals[0][3].replace("\xa0", " ") == (
        "Cilla won 10,50 kr. Bo had declared and laid a bet."
    )
    assert [row[4:] for row in deals] == [
        [-10.5, -10.5, 10.5, 0, 10.5],
        [0, -10.5, 0, 0, 10.5],
        [31.5, 0, -10.5, 0, -21],
    ]
    assert transfer[3:] == ["Payment between players", -2.5, 2.5, 0, 0, 0]
    assert total[3:] == ["Total", 18.5, -18.5, 0, 0, 0]
    assert [round(100 * sum) for sum in total[4:8]] == [
        *recorded_session.state["balances"].values()
    ]


def test_a_corrected_deal_has_one_row_as_corrected(recorded_session):
    credentials = [{"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p2"}]
    answer = recorded_session.write("/deals/1", {"actions": credentials}, method="PUT", match="*")
    assert answer.status_code == 200, answer.text
    _, first, *_, total = sheet_rows(
        load_book(recorded_session.get("/statement?format=xlsx&lang=en")).worksheets[1]
    )
    assert first[:3] == [1, "Ada", "Bo"]
    assert first[3].startswith("Bo declared and won")
    assert first[4:] == [-10.5, 10.5, 0, 0, 0]
    assert [round(100 * sum) for sum in total[4:8]] == [
        *recorded_session.state["balances"].values()
    ]


def test_a_players_own_sheet_has_one_column(recorded_session):
    head, *_, total = sheet_rows(
        load_book(recorded_session.get("/statement?format=xlsx&player=p3")).worksheets[1]
    )
    assert head == ["Giv", "Givare", "Spelförare", "Vad som hände", "Cilla"]
    assert total[3:] == ["Summa", 0]


def test_a_period_has_only_its_own_deals(recorded_session):
    times = [line["at"] for line in recorded_session.get("/statement").json["lines"]]
    _, *rows, total = sheet_rows(
        load_book(
            recorded_session.get(f"/statement?format=xlsx&to={sorted(set(times))[1]}")
        ).worksheets[1]
    )
    assert [row[0] for row in rows] == [1]
    assert total[4:] == [-10.5, -10.5, 10.5, 0, 10.5]


def test_a_vole_is_not_called_la_vola(app, open_session):
    session = open_session(game="polskpas")
    session.act(
        {"type": "open_deal"},
        {"type": "declare", "players": ["p2"]},
        {"type": "result", "winner": "p2", "vole": {"player": "p2", "won": True}},
    )
    settle_payments(app, session)
    lines, *_ = load_book(session.get("/statement?format=xlsx&lang=en")).worksheets
    assert [row[3] for row in sheet_rows(lines)[2:-1]] == ["Stake", "Pot taken", *["Vole paid"] * 3]


@pytest.mark.parametrize("unit", ["points", "money"])
def test_points_have_the_same_sheet(open_session, unit):
    session = open_session(game="knektpass", options={"point_value": 100})
    stay_actions = [{"type": "stay", "player": player} for player in ("p2", "p3")]
    passes = [{"type": "pass", "player": player} for player in ("p4", "p1")]
    tricks = {"type": "tricks", "taken": {"p2": 3, "p3": 2}}
    session.act({"type": "open_deal"}, *stay_actions, *passes, tricks)
    sheet = load_book(session.get(f"/statement?format=xlsx&unit={unit}&lang=de")).worksheets[1]
    head, *rows, total = sheet_rows(sheet)
    if unit == "money":
        assert head[:2] == ["Spiel", "Geber"]
        assert "Auf dem Tisch" in head
        assert total[-5:] == [0] * 5
        return
    assert head == ["Spiel", "Geber", "Was geschah", "Ada", "Bo", "Cilla", "Disa"]
    assert rows[0] == [None, None, "Beginn des Abends", 12, 12, 12, 12]
    assert rows[1][:2] == [1, "Ada"]
    assert rows[1][3:] == [0, -3, -2, 0]
    assert total[2:] == ["Summe", 12, 9, 10, 12]


def test_a_group_has_a_row_for_each_session(app):
    group = play_two_sessions(create_group(app.test_client(), *FIVE_NAMES))
    sheet = load_book(group.get("/statement?format=xlsx&lang=en")).worksheets[1]
    assert sheet.title == "Evening by evening"
    head, first, second, total = sheet_rows(sheet)
    assert head == ["Evening", "Title", "Time", "Game", *FIVE_NAMES, "Left on the tables"]
    assert (first[0], first[3], second[0], second[1]) == (1, "Polskt pass", 2, TITLE)
    for row in (first, second, total):
        assert round(100 * sum(row[4:])) == 0
    assert [round(100 * sum) for sum in total[4:9]] == [-20, -30, -60, 0, 20]
    head, *_, total = sheet_rows(
        load_book(group.get("/statement?format=xlsx&member=m2")).worksheets[1]
    )
    assert head[4:] == ["Bo"]
    assert round(100 * total[4]) == -30


NUMBER_FORMATS = {
    ("SEK", "sv"): '#,##0.00"\xa0kr"',
    ("DKK", "da"): '#,##0.00"\xa0kr."',
    ("EUR", "de"): '#,##0.00"\xa0€"',
    ("GBP", "en"): '"£"#,##0.00',
    ("ISK", "en"): '#,##0"\xa0kr"',
    ("CHF", "en"): '"CHF\xa0"#,##0.00',
    ("chips", "sv"): '#,##0"\xa0marker"',
}


@pytest.mark.parametrize(("currency", "language"), NUMBER_FORMATS)
def test_amounts_are_numbers_in_the_format_of_the_currency(open_session, currency, language):
    number_format = NUMBER_FORMATS[currency, language]
    session = open_session(options={"stake": 1000}, currency=currency)
    session.act({"type": "open_deal"})
    sheets = load_book(session.get(f"/statement?format=xlsx&lang={language}")).worksheets
    for amount in (sheets[0]["G3"], sheets[1]["D2"]):
        assert isinstance(amount.value, int | float)
        assert amount.number_format.split(";")[0] == number_format


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_movement_has_a_word(language):
    kinds = {str(type(event).__struct_config__.tag) for event in MONEY_EVENTS if postings_of(event)}
    assert set(catalog(language)["kinds"]) == kinds


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_internal_word_appears_in_a_workbook(recorded_session, language):
    """The name of every sheet, every heading and every kind of event is in the reader's
    language."""
    workbook = load_book(recorded_session.get(f"/statement?format=xlsx&lang={language}"))
    texts = {
        str(cell)
        for sheet in workbook.worksheets[:2]
        for row in sheet_rows(sheet)
        for cell in row
        if cell is not None
    } | set(workbook.sheetnames)
    assert not [word for word in texts if re.fullmatch(r"[a-z]+_[a-z_]+|p\d|player:.*", word)]
    kinds = catalog(language)["kinds"].values()
    assert {row[3] for row in sheet_rows(workbook.worksheets[0])[2:-1]} <= set(kinds)
    assert catalog(language)["statement"]["by_deal"] == workbook.sheetnames[1]


def test_every_sheet_is_as_wide_as_its_page(recorded_session):
    book = load_book(recorded_session.get("/statement?format=xlsx"))
    for sheet in book.worksheets:
        assert sheet.sheet_properties.pageSetUpPr.fitToPage, sheet.title
        assert sheet.page_setup.orientation == "landscape"
        assert sheet.page_setup.paperSize == 9  # A4
        assert sheet.page_setup.fitToHeight == 0  # as many pages as it takes


def test_a_name_that_its_column_cannot_hold_takes_several_lines(open_session):
    session = open_session(players=[{"name": name * 38} for name in "ABCD"])
    session.act({"type": "open_deal"}, {"type": "all_pass"})
    lines_sheet, _, about = load_book(session.get("/statement?format=xlsx")).worksheets
    long_cells = [
        cell
        for sheet in (lines_sheet, about)
        for row in sheet.iter_rows(min_row=2)
        for cell in row
        if isinstance(cell.value, str) and len(cell.value) >= 38
    ]
    assert len(long_cells) >= 6
    assert {(cell.alignment.wrap_text, cell.alignment.vertical) for cell in long_cells} == {
        (True, "top")
    }
    heights = lines_sheet.row_dimensions
    assert [heights[row].height for row in (2, 3)] == [None, 30]


def test_no_qr_code_covers_the_list_of_sessions(app):
    group = play_two_sessions(create_group(app.test_client(), *FIVE_NAMES))
    answer = group.get("/statement?format=xlsx&lang=en")
    about = load_book(answer).worksheets[-1]
    (head_row,) = (row for row, (cell,) in enumerate(about["A1:A99"]) if cell.value == "Evening")
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        drawing = archive.read("xl/drawings/drawing1.xml").decode()
    corners = re.findall(r"<xdr:row>(\d+)</xdr:row>", drawing)
    page_code, *session_codes = zip(map(int, corners[::2]), map(int, corners[1::2]), strict=True)
    assert page_code[1] < head_row
    assert [top for top, _ in session_codes] == [head_row + 1, head_row + 2]


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # xlsxwriter leaves its files open
def test_on_a_full_disk_it_is_refused_and_leaves_no_file(recorded_session, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(xlsx, "_write_about", fail)
    refused = recorded_session.get("/statement?format=xlsx")
    assert (refused.status_code, refused.json["code"]) == (503, "disk_full")
    assert refused.headers["Retry-After"] == "2"
    assert not list(tmp_path.iterdir())
    gc.collect()
