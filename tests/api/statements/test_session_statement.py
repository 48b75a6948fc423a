"""Statements: they add up, leave out what was taken back, and no name can do any harm in them."""

import csv
import io

import pytest

HOSTILE = ("=1+1", "<img src=x onerror=alert(1)>", '@SUM(A1)"', "+46;DROP TABLE")


@pytest.fixture
def hostile(open_table):
    table = open_table(players=[{"name": name} for name in HOSTILE], title="<b>Fredag</b>")
    table.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]},
              *({"type": "trick", "winner": f"p{1 + i % 4}"} for i in (0, 1, 0, 2, 3)))  # fmt: skip
    return table


def rows(answer):
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_a_spreadsheet_takes_no_name_for_a_formula(hostile):
    for player in ("p1", "p2", "p3", "p4"):
        answer = hostile.get(f"/statement?format=csv&player={player}")
        assert answer.content_type.startswith("text/csv")
        for row in rows(answer):
            for column, cell in row.items():
                if column not in ("change", "balance"):
                    assert not cell.startswith(("=", "+", "-", "@")), (column, cell)


def test_a_page_shows_a_name_as_text(hostile):
    page = hostile.get("/statement?format=html").text
    assert "<img src=x" not in page
    assert "<b>Fredag</b>" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_what_was_taken_back_is_left_out(table):
    opened = {"type": "open_deal"}
    table.act(opened, {"type": "undo"}, opened, {"type": "all_pass"})
    made = table.get("/statement?format=json&player=p1").json
    assert [line["change"] for line in made["lines"]] == [-10]
    assert made["closing"] == table.state["balances"]["p1"] == -10


def test_an_evening_without_a_deal_has_an_empty_statement(table):
    made = table.get("/statement?format=json&player=p1").json
    assert (made["opening"], made["lines"], made["closing"]) == (0, [], 0)
    assert "Inga" in table.get("/statement?format=html").text


def test_the_seal_and_the_version_are_printed_on_every_form(table):
    receipt = table.act({"type": "open_deal"}).json["receipt"]
    for form in ("json", "csv", "html"):
        assert receipt["hash"] in table.get(f"/statement?format={form}").text


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "text/html"),
        ("text/csv", "text/csv"),
        ("application/json", "application/json"),
        ("*/*", "application/json"),
    ],
)
def test_the_form_is_chosen_by_accept_as_well(table, accept, content_type):
    assert table.get("/statement", Accept=accept).mimetype == content_type


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?format=docx", 406),
        ("?player=p9", 404),
        ("?player=Ada", 404),
        ("?format=html&tz=Europe/Copenhagen", 200),
        ("?format=html&tz=Mars/Olympus", 422),
        ("?format=html&tz=../../etc/passwd", 422),
    ],
)
def test_a_statement_that_cannot_be_made_is_refused(table, query, status):
    assert table.get(f"/statement{query}").status_code == status
    assert table.get("/statement", Accept="image/png").status_code == 406


def test_an_evening_is_shown_on_the_clock_of_the_wall(table):
    at = table.act({"type": "open_deal"}).json["receipt"]["at"]
    there = table.get("/statement?format=html&tz=Asia/Kolkata").text
    hour, minute = int(at[11:13]), int(at[14:16])
    minutes = (hour * 60 + minute + 330) % 1440  # five and a half hours ahead of UTC
    assert f"<td>{minutes // 60:02}:{minutes % 60:02}</td>" in there


@pytest.mark.parametrize("name", ["from", "to"])
def test_a_period_that_is_asked_for_with_nothing_is_refused(table, name):
    refused = table.get(f"/statement?{name}=")
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, f"?{name}")


@pytest.mark.parametrize("day", ["0001-01-01", "0938-11-30", "9999-12-31"])
def test_a_period_ends_on_any_day_there_is(table, day):
    table.act({"type": "open_deal"})
    told = table.get(f"/statement?to={day}").json
    assert (told["filters"]["to"], len(told["lines"])) == (day, 1 if day > "2026" else 0)
