"""An evening that moves to another book is the same there; whatever was changed does not move."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from random import Random
from typing import Any
from uuid import UUID, uuid4

import msgspec
import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

import verify
from api import shapes
from api.preconditions import as_json
from engine.games import GAMES
from ledger import (
    audit,
    chain,
    checkpoints,
    database,
    export,
    handling,
    importing,
    labels,
    origins,
    phones,
    rebuild,
    taking_in,
)
from ledger.cards import Cards
from ledger.checkpoints import Checkpoint
from ledger.exported import DoesNotHold, Export
from ledger.labels import Labels
from ledger.merkle import Tree
from ledger.projections.payments import outstanding
from ledger.projector import COLUMNS
from ledger.receipts import Receipts
from ledger.store import Store
from ledger.taking_in import AlreadyHere
from ledger.times import iso
from ledger.writing import KeyReused, Name, Request, Work
from tests.attack.evenings import Table, play
from tests.conftest import copied
from tests.ledger.evening import act, play_e1, request

NOW = time.time_ns() // 1000
TABLES = (
    *("sessions", "heads", "events", "players", "remarks", "replies", "creations", "stuck"),
    *("evenings", "attendance"),
)
BESIDE = ("key", "checkpoint", "labels")
"""What the other book signs with its own pen."""


class Book:
    """One book, with a pen of its own."""

    def __init__(self, urls: Any) -> None:
        self.urls = urls
        self.pool = database.pool(urls.app, size=4)
        self.store, self.receipts = Store(self.pool), Receipts(self.pool)

    def file(self, session_id: UUID, *, labelled: bool = True) -> str:
        return export.as_json(self.store, self.receipts, session_id, labelled=labelled)

    def take_in(self, file: Any, key: str | None = None, digest: bytes = b"asked") -> Any:
        held = importing.check(shaped(file), NOW)
        request = Request(
            key=origins.own_key(key or str(uuid4())), digest=digest, by="host.0", expected="any"
        )
        return taking_in.take_in(self.store, held, request, lambda s: as_json({"id": str(s.id)}))

    def findings(self, session_id: UUID) -> list[Any]:
        with psycopg.connect(self.urls.audit) as db, audit.snapshot(db):
            return [f for f in audit.audit(db, session_id) if f.about == "book"]

    def rows(self, session_id: UUID) -> dict[str, Any]:
        """Everything that is kept of it and is not of this book alone."""
        query = sql.SQL("SELECT * FROM projections.{} WHERE session_id = %s ORDER BY 1, 2")
        found = {}
        with self.pool.connection() as db:
            for table in COLUMNS:
                rows = db.execute(query.format(sql.Identifier(table)), [session_id]).fetchall()
                found[table] = sorted(rows, key=repr)
            for table in ("heads", "events", "players", "remarks"):
                query = sql.SQL("SELECT * FROM vola.{} WHERE session_id = %s")
                rows = db.execute(query.format(sql.Identifier(table)), [session_id]).fetchall()
                found[table] = sorted(rows, key=repr)
        return found

    @property
    def count(self) -> int:
        """How many rows there are, of anything."""
        with self.pool.connection() as db:
            return sum(
                db.execute(
                    sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, table))
                ).fetchone()[0]  # type: ignore[index]
                for schema, tables in (("vola", TABLES), ("projections", tuple(COLUMNS)))
                for table in tables
            )


@pytest.fixture(scope="module")
def books(cluster: Any) -> Iterator[tuple[Book, Book]]:
    both = [Book(copied(cluster, f"vola_moved_{name}")) for name in ("from", "to")]
    yield both[0], both[1]
    for book in both:
        book.pool.close()


def shaped(file: Any) -> Export:
    return msgspec.convert(json.loads(file) if isinstance(file, str) else file, Export)


def but(text: str, *members: str) -> Any:
    return {name: value for name, value in json.loads(text).items() if name not in members}


EVENINGS = 8
"""Of every game."""


@pytest.fixture(scope="module")
def played(books: Any) -> dict[str, list[UUID]]:
    """Corrected, undone, transferred, joined, erased, closed or not, la vola due or settled."""
    here, _ = books
    seeds = range(EVENINGS)
    return {game: [play(here.store, f"moved {game} {n}", game) for n in seeds] for game in GAMES}


@pytest.mark.parametrize("game", GAMES)
def test_there_it_is_the_same_evening_and_leaves_as_it_came(
    books: Any, played: dict[str, list[UUID]], game: str
) -> None:
    here, there = books
    for session_id in played[game]:
        file = here.file(session_id)
        assert verify.judge(file.encode())[:2] == (0, "export")
        there.take_in(file)
        assert there.rows(session_id) == here.rows(session_id)
        again = there.file(session_id)
        assert verify.judge(again.encode())[:2] == (0, "export")
        assert but(again, *BESIDE) == but(file, *BESIDE)
        assert [*json.loads(again)] == [*json.loads(file)]
        assert again.partition('"events"')[2] == file.partition('"events"')[2]
        assert there.findings(session_id) == here.findings(session_id) == []
    assert rebuild.rebuild(there.urls.owner).differed == 0


def test_the_evenings_that_moved_had_everything_in_them(books: Any, played: Any) -> None:
    here, _ = books
    assert len(played) == len(GAMES)
    with here.pool.connection() as db:
        kinds = {kind for (kind,) in db.execute("SELECT DISTINCT type FROM vola.events")}
        erased = db.execute("SELECT count(*) FROM vola.players WHERE name IS NULL").fetchone()[0]
        due = db.execute(
            "SELECT count(*) FROM projections.payments WHERE status = 'due'"
        ).fetchone()[0]
    assert kinds >= {
        *("action_undone", "deal_corrected", "deal_voided", "transfer_recorded", "la_vola_won"),
        *("payment_settled", "player_joined", "evening_closed", "scored", "bet_laid"),
    }
    assert erased
    assert due


def test_it_goes_on_there_and_what_is_due_is_settled(books: Any) -> None:
    here, there = books
    session_id = play_e1(here.store, deals=4)
    vola = [
        {"type": "open_deal"},
        {"type": "declare", "players": ["p1"]},
        {"type": "result", "la_vola": {"player": "p3", "won": True}},
    ]
    act(here.store, session_id, vola)
    assert len(outstanding(here.store.read(session_id).payments)) == 3
    there.take_in(here.file(session_id))
    assert Cards(there.store.pool).card(session_id).generations == (1, 1, 1)
    for book, host in zip(books, ("host.0", "host.1"), strict=True):  # the links of there are new
        assert book.store.settle(session_id) == 3
        act(book.store, session_id, [{"type": "undo"}], by=host)
    one, other = (book.store.read(session_id) for book in books)
    assert one.balances == other.balances
    assert one.version == other.version
    assert there.findings(session_id) == []


def test_a_phone_that_wrote_there_is_nobodys_here(books: Any) -> None:
    here, there = books
    session_id = play_e1(here.store, deals=1)
    with here.pool.connection() as db:
        db.execute(
            "INSERT INTO vola.phones (session_id, phone, role, made_at) VALUES (%s, 3, 'host', 0)",
            [session_id],
        )
    asked = Request(key="phone", digest=b"asked", by="phone3", expected="any")
    passed = shapes.commands([{"type": "open_deal"}, {"type": "all_pass"}])
    work = lambda s: Work(events=handling.actions(s, passed))  # noqa: E731
    here.store.write(session_id, asked, work, lambda _, __: b"{}")
    there.take_in(here.file(session_id))
    with there.pool.connection() as db:
        came = db.execute(
            "SELECT phone, ended_at FROM vola.phones WHERE session_id = %s", [session_id]
        ).fetchall()
        assert came == [(3, there.store.read(session_id).at)]
        assert phones.let_in(db, session_id, "scorer", "Bo", None).number == 4
    assert there.findings(session_id) == []


def test_without_names_it_comes_without_names(books: Any) -> None:
    here, there = books
    session_id = play_e1(here.store)
    there.take_in(here.file(session_id, labelled=False))
    found = json.loads(there.file(session_id))
    assert {(one["name"], one["salt"]) for one in found["names"]} == {(None, None)}
    assert found["title"] is None
    assert there.findings(session_id) == []


def test_the_same_key_is_answered_once_and_another_file_is_refused(books: Any) -> None:
    here, there = books
    files = [here.file(play_e1(here.store, deals=deals)) for deals in (1, 2)]
    first = there.take_in(files[0], key="same")
    again = there.take_in(files[0], key="same")
    assert (first.replayed, again.replayed, again.body) == (False, True, first.body)
    before = there.count
    with pytest.raises(KeyReused):
        there.take_in(files[1], key="same", digest=b"another")
    assert there.count == before


def test_who_has_its_history_is_told_how_far_it_is_here_and_nobody_else(books: Any) -> None:
    here, there = books
    session_id = play_e1(here.store, deals=3)
    early, late = here.file(session_id), None
    act(here.store, session_id, [{"type": "open_deal"}])
    late = here.file(session_id)
    there.take_in(early)
    version, before = there.store.read(session_id).version, there.count
    for file in (early, late):
        with pytest.raises(AlreadyHere) as refused:
            there.take_in(file)
        assert refused.value.version == version
    elsewhere = Table(here.store, Random(3), "polskt_pass")
    forged = json.loads(here.file(elsewhere.id)) | {"session": str(session_id)}
    with pytest.raises(AlreadyHere) as refused:
        there.take_in(anew(forged))
    assert refused.value.version is None
    assert there.count == before


def test_however_many_bring_it_at_once_it_comes_once(books: Any) -> None:
    here, there = books
    file = here.file(play_e1(here.store, deals=2))

    def bring(_: int) -> bool:
        try:
            return there.take_in(file) is not None
        except AlreadyHere:
            return False

    with ThreadPoolExecutor(4) as many:
        assert sum(many.map(bring, range(4))) == 1


BESIDE_EVENTS = ("title", "names", "remarks", "labels")
PEN = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def anew(doc: dict[str, Any]) -> dict[str, Any]:
    """Without names; sealed and signed again by a forger with a pen of his own."""
    doc = deepcopy({k: v for k, v in doc.items() if k not in BESIDE_EVENTS})
    session_id, before, seals = UUID(doc["session"]), chain.FIRST, []
    for version, event in enumerate(doc["events"], start=1):
        event["version"] = version
        before = chain.seal(
            session_id=session_id,
            kind=event["type"],
            before=before,
            **{name: event[name] for name in ("version", "schema", "at", "by", "data")},
        )
        event["hash"] = before.hex()
        seals.append(before)
    end = doc["events"][-1]
    stood = Checkpoint(
        session_id=session_id,
        size=len(seals),
        root=Tree().grown(seals).root(len(seals)),
        hash=before,
        at=end["at"],
    )
    doc |= {"version": len(seals), "hash": before.hex(), "at": iso(end["at"])}
    doc |= {"key": checkpoints.public(PEN).hex(), "checkpoint": checkpoints.signed(PEN, stood)}
    return doc


def data(**changes: Any) -> Any:
    def change(event: dict[str, Any]) -> None:
        said = {**json.loads(event["data"]), **changes}
        event["data"] = json.dumps(said, sort_keys=True, separators=(",", ":"))

    return change


def put(**changes: Any) -> Any:
    return lambda event: event.update(changes)


FORGED = {
    "a player's name for what stands for it": (1, "event_impossible", data(names=["Ada"] * 4)),
    "a member that we do not know": (2, "event_unreadable", data(remark="Ada")),
    "written in another way": (
        2, "event_unreadable", lambda event: event.update(data=event["data"] + " ")),
    "a type that there is not": (2, "event_unreadable", put(type="pot_robbed")),
    "a schema that there is not": (2, "event_unreadable", put(schema=2)),
    "not JSON": (2, "event_unreadable", put(data="{")),
    "more than the pot has": (9, "event_impossible", data(amount=999)),
    "more than can be counted": (9, "event_impossible", data(amount=2**70)),
    "a payment by hand": (3, "event_impossible", put(by="worker")),
    "before the one before": (5, "time_wrong", put(at=5)),
    "tomorrow and more": (5, "time_wrong", put(at=NOW + 2 * importing.SLOW_CLOCK)),
    "opened twice": (2, "event_impossible", put(type="session_opened")),
    "another game": (1, "event_impossible", data(game="whist")),
    "another option": (1, "event_impossible", data(options={"rake": 1})),
    "a seat for nobody": (2, "event_impossible", data(dealer="p9")),
}  # fmt: skip


@pytest.mark.parametrize("what", FORGED)
def test_what_cannot_have_happened_is_refused_however_well_it_is_sealed(
    books: Any, what: str
) -> None:
    here, there = books
    doc = json.loads(here.file(play_e1(here.store, deals=2)))
    importing.check(shaped(anew(doc)), NOW)  # it is what is changed in it that is refused
    version, reason, change = FORGED[what]
    event = doc["events"][version - 1]
    if what == "opened twice":
        event["data"] = doc["events"][0]["data"]
    change(event)
    before = there.count
    with pytest.raises(DoesNotHold) as refused:
        there.take_in(anew(doc))
    assert (refused.value.reason, refused.value.version) == (reason, version)
    assert there.count == before


@pytest.mark.parametrize(
    ("called", "reason"),
    [
        (("Ada", "Bo", "Cilla", "Disa"), None),
        (("Ada", "Bob", "Cilla", "Disa"), "names_wrong"),
        (("Ada", None, "Cilla", "Disa"), None),
        (("Ada", "Bo", "Cilla"), "names_wrong"),
        (("Ada", "", "Cilla", "Disa"), "names_wrong"),
    ],
)
def test_a_name_is_the_one_that_was_committed_to_whoever_signs(
    books: Any, called: tuple[str | None, ...], reason: str | None
) -> None:
    here, there = books
    doc = anew(json.loads(here.file(play_e1(here.store, deals=1))))
    names = tuple(
        Name(player=f"p{place}", name=name, salt=None if name is None else b"salt")
        for place, name in enumerate(called, start=1)
    )
    found = Labels(title=None, names=names, remarks=())
    note = labels.signed(PEN, UUID(doc["session"]), doc["version"], found)
    doc |= {**export.told(found), "labels": note}
    if reason is None:
        assert there.take_in(doc).version == doc["version"]
        return
    with pytest.raises(DoesNotHold) as refused:
        there.take_in(doc)
    assert refused.value.reason == reason


class File:
    """A document that a report of a failure does not print."""

    def __init__(self, doc: dict[str, Any]) -> None:
        self.doc = doc


@pytest.fixture(scope="module")
def eventful(books: Any) -> File:
    """A file with something of everything, not too long to be changed everywhere."""
    here, _ = books
    for seed in range(100):
        table = Table(here.store, Random(seed), "polskt_pass")
        table.play(80)
        found: dict[str, Any] = json.loads(here.file(table.id))
        kinds = {event["type"] for event in found["events"]}
        if {"player_joined", "deal_corrected", "transfer_recorded"} <= kinds and found["remarks"]:
            return File(found)
    raise AssertionError("no evening had everything")


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Everything in a document that can be changed."""
    if path:
        yield path
    if isinstance(node, dict | list):
        for step, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from places(value, (*path, step))


