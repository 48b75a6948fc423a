"""The link on a printed statement shows that statement, and whether it still holds; it needs no
account, gives access to nothing else, and always leads to a page with an explanation."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg
import pypdf
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app
from api.i18n.catalog import LANGUAGES, catalog
from api.rate_limit.enforcement import RateLimits
from api.rate_limit.policy import UNKNOWN_TOKENS
from api.representations.qr import svg
from ledger.store import connection_pool as database
from tests.support.api.group_client import create_group
from tests.support.api.session_client import SessionClient
from tests.support.api.two_sessions import play_two_sessions
from tests.support.app import app_over
from tests.support.databases import DatabaseUrls
from tests.support.player_names import FIVE_NAMES, FOUR_PLAYERS

WON = ({"type": "open_deal"}, {"type": "declare", "players": ["p2"]})
ADDRESS = re.compile(r"http://localhost(/statement/[A-Za-z0-9_-]+)")


@pytest.fixture
def recorded_session(open_session: Callable[..., SessionClient]) -> SessionClient:
    session = open_session(title="Fredag")
    for winner in ("p3", "p2"):
        session.act(*WON, {"type": "result", "winner": winner})
    return session


def printed_path(session: SessionClient, query: str = "") -> str:
    """Return the path of the link printed on the PDF, which its QR code contains as well."""
    pages = pypdf.PdfReader(io.BytesIO(session.get(f"/statement?format=pdf{query}").data)).pages
    text = "".join("".join(page.extract_text().split()) for page in pages)
    address = str(pages[0]["/Annots"][0].get_object()["/A"]["/URI"])
    match = ADDRESS.fullmatch(address)
    assert match, address
    assert address in text
    return match[1]


def open_path(session: SessionClient, address: str, **headers: str) -> TestResponse:
    """Open a path without any token."""
    stranger = session.client.application.test_client(use_cookies=False)
    answer = stranger.get(address, headers=headers)
    assert answer.mimetype == "text/html", answer.text[:200]
    assert answer.text.startswith("<!doctype html>")
    return answer


def contains_text(answer: TestResponse, language: str, code: str, **operands: Any) -> bool:
    sentence: str = catalog(language)["printed"][code].format(**operands)
    return sentence in answer.text.replace("&#39;", "'")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_link_shows_the_statement_and_that_it_holds(
    recorded_session: SessionClient, language: str
) -> None:
    version, address = (
        recorded_session.version,
        printed_path(recorded_session, f"&lang={language}&player=p2"),
    )
    recorded_session.act(*WON, {"type": "result", "winner": "p4"})
    answer = open_path(recorded_session, address)
    assert answer.status_code == 200
    assert contains_text(answer, language, "holds")
    assert contains_text(answer, language, "same", version=version)
    assert contains_text(answer, language, "went_on", version=recorded_session.version)
    page = recorded_session.get(
        f"/statement?format=html&lang={language}&player=p2&at={version}"
    ).text
    assert answer.text.partition("<main>")[2] == page.partition("<main>")[2], "with every line"


@pytest.mark.parametrize("form", ["html", "pdf", "xlsx", "csv", "hledger", "json"])
def test_every_format_has_the_same_link(recorded_session: SessionClient, form: str) -> None:
    address = printed_path(recorded_session)
    if form == "html":
        page = recorded_session.get("/statement?format=html").text
        qr_code = svg(f"http://localhost{address}").partition(">")[2]
        assert qr_code in page, "the QR code contains it"
        assert ADDRESS.search(page)[1] == address  # type: ignore[index]
    if form == "json":
        statement: Any = recorded_session.get("/statement").json
        assert statement["page"] == f"http://localhost{address}"
        assert statement["receipt"]["qr"] == svg(statement["page"])
        assert statement["receipt"]["url"].endswith(f"/receipts/{recorded_session.version}")
    if form in ("csv", "hledger"):
        assert address in recorded_session.get(f"/statement?format={form}").text


def test_a_period_is_shown_as_that_period(recorded_session: SessionClient) -> None:
    address = printed_path(recorded_session, "&to=1999-12-31&tz=UTC&lang=en")
    answer = open_path(recorded_session, address)
    assert contains_text(answer, "en", "holds")
    assert "Nothing has moved yet." in answer.text
    assert "31/12/1999" in answer.text


def test_the_link_gives_access_to_nothing_else(recorded_session: SessionClient) -> None:
    address = printed_path(recorded_session, "&player=p1")
    link = address.rpartition("/")[2]
    assert not any(token in address for token in recorded_session.tokens.values())
    for path in ("", "/statement", "/events", "/balances"):
        credentials = {"Authorization": f"Bearer {link}"}
        assert (
            recorded_session.client.get(
                recorded_session.path + path, headers=credentials
            ).status_code
            == 404
        )
    for query in ("?player=p2", "?at=1", "?format=json", "?lang=de&player=p2"):
        assert (
            open_path(recorded_session, address + query).data
            == open_path(recorded_session, address).data
        )


def test_the_page_is_hidden_from_caches_and_search_engines(recorded_session: SessionClient) -> None:
    for address in (printed_path(recorded_session), "/statement/nothing"):
        answer = open_path(recorded_session, address)
        assert answer.headers["Cache-Control"] == "no-store"
        assert "noindex" in answer.headers["X-Robots-Tag"]
        assert 'name="robots" content="noindex' in answer.text
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_altered_link_leads_to_a_page_with_an_explanation(
    recorded_session: SessionClient, language: str
) -> None:
    address = printed_path(recorded_session)
    head, link = address[: len("/statement/")], address[len("/statement/") :]
    replacement = {"A": "B"}
    changed = [
        f"{link[:n]}{replacement.get(link[n], 'A')}{link[n + 1 :]}" for n in range(len(link))
    ]
    links = (
        *changed,
        link[:-1],
        f"{link}A",
        f"{link}/",
        f"{link}.",
        "",
        "x" * 2000,
        "%00",
        "a%0Ab",
        "a/b/c",
    )
    for link_text in links:
        answer = open_path(recorded_session, head + link_text, **{"Accept-Language": language})
        assert answer.status_code == 404, link_text
        for code in ("unknown", "unknown_why", "unknown_do"):
            assert contains_text(answer, language, code), link_text


def test_an_erased_name_is_no_longer_shown(recorded_session: SessionClient) -> None:
    address = printed_path(recorded_session, "&lang=en")
    assert "Cilla" in open_path(recorded_session, address).text
    recorded_session.write("/players/p3/name", method="DELETE", match="*")
    answer = open_path(recorded_session, address)
    assert "Cilla" not in answer.text
    assert contains_text(answer, "en", "holds")
    assert contains_text(answer, "en", "words")


def test_ending_the_links_of_a_session_keeps_the_printed_one(
    recorded_session: SessionClient,
) -> None:
    address = printed_path(recorded_session)
    recorded_session.write("/links/viewer/rotation", {}, match="*")
    assert open_path(recorded_session, address).status_code == 200


def open_session_with_deals(client: FlaskClient) -> SessionClient:
    body = {"game": "polskt_pass", "players": FOUR_PLAYERS, "title": "Fredag"}
    opened: Any = client.post("/v1/sessions", json=body, headers={"Idempotency-Key": "k" * 22}).json
    session = SessionClient(client, opened["id"], opened["tokens"])
    session.act(*WON, {"type": "result", "winner": "p3"})
    session.act({"type": "open_deal"}, {"type": "all_pass"})
    return session


def tamper(urls: DatabaseUrls, *statements: str) -> None:
    with psycopg.connect(urls.super) as db:
        db.execute("SET session_replication_role = replica")
        for statement in statements:
            db.execute(statement)


def test_a_restored_older_backup_says_where_it_ends(urls: DatabaseUrls) -> None:
    with app_over(urls) as app:
        session = open_session_with_deals(app.test_client())
        version, address = session.version, printed_path(session)
    tamper(
        urls,
        "DELETE FROM vola.events WHERE version > 3",
        "UPDATE vola.heads SET version = 3, conflict_version = 3, hash = e.hash, at = e.at"
        "  FROM vola.events e WHERE e.version = 3",
    )
    with app_over(urls) as app:
        answer = open_path(
            SessionClient(app.test_client(), "", {}), address, **{"Accept-Language": "da"}
        )
        assert answer.status_code == 410
        assert contains_text(answer, "da", "set_back_why", version=version, now=3)


def test_a_session_that_is_gone_leads_to_an_explanation(urls: DatabaseUrls) -> None:
    with app_over(urls) as app:
        address = printed_path(open_session_with_deals(app.test_client()))
    tamper(urls, *(f"DELETE FROM vola.{name}" for name in ("sessions", "heads", "events")))
    with app_over(urls) as app:
        answer = open_path(
            SessionClient(app.test_client(), "", {}), address, **{"Accept-Language": "de"}
        )
        assert (answer.status_code, contains_text(answer, "de", "gone_do")) == (410, True)


def test_a_server_with_another_secret_explains_the_unknown_link(urls: DatabaseUrls) -> None:
    with app_over(urls) as app:
        address = printed_path(open_session_with_deals(app.test_client()))
    tamper(urls, "UPDATE vola.secret SET secret = sha256('another')")
    with app_over(urls) as app:
        answer = open_path(
            SessionClient(app.test_client(), "", {}), address, **{"Accept-Language": "en"}
        )
        assert (answer.status_code, contains_text(answer, "en", "unknown_why")) == (404, True)


@pytest.mark.parametrize(
    ("code", "statement"),
    [
        ("broken", "UPDATE vola.events SET \"by\" = 'host.1' WHERE version = 4"),
        ("other_events", "UPDATE vola.heads SET hash = sha256('x')"),
    ],
)
def test_tampered_events_are_reported_above_the_statement(
    urls: DatabaseUrls, code: str, statement: str
) -> None:
    with app_over(urls) as app:
        address = printed_path(open_session_with_deals(app.test_client()), "&lang=sv")
    last = "UPDATE vola.events SET hash = sha256('x') WHERE version = (SELECT max(version)"
    statements = [f"{last} FROM vola.events)"] if code == "other_events" else []
    tamper(urls, statement, *statements)
    with app_over(urls) as app:
        answer = open_path(SessionClient(app.test_client(), "", {}), address)
        assert answer.status_code == 200
        assert contains_text(answer, "sv", "differs")
        assert contains_text(answer, "sv", "broken") or contains_text(answer, "sv", code)


def test_the_link_of_a_group_shows_the_statement_as_printed(app: Flask) -> None:
    group = play_two_sessions(create_group(app.test_client(), *FIVE_NAMES))
    query = "&member=m2&lang=en"
    page: Any = group.get(f"/statement?format=json{query}").json
    address = page["page"].removeprefix("http://localhost")
    assert printed_path(group, query) == address  # type: ignore[arg-type]
    before = group.get(f"/statement?format=html{query}").text
    second = group.sessions[1]
    later = "1 of the evenings has gone on since; that is not shown here."
    assert later not in open_path(second, address).text
    second.write("/transfers", {"from": "p1", "to": "p2", "amount": 9}, match="*")
    third = group.open_session(first_dealer="m1")
    third.act({"type": "open_deal"}, {"type": "all_pass"})
    assert group.get(f"/statement?format=html{query}").text != before
    answer = open_path(second, address)
    assert (answer.status_code, contains_text(answer, "en", "holds")) == (200, True)
    assert contains_text(answer, "en", "same_group")
    assert later in answer.text
    assert answer.text.partition("<main>")[2] == before.partition("<main>")[2]
    assert f'id="evening-{page["sessions"][1]["number"]}"' in answer.text


def test_links_cannot_be_guessed_one_after_another(urls: DatabaseUrls) -> None:
    clock, pool = [0], database.open_pool(urls.app, size=4)
    with closing(pool):
        app = create_app(pool, rate_limits=RateLimits(clock=lambda: clock[0]))
        address = printed_path(open_session_with_deals(app.test_client()))
        session = SessionClient(app.test_client(), "", {})
        for _ in range(UNKNOWN_TOKENS.limit):
            assert open_path(session, "/statement/guess").status_code == 404
        answer = open_path(session, "/statement/guess", **{"Accept-Language": "en"})
        assert (answer.status_code, contains_text(answer, "en", "later")) == (429, True)
        assert int(answer.headers["Retry-After"]) > 0
        clock[0] += UNKNOWN_TOKENS.seconds * 10**9
        for _ in range(UNKNOWN_TOKENS.limit + 10):
            assert open_path(session, address).status_code == 200, "a valid link is not limited"


def test_an_unavailable_database_leads_to_an_explanation(urls: DatabaseUrls) -> None:
    with app_over(urls) as app:
        address = printed_path(open_session_with_deals(app.test_client()))
        app.extensions["store"].pool.close()
        answer = open_path(
            SessionClient(app.test_client(), "", {}), address, **{"Accept-Language": "en"}
        )
        assert (answer.status_code, contains_text(answer, "en", "later_do")) == (503, True)
        assert answer.headers["Retry-After"]
