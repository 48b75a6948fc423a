"""What cannot be settled is seen by people, keeps nobody waiting, and is tried again."""

import logging
import threading
from uuid import UUID

import psycopg
import pytest
from rq import Queue
from rq.job import Job

from api.app import create_app
from ledger import database, stuck
from ledger.store import Store
from ledger.tallies import Tallies, tallies
from tests.api.test_cli import vola
from tests.conftest import rung_apart
from tests.evenings import E1, lines
from tests.ledger.evening import act, open_session
from workers import la_vola, queue
from workers.relay import Relay

BREAK = "UPDATE vola.events SET type = 'unheard_of' WHERE session_id = %s AND version = 1"
MEND = "UPDATE vola.events SET type = 'session_opened' WHERE session_id = %s AND version = 1"
NOT_YET = "UPDATE vola.stuck SET again = clock_timestamp() + interval '1 hour'"
NOW = "UPDATE vola.stuck SET again = clock_timestamp()"
NAMED_IN_HALF = """
INSERT INTO vola.players (session_id, player_id, name) VALUES (%(session_id)s, 'p1', 'hemlighet')
"""


@pytest.fixture
def bell_queue(bell) -> Queue:
    made = queue.queue(queue.connect(rung_apart(bell, 4)))
    made.connection.flushdb()
    return made


@pytest.fixture
def broken(store, urls) -> UUID:
    """Three payments due, in an evening that this version cannot read."""
    session_id = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    alter(urls, BREAK, session_id)
    return session_id


def alter(urls, statement, *values):
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute("SET session_replication_role = replica")  # no trigger guards the events
        db.execute(statement, values)


def look(relay, urls, times=1):
    with psycopg.connect(urls.app, autocommit=True) as db:
        for _ in range(times):
            relay.look(db)


def statuses(store, session_id):
    return {payment.status for payment in store.read(session_id).payments.values()}


@pytest.fixture
def fresh(store) -> Store:
    """One that has not yet folded the evening."""
    return Store(store.pool)


def test_every_failure_waits_longer_before_the_next_try(fresh, urls, broken):
    relay = Relay(fresh, urls.app, None)
    look(relay, urls)
    assert stuck.stuck(fresh.pool)[0].tries == 1
    alter(urls, NOT_YET)
    look(relay, urls, times=3)
    assert stuck.stuck(fresh.pool)[0].tries == 1
    alter(urls, NOW)
    look(relay, urls)
    [sticks] = stuck.stuck(fresh.pool, broken)
    assert (sticks.tries, sticks.due) == (2, 3)
    assert sticks.reason.startswith("Unreadable in ledger.history:")


def test_why_it_sticks_is_told_in_no_words_that_a_row_holds(
    fresh, urls, broken, bell_queue, caplog, monkeypatch, data
):
    """Not in the book, not in the log, not in what Redis keeps, not on a terminal."""
    words = "\x1b[2J\u202eAdas hemlighet\r"
    alter(urls, "UPDATE vola.events SET type = %s WHERE session_id = %s", words, broken)
    la_vola.work_on(fresh)
    relay = Relay(fresh, urls.app, bell_queue)
    look(relay, urls)
    monkeypatch.setattr(logging.getLogger("rq.worker"), "propagate", True)
    with caplog.at_level("DEBUG"):
        queue.Worker(bell_queue, threading.Event()).work(burst=True, logging_level="ERROR")
        alter(urls, NOW)
        look(relay, urls)
    [failed] = bell_queue.failed_job_registry.get_job_ids()
    kept = Job.fetch(failed, bell_queue.connection, bell_queue.serializer).latest_result()
    [sticks] = stuck.stuck(fresh.pool)
    told = vola("stuck", DATABASE_URL=urls.app, VOLA_DATA=str(data))
    where = "Unreadable in ledger.history:"
    assert len([record for record in caplog.records if where in record.getMessage()]) == 2
    for said in (caplog.text, kept.exc_string, sticks.reason, told.stdout):
        assert where in said
        assert "hemlighet" not in said
        assert "\x1b" not in said
    assert str(broken) not in caplog.text


def test_a_rule_of_the_book_that_was_broken_is_named_without_the_row(store):
    with store.pool.connection() as db, pytest.raises(psycopg.Error) as broken:
        db.execute(NAMED_IN_HALF, {"session_id": UUID(int=1)})
    assert "hemlighet" in str(broken.value)
    assert stuck.why(broken.value) == "CheckViolation of players_check"


def test_what_is_mended_and_tried_again_is_settled_and_forgotten(fresh, urls, broken):
    relay = Relay(fresh, urls.app, None)
    look(relay, urls)
    alter(urls, NOT_YET)
    alter(urls, MEND, broken)
    assert stuck.try_again(fresh.pool, broken) == 1
    look(relay, urls)
    assert statuses(fresh, broken) == {"settled"}
    assert stuck.stuck(fresh.pool) == []