def changed(value: Any, die: Random) -> Any:
    """Another value, mostly of the same kind."""
    match value:
        case str() if value and die.random() < 0.8:
            at = die.randrange(len(value))
            cut = value[:at] + value[at + 1 :]
            other = value[:at] + die.choice("0a9b{}p1 ♠\n") + value[at + 1 :]
            return die.choice((cut, other, value + value[at], value.upper(), value.lower()))
        case int() if die.random() < 0.8:
            return value + die.choice((-1, 1, 1000, -1000))
        case list() if value and die.random() < 0.9:
            items, at = list(value), die.randrange(len(value))
            return die.choice((items[:at] + items[at + 1 :], [*items, items[at]], items[::-1]))
        case dict() if value and die.random() < 0.9:
            gone = die.choice(list(value))
            return die.choice(
                ({k: v for k, v in value.items() if k != gone}, {**value, "more": value[gone]})
            )
    return die.choice([None, "", 0, True, [], {}, "x", -1, 1.5])


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**64))
def test_no_single_thing_in_it_can_be_another(books: Any, eventful: File, seed: int) -> None:
    die, doc = Random(seed), deepcopy(eventful.doc)
    flat = list(places(doc))
    shallow = [path for path in flat if path[0] != "events" or die.random() < 0.1]
    *way, last = die.choice(die.choice((flat, shallow)))
    node: Any = doc
    for step in way:
        node = node[step]
    node[last] = changed(node[last], die)
    if json.dumps(doc) == json.dumps(eventful.doc):
        return
    _, there = books
    before = there.count
    with pytest.raises((DoesNotHold, msgspec.ValidationError)):
        there.take_in(doc)
    assert there.count == before


