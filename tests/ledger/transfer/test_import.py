"""An imported session is the same as its original; a changed file is refused."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID, uuid4

import msgspec
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from api.schemas.commands import load_commands
from engine import commands as c
from engine import events as e
from engine.games.registry import GAMES
from ledger.access import devices
from ledger.access.session_metadata import SessionMetadataStore
from ledger.audit.run import audit_session, faulty_version
from ledger.events import codec
from ledger.projections.la_vola_payments import due_payments
from ledger.proofs.checkpoint import sign_note
from ledger.proofs.receipts import ReceiptIssuer
from ledger.rebuild import rebuild
from ledger.session import command_handlers
from ledger.store import connection_pool as database
from ledger.store import event_store
from ledger.store.append_request import AppendRequest, Decision, KeyReused, PlayerName
from ledger.store.database_snapshot import database_snapshot
from ledger.store.event_store import EventStore
from ledger.store.projection_rows import TABLES as PROJECTIONS
from ledger.transfer import export, import_check, import_session
from ledger.transfer.export_format import Export, InvalidExport
from ledger.transfer.import_session import SessionExists
from ledger.transfer.session_labels import Labels, labels_text
from tests.support.databases import copy_database
from tests.support.ledger.store_session import act, make_request, play_e1
from tests.support.postgresql.round_trips import traced_pool
from tests.support.proofs.resigned_export import FORGER_KEY, resign_export
from tests.support.proofs.verifier import verify
from tests.verification.attack.stored_sessions import open_table, play

TEN_YEARS = 10 * 366 * 24 * 3600 * 1_000_000
TABLES = (
    *("sessions", "heads", "events", "players", "remarks", "stored_replies", "creation_keys"),
    *("settlement_failures", "group_sessions", "attendance"),
)
REISSUED_MEMBERS = ("key", "checkpoint", "labels")
"""Members that the importing server signs with its own key."""


class Book:
    """A server's ledger, with a signing key of its own."""

    def __init__(self, urls: Any, pool: Any = None) -> None:
        self.urls = urls
        self.pool = pool or database.open_pool(urls.app, size=4)
        self.store, self.receipts = EventStore(self.pool), ReceiptIssuer(self.pool)

    def file(self, session_id: UUID, *, labelled: bool = True) -> str:
        return export.export_session(self.store, self.receipts, session_id, labelled=labelled)

    def import_file(self, file: Any, key: str | None = None, digest: bytes = b"asked") -> Any:
        checked_export = import_check.check_export(parse_export(file))
        request = AppendRequest(
            key=import_session.import_key(key or str(uuid4())),
            digest=digest,
            by="host.0",
            expected_version="any",
        )
        return import_session.import_session(
            self.store,
            checked_export,
            request,
            lambda session: session.id,
            faulty_version,
        )

    def findings(self, session_id: UUID) -> list[Any]:
        with psycopg.connect(self.urls.audit) as db, database_snapshot(db):
            return [f for f in audit_session(db, session_id) if f.about == "book"]

    def rows(self, session_id: UUID) -> dict[str, Any]:
        """Return all rows of a session that an import preserves."""
        query = sql.SQL("SELECT * FROM projections.{} WHERE session_id = %s ORDER BY 1, 2")
        rows_by_table = {}
        with self.pool.connection() as db:
            for table in PROJECTIONS:
                rows = db.execute(query.format(sql.Identifier(table)), [session_id]).fetchall()
                rows_by_table[table] = sorted(rows, key=repr)
            for table in ("heads", "events", "players", "remarks"):
                query = sql.SQL("SELECT * FROM vola.{} WHERE session_id = %s")
                rows = db.execute(query.format(sql.Identifier(table)), [session_id]).fetchall()
                rows_by_table[table] = sorted(rows, key=repr)
        return rows_by_table

    @property
    def count(self) -> int:
        """The number of rows in all tables."""
        with self.pool.connection() as db:
            return sum(
                db.execute(
                    sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, table))
                ).fetchone()[0]  # type: ignore[index]
                for schema, tables in (("vola", TABLES), ("projections", tuple(PROJECTIONS)))
                for table in tables
            )


@pytest.fixture(scope="module")
def books(cluster: Any) -> Iterator[tuple[Book, Book]]:
    pair = [Book(copy_database(cluster, f"vola_moved_{name}")) for name in ("from", "to")]
    yield pair[0], pair[1]
    for book in pair:
        book.pool.close()


