"""Every refusal is a problem document with a stable code, in order of precedence, and writes
nothing."""

import json
from uuid import UUID

import psycopg
import pytest
from psycopg_pool import PoolTimeout

from tests.support.api.session_client import SessionClient
from tests.support.app import app_over
from tests.support.ledger.store_session import append_unknown_event
from tests.support.player_names import FOUR_PLAYERS

VOLA = {"player": "p1", "won": True}
KEY = {"Idempotency-Key": "a secret of 22 characters"}


def session_body(**more):
    return {"game": "polskt_pass", "players": FOUR_PLAYERS, **more}


def post_session(client, body, headers=None, content_type="application/json"):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(
        "/v1/sessions", data=raw, headers=KEY if headers is None else headers,
        content_type=content_type,
    )  # fmt: skip


def test_a_problem_is_written_in_the_readers_language(client):
    swedish = client.get("/v1/nowhere")
    english = client.get("/v1/nowhere", headers={"Accept-Language": "en-GB,en;q=0.8"})
    assert swedish.content_type == english.content_type == "application/problem+json"
    assert swedish.json["code"] == english.json["code"] == "not_found"
    assert swedish.json["detail"] == "Här finns ingenting."
    assert english.json["detail"] != swedish.json["detail"]
    assert english.headers["Content-Language"] == "en"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"nothing",
        b'{"game": NaN}',
        b'{"game": Infinity}',
        b'{"game": "a", "game": "b"}',
        b'{"players": [{"name": "a", "name": "b"}]}',
        b'{"title": "\\u0000"}',
        b'{"title": "\\ud800"}',
        b'{"title": "\xff"}',
        b"[" * 7000 + b"]" * 7000,
        b'{"a":' * 7000 + b"1" + b"}" * 7000,
        b'{"stake": ' + b"9" * 5000 + b"}",
        b'\xef\xbb\xbf{"game": "polskt_pass"}',
    ],
)
def test_what_is_not_strict_json_is_malformed(client, raw):
    answer = post_session(client, raw)
    assert (answer.status_code, answer.json["code"]) == (400, "malformed_json")


@pytest.mark.parametrize("stake", [5.9, "5", True, 1e3, 2**63, 0, -1, None, [], {}, 10**9 + 1])
def test_numbers_are_strict(client, stake):
    answer = post_session(client, session_body(options={"stake": stake}))
    assert (answer.status_code, answer.json["code"]) == (422, "wrong_shape")
    assert answer.json["errors"][0]["pointer"] == "/options/stake"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ([], ""),
        ("polskt_pass", ""),
        (session_body(game="bridge"), "/game"),
        (session_body(players=FOUR_PLAYERS[:2]), "/players"),
        (session_body(players=FOUR_PLAYERS + FOUR_PLAYERS), "/players"),
        (session_body(players=[*FOUR_PLAYERS[:2], {"name": " "}]), "/players/2/name"),
        (session_body(players=[*FOUR_PLAYERS[:2], {"name": "x" * 41}]), "/players/2/name"),
        (session_body(players=[*FOUR_PLAYERS[:2], {"name": "\n" + "x" * 40}]), "/players/2/name"),
        (session_body(players=[*FOUR_PLAYERS[:2], {"name": "\u0958" * 21}]), "/players/2/name"),
        (session_body(players=[*FOUR_PLAYERS[:2], {"name": "a\u202eb"}]), "/players/2/name"),
        (session_body(players=[*FOUR_PLAYERS[:2], {"name": "ada"}]), "/players/2/name"),
        (session_body(players=[*FOUR_PLAYERS[:2], {"name": "ＡＤＡ"}]), "/players/2/name"),
        (session_body(players=[*FOUR_PLAYERS[:2], {"name": "\u3164"}]), "/players/2/name"),
        (session_body(players=[*FOUR_PLAYERS[:2], {"name": "\u200d"}]), "/players/2/name"),
        (session_body(players=[*FOUR_PLAYERS[:2], {"name": "Cilla", "age": 7}]), "/players/2/age"),
        (session_body(cheat=1), "/cheat"),
        (session_body(**{"~a/b": 1}), "/~0a~1b"),
        (session_body(options={"cheat": 1}), "/options/cheat"),
        (session_body(options={"bet_multiplier": 3}), "/options/bet_multiplier"),
        (session_body(options={"bet_multiplier": True}), "/options/bet_multiplier"),
        (session_body(options={"merge_double_bets": 1}), "/options/merge_double_bets"),
        (session_body(options={"leftover_policy": "keep"}), "/options/leftover_policy"),
        (session_body(currency="DOGE"), "/currency"),
        (session_body(first_dealer="p5"), "/first_dealer"),
        (session_body(first_dealer="Ada"), "/first_dealer"),
        (session_body(title=7), "/title"),
    ],
)  # fmt: skip
def test_a_wrong_shape_points_at_the_field(client, body, pointer):
    answer = post_session(client, body)
    assert answer.status_code == 422, answer.json
    assert pointer in [error["pointer"] for error in answer.json["errors"]]


