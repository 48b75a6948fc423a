"""An evening is taken home from one server and taken in by another, over HTTP and by files."""

import json
from itertools import count
from uuid import UUID

import psycopg
import pytest

import verify
from api import imports
from api.app import create_app
from ledger import audit, database
from tests.api.conftest import Table
from tests.api.test_circles import FIVE, founded, settle
from tests.api.test_cli import refused, vola
from tests.api.two_evenings import went_on
from tests.conftest import copied
from tests.evenings import E1, lines
from tests.ledger.test_importing import anew

keys = (f"import-{n}" for n in count(1))
READINGS = (
    *("", "/deals", "/pot", "/bets", "/balances", "/payments", "/settlement", "/events?limit=1000"),
    *("/statement?format=json", "/statement?format=json&player=p3", "/statement?format=csv"),
    "/statement?format=hledger",
)
SIGNED = ("key", "checkpoint")
"""By its own book: of a statement, too."""


@pytest.fixture(scope="module")
def elsewhere(cluster):
    """Another server with a book of its own."""
    urls = copied(cluster, "vola_imported")
    pool, auditor = database.pool(urls.app, size=8), database.pool(urls.audit, size=2)
    made = create_app(pool, auditor)
    made.urls = urls
    yield made
    pool.close()
    auditor.close()


def bring(app, body, key=None, **headers):
    given = {"json": body} if isinstance(body, dict) else {"data": body}
    headers = {"Idempotency-Key": key or next(keys), **headers}
    headers.setdefault("Content-Type", "application/json")
    return app.test_client().post("/v1/imports", headers=headers, **given)


def moved(app, answer):
    assert answer.status_code == 201, answer.text
    return Table(app.test_client(), answer.json["id"], answer.json["tokens"])


def whole(table):
    return table.get("/export?names=true").json


@pytest.fixture
def eventful(app, table):
    """E1, with somebody who joins, a correction with its reason, a transfer, an erased name."""
    for line in list(lines(E1))[:5]:
        assert table.act(*line.actions()).status_code == 201
        settle(app, table)
    table.write("/players", {"name": "Emil"}, match="*")
    passed = {"actions": [{"type": "all_pass"}], "reason": "Bo hade fel kort"}
    assert table.write("/deals/1", passed, method="PUT", match="*").status_code == 200
    table.write("/transfers", {"from": "p1", "to": "p2", "amount": 5}, match="*")
    table.write("/players/p2/name", method="DELETE")
    settle(app, table)
    return table


def clean(app, session):
    with psycopg.connect(app.urls.audit) as db, audit.snapshot(db):
        return audit.audit(db, UUID(session)) == []


def unsigned(response):
    """What it says, without what each book signs with its own pen, and as of which server."""
    if response.mimetype != "application/json":
        return response.text
    return {k: v for k, v in response.json.items() if k not in SIGNED}


def test_there_everybody_reads_the_same(elsewhere, eventful):
    there = moved(elsewhere, bring(elsewhere, whole(eventful)))
    assert there.id == eventful.id
    for reading in READINGS:
        for language in ("sv", "en"):
            here, now = (
                t.get(reading, role="viewer", **{"Accept-Language": language})
                for t in (eventful, there)
            )
            assert here.status_code == now.status_code == 200, reading
            assert unsigned(here) == unsigned(now), reading
            assert here.headers.get("ETag") == now.headers.get("ETag")
    again = whole(there)
    for name in ("key", "checkpoint", "labels"):
        assert again.pop(name)
    assert again.items() <= whole(eventful).items()
    assert "Bo" not in json.dumps(again, ensure_ascii=False).replace("Bot", "")
    assert there.get("/audit").json["findings"] == []
    assert clean(elsewhere, there.id)


