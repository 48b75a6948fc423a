"""`vola`: help that helps, and refusals of one sentence with exit code 2."""

import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from types import SimpleNamespace
from uuid import UUID

import pytest

from api import addresses, banner, serving, settings
from api.settings import BadSetting, Settings
from ledger.crew import MODULE
from tests.ledger.evening import play_e1, told_by_a_newer_one

COMMANDS = (
    *("serve", "worker", "migrate", "rebuild", "backup", "restore", "audit", "export", "stuck"),
    "import",
    *("demo", "play"),
)


def vola(*arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-m", "api.cli", *arguments],
        env={**os.environ, "PORT": "", **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def environment(urls, data):
    return {
        "DATABASE_URL": urls.app,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "VOLA_DATA": str(data),
    }


def refused(done, *words):
    assert done.returncode == 2, done
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_and_the_environment(command):
    done = vola(command, "--help")
    assert done.returncode == 0
    for setting in ("DATABASE_URL", "REDIS_URL", "VOLA_DATA", "HOST", "PORT", "TLS_CERT",
                    "VOLA_RATE_LIMITS", "VOLA_PROXIES", "VOLA_LOG"):  # fmt: skip
        assert setting in done.stdout


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "٣"),
        ("PORT", "9" * 5000),
        ("DATABASE_URL", "postgresql://["),
        ("DATABASE_URL", "postgresql://vola_app:sec%zzret@here/vola"),
        ("DATABASE_OWNER_URL", "postgresql://vola_owner:secret@here/vola?secret"),
        ("DATABASE_AUDIT_URL", "here"),
        ("REDIS_URL", "redis://:secret/secret@here/0"),
        ("REDIS_URL", "redis://here/nonumber"),
        ("REDIS_URL", "unix://"),
        ("TLS_KEY", "/nowhere.pem"),
        ("VOLA_RATE_LIMITS", "on"),
        ("VOLA_RATE_LIMITS", "0"),
        ("VOLA_PROXIES", "10.0.0.1 10.0.0.2"),
        ("VOLA_LOG", "xml"),
        ("DATABASE_URL", "mysql://here"),
        ("REDIS_URL", "http://here"),
        ("REDIS_URL", "redis://127.0.0.1:notaport"),
        ("TLS_CERT", "/nowhere.pem"),
        ("HOST", "no such host"),
        ("HOST", "[no such host]"),
        ("HOST", "::1%nowhere"),
    ],
)
def test_a_bad_setting_is_named(name, value):
    done = vola("serve", **{name: value})
    refused(done, name)
    assert "secret" not in done.stderr
    assert len(done.stderr) < 200


@pytest.mark.parametrize("host", ["fe80::1", "fe80::1%lo"])
def test_an_address_that_no_browser_opens_is_not_listened_on(host):
    with pytest.raises(BadSetting, match=f"HOST is an address of one link alone.*{host}"):
        serving.check_port(host, 18097)


def test_an_ipv6_address_may_stand_in_brackets():
    chosen = settings.read({"HOST": "[::1]", "PORT": "8080"})
    assert chosen.host == "::1"
    assert banner.here(chosen) == "http://[::1]:8080"
    assert settings.read({"HOST": "[here]"}).host == "[here]"


def test_a_phone_is_told_the_way_in_also_when_everywhere_stands_in_brackets(monkeypatch):
    monkeypatch.setattr(addresses, "lan_address", lambda: "192.0.2.7")
    monkeypatch.setenv("HOST", "[::]")
    assert addresses.for_phones("http://localhost:8080/") == "http://192.0.2.7:8080/"


@pytest.mark.parametrize("command", ["serve", "worker", "migrate", "rebuild", "audit"])
def test_a_database_out_of_reach_is_said(command):
    url = "postgresql://nobody:secret@127.0.0.1:1/nothing"
    done = vola(command, DATABASE_URL=url, PORT="18099")
    refused(done, "database")
    assert "secret" not in done.stderr