def parse_export(file: Any) -> Export:
    return msgspec.convert(json.loads(file) if isinstance(file, str) else file, Export)


def without_members(text: str, *members: str) -> Any:
    return {name: value for name, value in json.loads(text).items() if name not in members}


SESSIONS_PER_GAME = 8
"""How many sessions of each game."""


@pytest.fixture(scope="module")
def played(books: Any) -> dict[str, list[UUID]]:
    """Sessions with corrections, undo, transfers, joins, erasure, closings and la vola."""
    source, _ = books
    seeds = range(SESSIONS_PER_GAME)
    return {game: [play(source.store, f"moved {game} {n}", game) for n in seeds] for game in GAMES}


@pytest.mark.parametrize("game", GAMES)
def test_an_imported_session_has_the_same_rows_and_export(
    books: Any, played: dict[str, list[UUID]], game: str
) -> None:
    source, target = books
    for session_id in played[game]:
        file = source.file(session_id)
        assert verify.verify_document(file.encode())[:2] == (0, "export")
        target.import_file(file)
        assert target.rows(session_id) == source.rows(session_id)
        exported = target.file(session_id)
        assert verify.verify_document(exported.encode())[:2] == (0, "export")
        assert without_members(exported, *REISSUED_MEMBERS) == without_members(
            file, *REISSUED_MEMBERS
        )
        assert [*json.loads(exported)] == [*json.loads(file)]
        assert exported.partition('"events"')[2] == file.partition('"events"')[2]
        assert target.findings(session_id) == source.findings(session_id) == []
    assert rebuild.rebuild(target.urls.owner).differed == 0


def test_the_imported_sessions_contain_every_kind_of_event(books: Any, played: Any) -> None:
    source, _ = books
    assert len(played) == len(GAMES)
    with source.pool.connection() as db:
        kinds = {kind for (kind,) in db.execute("SELECT DISTINCT type FROM vola.events")}
        erased = db.execute("SELECT count(*) FROM vola.players WHERE name IS NULL").fetchone()[0]
        due = db.execute(
            "SELECT count(*) FROM projections.payments WHERE status = 'due'"
        ).fetchone()[0]
    assert kinds >= {
        *("action_undone", "deal_corrected", "deal_voided", "transfer_recorded", "la_vola_won"),
        *("payment_settled", "player_joined", "evening_closed", "scored", "bet_laid"),
        "session_reopened",
    }
    assert erased
    assert due


def test_an_undone_correction_is_imported_with_its_session(books: Any) -> None:
    source, target = books
    session_id = play_e1(source.store)

    def corrected(session: Any) -> Decision:
        return Decision(events=command_handlers.correct_deal(session, 2, [c.AllPass()], "refuse"))

    source.store.append(session_id, make_request(), corrected)
    act(source.store, session_id, [{"type": "undo"}])
    file = source.file(session_id)
    assert verify.verify_document(file.encode())[:2] == (0, "export")
    target.import_file(file)
    assert target.findings(session_id) == source.findings(session_id) == []
    for book in books:
        session = book.store.load(session_id)
        assert list(session.balances.values()) == [-50, -40, 150, -60]
        assert rebuild.rebuild(book.urls.owner).differed == 0


def test_play_continues_after_the_import_and_due_payments_are_settled(books: Any) -> None:
    source, target = books
    session_id = play_e1(source.store, deals=4)
    vola = [
        {"type": "open_deal"},
        {"type": "declare", "players": ["p1"]},
        {"type": "result", "la_vola": {"player": "p3", "won": True}},
    ]
    act(source.store, session_id, vola)
    assert len(due_payments(source.store.load(session_id).payments)) == 3
    target.import_file(source.file(session_id))
    assert SessionMetadataStore(target.store.pool).load(session_id).generations == (1, 1, 1)
    for book, host in zip(books, ("host.0", "host.1"), strict=True):  # the target has new links
        assert book.store.settle(session_id) == 3
        act(book.store, session_id, [{"type": "undo"}], by=host)
    source_session, target_session = (book.store.load(session_id) for book in books)
    assert source_session.balances == target_session.balances
    assert source_session.version == target_session.version
    assert target.findings(session_id) == []