def test_the_answer_is_that_of_an_evening_that_was_opened(elsewhere, eventful):
    file = whole(eventful)
    made = bring(elsewhere, file, key="once")
    state = {k: v for k, v in made.json.items() if k != "tokens"}
    assert state == eventful.state
    assert made.headers["Location"] == eventful.here
    assert made.headers["ETag"] == f'"{eventful.version}"'
    again = bring(elsewhere, file, key="once")
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
    assert again.data == made.data
    other = bring(elsewhere, {**file, "title": "Another"}, key="once")
    assert (other.status_code, other.json["code"]) == (422, "idempotency_key_reused")


def test_no_right_comes_along_and_every_new_one_is_good(elsewhere, eventful):
    there = moved(elsewhere, bring(elsewhere, whole(eventful)))
    assert not set(there.tokens.values()) & set(eventful.tokens.values())
    for role, token in eventful.tokens.items():
        foreign = Table(there.client, there.id, {role: token}, role=role)
        assert foreign.get().status_code == 404
        foreign = Table(eventful.client, there.id, {role: there.tokens[role]}, role=role)
        assert foreign.get().status_code == 404
    assert there.act({"type": "open_deal"}, role="scorer").status_code == 201
    assert there.act({"type": "undo"}, role="viewer").status_code == 403
    assert {one["by"] for one in there.get("/events?limit=1000").json["events"]} == {
        *("host.0", "worker", "scorer.1")
    }
    assert clean(elsewhere, there.id)


def test_only_the_host_takes_names_home(table):
    for role, status in (("host", 200), ("scorer", 403), ("viewer", 403)):
        asked = table.get("/export?names=true", role=role)
        assert asked.status_code == status
        plain = table.get("/export?names=false", role=role)
        assert plain.data == table.get("/export", role=role).data
        assert "names" not in plain.json
        assert "Ada" not in plain.text
    assert table.get("/export?names=true", role="viewer").json["code"] == "role_too_low"
    for wrong in ("", "1", "True", "names"):
        assert table.get(f"/export?names={wrong}").status_code == 422


def test_what_is_taken_home_can_be_checked_without_us(table):
    file = table.get("/export?names=true").data
    assert verify.judge(file)[:2] == (0, "export")
    assert verify.judge(file.replace(b"Ada", b"Eva"))[:2] == (1, "names_wrong")


def test_without_names_everybody_is_a_number(elsewhere, eventful):
    there = moved(elsewhere, bring(elsewhere, eventful.get("/export", role="viewer").json))
    assert {p["name"] for p in there.state["players"]} == {f"Spelare {n}" for n in range(1, 6)}
    assert there.state["title"] is None
    assert there.state["balances"] == eventful.state["balances"]
    assert clean(elsewhere, there.id)


def test_what_is_due_is_settled_there(elsewhere, table):
    vola = {"type": "result", "la_vola": {"player": "p3", "won": True}}
    table.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]}, vola)
    there = moved(elsewhere, bring(elsewhere, whole(table)))
    assert {p["status"] for p in there.state["payments"]} == {"due"}
    settle(elsewhere, there)
    assert {p["status"] for p in there.state["payments"]} == {"settled"}
    assert clean(elsewhere, there.id)


def test_a_name_is_forgotten_there_as_well(elsewhere, table):
    there = moved(elsewhere, bring(elsewhere, whole(table), key="with Ada"))
    assert there.write("/players/p1/name", method="DELETE").status_code == 200
    again = bring(elsewhere, whole(table), key="with Ada")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Ada" not in again.text
    assert "Ada" not in there.get("/export?names=true").text
    assert clean(elsewhere, there.id)


def test_it_is_here_already(app, elsewhere, table, open_table):
    """How far it has come is told to whoever has its history, and to nobody else."""
    file = whole(table)
    for to in (app, elsewhere):
        if to is elsewhere:
            moved(to, bring(to, file))
        here = bring(to, file)
        assert (here.status_code, here.json["code"]) == (409, "already_here")
        assert here.json["version"] == table.version
        other = anew({**open_table(options={"stake": 7}).get("/export").json, "session": table.id})
        here = bring(to, other)
        assert (here.status_code, here.json["code"]) == (409, "already_here")
        assert here.json["version"] is None


