"""A settlement that fails is reported, delays no other, and is tried again."""

import logging
import threading
from uuid import UUID

import psycopg
import pytest
from rq.job import Job

from api.app import create_app
from ledger.operations import settlement_failures
from ledger.operations.counters import Counters, read_counters
from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.support.api.command_line import invoke_vola
from tests.support.ledger.store_session import act, open_session, open_with_payments_due
from tests.support.worked_evenings import E1, lines
from workers import queue, settle_job
from workers.outbox_relay import OutboxRelay

BREAK = "UPDATE vola.events SET type = 'unheard_of' WHERE session_id = %s AND version = 1"
MEND = "UPDATE vola.events SET type = 'session_opened' WHERE session_id = %s AND version = 1"
DELAY_RETRY = (
    "UPDATE vola.settlement_failures SET retry_at = clock_timestamp() + interval '50 seconds'"
)
BEFORE_THE_CLOCK_WAS_PUT_BACK = (
    "UPDATE vola.settlement_failures SET retry_at = clock_timestamp() + interval '1 year'"
)
NOW = "UPDATE vola.settlement_failures SET retry_at = clock_timestamp()"
FAIL_EVERY_APPEND = """
CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'of the server' USING ERRCODE = TG_ARGV[0]; END $$;
CREATE TRIGGER failing BEFORE INSERT ON vola.events
   FOR EACH ROW EXECUTE FUNCTION public.fail('{state}');
"""
FAIL_NO_MORE = "DROP TRIGGER failing ON vola.events"
NAMED_IN_HALF = """
INSERT INTO vola.players (session_id, player_id, name) VALUES (%(session_id)s, 'p1', 'hemlighet')
"""


@pytest.fixture
def broken_session_id(store, urls) -> UUID:
    """The id of a session with three payments due that this version cannot read."""
    session_id = open_with_payments_due(store)
    alter(urls, BREAK, session_id)
    return session_id


def alter(urls, statement, *values):
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute("SET session_replication_role = replica")  # no trigger guards the events
        db.execute(statement, values)


def change_tables(urls, statement):
    with psycopg.connect(urls.super) as db:
        db.execute(statement)


def statuses(store, session_id):
    return {payment.status for payment in store.load(session_id).payments.values()}


@pytest.fixture
def fresh_store(store) -> EventStore:
    """An event store that has not folded the session yet."""
    return EventStore(store.pool)


@pytest.fixture
def relay(fresh_store, urls, broken_session_id, poll) -> OutboxRelay:
    """A relay that has tried once to settle the broken session."""
    relay = OutboxRelay(fresh_store, urls.app, None)
    poll(relay)
    return relay


def test_every_failure_waits_longer_before_the_next_try(
    fresh_store, urls, broken_session_id, relay, poll
):
    assert settlement_failures.list_failures(fresh_store.pool)[0].attempts == 1
    alter(urls, DELAY_RETRY)
    poll(relay, times=3)
    assert settlement_failures.list_failures(fresh_store.pool)[0].attempts == 1
    alter(urls, NOW)
    poll(relay)
    [failure] = settlement_failures.list_failures(fresh_store.pool, broken_session_id)
    assert (failure.attempts, failure.due) == (2, 3)
    assert failure.reason.startswith("UnreadableEvent in ledger.store.read_stream:")


def test_the_reason_of_a_failure_contains_no_stored_data(
    fresh_store, urls, broken_session_id, job_queue, caplog, monkeypatch, data, poll
):
    """This holds for the ledger, the log, Redis and the terminal."""
    words = "\x1b[2J\u202eAdas hemlighet\r"
    alter(urls, "UPDATE vola.events SET type = %s WHERE session_id = %s", words, broken_session_id)
    settle_job.configure(fresh_store)
    relay = OutboxRelay(fresh_store, urls.app, job_queue)
    poll(relay)
    monkeypatch.setattr(logging.getLogger("rq.worker"), "propagate", True)
    with caplog.at_level("DEBUG"):
        queue.Worker(job_queue, threading.Event()).work(burst=True, logging_level="ERROR")
        alter(urls, NOW)
        poll(relay)
    [failed] = job_queue.failed_job_registry.get_job_ids()
    result = Job.fetch(failed, job_queue.connection, job_queue.serializer).latest_result()
    [failure] = settlement_failures.list_failures(fresh_store.pool)
    output = invoke_vola("stuck", DATABASE_URL=urls.app, VOLA_DATA=str(data))
    error_place = "UnreadableEvent in ledger.store.read_stream:"
    assert len([record for record in caplog.records if error_place in record.getMessage()]) == 2
    for text in (caplog.text, result.exc_string, failure.reason, output.stdout):
        assert error_place in text
        assert "hemlighet" not in text
        assert "\x1b" not in text
    assert str(broken_session_id) not in caplog.text