def test_a_name_may_have_joined_emoji(client):
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    answer = post_session(client, session_body(players=[*FOUR_PLAYERS[:2], {"name": family}]))
    assert answer.status_code == 201, answer.json
    assert answer.json["players"][2]["name"] == family


def test_a_refused_session_leaves_no_rows(client, app):
    def count_rows():
        with app.extensions["store"].pool.connection() as db:
            return [
                db.execute(f"SELECT count(*) FROM vola.{table_name}").fetchone()
                for table_name in (
                    *("sessions", "heads", "events", "players"),
                    *("creation_keys", "stored_replies"),
                )
            ]

    before = count_rows()
    assert post_session(client, session_body(currency="DOGE")).status_code == 422
    assert count_rows() == before


@pytest.mark.parametrize(
    ("action", "pointer"),
    [
        ({"type": "cheat"}, "/actions/1/type"),
        ({}, "/actions/1/type"),
        (7, "/actions/1"),
        ({"type": "trick"}, "/actions/1/winner"),
        ({"type": "trick", "winner": "Ada"}, "/actions/1/winner"),
        ({"type": "trick", "winner": "p1\n"}, "/actions/1/winner"),
        ({"type": "trick", "winner": "p1", "card": "AS"}, "/actions/1/card"),
        ({"type": "declare", "players": []}, "/actions/1/players"),
        ({"type": "declare", "players": ["p1"], "trump": "X"}, "/actions/1/trump"),
        ({"type": "play", "player": "p1", "card": "1S"}, "/actions/1/card"),
        ({"type": "open_deal", "number": "1"}, "/actions/1/number"),
        ({"type": "open_deal", "number": 1.0}, "/actions/1/number"),
        ({"type": "open_deal", "number": 0}, "/actions/1/number"),
        ({"type": "result"}, "/actions/1"),
        ({"type": "result", "winner": "p1", "la_vola": VOLA}, "/actions/1"),
        ({"type": "result", "la_vola": {"player": "p1", "won": 1}}, "/actions/1/la_vola/won"),
        ({"type": "merge", "together": "yes"}, "/actions/1/together"),
    ],
)  # fmt: skip
def test_a_wrong_action_points_at_its_field(session, action, pointer):
    answer = session.act({"type": "open_deal"}, action)
    assert answer.status_code == 422, answer.json
    assert pointer in [error["pointer"] for error in answer.json["errors"]]
    assert session.version == 1


@pytest.mark.parametrize("count", [0, 101])
def test_a_batch_has_1_to_100_actions(session, count):
    assert session.act(*[{"type": "undo"}] * count, match='"1"').status_code == 422


