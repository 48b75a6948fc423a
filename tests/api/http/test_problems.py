"""Every refusal is a problem document with a stable code, in order of precedence, and writes
nothing (contract.md §1)."""

import json
from uuid import UUID

import psycopg
import pytest
from psycopg_pool import PoolTimeout

from tests.api.conftest import Table
from tests.conftest import app_over
from tests.ledger.evening import told_by_a_newer_one

VOLA = {"player": "p1", "won": True}
KEY = {"Idempotency-Key": "k"}
FOUR = [{"name": name} for name in ("Ada", "Bo", "Cilla", "Disa")]


def opening(**more):
    return {"game": "polskt_pass", "players": FOUR, **more}


def post(client, body, headers=None, content_type="application/json"):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(
        "/v1/sessions", data=raw, headers=KEY if headers is None else headers,
        content_type=content_type,
    )  # fmt: skip


def test_a_refusal_says_what_and_why_in_the_readers_language(client):
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
    answer = post(client, raw)
    assert (answer.status_code, answer.json["code"]) == (400, "malformed_json")


@pytest.mark.parametrize("stake", [5.9, "5", True, 1e3, 2**63, 0, -1, None, [], {}, 10**9 + 1])
def test_numbers_are_strict(client, stake):
    answer = post(client, opening(options={"stake": stake}))
    assert (answer.status_code, answer.json["code"]) == (422, "wrong_shape")
    assert answer.json["errors"][0]["pointer"] == "/options/stake"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ([], ""),
        ("polskt_pass", ""),
        (opening(game="bridge"), "/game"),
        (opening(players=FOUR[:2]), "/players"),
        (opening(players=FOUR + FOUR), "/players"),
        (opening(players=[*FOUR[:2], {"name": " "}]), "/players/2/name"),
        (opening(players=[*FOUR[:2], {"name": "x" * 41}]), "/players/2/name"),
        (opening(players=[*FOUR[:2], {"name": "\n" + "x" * 40}]), "/players/2/name"),
        (opening(players=[*FOUR[:2], {"name": "\u0958" * 21}]), "/players/2/name"),
        (opening(players=[*FOUR[:2], {"name": "a\u202eb"}]), "/players/2/name"),
        (opening(players=[*FOUR[:2], {"name": "ada"}]), "/players/2/name"),
        (opening(players=[*FOUR[:2], {"name": "ＡＤＡ"}]), "/players/2/name"),
        (opening(players=[*FOUR[:2], {"name": "\u3164"}]), "/players/2/name"),
        (opening(players=[*FOUR[:2], {"name": "\u200d"}]), "/players/2/name"),
        (opening(players=[*FOUR[:2], {"name": "Cilla", "age": 7}]), "/players/2/age"),
        (opening(cheat=1), "/cheat"),
        (opening(options={"cheat": 1}), "/options/cheat"),
        (opening(options={"bet_multiplier": 3}), "/options/bet_multiplier"),
        (opening(options={"bet_multiplier": True}), "/options/bet_multiplier"),
        (opening(options={"merge_double_bets": 1}), "/options/merge_double_bets"),
        (opening(options={"leftover_policy": "keep"}), "/options/leftover_policy"),
        (opening(currency="DOGE"), "/currency"),
        (opening(first_dealer="p5"), "/first_dealer"),
        (opening(first_dealer="Ada"), "/first_dealer"),
        (opening(title=7), "/title"),
    ],
)  # fmt: skip
def test_a_wrong_shape_points_at_the_field(client, body, pointer):
    answer = post(client, body)
    assert answer.status_code == 422, answer.json
    assert pointer in [error["pointer"] for error in answer.json["errors"]]


def test_a_refused_opening_leaves_nothing_behind(client, app):
    def kept():
        with app.extensions["store"].pool.connection() as db:
            return [
                db.execute(f"SELECT count(*) FROM vola.{table}").fetchone()
                for table in ("sessions", "heads", "events", "players", "creations", "replies")
            ]

    before = kept()
    assert post(client, opening(currency="DOGE")).status_code == 422
    assert kept() == before


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
def test_a_wrong_action_points_at_its_field(table, action, pointer):
    answer = table.act({"type": "open_deal"}, action)
    assert answer.status_code == 422, answer.json
    assert pointer in [error["pointer"] for error in answer.json["errors"]]
    assert table.version == 1


@pytest.mark.parametrize("count", [0, 101])
def test_a_batch_has_1_to_100_actions(table, count):
    assert table.act(*[{"type": "undo"}] * count, match='"1"').status_code == 422


@pytest.mark.parametrize("role", ["host", "scorer", "viewer"])
def test_a_wrong_token_and_an_unknown_evening_look_the_same(client, open_table, role):
    mine, other = open_table(), open_table()
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
        f"Bearer {other.tokens[role]}",
        f"Bearer {mine.tokens[role][:-1]}",
        f"Basic {mine.tokens[role]}",
        f"Bearer å{mine.tokens[role]}",
    ):
        headers = {} if header is None else {"Authorization": header}
        for path in ("", "/events", "/deals/1", "/statement?format=json", "/links"):
            answer = client.get(mine.here + path, headers=headers)
            assert (answer.status_code, answer.data) == (404, unknown.data)
    assert client.get("/v1/sessions/not-a-uuid").data == unknown.data


