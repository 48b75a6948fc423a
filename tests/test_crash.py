"""Nothing that was acknowledged is lost, whatever is killed and when."""

import threading
import time

import psycopg
import pytest

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
        log = {e["version"]: e["hash"] for e in phone.get("/events?limit=1000").json["events"]}
        assert [r["hash"] for r in acknowledged] == [log[r["version"]] for r in acknowledged]
        assert list(log) == list(range(1, len(log) + 1))
        assert phone.get("/audit").json["clean"]


def send(phone: Phone, action):
    """As the form does it: one key until there is a definite answer."""
    key = new_key()
    deadline = time.monotonic() + 60
    while True:
        try:
            answer = phone.act(action, key=key)
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
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        assert send(phone, {"type": "open_deal", "number": 1}).status == 201
        assert ask(f"{server.url}/readyz").status == 200