def test_a_violated_constraint_is_named_without_its_row(store):
    with store.pool.connection() as db, pytest.raises(psycopg.Error) as broken_session_id:
        db.execute(NAMED_IN_HALF, {"session_id": UUID(int=1)})
    assert "hemlighet" in str(broken_session_id.value)
    assert (
        settlement_failures.describe_error(broken_session_id.value)
        == "CheckViolation of players_check"
    )


def test_a_repaired_settlement_is_retried_settled_and_cleared(
    fresh_store, urls, broken_session_id, relay, poll
):
    alter(urls, DELAY_RETRY)
    alter(urls, MEND, broken_session_id)
    assert settlement_failures.retry_now(fresh_store.pool, broken_session_id) == 1
    poll(relay)
    assert statuses(fresh_store, broken_session_id) == {"settled"}
    assert settlement_failures.list_failures(fresh_store.pool) == []


def test_a_failure_is_cleared_by_its_scheduled_retry(
    fresh_store, urls, broken_session_id, relay, poll
):
    alter(urls, MEND, broken_session_id)
    alter(urls, NOW)
    poll(relay)
    assert settlement_failures.list_failures(fresh_store.pool) == []
    relay.counters.write(now=True)
    counted = read_counters(fresh_store.pool)
    assert (counted["failed"], counted["retried"], counted["settled_by_relay"]) == (1, 1, 3)


def test_a_clock_set_back_does_not_delay_retries(fresh_store, urls, broken_session_id, relay, poll):
    alter(urls, MEND, broken_session_id)
    alter(urls, BEFORE_THE_CLOCK_WAS_PUT_BACK)
    poll(relay)
    assert statuses(fresh_store, broken_session_id) == {"settled"}


def test_a_failure_without_due_payments_is_cleared(
    store, fresh_store, urls, broken_session_id, poll
):
    poll(OutboxRelay(fresh_store, urls.app, None))
    alter(urls, MEND, broken_session_id)
    act(store, broken_session_id, [{"type": "undo"}])
    assert settlement_failures.list_failures(store.pool) == []
    OutboxRelay(fresh_store, urls.app, None).clean_up()
    with store.pool.connection() as db:
        assert db.execute("SELECT count(*) FROM vola.settlement_failures").fetchone() == (0,)


def test_a_failed_job_is_recorded_and_removed_from_redis(
    fresh_store, urls, broken_session_id, job_queue, poll
):
    settle_job.configure(fresh_store)
    relay = OutboxRelay(fresh_store, urls.app, job_queue)
    poll(relay)
    queue.Worker(job_queue, threading.Event()).work(burst=True, logging_level="CRITICAL")
    assert settlement_failures.list_failures(fresh_store.pool)[0].attempts == 1
    [failed] = job_queue.failed_job_registry.get_job_ids()
    relay.clean_up()
    assert job_queue.failed_job_registry.count == 0
    assert not Job.exists(failed, connection=job_queue.connection)


def test_payments_due_during_a_job_get_a_new_job(store, urls, job_queue, poll):
    session_id = open_session(store)
    deals = [line.actions() for line in list(lines(E1))[:5]]
    for actions in deals:
        act(store, session_id, actions)
    relay = OutboxRelay(store, urls.app, job_queue)
    poll(relay, times=2)
    assert job_queue.count == 1
    act(store, session_id, [{"type": "undo"}])
    act(store, session_id, [{"type": "trick", "winner": "p3"}])
    poll(relay)
    assert job_queue.count == 2


def test_a_lost_database_records_no_failure(store, monkeypatch):
    def fail_to_connect(*_, **__):
        raise psycopg.OperationalError

    monkeypatch.setattr(store, "settle", fail_to_connect)
    with pytest.raises(psycopg.OperationalError):
        settle_job.settle_session(store, Counters(store.pool), UUID(int=1), "worker")
    assert settlement_failures.list_failures(store.pool) == []