@pytest.mark.parametrize("role", ["host", "scorer", "viewer"])
def test_a_wrong_token_and_an_unknown_session_look_the_same(client, open_session, role):
    mine, other_session = open_session(), open_session()
    unknown = client.get(
        "/v1/sessions/00000000-0000-4000-8000-000000000000",
        headers={"Authorization": f"Bearer {mine.tokens[role]}"},
    )
    assert (unknown.status_code, unknown.json["code"]) == (404, "unknown_session")
    for header in (
        None,
        "",
        "Bearer",
        "Bearer nonsense",
        f"Bearer {other_session.tokens[role]}",
        f"Bearer {mine.tokens[role][:-1]}",
        f"Basic {mine.tokens[role]}",
        f"Bearer å{mine.tokens[role]}",
    ):
        headers = {} if header is None else {"Authorization": header}
        for path in ("", "/events", "/deals/1", "/statement?format=json", "/links"):
            answer = client.get(mine.path + path, headers=headers)
            assert (answer.status_code, answer.data) == (404, unknown.data)
    assert client.get("/v1/sessions/not-a-uuid").data == unknown.data


def test_a_role_that_is_too_low_is_forbidden(session):
    action = {"type": "open_deal", "number": 1}
    assert session.get(role="viewer").status_code == 200
    refused = session.act(action, role="viewer")
    assert (refused.status_code, refused.json["code"]) == (403, "role_too_low")
    assert session.act(action, role="scorer").status_code == 201
    closing = session.write("/closure", {}, match="*", role="scorer")
    assert closing.status_code == 403


def test_problems_have_an_order_of_precedence(client, session):
    """Each request has every fault from its place in the order on, and is refused for the first."""
    url, credentials = (
        f"{session.path}/actions",
        {"Authorization": f"Bearer {session.tokens['viewer']}"},
    )
    json_type = {"content_type": "application/json"}
    assert client.put(url, data=b"{").status_code == 405
    assert client.post(url, data=b"{", content_type="text/plain").status_code == 415
    assert client.post(url, data=b" " * 200_000, **json_type).status_code == 413
    assert client.post(url, data=b"{", **json_type).status_code == 400
    assert client.post(url, data=b"{}", headers=KEY, **json_type).status_code == 404
    assert (
        client.post(url, data=b"{}", headers={**credentials, **KEY}, **json_type).status_code == 403
    )
    wrong = {"actions": [{"type": "trick"}]}
    assert session.write("/actions", wrong).status_code == 422
    unruly = {"actions": [{"type": "trick", "winner": "p1"}]}
    assert session.write("/actions", unruly).status_code == 428
    assert session.write("/actions", unruly, match='"7"').status_code == 412
    assert session.write("/actions", unruly, match='"1"').status_code == 409


def test_without_a_key_nothing_is_written(client, session):
    credentials = {"Authorization": f"Bearer {session.tokens['host']}", "If-Match": '"1"'}
    for key in (None, "", '""', "x" * 256, "å"):
        headers = credentials if key is None else {**credentials, "Idempotency-Key": key}
        answer = client.post(
            f"{session.path}/actions", json={"actions": [{"type": "open_deal"}]}, headers=headers
        )
        is_missing = key in (None, "", '""')
        code = "idempotency_key_missing" if is_missing else "idempotency_key_malformed"
        assert (answer.status_code, answer.json["code"]) == (400, code), key
    assert session.version == 1


def test_every_answer_has_security_headers_refusals_included(client, session):
    for answer in (client.get("/"), client.get("/nowhere"), session.get(), client.post("/v1/x")):
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_a_refusal_formats_amounts_and_names(open_session):
    session = open_session(options={"stake": 1000, "credit_limit": 500})
    refused = session.act({"type": "open_deal"}, match='"1"')
    assert (refused.status_code, refused.json["code"]) == (409, "credit_limit_reached")
    assert "Ada" in refused.json["detail"]
    assert "10\xa0kr" in refused.json["detail"]
    assert "Är Ada skyldig något, ger en betalning utrymme igen." in refused.json["detail"]
    assert refused.json["stake"] == 1000


