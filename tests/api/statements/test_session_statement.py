"""Statements add up, leave out undone actions, and treat names as text."""

import csv
import io

import pytest

from tests.support.api.statement_text import statement_text

HOSTILE_NAMES = ("=1+1", "<img src=x onerror=alert(1)>", '@SUM(A1)"', "+46;DROP TABLE")


@pytest.fixture
def hostile_session(open_session):
    session = open_session(
        players=[{"name": name} for name in HOSTILE_NAMES], title="<b>Fredag</b>"
    )
    session.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]},
              *({"type": "trick", "winner": f"p{1 + i % 4}"} for i in (0, 1, 0, 2, 3)))  # fmt: skip
    return session


def csv_rows(answer):
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_a_spreadsheet_takes_no_name_for_a_formula(hostile_session):
    for player in ("p1", "p2", "p3", "p4"):
        answer = hostile_session.get(f"/statement?format=csv&player={player}")
        assert answer.content_type.startswith("text/csv")
        for row in csv_rows(answer):
            for column, cell in row.items():
                if column not in ("change", "balance"):
                    assert not cell.startswith(("=", "+", "-", "@")), (column, cell)


def test_a_page_shows_a_name_as_text(hostile_session):
    page = hostile_session.get("/statement?format=html").text
    assert "<img src=x" not in page
    assert "<b>Fredag</b>" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_undone_actions_are_left_out(session):
    open_deal = {"type": "open_deal"}
    session.act(open_deal, {"type": "undo"}, open_deal, {"type": "all_pass"})
    statement = session.get("/statement?format=json&player=p1").json
    assert [line["change"] for line in statement["lines"]] == [-10]
    assert statement["closing"] == session.state["balances"]["p1"] == -10


def test_the_balances_of_a_list_have_equally_many_decimals(open_session):
    session = open_session(currency="EUR", options={"stake": 50})
    for _ in range(5):  # Ada deals the first and the last one
        session.act({"type": "open_deal"}, {"type": "all_pass"})
    paper = statement_text(session.get("/statement?format=pdf&lang=de"))
    assert session.state["balances"] == {"p1": -100, "p2": -50, "p3": -50, "p4": -50}
    assert "Ada−1,00€Bo−0,50€" in paper
    assert "Ada−1€" not in paper


def test_a_session_without_a_deal_has_an_empty_statement(session):
    statement = session.get("/statement?format=json&player=p1").json
    assert (statement["opening"], statement["lines"], statement["closing"]) == (0, [], 0)
    page = session.get("/statement?format=html").text
    assert "Inga" in page
    assert "<dd>–</dd>" in page
    assert "– – –" not in page


def test_a_cached_statement_is_fetched_again_from_another_vola(session, group, monkeypatch):
    """Its sentences may be other ones."""
    for reader in (session, group):
        path = "/statement?format=html"
        cached = {"If-None-Match": reader.get(path).headers["ETag"]}
        assert reader.get(path, **cached).status_code == 304
        for module in ("api.http.responses", "api.resources.statements"):
            monkeypatch.setattr(f"{module}.PRODUCT_VERSION", "1.0.1")
        assert reader.get(path, **cached).status_code == 200
        monkeypatch.undo()


def test_the_hash_is_printed_in_every_format(session):
    receipt = session.act({"type": "open_deal"}).json["receipt"]
    for form in ("json", "csv", "html"):
        assert receipt["hash"] in session.get(f"/statement?format={form}").text


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "text/html"),
        ("text/csv", "text/csv"),
        ("application/json", "application/json"),
        ("application/json; charset=utf-8", "application/json"),
        ("application/json; charset=utf-8; q=0.5, Text/CSV; header=present", "text/csv"),
        ("*/*", "application/json"),
    ],
)
def test_the_format_is_chosen_by_accept_as_well(session, accept, content_type):
    assert session.get("/statement", Accept=accept).mimetype == content_type


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?format=docx", 406),
        ("?player=p9", 404),
        ("?player=Ada", 404),
        ("?format=html&tz=Europe/Copenhagen", 200),
        ("?format=html&tz=Mars/Olympus", 422),
        ("?format=html&tz=localtime", 422),
        ("?format=html&tz=right/UTC", 422),
        ("?format=html&tz=../../etc/passwd", 422),
    ],
)
def test_an_impossible_statement_is_refused(session, query, status):
    assert session.get(f"/statement{query}").status_code == status
    assert session.get("/statement", Accept="image/png").status_code == 406