def test_a_session_with_times_ten_years_ahead_can_be_imported(
    books: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = books
    session_id, honest = play_e1(source.store), event_store.build_changes

    def build_future_changes(before: Any, work: Any, now: int, asked: Any) -> Any:
        return honest(before, work, now + TEN_YEARS, asked)

    with monkeypatch.context() as patch:
        patch.setattr(event_store, "build_changes", build_future_changes)
        act(source.store, session_id, [{"type": "open_deal"}])
    act(source.store, session_id, [{"type": "all_pass"}])  # the clock is right again
    assert source.store.load(session_id).at > time.time_ns() // 1000 + TEN_YEARS // 2
    target.import_file(source.file(session_id))
    act(target.store, session_id, [{"type": "open_deal"}], by="host.1")
    assert target.findings(session_id) == []
    assert target.store.load(session_id).at == source.store.load(session_id).at


def test_a_device_of_the_source_is_revoked_in_the_target(books: Any) -> None:
    source, target = books
    session_id = play_e1(source.store, deals=1)
    with source.pool.connection() as db:
        db.execute(
            "INSERT INTO vola.devices (session_id, device_number, role, made_at)"
            " VALUES (%s, 3, 'host', 0)",
            [session_id],
        )
    device_request = AppendRequest(
        key="phone", digest=b"asked", by="phone3", expected_version="any"
    )
    passed = load_commands([{"type": "open_deal"}, {"type": "all_pass"}])
    work = lambda s: Decision(events=command_handlers.record_actions(s, passed))  # noqa: E731
    source.store.append(session_id, device_request, work)
    target.import_file(source.file(session_id))
    with target.pool.connection() as db:
        devices_after = db.execute(
            "SELECT device_number, ended_at FROM vola.devices WHERE session_id = %s", [session_id]
        ).fetchall()
        assert devices_after == [(3, target.store.load(session_id).at)]
        assert devices.add_device(db, session_id, "scorer", "Bo", None).number == 4
    assert target.findings(session_id) == []


def test_an_export_without_names_is_imported_without_names(books: Any) -> None:
    source, target = books
    session_id = play_e1(source.store)
    target.import_file(source.file(session_id, labelled=False))
    exported = json.loads(target.file(session_id))
    assert {(player["name"], player["salt"]) for player in exported["names"]} == {(None, None)}
    assert exported["title"] is None
    assert target.findings(session_id) == []


def test_a_repeated_key_imports_once_and_refuses_another_file(books: Any) -> None:
    source, target = books
    files = [source.file(play_e1(source.store, deals=deals)) for deals in (1, 2)]
    first = target.import_file(files[0], key="same")
    repeated = target.import_file(files[0], key="same")
    assert (first.replayed, repeated.replayed) == (False, True)
    assert msgspec.structs.replace(repeated, replayed=False) == first
    before = target.count
    with pytest.raises(KeyReused):
        target.import_file(files[1], key="same", digest=b"another")
    assert target.count == before


def test_only_a_file_with_the_same_history_learns_the_version(books: Any) -> None:
    source, target = books
    session_id = play_e1(source.store, deals=3)
    early, late = source.file(session_id), None
    act(source.store, session_id, [{"type": "open_deal"}])
    late = source.file(session_id)
    target.import_file(early)
    version, before = target.store.load(session_id).version, target.count
    for file in (early, late):
        with pytest.raises(SessionExists) as refused:
            target.import_file(file)
        assert refused.value.version == version
    elsewhere = open_table(source.store, Random(3), "polskt_pass")
    forged = json.loads(source.file(elsewhere.id)) | {"session": str(session_id)}
    with pytest.raises(SessionExists) as refused:
        target.import_file(resign_export(forged))
    assert refused.value.version is None
    assert target.count == before


def test_simultaneous_imports_import_once(books: Any) -> None:
    source, target = books
    file = source.file(play_e1(source.store, deals=2))

    def import_once(_: int) -> bool:
        try:
            return target.import_file(file) is not None
        except SessionExists:
            return False

    with ThreadPoolExecutor(4) as many:
        assert sum(many.map(import_once, range(4))) == 1


def change_data(**changes: Any) -> Any:
    def change(event: dict[str, Any]) -> None:
        fields = {**json.loads(event["data"]), **changes}
        event["data"] = json.dumps(fields, sort_keys=True, separators=(",", ":"))

    return change


def change_event(**changes: Any) -> Any:
    return lambda event: event.update(changes)


COST_OF_NOBODY = (
    '{"amount":5,"cost":1,"payer":"p1","shares":[{"amount":5,"parts":-1,"player":"p2"}]}'
)
FORGED = {
    "a player's name for its commitment": (1, "event_impossible", change_data(names=["Ada"] * 4)),
    "an unknown member": (2, "event_unreadable", change_data(remark="Ada")),
    "another encoding": (
        2, "event_unreadable", lambda event: event.update(data=event["data"] + " ")),
    "an unknown type": (2, "event_unreadable", change_event(type="pot_robbed")),
    "an unknown schema": (2, "event_unreadable", change_event(schema=2)),
    "not JSON": (2, "event_unreadable", change_event(data="{")),
    "more than the pot has": (9, "event_impossible", change_data(amount=999)),
    "more than can be counted": (9, "event_impossible", change_data(amount=2**70)),
    "a payment by hand": (3, "event_impossible", change_event(by="worker")),
    "before the previous event": (5, "time_wrong", change_event(at=5)),
    "opened twice": (2, "event_impossible", change_event(type="session_opened")),
    "another game": (1, "event_impossible", change_data(game="whist")),
    "another option": (1, "event_impossible", change_data(options={"rake": 1})),
    "a seat for nobody": (2, "event_impossible", change_data(dealer="p9")),
    "a result that says nothing": (
        4, "event_impossible", change_event(type="result_recorded", data="{}")),
    "a cost that nobody bears": (
        4, "event_impossible", change_event(type="cost_recorded", data=COST_OF_NOBODY)),
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGED)
def test_impossible_events_are_refused_even_with_valid_hashes(books: Any, forgery: str) -> None:
    source, target = books
    doc = json.loads(source.file(play_e1(source.store, deals=2)))
    import_check.check_export(parse_export(resign_export(doc)))  # only the change is refused
    version, reason, change = FORGED[forgery]
    event = doc["events"][version - 1]
    if forgery == "opened twice":
        event["data"] = doc["events"][0]["data"]
    change(event)
    before = target.count
    with pytest.raises(InvalidExport) as refused:
        target.import_file(resign_export(doc))
    assert (refused.value.reason, refused.value.version) == (reason, version)
    assert target.count == before


def test_a_card_of_an_impossible_deal_is_refused(books: Any) -> None:
    """The table allows three in a game of four; only the search for revokes deals anew."""
    source, target = books
    table = open_table(source.store, Random(0), "spader")
    doc = json.loads(source.file(table.id))
    for event in (
        e.DealOpened(number=1, dealer="p1", seats=("p1", "p2", "p3")),
        e.SideBidMade(side="p2+p4", tricks=1),
        e.SideBidMade(side="p1+p3", tricks=1),
        e.CardPlayed(player="p2", card="2C"),
    ):
        changes = {"type": codec.event_type(event), "data": codec.encode(event)}
        doc["events"].append({**doc["events"][0], **changes})
    with pytest.raises(InvalidExport, match="event_impossible at version 5"):
        target.import_file(resign_export(doc))


@pytest.mark.parametrize(
    ("names_in_file", "reason"),
    [
        (("Ada", "Bo", "Cilla", "Disa"), None),
        (("Ada", "Bob", "Cilla", "Disa"), "names_wrong"),
        (("Ada", None, "Cilla", "Disa"), None),
        (("Ada", "Bo", "Cilla"), "names_wrong"),
        (("Ada", "", "Cilla", "Disa"), "names_wrong"),
    ],
)
def test_a_name_must_match_its_commitment_under_any_signature(
    books: Any, names_in_file: tuple[str | None, ...], reason: str | None
) -> None:
    source, target = books
    doc = resign_export(json.loads(source.file(play_e1(source.store, deals=1))))
    names = tuple(
        PlayerName(player=f"p{place}", name=name, salt=None if name is None else b"salt")
        for place, name in enumerate(names_in_file, start=1)
    )
    labels = Labels(title=None, names=names, remarks=())
    session_id = UUID(doc["session"])
    note = sign_note(FORGER_KEY, session_id, labels_text(session_id, doc["version"], labels))
    doc |= {**export.labels_json(labels), "labels": note}
    if reason is None:
        assert target.import_file(doc).version == doc["version"]
        return
    with pytest.raises(InvalidExport) as refused:
        target.import_file(doc)
    assert refused.value.reason == reason


class ExportFile:
    """A document that pytest does not print when a test fails."""

    def __init__(self, doc: dict[str, Any]) -> None:
        self.doc = doc


@pytest.fixture(scope="module")
def eventful(books: Any) -> ExportFile:
    """An export with every kind of event, short enough to be changed everywhere."""
    source, _ = books
    for seed in range(100):
        table = open_table(source.store, Random(seed), "polskt_pass")
        table.play(80)
        document: dict[str, Any] = json.loads(source.file(table.id))
        kinds = {event["type"] for event in document["events"]}
        if {"player_joined", "deal_corrected", "transfer_recorded"} <= kinds and document[
            "remarks"
        ]:
            return ExportFile(document)
    raise AssertionError("no session had every kind of event")


def changeable_paths(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value in a document."""
    if path:
        yield path
    if isinstance(node, dict | list):
        for step, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from changeable_paths(value, (*path, step))


def change_value(value: Any, die: Random) -> Any:
    """Return another value, mostly of the same type."""
    match value:
        case str() if value and die.random() < 0.8:
            place = die.randrange(len(value))
            cut = value[:place] + value[place + 1 :]
            replaced = value[:place] + die.choice("0a9b{}p1 ♠\n") + value[place + 1 :]
            return die.choice((cut, replaced, value + value[place], value.upper(), value.lower()))
        case int() if die.random() < 0.8:
            return value + die.choice((-1, 1, 1000, -1000))
        case list() if value and die.random() < 0.9:
            items, place = list(value), die.randrange(len(value))
            return die.choice(
                (items[:place] + items[place + 1 :], [*items, items[place]], items[::-1])
            )
        case dict() if value and die.random() < 0.9:
            name = die.choice(list(value))
            return die.choice(
                ({k: v for k, v in value.items() if k != name}, {**value, "more": value[name]})
            )
    return die.choice([None, "", 0, True, [], {}, "x", -1, 1.5])


def test_no_single_value_of_an_export_can_be_changed(books: Any, eventful: ExportFile) -> None:
    _, target = books
    text, before = json.dumps(eventful.doc), target.count

    @settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(seed=st.integers(0, 2**64))
    def check_change(seed: int) -> None:
        die, doc = Random(seed), json.loads(text)
        flat = list(changeable_paths(doc))
        shallow = [path for path in flat if path[0] != "events" or die.random() < 0.1]
        *way, last = die.choice(die.choice((flat, shallow)))
        node: Any = doc
        for step in way:
            node = node[step]
        node[last] = change_value(node[last], die)
        if json.dumps(doc) != text:
            with pytest.raises((InvalidExport, msgspec.ValidationError)):
                target.import_file(doc)

    check_change()
    assert target.count == before


def long_session(book: Book, events: int) -> tuple[UUID, str]:
    """Return the id of a session of at least `events` events, and its export."""
    session_id = play_e1(book.store, deals=0)
    deal = [
        {"type": "open_deal"},
        {"type": "declare", "players": ["p2"]},
        {"type": "result", "winner": "p2"},
    ]
    while book.store.load(session_id).version < events:
        act(book.store, session_id, deal * 30)
    return session_id, book.file(session_id)


def test_ten_times_the_events_hardly_take_more_round_trips_to_import(
    books: Any, tmp_path: Path
) -> None:
    """The audit of what was written reads a thousand events at a time."""
    source, target = books
    round_trips = []
    for events in (300, 3_000):
        session_id, file = long_session(source, events)
        with traced_pool(target.urls.app, tmp_path / f"{events}") as (pool, count_round_trips):
            one_connection = Book(target.urls, pool)
            one_connection.import_file(file)
        round_trips.append(count_round_trips())
        assert target.rows(session_id) == source.rows(session_id)
    assert round_trips[0] <= round_trips[1] <= round_trips[0] + 3_000 // 1_000


def test_a_check_folds_each_event_of_an_export_once(books: Any) -> None:
    """Ten thousand events of this kind fit in the 16 MiB that an upload may have."""
    source, _ = books
    folded = count()
    _, file = long_session(source, 300)
    export = parse_export(file)
    import_check.check_export(export, lambda: next(folded) < 0)
    assert next(folded) == len(export.events)
    assert len(file) / len(export.events) * 10_000 < 16 * 2**20


def test_a_player_who_joins_during_an_export_is_not_in_it(books, monkeypatch):
    source, target = books
    session_id, read = play_e1(source.store), source.store.load
    joining = PlayerName(player="p5", name="Emil", salt=b"salt")

    def read_then_join(*arguments):
        events = read(*arguments)
        work = Decision(
            events=command_handlers.join_player("p5", joining.commitment), names=(joining,)
        )
        source.store.append(session_id, make_request(), lambda _: work)
        return events

    monkeypatch.setattr(source.store, "load", read_then_join)
    file = source.file(session_id)
    assert [name["id"] for name in json.loads(file)["names"]] == ["p1", "p2", "p3", "p4"]
    assert target.import_file(file).status == 201