def test_what_comes_due_again_by_itself_is_forgotten_when_it_is_settled(fresh, urls, broken):
    relay = Relay(fresh, urls.app, None)
    look(relay, urls)
    alter(urls, MEND, broken)
    alter(urls, NOW)
    look(relay, urls)
    assert stuck.stuck(fresh.pool) == []
    relay.tallies.write(now=True)
    counted = tallies(fresh.pool)
    assert (counted["failed"], counted["tried_again"], counted["settled_by_relay"]) == (1, 1, 3)


def test_nothing_is_stuck_where_nothing_is_due_any_more(store, fresh, urls, broken):
    look(Relay(fresh, urls.app, None), urls)
    alter(urls, MEND, broken)
    act(store, broken, [{"type": "undo"}])
    assert stuck.stuck(store.pool) == []
    Relay(fresh, urls.app, None).sweep()
    with store.pool.connection() as db:
        assert db.execute("SELECT count(*) FROM vola.stuck").fetchone() == (0,)


def test_a_job_that_fails_is_noted_in_the_book_and_swept_out_of_redis(
    fresh, urls, broken, bell_queue
):
    la_vola.work_on(fresh)
    relay = Relay(fresh, urls.app, bell_queue)
    look(relay, urls)
    queue.Worker(bell_queue, threading.Event()).work(burst=True, logging_level="CRITICAL")
    assert stuck.stuck(fresh.pool)[0].tries == 1
    [failed] = bell_queue.failed_job_registry.get_job_ids()
    relay.sweep()
    assert bell_queue.failed_job_registry.count == 0
    assert not Job.exists(failed, connection=bell_queue.connection)


def test_what_becomes_due_while_the_bell_is_answered_is_rung_for_again(store, urls, bell_queue):
    session_id = open_session(store)
    deals = [line.actions() for line in list(lines(E1))[:5]]
    for actions in deals:
        act(store, session_id, actions)
    relay = Relay(store, urls.app, bell_queue)
    look(relay, urls, times=2)
    assert bell_queue.count == 1
    act(store, session_id, [{"type": "undo"}])
    act(store, session_id, [{"type": "trick", "winner": "p3"}])
    look(relay, urls)
    assert bell_queue.count == 2


def test_a_lost_database_says_nothing_of_an_evening(store, monkeypatch):
    def away(*_, **__):
        raise psycopg.OperationalError

    monkeypatch.setattr(store, "settle", away)
    with pytest.raises(psycopg.OperationalError):
        la_vola.settle_in(store, Tallies(store.pool), UUID(int=1), "worker")
    assert stuck.stuck(store.pool) == []


def test_the_table_sees_what_is_stuck_and_has_it_tried_again(store, fresh, urls):
    session_id = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    stuck.note(fresh.pool, session_id, RuntimeError("not today"))
    pool = database.pool(urls.app, size=2)
    app = create_app(pool)
    from api import access

    rights = access.tokens(app.extensions["cards"].secret, session_id)
    client = app.test_client()

    def asked(method, role):
        path = f"/v1/sessions/{session_id}/payments" + ("/stuck" if method == "DELETE" else "")
        right = {"Authorization": f"Bearer {rights[role]}"}
        return client.open(path, method=method, headers=right)

    assert asked("GET", "viewer").json["stuck"]["tries"] == 1
    assert asked("DELETE", "viewer").status_code == 403
    assert asked("DELETE", "scorer").status_code == 204
    assert "stuck" not in asked("GET", "viewer").json
    pool.close()


def test_the_command_lists_what_is_stuck_and_has_it_tried_again(fresh, urls, broken, data):
    environment = {
        "DATABASE_URL": urls.app,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "VOLA_DATA": str(data),
    }
    look(Relay(fresh, urls.app, None), urls)
    told = vola("stuck", **environment)
    assert told.returncode == 1
    assert f"{broken}: 3 due, tried 1 times" in told.stdout
    again = vola("stuck", "--retry", **environment)
    assert (again.returncode, again.stdout.splitlines()[-1]) == (0, "1 to be tried again at once")
    assert vola("stuck", **environment).stdout == "nothing is stuck\n"


def test_figures_are_for_this_machine_only(store, urls, broken, fresh):
    relay = Relay(fresh, urls.app, None)
    look(relay, urls)
    relay.tallies.write(now=True)
    pool = database.pool(urls.app, size=2)
    client = create_app(pool).test_client()
    told = dict(
        line.rsplit(" ", 1)
        for line in client.get("/metrics").text.splitlines()
        if not line.startswith("#")
    )
    assert (told["vola_payments_due"], told["vola_evenings_stuck"]) == ("3", "1")
    assert told["vola_failed_total"] == "1"
    assert float(told["vola_oldest_due_seconds"]) > 0
    for headers, address in (({"X-Forwarded-For": "192.0.2.7"}, "127.0.0.1"), ({}, "192.0.2.7")):
        seen = client.get("/metrics", headers=headers, environ_base={"REMOTE_ADDR": address})
        assert seen.status_code == 404
    pool.close()
