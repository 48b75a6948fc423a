"""A name can be erased permanently, and play is unchanged."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from threading import Event
from uuid import UUID

import psycopg
import pytest

from ledger.access import name_erasure as erasure
from ledger.access.name_erasure import replace_in_sentence
from ledger.audit.run import audit_session
from ledger.embedded.cluster import find_program
from ledger.store.database_snapshot import database_snapshot
from tests.support import external_servers
from tests.support.api.session_client import SessionClient, create_session

NAME = "Cillabetzy"  # does not occur by chance
PLAYERS = [{"name": name} for name in ("Ada", "Bo", NAME, "Disa")]
SESSION_BODY = {
    "game": "polskt_pass",
    "players": PLAYERS,
    "options": {"stake": 10},
    "title": "Fredag",
}
CREATION_KEY = "the evening with Cillabetzy"
DEAL = [
    {"type": "open_deal", "number": 1},
    {"type": "declare", "players": ["p3"]},
    *[{"type": "trick", "winner": "p2"}] * 5,
]


@pytest.fixture
def session(own_app):
    return create_session(own_app.test_client(), SESSION_BODY, CREATION_KEY)


def erase_name(session, player="p3", **more):
    return session.write(f"/players/{player}/name", method="DELETE", **more)


def dump_database(urls):
    """Return the whole database as text, as a backup would contain it."""
    result = subprocess.run([find_program("pg_dump"), urls.super], capture_output=True, check=True)
    text = result.stdout.decode()
    assert "COPY vola.players" in text
    decoded = (bytes.fromhex(h) for h in hex_cells(text))
    return text + "\n".join(value.decode("utf-8", "replace") for value in decoded)


def hex_cells(text):
    """Yield the bytes columns of a dump, which are written as hex."""
    for cell in text.replace("\n", "\t").split("\t"):
        if cell.startswith("\\\\x"):
            yield cell[3:]


def test_an_erased_name_is_in_no_table_no_log_and_no_answer(session, urls, data, caplog):
    assert session.act(*DEAL, match=None, key="dealt").status_code == 201
    joined = session.write("/players", {"name": "Emil"}, match=f'"{session.version}"', key="joined")
    assert joined.status_code == 201
    refused = session.write("/players", {"name": NAME}, match=f'"{session.version}"')
    assert refused.status_code == 422  # PostgreSQL refused it, and may have logged the reason
    reason, match = f"Kortet+var+{NAME}s", f'"{session.version}"'
    voided = session.write(f"/deals/1?reason={reason}", method="DELETE", match=match, key="voided")
    assert voided.status_code == 200, voided.json
    assert NAME in dump_database(urls)

    assert erase_name(session).status_code == 200
    assert NAME.casefold() not in dump_database(urls).casefold()
    addresses = (
        *("", "/events", "/deals", "/deals/1", "/settlement", "/audit", "/balances", "/payments"),
        *(f"/statement?format={kind}" for kind in ("json", "csv", "html")),
        *("/statement?player=p3", "/export", "/receipts/1", "/settlement?through=p3"),
    )
    for address in addresses:
        answer = session.get(address)
        assert answer.status_code == 200, address
        assert NAME not in answer.text, address
    assert NAME not in caplog.text
    logs = [*data.rglob("*.log"), *external_servers.list_logs()]
    assert logs or external_servers.DATABASE_URL  # an external server's logs may be elsewhere
    for log in logs:
        assert NAME.casefold() not in log.read_text("utf-8", "replace").casefold(), log


def test_an_erased_player_is_called_by_number(session):
    assert session.act(*DEAL, match=None).status_code == 201
    answer = erase_name(session)
    assert answer.json == {"id": "p3", "name": "Spelare 3", "version": session.version}
    assert [p["name"] for p in session.state["players"]] == ["Ada", "Bo", "Spelare 3", "Disa"]
    deal = session.get("/deals/1", **{"Accept-Language": "sv"}).json
    reasons = [posting["why"] for posting in deal["postings"]]
    assert any("Spelare 3" in sentence for sentence in reasons)
    assert "Spelare 3" in session.get("/statement?format=html&player=p3&lang=sv").text


def test_replayed_answers_have_the_number_instead_of_the_name(session):
    first = session.act(*DEAL, match=None, key="dealt")
    erase_name(session)
    replay = session.act(*DEAL, match=None, key="dealt")
    assert (replay.status_code, replay.headers["Idempotency-Replayed"]) == (201, "true")
    assert replay.text == first.text.replace(NAME, "Spelare 3"), "nothing else changes"
    headers = {"Idempotency-Key": CREATION_KEY}
    session_replay = session.client.post("/v1/sessions", json=SESSION_BODY, headers=headers)
    assert session_replay.status_code == 201
    assert session_replay.json["players"][2] == {"id": "p3", "name": "Spelare 3"}
    assert session_replay.json["tokens"] == session.tokens
    refused = session.client.post(
        "/v1/sessions", json={**SESSION_BODY, "title": "X"}, headers=headers
    )
    assert refused.json["code"] == "idempotency_key_reused"


def test_a_replayed_answer_hides_the_name_in_any_case(session):
    body = {"label": f"{NAME.upper()}s telefon"}
    first = session.write("/devices", body, key="let in")
    assert first.json["label"] == body["label"]
    erase_name(session)
    replay = session.write("/devices", body, key="let in")
    assert replay.headers["Idempotency-Replayed"] == "true"
    assert replay.json == {**first.json, "label": "Spelare 3s telefon"}


def test_a_name_is_erased_from_the_title(own_app):
    body = {**SESSION_BODY, "title": f"Kvällen hos {NAME} och alla de andra"}
    session = create_session(own_app.test_client(), body, CREATION_KEY)
    session.act(*DEAL, match=None, key="dealt")
    erase_name(session)
    title = "Kvällen hos Spelare 3 och alla de andra"
    assert session.state["title"] == title
    replay = session.act(*DEAL, match=None, key="dealt")
    assert replay.json["session"]["title"] == title
    exported = session.get("/export?names=true", role="host").json
    assert exported["title"] == title


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("A " * 19 + "B", " ".join(["Spelare 1"] * 4)),
        ("(A A A A) hos B", "(" + " ".join(["Spelare 1"] * 4)),
        ("hos A A A A", "hos " + " ".join(["Spelare 1"] * 3)),
        ("A A A A och en kväll till hos B", " ".join(["Spelare 1"] * 4)),
    ],
)
def test_a_title_stays_short_enough_and_ends_in_no_part_of_a_name(own_app, title, shown):
    body = {**SESSION_BODY, "players": [{"name": name} for name in ("A", "B", "C")]}
    session = create_session(own_app.test_client(), {**body, "title": title})
    erase_name(session, "p1")
    assert session.state["title"] == shown


def test_a_name_is_erased_in_its_own_session_alone(session, own_app):
    other = create_session(own_app.test_client(), SESSION_BODY)
    labels = (f"{NAME}s telefon", f"{NAME}s andra telefon")
    for player, label in zip((session, other), labels, strict=True):
        assert player.write("/devices", {"label": label}).status_code == 201
    erase_name(session)
    shown = [s.get("/devices").json["devices"][0]["label"] for s in (session, other)]
    assert shown == ["Spelare 3s telefon", labels[1]]


def test_sums_hashes_and_receipts_stay_valid(session, own_app):
    session.act(*DEAL, match=None)
    before = [session.get(a).data for a in ("/events", "/balances", "/pot", "/bets")]
    state = session.state
    erase_name(session)
    assert [session.get(a).data for a in ("/events", "/balances", "/pot", "/bets")] == before
    assert {**session.state, "players": state["players"]} == state
    with own_app.extensions["auditor"].connection() as db, database_snapshot(db):
        assert audit_session(db, UUID(session.id)) == []


def test_the_commitment_to_an_erased_name_proves_nothing(session, urls):
    """Without the salt, 128 random bits, every name fits equally well."""
    erase_name(session)
    with psycopg.connect(urls.audit) as db:
        rows = db.execute(
            "SELECT name, matching_key, salt FROM vola.players WHERE player_id = 'p3'"
        ).fetchall()
    assert rows == [(None, None, None)]


def test_an_erased_name_cannot_be_guessed_from_the_request_digest(session, urls):
    """The opening request is stored as a keyed digest; a reader of the database lacks the key, so
    no list of names can be tried against it."""
    body = json.dumps(
        {**SESSION_BODY, "players": PLAYERS},
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=True,
    )
    plain = sha256(f"POST /v1/sessions\n{body}".encode()).digest()
    with psycopg.connect(urls.audit) as db:
        ((digest,),) = db.execute("SELECT request FROM vola.stored_replies").fetchall()
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("SELECT secret FROM vola.secret")
    assert len(digest) == 32
    assert bytes(digest) != plain


def test_erasing_twice_changes_nothing_and_answers_the_same(session):
    first = erase_name(session, key="one")
    replay = erase_name(session, key="one")
    assert replay.headers["Idempotency-Replayed"] == "true"
    second = erase_name(session, key="another")
    assert first.data == replay.data == second.data
    assert {r.status_code for r in (first, replay, second)} == {200}
    assert erase_name(session, "p1", key="one").json["code"] == "idempotency_key_reused"


def test_only_the_host_erases_names(session):
    for role in ("scorer", "viewer"):
        assert erase_name(session, role=role).json["code"] == "role_too_low"
    assert NAME in session.get().text


def test_an_unknown_player_cannot_be_erased(session):
    for player in ("p9", "p0", "Ada", "p3x"):
        refused = erase_name(session, player)
        assert (refused.status_code, refused.json["code"]) == (404, "unknown_player")


def test_a_name_can_be_erased_in_a_closed_session(session):
    assert session.write("/closure", {}, match='"1"').status_code == 201
    assert erase_name(session).status_code == 200
    assert NAME not in session.get().text


def test_an_erasure_changes_the_etag_without_an_event(session):
    unchanged = {"If-None-Match": f'"{session.version}"'}
    assert session.get(**unchanged).status_code == 304
    erase_name(session)
    answer = session.get(**unchanged)
    assert answer.status_code == 200
    assert NAME not in answer.text


def test_an_erased_name_can_be_given_to_a_new_player(session):
    erase_name(session)
    added = session.write("/players", {"name": NAME}, match='"1"')
    assert added.status_code == 201
    assert erase_name(session).status_code == 200  # already erased: the new player keeps the name
    assert [p["name"] for p in session.state["players"]][4] == NAME


def test_an_answer_under_way_does_not_restore_an_erased_name(session, own_app, urls, monkeypatch):
    """A request that has read the names waits for the session while one of them is erased."""
    erasing, waiting = Event(), Event()
    erase = erasure.erase_player_name

    def erase_slowly(*args):
        erasing.set()
        assert waiting.wait(10)
        erase(*args)

    monkeypatch.setattr(erasure, "erase_player_name", erase_slowly)
    with ThreadPoolExecutor(2) as pool, psycopg.connect(urls.super, autocommit=True) as db:
        erased = pool.submit(erase_name, session)
        assert erasing.wait(10)
        written = pool.submit(session.act, *DEAL, match='"1"', key="late")
        locked = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        while not db.execute(locked).fetchone()[0] and not written.done():
            pass
        waiting.set()
        assert erased.result(20).status_code == 200
        answer = written.result(20)
    assert answer.status_code == 201
    assert answer.json["session"]["players"][2]["name"] == "Spelare 3"
    assert NAME not in dump_database(urls)


def test_a_name_is_distinguished_from_names_and_words_that_contain_it():
    sentence = "Bo, Bo Ek och Bosse: bos kort, Bo's tur; boll"
    assert replace_in_sentence(sentence, "Bo", "Spelare 2", ["Ada", "Bo", "Bo Ek", "Bosse"]) == (
        "Spelare 2, Bo Ek och Bosse: Spelare 2s kort, Spelare 2's tur; boll"
    )


@pytest.mark.parametrize("name", ['Å"\\b', "(.*)", "%s", "🃏", "Ω'"])
def test_a_name_of_any_characters_is_erased_in_replays_and_remarks(own_app, urls, name):
    client = own_app.test_client()
    body = {**SESSION_BODY, "players": [{"name": n} for n in ("Ada", "Bo", name)]}
    opened = client.post(
        "/v1/sessions", json=body, headers={"Idempotency-Key": "an evening with names, once"}
    ).json
    session = SessionClient(client, opened["id"], opened["tokens"])
    session.act(*[{"type": "open_deal"}], match='"1"', key="k")
    session.write("/devices", {"label": f"telefon: {name}"})
    erase_name(session)
    replay = session.act({"type": "open_deal"}, match='"1"', key="k").json
    assert replay["session"]["players"][2] == {"id": "p3", "name": "Spelare 3"}
    with psycopg.connect(urls.super) as db:
        assert db.execute("SELECT label FROM vola.devices").fetchall() == [("telefon: Spelare 3",)]
        for (operands,) in db.execute("SELECT operands FROM vola.stored_replies"):
            assert name not in json.dumps(operands, ensure_ascii=False)