@pytest.mark.parametrize("name", ["DATABASE_OWNER_URL", "DATABASE_AUDIT_URL"])
def test_another_way_into_a_database_that_is_not_named_is_refused(name, tmp_path):
    """It would be our own new, empty one that is audited, and found to be clean."""
    url = "postgresql://vola_auditor:secret@db.example/vola"
    done = vola("audit", **{name: url}, DATABASE_URL="", VOLA_DATA=str(tmp_path))
    refused(done, name, "DATABASE_URL")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command", [["audit"], ["rebuild"], ["stuck"], ["backup"], ["export", str(UUID(int=1))]]
)
def test_who_looks_at_a_book_that_is_not_there_gets_no_new_one(command, tmp_path):
    refused(vola(*command, DATABASE_URL="", VOLA_DATA=str(tmp_path)), str(tmp_path), "VOLA_DATA")
    assert not list(tmp_path.iterdir())


def test_what_lies_in_the_current_folder_is_not_taken_for_ours(tmp_path):
    for name in ("ledger", "api"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit(99)")
    for module, code in (("ledger.rebuild", 0), ("api.cli", 2)):  # nothing to do; no command
        done = subprocess.run([*MODULE, module], cwd=tmp_path, input="", text=True, timeout=60)
        assert done.returncode == code


def test_a_data_folder_that_is_a_file_is_said(tmp_path):
    there = tmp_path / "file"
    there.write_text("not a folder")
    refused(vola("migrate", VOLA_DATA=str(there), DATABASE_URL=""), str(there))


def test_a_wrong_password_is_said_without_repeating_it(cluster):
    url = cluster.app_url.replace("vola_app:", "vola_app:not-the-")
    done = vola("migrate", DATABASE_URL=url)
    refused(done, "password authentication failed")
    assert "not-the-" not in done.stderr


def test_an_auditor_who_is_not_let_in_is_said(environment):
    wrong = environment["DATABASE_AUDIT_URL"].replace("vola_auditor:", "vola_auditor:not-the-")
    done = vola("migrate", **{**environment, "DATABASE_AUDIT_URL": wrong})
    refused(done, "DATABASE_AUDIT_URL", "password authentication failed")
    assert "not-the-" not in done.stderr


def test_an_auditor_who_is_away_is_no_reason_not_to_play(environment):
    away = "postgresql://vola_auditor:secret@127.0.0.1:1/vola"
    assert vola("migrate", **{**environment, "DATABASE_AUDIT_URL": away}).returncode == 0


def test_audit_says_when_all_is_well_and_exits_with_1_when_it_is_not(environment, store, urls):
    import psycopg

    session_id = play_e1(store)
    done = vola("audit", **environment)
    assert (done.returncode, done.stdout) == (0, "1 sessions, no findings\n")
    with psycopg.connect(urls.super) as db:
        db.execute("UPDATE projections.pot SET amount = 5")
    done = vola("audit", "--json", str(session_id), **environment)
    assert done.returncode == 1
    assert json.loads(done.stdout.splitlines()[0])["code"] == "projection_differs"


def test_rebuild_mends_the_projections(environment, store, urls):
    import psycopg

    play_e1(store)
    with psycopg.connect(urls.super) as db:
        db.execute("UPDATE projections.pot SET amount = 5")
    done = vola("rebuild", **environment)
    assert done.returncode == 0, done.stderr
    assert "2 rows differed" in done.stdout
    assert vola("audit", **environment).returncode == 0


def test_an_export_carries_every_event_with_its_seal(environment, store):
    session_id = play_e1(store)
    done = vola("export", str(session_id), **environment)
    exported = json.loads(done.stdout)
    session = store.read(session_id)
    assert exported["version"] == len(exported["events"]) == session.version
    assert exported["hash"] == exported["events"][-1]["hash"] == session.hash.hex()
    assert "Ada" not in done.stdout


@pytest.mark.parametrize("command", ["export", "audit"])
def test_a_session_that_is_not_there_is_said(environment, command):
    unknown = "00000000-0000-4000-8000-000000000000"
    refused(vola(command, unknown, **environment), unknown)


def test_an_evening_that_a_newer_version_has_written_in_is_said(environment, store, urls):
    session_id = play_e1(store)
    told_by_a_newer_one(urls, session_id)
    for command in (["export", str(session_id)], ["rebuild"]):
        refused(vola(*command, **environment), str(session_id), "hat_passed", "newer")
    found = vola("audit", **environment)  # of other evenings it can still tell
    assert found.returncode == 1, found
    (line,) = found.stdout.splitlines()
    assert "event_impossible" in line
    assert "newer" in line


def test_the_demo_plays_an_evening_on_a_running_server(server):
    done = vola("demo", "--deals", "5", "--url", server.url)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith(f"{server.url}/#/s/")


def test_a_demo_without_a_server_is_refused():
    refused(vola("demo", "--url", "http://127.0.0.1:1"), "No server answers")


def test_a_certificate_that_is_none_is_said(environment):
    nothing = str(environment["VOLA_DATA"]) + "/nothing.pem"
    with open(nothing, "w") as file:
        file.write("not a certificate")
    done = vola("serve", **environment, TLS_CERT=nothing, TLS_KEY=nothing, PORT="18098")
    refused(done, "TLS_CERT")


def test_a_role_with_a_strange_name_is_granted_what_it_needs(cluster):
    import psycopg

    import migrations
    from tests.conftest import copied

    urls = copied(cluster, "vola_strange_role")
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        db.execute("""CREATE ROLE "app@x" LOGIN PASSWORD 'pw'""")
    strange = urls.app.replace(urls.app.partition("//")[2].partition("@")[0], "app%40x:pw", 1)
    migrations.apply(urls.owner, app_url=strange, audit_url=urls.audit)
    with psycopg.connect(strange) as db:
        db.execute("SELECT count(*) FROM vola.events")


def test_a_role_that_only_the_environment_names_is_granted_what_it_needs(cluster, monkeypatch):
    import psycopg

    import migrations
    from tests.conftest import copied

    urls = copied(cluster, "vola_unnamed_role")
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        for role in ("unnamed_app", "unnamed_auditor"):
            db.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'pw'")
    road = "postgresql://" + urls.app.rpartition("@")[2]
    monkeypatch.setenv("PGPASSWORD", "pw")
    monkeypatch.setenv("PGUSER", "unnamed_app")
    migrations.apply(urls.owner, app_url=road, audit_url=urls.audit)
    with psycopg.connect(road) as db:
        db.execute("SELECT count(*) FROM vola.events, vola.secret")
    monkeypatch.setenv("PGUSER", "unnamed_auditor")
    migrations.apply(urls.owner, app_url=urls.app, audit_url=road)
    with psycopg.connect(road) as db:
        db.execute("SELECT count(*) FROM vola.events")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("SELECT FROM vola.secret")
    monkeypatch.setenv("PGPASSWORD", "another")  # whoever is not let in now is granted nothing
    assert migrations.apply(urls.owner, app_url=urls.app, audit_url=road) == []


def test_a_port_that_another_server_has_is_refused_though_both_would_share_it(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(serving, "time", SimpleNamespace(monotonic=lambda: next(clock), sleep=id))
    in_use = pytest.raises(BadSetting, match="Address already in use")
    with serving.taken("127.0.0.1", 0) as port, in_use:
        serving.check_port("127.0.0.1", port)
    serving.check_port("127.0.0.1", port)


def test_a_server_of_ours_that_has_come_back_elsewhere_ends_what_would_not_find_it(
    monkeypatch, tmp_path, caplog
):
    """Its processes were told the first address."""
    ended, places = threading.Event(), iter(["here", "here", "there"])

    @contextmanager
    def server(_):
        yield next(places)

    monkeypatch.setattr(serving, "LOOK_SECONDS", 0)
    monkeypatch.setattr(serving.servers, "postgres", server)
    monkeypatch.setattr(serving.os, "kill", lambda *_: ended.set())
    chosen = Settings(data=tmp_path, redis_url="redis://elsewhere")
    with serving.looked_after(chosen):
        assert ended.wait(10)
    assert "another port" in caplog.text
