"""A score sheet has the table's names, options, dealers and link, in the requested paper size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from api.http.session_request import read_session
from api.i18n.catalog import LANGUAGES, catalog, catalog_entry
from api.resources import score_sheets
from engine.games.registry import GAMES
from tests.support.api.hostile_names import list_hostile_names as hostile_names
from tests.support.api.printed_page import (
    drawn_modules,
    expected_modules,
    page_text,
    printed_pages,
)
from tests.support.api.session_client import SessionClient

OpenSession = Callable[..., SessionClient]
LONG_NAMES = ("Ada Wilhelmina Charlotta Bergström-Öberg", "Bo", "Cilla von Essen", "Disa", "Emil")
PAPERS = {"a4": [595, 842], "a5": [420, 595]}


def players(count: int) -> list[dict[str, str]]:
    return [{"name": name} for name in LONG_NAMES[:count]]


def without_spaces(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("key", GAMES)
def test_one_page_has_every_name_option_and_column(
    open_session: OpenSession, key: str, paper: str
) -> None:
    game = GAMES[key]
    count = game.player_counts[-1]
    session = open_session(game=key, players=players(count), options={}, title="Fredag")
    for language in LANGUAGES if paper == "a5" else ["de"]:  # the longest, where there is room
        answer = session.get(f"/score-sheet?paper={paper}&lang={language}")
        (page,) = printed_pages(answer.data)
        assert [round(float(side)) for side in page.mediabox[2:]] == PAPERS[paper]
        assert b"<pdfuaid:part>1</pdfuaid:part>" in answer.data, "it can be read aloud"
        text = page_text(page).replace("-", "")
        title = catalog(language)["score_sheet"]["title"]
        total = catalog(language)["statement"]["sum"]
        hint = catalog_entry(language, key, "score_sheet")["hint"]
        afterwards = catalog(language)["score_sheet"]["afterwards"]
        for part in (*LONG_NAMES[:count], "Fredag", title, total, hint, afterwards):
            assert without_spaces(part).replace("-", "") in text, part
        for option in game.options_type.__struct_fields__:
            label = catalog_entry(language, key, "options", option)["label"]
            assert without_spaces(label).replace("-", "") in text, option


@pytest.mark.parametrize("count", [3, 4, 5])
def test_the_deals_are_numbered_and_the_dealers_take_turns(
    open_session: OpenSession, count: int
) -> None:
    session = open_session(players=players(count))
    (page,) = printed_pages(session.get("/score-sheet?lang=en").data)
    lines = "".join(f"{number}{'ABCDE'[(number - 1) % count]}" for number in range(1, 25))
    assert f"{lines}Total" in page_text(page)


@pytest.mark.parametrize(("deals", "pages"), [(1, 1), (15, 1), (16, 2), (35, 2), (36, 3)])
def test_there_are_as_many_pages_as_the_deals_need(
    session: SessionClient, deals: int, pages: int
) -> None:
    printed = printed_pages(session.get(f"/score-sheet?paper=a5&deals={deals}&lang=en").data)
    assert len(printed) == pages
    assert all(f"Page{n}of{pages}" in page_text(page) for n, page in enumerate(printed, start=1))
    assert all("AAda" in page_text(page) for page in printed), "each says whose mark is whose"


def test_the_hosts_code_opens_the_evening_to_read(session: SessionClient) -> None:
    links = {link["role"]: link["url"] for link in session.get("/links").json["links"]}
    (page,) = printed_pages(session.get("/score-sheet").data)
    assert drawn_modules(page) == expected_modules(links["viewer"])
    assert page["/Annots"][0].get_object()["/A"]["/URI"] == links["viewer"]


@pytest.mark.parametrize("role", ["scorer", "viewer"])
def test_no_other_sheet_gives_access(session: SessionClient, role: str) -> None:
    (page,) = printed_pages(session.get("/score-sheet", role=role).data)
    url = f"http://localhost/#/s/{session.id}"
    assert drawn_modules(page) == expected_modules(url)
    assert page["/Annots"][0].get_object()["/A"]["/URI"] == url


def test_a_sheet_goes_on_where_the_evening_stands(open_session: OpenSession) -> None:
    session = open_session(options={"stake": 1050})
    deal = [{"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p3"}]
    session.act({"type": "open_deal"}, *deal)
    (page,) = printed_pages(session.get("/score-sheet?lang=sv").data)
    assert "Före−10,50−10,5010,500,0010,502B3C" in page_text(page), "sums and the next dealers"
    session.act({"type": "open_deal"})
    (page,) = printed_pages(session.get("/score-sheet?lang=sv").data)
    assert "Före3C4D" in page_text(page), "the open deal is on a phone"


def test_the_side_that_bids_first_is_the_forehands(open_session: OpenSession) -> None:
    session = open_session(game="spader", options={})
    (page,) = printed_pages(session.get("/score-sheet").data)
    assert "1AB+DA+C2BA+CB+D3CB+DA+C" in page_text(page)


def test_players_who_share_a_letter_have_numbered_marks(open_session: OpenSession) -> None:
    session = open_session(players=[{"name": name} for name in ("Anna", "anders", "Bo")])
    (page,) = printed_pages(session.get("/score-sheet").data)
    assert "A1AnnaA2andersBBo" in page_text(page)


def test_no_player_has_the_number_of_another_seat_as_mark(open_session: OpenSession) -> None:
    session = open_session(players=[{"name": name} for name in ("2 snabba", "♠", "Bo")])
    (page,) = printed_pages(session.get("/score-sheet").data)
    assert "S2snabba2♠BBo" in page_text(page)


def test_marks_are_the_letters_that_the_form_reads_again(open_session: OpenSession) -> None:
    session = open_session(players=[{"name": name} for name in ("(Ada)", "'bo'", "✿✿")])
    (page,) = printed_pages(session.get("/score-sheet").data)
    assert "A(Ada)B'bo'3✿✿" in page_text(page).replace("’", "'").replace("‘", "'")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_short_word_of_a_head_is_not_divided(open_session: OpenSession, language: str) -> None:
    session = open_session(players=players(5))
    (page,) = printed_pages(session.get(f"/score-sheet?lang={language}").data)
    assert page.extract_text().split("2\n", 1)[1].split()[:2] == ["La", "vola"]


def test_an_erased_name_is_not_printed(session: SessionClient) -> None:
    before = session.get("/score-sheet?lang=en")
    assert "Cilla" in page_text(printed_pages(before.data)[0])
    session.write("/players/p3/name", method="DELETE")
    after = session.get("/score-sheet?lang=en", **{"If-None-Match": before.headers["ETag"]})
    text = page_text(printed_pages(after.data)[0])
    assert "Cilla" not in text
    assert "Player3" in text


def test_a_sheet_that_a_browser_has_is_not_sent_again(session: SessionClient) -> None:
    answer = session.get("/score-sheet?lang=en&paper=a5")
    assert answer.headers["Content-Language"] == "en"
    etag = {"If-None-Match": answer.headers["ETag"]}
    assert session.get("/score-sheet?lang=en&paper=a5", **etag).status_code == 304
    assert session.get("/score-sheet?lang=en&paper=a4", **etag).status_code == 200
    assert session.get("/score-sheet?lang=en&paper=a5", role="viewer", **etag).status_code == 200
    session.write("/links/viewer/rotation", {})
    assert session.get("/score-sheet?lang=en&paper=a5", **etag).status_code == 200, "a new link"


@pytest.mark.parametrize("query", ["paper=a3", "deals=0", "deals=101", "deals=many", "paper="])
def test_no_other_paper_is_printed(session: SessionClient, query: str) -> None:
    answer = session.get(f"/score-sheet?{query}")
    assert (answer.status_code, answer.json["code"]) == (422, "wrong_shape")
    assert answer.json["errors"][0]["pointer"] == f"?{query.partition('=')[0]}"


def test_no_name_stops_the_printer(open_session: OpenSession) -> None:
    hostile = iter(hostile_names(100))
    for _ in range(4):
        chosen = [next(hostile) for _ in range(5)]
        body: Any = [{"name": name[:40]} for name in dict.fromkeys(chosen)]
        session = open_session(players=body)
        assert session.get("/score-sheet?paper=a5").data.startswith(b"%PDF")


def test_an_evening_opened_after_midnight_has_the_day_of_its_statement(
    session: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    half_past_midnight = 1_795_303_800_000_000  # 2026-11-22 00:30 in Stockholm, 21 November in UTC
    monkeypatch.setattr(
        score_sheets,
        "read_session",
        lambda: msgspec.structs.replace(read_session(), opened_at=half_past_midnight),
    )
    (page,) = printed_pages(session.get("/score-sheet?lang=en").data)
    assert "22/11/2026" in page_text(page)
