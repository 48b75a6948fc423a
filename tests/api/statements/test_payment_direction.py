"""In what people read, money goes from the payer to the payee. Programs get the posting: what
Ada pays Cilla raises Ada's balance."""

import csv
import io

import openpyxl
import pypdf
import pytest

from tests.support.api.group_client import create_group
from tests.support.api.money_events import MONEY_EVENTS, RULE_REFERENCES, record_event
from tests.support.api.two_sessions import play_two_sessions
from tests.support.ledger.unpaged_statement import explain_recorded_event
from tests.support.player_names import FIVE_NAMES

TRANSFER_TEXT = "Ada has paid 2,50\u00a0kr to Bo"


@pytest.fixture
def session_with_transfer(open_session):
    """Ada lays a bet, Cilla wins the deal; then Ada pays Bo."""
    session = open_session(options={"stake": 1050})
    declared = {"type": "declare", "players": ["p1"]}
    session.act({"type": "open_deal"}, declared, {"type": "result", "winner": "p3"})
    session.write("/transfers", {"from": "p1", "to": "p2", "amount": 250}, match="*")
    return session


def table_rows(answer):
    """Return the cells of a CSV, a page, a workbook or a PDF, row by row, as text."""
    match answer.mimetype:
        case "text/csv":
            return list(csv.reader(io.StringIO(answer.text.lstrip("\ufeff")), delimiter=";"))
        case "text/html":
            return [
                [cell.split("</td>")[0] for cell in row.split("<td>")[1:]]
                for row in answer.text.split("<tr>")
            ]
        case "application/pdf":
            pages = pypdf.PdfReader(io.BytesIO(answer.data)).pages
            text = " ".join(" ".join(page.extract_text().split()) for page in pages)
            return [[text.partition(TRANSFER_TEXT.replace("\u00a0", " "))[2][:20]]]
        case _:
            book = openpyxl.load_workbook(io.BytesIO(answer.data))
            return [
                ["" if cell is None else str(cell) for cell in row]
                for sheet in book
                for row in sheet.iter_rows(values_only=True)
            ]


def payer_and_payee(answer, reason):
    """Return the two cells that say from whom to whom the money of this line went."""
    (row,) = (row for row in table_rows(answer) if any(reason in cell for cell in row))
    return [cell for cell in row if cell in ("Ada", "Bo", "Cilla", "Disa", "the evening before")]


GROUP_FORMATS = ["html", "xlsx", "csv&profile=excel"]
PLAYER_FORMATS = ["xlsx&player=p1", "csv&profile=excel&player=p1"]
"""A player's page lacks these columns."""


@pytest.mark.parametrize("form", GROUP_FORMATS + PLAYER_FORMATS)
def test_a_transfer_goes_from_payer_to_payee(session_with_transfer, form):
    answer = session_with_transfer.get(f"/statement?format={form}&lang=en")
    assert payer_and_payee(answer, TRANSFER_TEXT) == ["Ada", "Bo"]


def test_a_pdf_names_the_payer_first(session_with_transfer):
    ((after,),) = table_rows(session_with_transfer.get("/statement?format=pdf&lang=en"))
    assert after.split()[:2] == ["Ada", "Bo"]


@pytest.mark.parametrize("form", GROUP_FORMATS)
def test_a_group_statement_names_the_payer_first(app, form):
    group = play_two_sessions(create_group(app.test_client(), *FIVE_NAMES))
    answer = group.get(f"/statement?format={form}&lang=en")
    assert payer_and_payee(answer, "Disa has paid 0,70\u00a0kr to Bo") == ["Disa", "Bo"]


def test_programs_get_the_posting(session_with_transfer):
    line = session_with_transfer.get("/statement").json["lines"][-1]
    assert (line["from"], line["to"]) == ("player:p2", "player:p1")
    lines = csv.DictReader(io.StringIO(session_with_transfer.get("/statement?format=csv").text))
    (row,) = (row for row in lines if row["kind"] == "transfer_recorded")
    assert (row["from"], row["to"]) == ("player:p2", "player:p1")


@pytest.mark.parametrize("form", GROUP_FORMATS)
def test_a_balance_carried_forward_goes_from_the_debtor(app, form):
    second = play_two_sessions(create_group(app.test_client(), *FIVE_NAMES)).sessions[1]
    answer = second.get(f"/statement?format={form}&lang=en")
    assert payer_and_payee(answer, "Cilla owed") == ["Cilla", "the evening before"]
    assert payer_and_payee(answer, "Bo was owed") == ["the evening before", "Bo"]


def test_the_payer_named_in_a_sentence_comes_first():
    """The events are a la vola, one undone, one corrected, points in money, and a transfer."""
    codes = set()
    for event in MONEY_EVENTS:
        for reason in explain_recorded_event(RULE_REFERENCES, record_event(event)):
            payment_ends = [reason.players.get(part) for part in ("payer", "payee")]
            if all(payment_ends):
                codes.add(reason.code)
                assert reason.payer_and_payee == tuple(
                    f"player:{player}" for player in payment_ends
                )
    assert codes >= {"transfer", "la_vola_paid", "la_vola_paid_back", "la_vola_corrected"}