def test_a_period_that_ends_before_it_begins_is_refused(session):
    refused = session.get("/statement?from=2026-11-22&to=2026-11-21&lang=en")
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "?to")
    assert session.get("/statement?from=2026-11-21&to=2026-11-21").status_code == 200


def test_times_are_shown_in_the_time_zone_asked_for(session):
    timestamp = session.act({"type": "open_deal"}).json["receipt"]["at"]
    page = session.get("/statement?format=html&tz=Asia/Kolkata").text
    hour, minute = int(timestamp[11:13]), int(timestamp[14:16])
    minutes = (hour * 60 + minute + 330) % 1440  # five and a half hours ahead of UTC
    assert f"<td>{minutes // 60:02}:{minutes % 60:02}</td>" in page


@pytest.mark.parametrize("name", ["from", "to"])
def test_an_empty_period_parameter_is_refused(session, name):
    refused = session.get(f"/statement?{name}=")
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, f"?{name}")


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("sv", "Får inte vara tom."),
        ("da", "Må ikke være tom."),
        ("en", "Must not be empty."),
        ("de", "Darf nicht leer sein."),
    ],
)
def test_an_empty_player_is_refused_in_a_sentence(session, language, sentence):
    refused = session.get(f"/statement?player=&lang={language}")
    assert refused.status_code == 422
    assert refused.json["errors"] == [{"pointer": "?player", "detail": sentence, "code": "null"}]


@pytest.mark.parametrize("day", ["0001-01-01", "0938-11-30", "9999-12-31"])
def test_a_period_may_end_on_any_day(session, day):
    session.act({"type": "open_deal"})
    statement = session.get(f"/statement?to={day}").json
    assert (statement["filters"]["to"], len(statement["lines"])) == (day, 1 if day > "2026" else 0)


@pytest.mark.parametrize(
    ("language", "above"), [("sv", "ovan"), ("en", "above"), ("da", "ovenfor"), ("de", "oben")]
)
def test_a_period_has_its_note_below_the_standings_it_speaks_of(session, language, above):
    version = session.act({"type": "open_deal"}).json["receipt"]["version"]
    page = session.get(f"/statement?format=html&from=2026-01-01&lang={language}").text
    note = page.index(f" {above} ", page.rindex('class="balances"'))
    assert f"ersion {version}, " in page[note : page.index("</p>", note)]


@pytest.mark.parametrize("form", ["html", "pdf"])
@pytest.mark.parametrize("payment", ["immediate", "on_collection"])
def test_a_bet_that_is_a_claim_is_called_unpaid(open_session, form, payment):
    """It is in no account: without it, balances, pot and bets add up to zero."""
    session = open_session(options={"stake": 10, "bet_payment": payment})
    session.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]},
                *({"type": "trick", "winner": f"p{i}"} for i in (3, 3, 4, 3, 2)))  # fmt: skip
    text = statement_text(session.get(f"/statement?format={form}&lang=en"))
    assert ("Bet1(Bo)·notpaidyet" in text) == (payment == "on_collection")


WITHOUT_AND_WITH_BETS = {
    "sv": ("Saldonochpottblir", "Saldon,pottochbetarblir"),
    "en": ("Balancesandpotadd", "Balances,potandbetsadd"),
    "da": ("Saldiogpuljegiver", "Saldi,puljeogbetergiver"),
    "de": ("SaldenundPottergeben", "Salden,PottundBetenergeben"),
}


@pytest.mark.parametrize("form", ["html", "pdf"])
@pytest.mark.parametrize("language", WITHOUT_AND_WITH_BETS)
def test_only_a_game_with_bets_adds_them_up(open_session, form, language):
    without, with_bets = WITHOUT_AND_WITH_BETS[language]
    query = f"/statement?format={form}&lang={language}"
    assert with_bets in statement_text(open_session().get(query))
    text = statement_text(open_session(game="polskpas").get(query))
    assert without in text
    assert with_bets not in text


def test_a_curve_begins_with_the_points_that_the_game_starts_with(open_session):
    session = open_session(game="knektpass", options={"start": 5})
    calls = [{"type": "stay", "player": player} for player in ("p2", "p3")]
    calls += [{"type": "pass", "player": player} for player in ("p4", "p1")]
    tricks = {"type": "tricks", "taken": {"p2": 3, "p3": 2}}
    assert session.act({"type": "open_deal"}, *calls, tricks).status_code == 201
    page = session.get("/statement?format=html&player=p2&lang=en").text
    assert '<desc id="chart-words">Bo: 5 → 2. </desc>' in page