@pytest.mark.parametrize("language", ["sv", "en", "da", "de"])
def test_field_errors_are_written_in_the_readers_language(client, language):
    body = {
        "game": "bridge", "players": [{"name": "x" * 41}, {}], "currency": 7, "cheat": 1,
        "first_dealer": "Ada", "options": [], "title": None,
    }  # fmt: skip
    answer = client.post("/v1/sessions", json=body, headers={**KEY, "Accept-Language": language})
    details = {error["pointer"]: error["detail"] for error in answer.json["errors"]}
    expected = {
        "sv": ("Ska vara 1 till 40 tecken.", "Uppgiften saknas.", "Ska vara text."),
        "en": ("Must be 1 to 40 characters.", "This is missing.", "Must be text."),
        "da": ("Skal være 1 til 40 tegn.", "Oplysningen mangler.", "Skal være tekst."),
        "de": ("Muss 1 bis 40 Zeichen haben.", "Die Angabe fehlt.", "Muss Text sein."),
    }[language]
    pointers = ("/players/0/name", "/players/1/name", "/currency")
    assert tuple(details[pointer] for pointer in pointers) == expected


def test_every_field_error_has_a_sentence_in_every_language():
    from api.i18n.catalog import LANGUAGES, catalog
    from api.i18n.field_errors import MARSHMALLOW_CODES

    assert set(MARSHMALLOW_CODES.values()) < set(catalog("en")["fields"])
    for language in LANGUAGES:
        assert set(catalog(language)["fields"]) == set(catalog("en")["fields"])


@pytest.mark.parametrize(
    "error", [psycopg.OperationalError, psycopg.errors.ReadOnlySqlTransaction, PoolTimeout]
)
def test_an_unavailable_or_read_only_database_asks_for_a_retry(session, app, monkeypatch, error):
    def fail(*_, **__):
        raise error("it does not lead")

    monkeypatch.setattr(app.extensions["store"], "append", fail)
    refused = session.act({"type": "open_deal"}, match="*")
    assert (refused.status_code, refused.json["code"]) == (503, "database_unavailable")
    assert refused.headers["Retry-After"] == "2"
    assert "lead" not in refused.text


def test_a_database_on_a_full_disk_names_the_cause(session, app, monkeypatch):
    def fail(*_, **__):
        raise psycopg.errors.DiskFull("no room for more of /somewhere")

    monkeypatch.setattr(app.extensions["store"], "append", fail)
    refused = session.act({"type": "open_deal"}, match="*")
    assert (refused.status_code, refused.json["code"]) == (503, "disk_full")
    assert refused.headers["Retry-After"] == "2"
    assert "somewhere" not in refused.text


def test_events_of_a_newer_version_are_left_to_that_version(urls):
    """Servers are replaced one by one, so an older one can still receive requests."""
    with app_over(urls) as app:
        opened = post_session(app.test_client(), session_body())
        session = SessionClient(app.test_client(), opened.json["id"], opened.json["tokens"])
        append_unknown_event(urls, UUID(session.id))
        answers = (
            session.get(),
            session.get("/events"),
            session.get("/deals"),
            session.get("/statement?format=csv"),
            session.get("/export"),
            session.write("/actions", {"actions": [{"type": "open_deal", "number": 1}]}),
        )
        for refused in answers:
            assert (refused.status_code, refused.json["code"]) == (503, "event_unknown")
            assert int(refused.headers["Retry-After"]) > 0
            assert "hat" not in refused.text
        audit = session.get("/audit")
        assert [finding["code"] for finding in audit.json["findings"]] == ["event_impossible"]


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE vola.heads RENAME TO session_heads",
        "ALTER TABLE vola.heads RENAME COLUMN version TO event_count",
        "ALTER FUNCTION vola.lock_stream RENAME TO lock_session",
    ],
)
def test_tables_of_a_newer_version_are_left_to_that_version(urls, change):
    with app_over(urls) as app:
        opened = post_session(app.test_client(), session_body())
        session = SessionClient(app.test_client(), opened.json["id"], opened.json["tokens"])
        with psycopg.connect(urls.owner) as db:
            db.execute(change)
        body = {"actions": [{"type": "open_deal", "number": 1}]}
        assert session.write("/actions", body).json["code"] == "internal_error"
        with psycopg.connect(urls.owner) as db:
            db.execute("INSERT INTO public.vola_migrations (name) VALUES ('9999_newer.sql')")
        refused = session.write("/actions", body)
        assert (refused.status_code, refused.json["code"]) == (503, "server_outdated")
        assert int(refused.headers["Retry-After"]) > 0
        assert "heads" not in refused.text