@pytest.mark.parametrize(("state", "name"), [("57014", "QueryCanceled"), ("53200", "OutOfMemory")])
def test_an_error_of_the_server_is_recorded_and_retried_later(store, urls, poll, state, name):
    """A statement that takes too long in one session takes too long each time."""
    session_id = open_with_payments_due(store)
    change_tables(urls, FAIL_EVERY_APPEND.format(state=state))
    relay = OutboxRelay(store, urls.app, None)
    poll(relay)
    [failure] = settlement_failures.list_failures(store.pool)
    assert failure.reason.startswith(f"{name} in ledger.store.")
    alter(urls, DELAY_RETRY)
    poll(relay, times=3)
    assert settlement_failures.list_failures(store.pool)[0].attempts == 1
    change_tables(urls, FAIL_NO_MORE)
    alter(urls, NOW)
    poll(relay)
    assert statuses(store, session_id) == {"settled"}
    assert settlement_failures.list_failures(store.pool) == []


@pytest.mark.parametrize("state", ["40P01", "53100", "57P01", "25006"])
def test_an_error_of_the_whole_server_is_logged_once_and_no_failure(
    store, urls, poll, caplog, state
):
    session_id = open_with_payments_due(store)
    change_tables(urls, FAIL_EVERY_APPEND.format(state=state))
    relay = OutboxRelay(store, urls.app, None)
    poll(relay, times=3)
    messages = [r.getMessage() for r in caplog.records if r.name == "vola.relay"]
    assert messages == ["payments stay due: of the server"]
    assert settlement_failures.list_failures(store.pool) == []
    change_tables(urls, FAIL_NO_MORE)
    poll(relay)
    assert statuses(store, session_id) == {"settled"}


def test_the_table_sees_failed_settlements_and_retries_them(store, fresh_store, urls):
    session_id = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    settlement_failures.record_failure(fresh_store.pool, session_id, RuntimeError("not today"))
    pool = database.open_pool(urls.app, size=2)
    app = create_app(pool)
    from api.auth.tokens import session_tokens

    rights = session_tokens(app.extensions["session_metadata"].secret, session_id)
    client = app.test_client()

    def call(method, role, **headers):
        path = f"/v1/sessions/{session_id}/payments" + ("/retries" if method == "POST" else "")
        credentials = {"Authorization": f"Bearer {rights[role]}"}
        return client.open(path, method=method, headers=credentials | headers)

    failing = call("GET", "viewer")
    assert failing.json["failure"]["attempts"] == 1
    assert call("POST", "viewer").status_code == 403
    assert call("POST", "scorer").status_code == 204
    assert "failure" not in call("GET", "viewer").json
    settlement_failures.record_failure(fresh_store.pool, session_id, RuntimeError("nor now"))
    again = call("GET", "viewer", **{"If-None-Match": failing.headers["ETag"]})
    assert again.json["failure"]["since"] > failing.json["failure"]["since"]
    pool.close()


def test_the_command_lists_failed_settlements_and_retries_them(
    fresh_store, urls, broken_session_id, data, poll
):
    environment = {
        **urls.environment,
        "VOLA_DATA": str(data),
    }
    poll(OutboxRelay(fresh_store, urls.app, None))
    listing = invoke_vola("stuck", **environment)
    assert listing.returncode == 1
    assert f"{broken_session_id}: 3 due, tried 1 time since" in listing.stdout
    retry_output = invoke_vola("stuck", "--retry", **environment)
    assert (retry_output.returncode, retry_output.stdout.splitlines()[-1]) == (
        0,
        "1 to be tried again at once",
    )
    assert invoke_vola("stuck", **environment).stdout == "nothing is stuck\n"


def test_metrics_are_for_this_machine_only(urls, relay):
    relay.counters.write(now=True)
    pool = database.open_pool(urls.app, size=2)
    client = create_app(pool).test_client()
    metrics = dict(
        line.rsplit(" ", 1)
        for line in client.get("/metrics").text.splitlines()
        if not line.startswith("#")
    )
    assert (metrics["vola_payments_due"], metrics["vola_evenings_stuck"]) == ("3.0", "1.0")
    assert metrics["vola_failed_total"] == "1.0"
    assert float(metrics["vola_oldest_due_seconds"]) > 0
    for headers, address in (({"X-Forwarded-For": "192.0.2.7"}, "127.0.0.1"), ({}, "192.0.2.7")):
        response = client.get("/metrics", headers=headers, environ_base={"REMOTE_ADDR": address})
        assert response.status_code == 404
    pool.close()
