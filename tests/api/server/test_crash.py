"""Nothing that was acknowledged is lost, whatever is killed and when."""

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import psycopg
import pytest

from ledger.store import connection_pool as database
from tests.support.api.http_client import RemoteSession, ask, new_key
from tests.support.databases import DatabaseUrls, run_migrated_postgres, valkey_url
from tests.support.ledger.embedded_servers import has_exited, postmaster_pid, valkey_pid
from tests.support.polling import wait_until
from tests.support.server_process import ModuleProcess, ServerProcess, run_server
from tests.support.worked_evenings import E1, lines
from workers import outbox_relay


@pytest.fixture
def environment(urls: DatabaseUrls, valkey, data):
    return {
        **urls.environment,
        "REDIS_URL": valkey_url(valkey, 2),
        "VOLA_DATA": str(data),
    }


def test_a_server_killed_during_a_session_loses_nothing_acknowledged(environment, tmp_path):
    evening = list(lines(E1))
    with run_server(environment, tmp_path / "log") as server:
        phone = RemoteSession(server.url).open()
        acknowledged = []

        def record() -> None:
            for line in evening:
                for action in line.actions():
                    answer = send_until_answered(phone, action)
                    acknowledged.append(answer.json["receipt"])

        recorder = threading.Thread(target=record)
        recorder.start()
        for count in (4, 13, 30):
            wait_until(lambda count=count: len(acknowledged) >= count, seconds=120)
            server.kill()
            server.start()
        recorder.join(120)
        assert not recorder.is_alive()

        state = phone.settled()
        assert list(state["balances"].values()) == evening[-1].balances
        processes = [p for p in psutil.process_iter() if has_port(p, server.port)]
        assert len(processes) == 4, (
            processes
        )  # the supervisor started last, its two server processes, its worker
        hashes = {e["version"]: e["hash"] for e in phone.get("/events?limit=1000").json["events"]}
        assert [r["hash"] for r in acknowledged] == [hashes[r["version"]] for r in acknowledged]
        assert list(hashes) == list(range(1, len(hashes) + 1))
        assert phone.get("/audit").json["clean"]


def has_port(process: psutil.Process, port: int) -> bool:
    try:
        return process.environ().get("PORT") == str(port)
    except psutil.Error:
        return False


def send_until_answered(phone: RemoteSession, *actions):
    """Send actions as the form does: with one key until there is a definite answer."""
    key = new_key()
    deadline = time.monotonic() + 120
    while True:
        try:
            answer = phone.act(*actions, key=key)
            if answer.status == 201:
                return answer
            # a first try may have arrived, and moved the version on
            assert answer.status in (412, 503), answer.raw
        except OSError:
            pass
        assert time.monotonic() < deadline
        time.sleep(0.02)  # the server is starting again


def test_ctrl_c_ends_the_server_cleanly(environment, tmp_path):
    with run_server(environment, tmp_path / "log") as server:
        RemoteSession(server.url).open()
        assert server.stop() == 0
    text = (tmp_path / "log").read_text()
    assert "Traceback" not in text, text


def test_a_second_server_on_the_same_port_is_refused_in_one_sentence(environment, tmp_path):
    with run_server(environment, tmp_path / "log") as server:
        second = ServerProcess(environment, tmp_path / "second")
        second.environment["PORT"] = str(server.port)
        with pytest.raises(AssertionError, match=r"Cannot listen on 127\.0\.0\.1"):
            second.start()
        assert second.process.returncode == 2
        text = (tmp_path / "second").read_text()
        assert len(text.strip().splitlines()) == 1, text


def test_without_redis_the_relay_settles_a_la_vola(environment, tmp_path):
    without_redis = {**environment, "REDIS_URL": "redis://127.0.0.1:1/0"}
    with run_server(without_redis, tmp_path / "log") as server:
        phone = RemoteSession(server.url).open()
        for line in list(lines(E1))[:5]:
            phone.act(*line.actions())
        assert outbox_relay.POLL_SECONDS < 2
        state = phone.settled()
        assert list(state["balances"].values()) == [-50, -30, 160, -120]


def test_a_lost_database_connection_is_reported_and_reopened(environment, urls, tmp_path):
    with run_server(environment, tmp_path / "log") as server:
        phone = RemoteSession(server.url).open()
        with psycopg.connect(urls.super, autocommit=True) as db:
            db.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        assert send_until_answered(phone, {"type": "open_deal", "number": 1}).status == 201
        assert ask(f"{server.url}/readyz").status == 200


def test_connections_lost_together_are_not_tried_one_by_one(urls, monkeypatch):
    pool = database.open_pool(urls.app, size=6)
    with ThreadPoolExecutor(6) as threads:
        barrier = threading.Barrier(6)

        def hold_connection(_):
            with pool.connection():
                barrier.wait()

        list(threads.map(hold_connection, range(6)))
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    checked = []

    def check(connection):
        checked.append(connection)
        check_connection(connection)

    check_connection = pool.check_connection
    monkeypatch.setattr(pool, "check_connection", check)
    with pool.connection() as db:
        assert db.execute("SELECT 1").fetchone() == (1,)
    assert len(checked) < 4, "all six are dropped after the first that is dead"
    pool.close()


def test_an_embedded_server_that_is_killed_is_started_again(tmp_path):
    """Both embedded servers are killed during a session."""
    environment = {"DATABASE_URL": "", "REDIS_URL": "", "VOLA_DATA": str(tmp_path / "var")}
    with run_server(environment, tmp_path / "log") as server:
        phone = RemoteSession(server.url).open()
        for process in psutil.process_iter(["cmdline"]):
            if str(tmp_path / "var") in " ".join(process.info["cmdline"] or ()):
                process.kill()
        for line in list(lines(E1))[:5]:
            assert send_until_answered(phone, *line.actions()).status == 201
        assert list(phone.settled()["balances"].values()) == [-50, -30, 160, -120]


def test_a_closed_terminal_leaves_no_embedded_server_behind(tmp_path, request):
    """Other commands than `vola serve` use the servers as well, and the last one stops them."""
    handler = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it
    request.addfinalizer(lambda: signal.signal(signal.SIGHUP, handler))
    data, log = tmp_path / "var", tmp_path / "log"
    with run_migrated_postgres(data):
        pass
    environment = {"DATABASE_URL": "", "REDIS_URL": "", "VOLA_DATA": str(data)}
    worker = ModuleProcess(["worker"], environment, log)
    worker.launch()
    worker.wait_until(lambda: valkey_pid(data))
    servers = [postmaster_pid(data), valkey_pid(data)]
    worker.process.send_signal(signal.SIGHUP)
    worker.process.wait(60)
    assert [has_exited(pid) for pid in servers] == [True, True]
    assert "Traceback" not in log.read_text()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_closed_terminal_and_sigterm_both_end_the_server(environment, tmp_path, number, request):
    handler = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it
    request.addfinalizer(lambda: signal.signal(signal.SIGHUP, handler))
    with run_server(environment, tmp_path / "log") as server:
        session = RemoteSession(server.url).open()
        for _ in range(50):  # so that every process has served requests
            session.state()
        server.process.send_signal(number)
        server.process.wait(120)
        with pytest.raises(OSError, match="refused"):
            ask(f"{server.url}/healthz")