def test_ten_thousand_events_come_in_seconds(books: Any) -> None:
    here, there = books
    session_id = play_e1(here.store, deals=0)
    deal = [
        {"type": "open_deal"},
        {"type": "declare", "players": ["p2"]},
        {"type": "result", "winner": "p2"},
    ]
    while here.store.read(session_id).version < 10_000:
        act(here.store, session_id, deal * 100)
    file = here.file(session_id)
    assert len(file) < 16 * 2**20
    begun = time.monotonic()
    there.take_in(file)
    took = time.monotonic() - begun
    version = there.store.read(session_id).version
    print(f"{version} events, {len(file)} bytes, {took:.1f} s")
    assert took < 60
    assert there.rows(session_id) == here.rows(session_id)


def test_who_joins_while_an_evening_is_read_is_not_in_its_export(books, monkeypatch):
    here, there = books
    session_id, read = play_e1(here.store), here.store.read
    joining = Name(player="p5", name="Emil", salt=b"salt")

    def and_joined(*given):
        found = read(*given)
        work = Work(events=handling.joined("p5", joining.commitment), names=(joining,))
        here.store.write(session_id, request(), lambda _: work, lambda *_: b"{}")
        return found

    monkeypatch.setattr(here.store, "read", and_joined)
    file = here.file(session_id)
    assert [name["id"] for name in json.loads(file)["names"]] == ["p1", "p2", "p3", "p4"]
    assert there.take_in(file).status == 201
