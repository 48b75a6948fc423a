"""Nothing that was acknowledged is lost, whatever is killed and when."""

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import psycopg
import pytest

from ledger import database
from tests.conftest import Server, Urls, rung_apart, serving
from tests.evenings import E1, lines
from tests.phone import Phone, ask, new_key


@pytest.fixture
def environment(urls: Urls, bell, data):
    return {
        "DATABASE_URL": urls.app,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "REDIS_URL": rung_apart(bell, 2),
        "VOLA_DATA": str(data),
    }


def test_a_server_killed_in_mid_evening_has_lost_nothing_it_acknowledged(environment, tmp_path):
    evening = list(lines(E1))
    with serving(environment, tmp_path / "log") as server:
        phone = Phone(server.url).open()
        acknowledged = []

        def record() -> None:
            for line in evening:
                for action in line.actions():
                    answer = send(phone, action)
                    acknowledged.append(answer.json["receipt"])

        recorder = threading.Thread(target=record)
        recorder.start()
        for after in (4, 13, 30):
            wait_for(lambda after=after: len(acknowledged) >= after)
            server.kill()
            server.start()
        recorder.join(60)
        assert not recorder.is_alive()

        state = phone.settled()
        assert list(state["balances"].values()) == evening[-1].balances
        ours = [p for p in psutil.process_iter() if belongs(p, server.port)]
        assert len(ours) == 4, ours  # the last one started, its two server processes, its worker
        log = {e["version"]: e["hash"] for e in phone.get("/events?limit=1000").json["events"]}
        assert [r["hash"] for r in acknowledged] == [log[r["version"]] for r in acknowledged]
        assert list(log) == list(range(1, len(log) + 1))
        assert phone.get("/audit").json["clean"]


def belongs(process: psutil.Process, port: int) -> bool:
    try:
        return process.environ().get("PORT") == str(port)
    except psutil.Error:
        return False


def send(phone: Phone, *actions):
    """As the form does it: one key until there is a definite answer."""
    key = new_key()
    deadline = time.monotonic() + 60
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
        time.sleep(0.02)  # the server is being started again


def wait_for(reached) -> None:
    deadline = time.monotonic() + 60
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_ctrl_c_ends_it_cleanly_and_at_once(environment, tmp_path):
    with serving(environment, tmp_path / "log") as server:
        Phone(server.url).open()
        assert server.stop() == 0
    text = (tmp_path / "log").read_text()
    assert "Traceback" not in text, text


def test_a_second_server_on_the_same_port_is_refused_in_one_sentence(environment, tmp_path):
    with serving(environment, tmp_path / "log") as server:
        second = Server(environment, tmp_path / "second")
        second.environment["PORT"] = str(server.port)
        with pytest.raises(AssertionError, match=r"Cannot listen on 127\.0\.0\.1"):
            second.start()
        assert second.process.returncode == 2
        text = (tmp_path / "second").read_text()
        assert len(text.strip().splitlines()) == 1, text


def test_without_redis_a_la_vola_is_settled_by_the_relay_within_two_seconds(environment, tmp_path):
    deaf = {**environment, "REDIS_URL": "redis://127.0.0.1:1/0"}
    with serving(deaf, tmp_path / "log") as server:
        phone = Phone(server.url).open()
        for line in list(lines(E1))[:5]:
            phone.act(*line.actions())
        started = time.monotonic()
        state = phone.settled()
        assert time.monotonic() - started < 2
        assert list(state["balances"].values()) == [-50, -30, 160, -120]


def test_a_database_that_goes_away_is_said_and_comes_back(environment, urls, tmp_path):
    with serving(environment, tmp_path / "log") as server:
        phone = Phone(server.url).open()
        with psycopg.connect(urls.super, autocommit=True) as db:
            db.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        assert send(phone, {"type": "open_deal", "number": 1}).status == 201
        assert ask(f"{server.url}/readyz").status == 200


def test_all_connections_lost_at_once_are_made_anew_at_once(urls):
    pool = database.pool(urls.app, size=6)
    with ThreadPoolExecutor(6) as threads:
        barrier = threading.Barrier(6)

        def use(_):
            with pool.connection():
                barrier.wait()

        list(threads.map(use, range(6)))
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    started = time.monotonic()
    with pool.connection() as db:
        assert db.execute("SELECT 1").fetchone() == (1,)
    assert time.monotonic() - started < 5  # ten seconds when they are tried one by one
    pool.close()


def test_an_embedded_server_that_falls_is_started_again(tmp_path):
    """Both servers of our own are killed under a running evening."""
    own = {"DATABASE_URL": "", "REDIS_URL": "", "VOLA_DATA": str(tmp_path / "var")}
    with serving(own, tmp_path / "log") as server:
        phone = Phone(server.url).open()
        for process in psutil.process_iter(["cmdline"]):
            if str(tmp_path / "var") in " ".join(process.info["cmdline"] or ()):
                process.kill()
        for line in list(lines(E1))[:5]:
            assert send(phone, *line.actions()).status == 201
        assert list(phone.settled()["balances"].values()) == [-50, -30, 160, -120]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_closed_terminal_and_a_request_to_end_both_end_it(environment, tmp_path, number):
    with serving(environment, tmp_path / "log") as server:
        list(map(Phone.state, [Phone(server.url).open()] * 50))  # everybody has come to work
        server.process.send_signal(number)
        server.process.wait(20)
        with pytest.raises(OSError, match="refused"):
            ask(f"{server.url}/healthz")