def test_an_evening_of_a_circle_comes_by_itself(app, elsewhere):
    """What went over from one to the next stands in both; the circle stays where it was."""
    circle = founded(app.test_client(), *FIVE)
    came = [moved(elsewhere, bring(elsewhere, whole(t))) for t in went_on(circle).evenings]
    for there, was in zip(came, circle.evenings, strict=True):
        assert there.state == was.state
        assert "circle" not in there.get("/links").json
        assert clean(elsewhere, there.id)
    assert came[0].state["carried_to"] == came[1].id
    assert came[1].state["brought_from"] == came[0].id


def test_it_can_be_of_a_circle_there_and_go_on_in_it(app, elsewhere):
    """The circle counts what went over once, and goes on with what the last one left open."""
    here = went_on(founded(app.test_client(), *FIVE))
    there = founded(elsewhere.test_client(), *FIVE)
    who = {f"p{n}": f"m{n}" for n in range(1, 6)}
    for table in here.evenings:
        came = moved(elsewhere, bring(elsewhere, whole(table)))
        of = here.state["evenings"][here.evenings.index(table)]["members"]
        added = {"token": came.tokens["host"], "members": of or who}
        made = there.write(f"/evenings/{came.id}", added, method="PUT")
        assert made.status_code in (200, 201), made.text
    assert came.write("/closure", {}, match="*").status_code == 201
    one, other = (c.get("/statement?format=json").json for c in (here, there))
    assert one["balances"] == other["balances"]
    third = there.gather(carry=True)
    assert third.state["balances"] == {**third.state["balances"], **open_in(came)}
    for session in (came.id, third.id):
        assert clean(elsewhere, session)


def open_in(table):
    return {p: n for p, n in table.state["balances"].items() if n}


def refusal(app, body, status, code):
    answer = bring(app, body)
    assert (answer.status_code, answer.json["code"]) == (status, code), answer.text
    return answer.json


def test_what_does_not_hold_is_said_with_its_place(elsewhere, eventful):
    file = whole(eventful)
    file["events"][4]["data"] += " "
    told = refusal(elsewhere, file, 422, "export_does_not_hold")
    assert (told["reason"], told["version"]) == ("seal_broken", 5)
    assert "5" in told["detail"]
    said = {
        language: bring(elsewhere, file, **{"Accept-Language": language}).json["detail"]
        for language in ("sv", "en", "da", "de")
    }
    assert len(set(said.values())) == 4
    assert Table(elsewhere.test_client(), eventful.id, eventful.tokens).get().status_code == 404


@pytest.mark.parametrize(
    ("pointer", "change"),
    [
        ("/format", lambda doc: doc.update(format="vola session 2")),
        ("/events/2/at", lambda doc: doc["events"][2].update(at=5.0)),
        ("/events/0/version", lambda doc: doc["events"][0].update(version=True)),
        ("/events/1/by", lambda doc: doc["events"][1].update(by="Ada")),
        ("/events/1/hash", lambda doc: doc["events"][1].pop("hash")),
        ("/events/1", lambda doc: doc["events"][1].update(more=1)),
        ("/events", lambda doc: doc.update(events=[])),
        ("/names/0/name", lambda doc: doc["names"][0].update(name="A\u202eda")),
        ("/names/0/name", lambda doc: doc["names"][0].update(name=" Ada")),
        ("/title", lambda doc: doc.update(title="x" * 41)),
        ("", lambda doc: doc.update(tokens={})),
    ],
)
def test_another_shape_is_refused_where_it_is(elsewhere, table, pointer, change):
    table.act({"type": "open_deal"}, {"type": "all_pass"})
    file = whole(table)
    change(file)
    told = refusal(elsewhere, file, 422, "wrong_shape")
    assert [error["pointer"] for error in told["errors"]] == [pointer]


