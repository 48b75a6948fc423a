"""The time of a line can be told from every other: after midnight it has its day, and in the night
when the clocks are changed its zone."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import openpyxl
import pytest

from ledger.events.timestamps import EPOCH
from ledger.store import event_store
from ledger.store.append_request import build_changes
from tests.support.api.session_client import SessionClient
from tests.support.api.statement_text import statement_text

PASSED = ({"type": "open_deal"}, {"type": "all_pass"})


@pytest.fixture
def play_at(
    open_session: Callable[..., SessionClient], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., SessionClient]:
    """Return a function that plays a deal at each of these times, ISO 8601 in UTC."""

    def play(*times: str, open_session: Any = open_session) -> SessionClient:
        session = None
        for time in times:
            at = (datetime.fromisoformat(time) - EPOCH) // timedelta(microseconds=1)
            monkeypatch.setattr(
                event_store,
                "build_changes",
                lambda before, decision, _, request, at=at: build_changes(
                    before, decision, at, request
                ),
            )
            session = session or open_session()
            assert session.act(*PASSED).status_code == 201
        assert session is not None
        return session

    return play


def times_on_page(session: SessionClient, query: str = "") -> list[str]:
    """Return the times of the lines, and of the first and the last point of the chart."""
    page = session.get(f"/statement?format=html&lang=en{query}").text
    *_, lines = re.split("<th[^>]*>Why</th>", page.partition("</main>")[0])
    curve = re.findall(r'<tr><th scope="row">([^<]*)</th><td>', page)
    cells: list[str] = re.findall(r"<tr>\s*<td>([^<]+)</td>", lines)
    assert [curve[0], curve[-1]] == [cells[0], cells[-1]]
    return cells


def test_an_evening_of_one_day_has_times_alone(play_at: Any) -> None:
    session = play_at("2026-10-24T18:30Z", "2026-10-24T19:05Z")
    assert times_on_page(session) == ["20:30", "21:05"]


def test_an_evening_over_midnight_has_days_as_well(play_at: Any) -> None:
    session = play_at("2026-10-20T21:50Z", "2026-10-20T22:10Z")
    assert times_on_page(session) == ["20/10/2026 23:50", "21/10/2026 00:10"]
    assert times_on_page(session, "&tz=UTC") == ["21:50", "22:10"]


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("2026-10-25T00:45Z", "2026-10-25T01:15Z", ["02:45 CEST", "02:15 CET"]),
        ("2027-03-28T00:45Z", "2027-03-28T01:15Z", ["01:45 CET", "03:15 CEST"]),
    ],
)
def test_a_night_when_the_clocks_change_has_zones_as_well(
    play_at: Any, before: str, after: str, shown: list[str]
) -> None:
    session = play_at(before, after)
    assert times_on_page(session) == shown
    paper = statement_text(session.get("/statement?format=pdf&lang=en"))
    for time in shown:
        assert f"{before[8:10]}/{before[5:7]}{time.replace(' ', '')}" in paper


@pytest.mark.parametrize(
    ("language", "on_page", "in_print", "begins"),
    [
        ("sv", "2026-10-20 23:50", "10-20", "2026-10-19"),
        ("en", "20/10/2026 23:50", "20/10", "19/10/2026"),
        ("da", "20.10.2026 23:50", "20.10.", "19.10.2026"),
        ("de", "20.10.2026 23:50", "20.10.", "19.10.2026"),
    ],
)
def test_a_day_is_written_in_the_order_of_the_language(
    play_at: Any, language: str, on_page: str, in_print: str, begins: str
) -> None:
    session = play_at("2026-10-20T21:50Z", "2026-10-20T22:10Z")
    query = f"lang={language}&from=2026-10-19"
    page = session.get(f"/statement?format=html&{query}").text
    assert f"<td>{on_page}</td>" in page
    assert f"<dd>{begins} – …</dd>" in page
    paper = statement_text(session.get(f"/statement?format=pdf&{query}"))
    assert f"{in_print}23:50" in paper


def test_a_group_shows_the_zone_in_the_hour_that_comes_twice(play_at: Any, group: Any) -> None:
    hours = ("2026-10-24T23:30Z", "2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-25T02:30Z")
    play_at(*hours, open_session=group.open_session)
    page = statement_text(group.get("/statement?format=html&lang=en"))
    paper = statement_text(group.get("/statement?format=pdf&lang=en"))
    for time in ("01:30", "02:30CEST", "02:30CET", "03:30"):
        assert f"<td>25/10/2026{time}</td>" in page
        assert f"25/10{time}" in paper


def test_an_evening_within_the_second_of_two_hours_has_zones(play_at: Any) -> None:
    session = play_at("2026-10-25T01:15Z", "2026-10-25T01:45Z")
    assert times_on_page(session) == ["02:15 CET", "02:45 CET"]


def times_in_excel(session: SessionClient) -> tuple[list[str], list[str]]:
    """Return the times of the lines in CSV for Excel, and as a workbook shows them."""
    csv_text = session.get("/statement?format=csv&profile=excel").text.lstrip("\ufeff")
    rows = csv.DictReader(io.StringIO(csv_text), delimiter=";")
    workbook = session.get("/statement?format=xlsx").data
    sheet = openpyxl.load_workbook(io.BytesIO(workbook)).worksheets[0]
    cells = [row[1] for row in sheet.iter_rows(min_row=3, max_row=sheet.max_row - 1)]
    assert all(isinstance(cell.value, datetime) for cell in cells)
    zones = [cell.number_format.partition("hh:mm:ss")[2].replace('"', "") for cell in cells]
    shown = [f"{cell.value}{zone}" for cell, zone in zip(cells, zones, strict=True)]
    return [row["at"] for row in rows if row["amount"]], shown


def test_excel_shows_the_zone_in_the_hour_that_comes_twice(play_at: Any) -> None:
    hours = ("2026-10-24T23:30Z", "2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-25T02:30Z")
    shown = [
        "2026-10-25 01:30:00",
        "2026-10-25 02:30:00 CEST",
        "2026-10-25 02:30:00 CET",
        "2026-10-25 03:30:00",
    ]
    assert times_in_excel(play_at(*hours)) == (shown, shown)