def test_a_role_that_is_too_low_is_forbidden(table):
    opened = {"type": "open_deal", "number": 1}
    assert table.get(role="viewer").status_code == 200
    looked = table.act(opened, role="viewer")
    assert (looked.status_code, looked.json["code"]) == (403, "role_too_low")
    assert table.act(opened, role="scorer").status_code == 201
    closed = table.write("/closure", {}, match="*", role="scorer")
    assert closed.status_code == 403


def test_precedence_from_the_method_to_the_rule(client, table):
    """Each request has every fault from its place on, and is refused for the first."""
    url, right = f"{table.here}/actions", {"Authorization": f"Bearer {table.tokens['viewer']}"}
    json_type = {"content_type": "application/json"}
    assert client.put(url, data=b"{").status_code == 405
    assert client.post(url, data=b"{", content_type="text/plain").status_code == 415
    assert client.post(url, data=b" " * 200_000, **json_type).status_code == 413
    assert client.post(url, data=b"{", **json_type).status_code == 400
    assert client.post(url, data=b"{}", headers=KEY, **json_type).status_code == 404
    assert client.post(url, data=b"{}", headers={**right, **KEY}, **json_type).status_code == 403
    wrong = {"actions": [{"type": "trick"}]}
    assert table.write("/actions", wrong).status_code == 422
    unruly = {"actions": [{"type": "trick", "winner": "p1"}]}
    assert table.write("/actions", unruly).status_code == 428
    assert table.write("/actions", unruly, match='"7"').status_code == 412
    assert table.write("/actions", unruly, match='"1"').status_code == 409


def test_without_a_key_nothing_is_written(client, table):
    right = {"Authorization": f"Bearer {table.tokens['host']}", "If-Match": '"1"'}
    for key in (None, "", '""', "x" * 256, "å"):
        headers = right if key is None else {**right, "Idempotency-Key": key}
        answer = client.post(
            f"{table.here}/actions", json={"actions": [{"type": "open_deal"}]}, headers=headers
        )
        assert answer.status_code == 400, key
    assert table.version == 1


def test_every_answer_is_guarded_also_the_refusals(client, table):
    for answer in (client.get("/"), client.get("/nowhere"), table.get(), client.post("/v1/x")):
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_amounts_and_names_in_a_refusal_are_written_for_people(open_table):
    table = open_table(options={"stake": 1000, "credit_limit": 500})
    refused = table.act({"type": "open_deal"}, match='"1"')
    assert (refused.status_code, refused.json["code"]) == (409, "credit_limit_reached")
    assert "Ada" in refused.json["detail"]
    assert "10\xa0kr" in refused.json["detail"]
    assert refused.json["stake"] == 1000


@pytest.mark.parametrize("language", ["sv", "en", "da", "de"])
def test_what_is_wrong_with_a_field_is_said_in_the_readers_language(client, language):
    body = {
        "game": "bridge", "players": [{"name": "x" * 41}, {}], "currency": 7, "cheat": 1,
        "first_dealer": "Ada", "options": [], "title": None,
    }  # fmt: skip
    answer = client.post("/v1/sessions", json=body, headers={**KEY, "Accept-Language": language})
    said = {error["pointer"]: error["detail"] for error in answer.json["errors"]}
    expected = {
        "sv": ("Ska vara 1 till 40 tecken.", "Uppgiften saknas.", "Ska vara text."),
        "en": ("Must be 1 to 40 characters.", "This is missing.", "Must be text."),
        "da": ("Skal være 1 til 40 tegn.", "Oplysningen mangler.", "Skal være tekst."),
        "de": ("Muss 1 bis 40 Zeichen haben.", "Die Angabe fehlt.", "Muss Text sein."),
    }[language]
    pointers = ("/players/0/name", "/players/1/name", "/currency")
    assert tuple(said[pointer] for pointer in pointers) == expected


def test_every_sentence_of_a_schema_is_known_and_can_be_said():
    from api.words import LANGUAGES, catalog
    from api.words.fields import SENTENCES

    for language in LANGUAGES:
        assert set(catalog(language)["fields"]) == set(SENTENCES)


@pytest.mark.parametrize(
    "trouble", [psycopg.OperationalError, psycopg.errors.ReadOnlySqlTransaction, PoolTimeout]
)
def test_a_database_that_is_away_or_only_follows_is_tried_again_later(
    table, app, monkeypatch, trouble
):
    def away(*_, **__):
        raise trouble("it does not lead")

    monkeypatch.setattr(app.extensions["store"], "write", away)
    refused = table.act({"type": "open_deal"}, match="*")
    assert (refused.status_code, refused.json["code"]) == (503, "database_unavailable")
    assert refused.headers["Retry-After"] == "2"
    assert "lead" not in refused.text


def test_an_evening_that_a_newer_version_has_written_in_is_left_to_that_one(urls):
    """Servers are replaced one by one, so that an older one may be asked once more."""
    with app_over(urls) as app:
        made = post(app.test_client(), opening())
        table = Table(app.test_client(), made.json["id"], made.json["tokens"])
        told_by_a_newer_one(urls, UUID(table.id))
        everything = (
            table.get(),
            table.get("/events"),
            table.get("/deals"),
            table.get("/statement?format=csv"),
            table.get("/export"),
            table.write("/actions", {"actions": [{"type": "open_deal", "number": 1}]}),
        )
        for refused in everything:
            assert (refused.status_code, refused.json["code"]) == (503, "event_unknown")
            assert int(refused.headers["Retry-After"]) > 0
            assert "hat" not in refused.text
        found = table.get("/audit")
        assert [one["code"] for one in found.json["findings"]] == ["event_impossible"]