def test_a_currency_that_there_is_not_is_refused(elsewhere, table):
    file = whole(table)
    said = json.loads(file["events"][0]["data"]) | {"currency": "kronor"}
    file["events"][0]["data"] = json.dumps(said, sort_keys=True, separators=(",", ":"))
    told = refusal(elsewhere, anew(file), 422, "export_does_not_hold")
    assert (told["reason"], told["version"]) == ("event_impossible", 1)


def test_too_large_is_too_large_and_says_how_large_it_may_be(elsewhere, monkeypatch):
    told = refusal(elsewhere, b" " * (imports.MOST_BYTES + 1), 413, "too_large")
    assert told["most"] == imports.MOST_BYTES == 16 * 2**20
    refusal(elsewhere, b"{" + b" " * 2**20, 400, "malformed_json")  # more than any other takes


def test_what_cannot_be_followed_in_time_is_refused(elsewhere, table, monkeypatch):
    table.act({"type": "open_deal"}, {"type": "all_pass"})
    monkeypatch.setattr(imports.checked, "__defaults__", (0,))
    told = refusal(elsewhere, whole(table), 422, "export_does_not_hold")
    assert (told["reason"], told["version"]) == ("too_much", 1)


def test_it_is_one_at_a_time_and_the_others_come_again(elsewhere, table):
    file = whole(table)
    with imports.turn:
        answer = bring(elsewhere, file, key="patient")
        assert (answer.status_code, answer.json["code"]) == (429, "too_many_requests")
        assert int(answer.headers["Retry-After"]) > 0
    assert bring(elsewhere, file, key="patient").status_code == 201


@pytest.fixture
def environment(elsewhere, data):
    urls = elsewhere.urls
    return {
        "DATABASE_URL": urls.app,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "VOLA_DATA": str(data),
    }


def test_files_come_in_one_by_one_and_a_second_time_changes_nothing(
    elsewhere, environment, open_table, tmp_path
):
    tables, files = [open_table(title=f"Kväll {n}") for n in range(3)], []
    for number, table in enumerate(tables):
        file = tmp_path / f"{number}.json"
        file.write_bytes(table.get("/export?names=true").data)
        files.append(str(file))
    for said in ("is here now", "was here already"):
        done = vola("import", *files, **environment)
        assert done.returncode == 0, done.stderr
        told = done.stdout.strip().splitlines()
        assert len(told) == 3
        for line, table in zip(told, tables, strict=True):
            assert said in line
            session, token = line.rpartition("/#/s/")[2].split("/")
            there = Table(elsewhere.test_client(), session, {"host": token})
            assert there.state == table.state


def test_a_file_that_is_refused_keeps_no_other_out(elsewhere, environment, open_table, tmp_path):
    good, bent, torn = (tmp_path / f"{name}.json" for name in ("good", "bent", "torn"))
    table = open_table()
    good.write_bytes(table.get("/export?names=true").data)
    bent.write_bytes(open_table().get("/export?names=true").data.replace(b"Ada", b"Eva"))
    torn.write_bytes(b"{")
    gone = str(tmp_path / "gone.json")
    for file, words in (
        (bent, ("bent.json", "names")),
        (torn, ("torn.json", "JSON")),
        (gone, ("gone.json", "cannot be read")),
    ):
        refused(vola("import", str(file), **environment), *words)
    done = vola("import", str(bent), gone, str(good), **environment)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 2
    assert table.id in done.stdout
    again = tmp_path / "again.json"
    again.write_bytes(good.read_bytes() + b"\n")
    refused(vola("import", str(again), **environment), "already here", "version 1")


def test_the_command_that_exports_gives_all_that_the_one_that_imports_needs(
    elsewhere, environment, table, tmp_path
):
    there = moved(elsewhere, bring(elsewhere, whole(table)))
    file = tmp_path / "evening.json"
    done = vola("export", there.id, "--names", "-o", str(file), **environment)
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == there.get("/export?names=true").data
