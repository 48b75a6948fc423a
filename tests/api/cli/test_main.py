"""`vola`: help for every command, and refusals of one sentence with exit code 2."""

import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID, uuid4

import psycopg
import pytest

from api import settings
from api.cli import startup_message
from api.cli.command_line import ALIASES, COMMANDS
from api.http import lan_address
from api.server import sockets, supervisor
from api.server.child_process import PYTHON_MODULE
from api.settings import InvalidSetting, Settings
from ledger.access.name_erasure import erase_player_name
from tests.support.api.command_line import assert_refused, invoke_vola, run_vola
from tests.support.api.group_client import create_group, play_deals
from tests.support.app import app_over
from tests.support.ledger.projection_tables import read_projections
from tests.support.ledger.store_session import act, append_unknown_event, play_e1
from tests.support.player_names import FIVE_NAMES, mentions
from tests.support.proofs.cosigned_sessions import cosign_newest, witness_newest
from tests.support.worked_evenings import E3


@pytest.mark.parametrize("command", [*(entry.name for entry in COMMANDS), *ALIASES])
def test_every_command_explains_itself_and_the_environment(command):
    result = invoke_vola(command, "--help")
    assert result.returncode == 0
    for setting in ("DATABASE_URL", "REDIS_URL", "VOLA_DATA", "VOLA_OLD_POSTGRES", "HOST",
                    "PORT", "TLS_CERT", "VOLA_RATE_LIMITS", "VOLA_PROXIES", "VOLA_HSTS",
                    "VOLA_CORS_ORIGINS", "VOLA_LOG"):  # fmt: skip
        assert setting in result.stdout


def test_a_long_explanation_is_wrapped_as_one_paragraph():
    result = invoke_vola("import", "--help")
    assert "Exit code 2 if anything was refused." in " ".join(result.stdout.split("\n  "))


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
        ("VOLA_HSTS", "on"),
        ("VOLA_CORS_ORIGINS", "*"),
        ("VOLA_CORS_ORIGINS", "https://club.example/form"),
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
    result = invoke_vola("serve", **{name: value})
    assert_refused(result, name)
    assert "secret" not in result.stderr
    assert len(result.stderr) < 200


@pytest.mark.parametrize("option", ["pool_size=5", "socket_timeout=soon", "protocol=9"])
def test_a_wrong_option_of_redis_is_named_before_a_worker_fails_by_it(option):
    name = option.partition("=")[0]
    with pytest.raises(InvalidSetting, match=f"REDIS_URL or one of its options.*{name}") as refusal:
        supervisor.check_redis_url(f"redis://:secret@127.0.0.1:1/0?{option}")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("host", ["fe80::1", "fe80::1%lo"])
def test_a_link_local_address_is_refused_as_host(host):
    with pytest.raises(InvalidSetting, match=f"HOST is an address of one link alone.*{host}"):
        sockets.check_port(host, 18097)


@pytest.mark.parametrize("host", ["224.0.0.1", "ff02::1"])
def test_a_multicast_address_is_refused_as_host(host):
    with pytest.raises(InvalidSetting, match=f"HOST names no address of this machine: {host}"):
        sockets.check_port(host, 18097)


def test_an_ipv6_address_may_stand_in_brackets():
    chosen = settings.read_settings({"HOST": "[::1]", "PORT": "8080"})
    assert chosen.host == "::1"
    assert startup_message.local_url(chosen) == "http://[::1]:8080"
    assert settings.read_settings({"HOST": "[here]"}).host == "[here]"


def test_devices_get_a_lan_address_when_the_server_listens_on_all(monkeypatch):
    monkeypatch.setattr(lan_address, "lan_address", lambda: "192.0.2.7")
    monkeypatch.setenv("HOST", "[::]")
    assert lan_address.with_lan_address("http://localhost:8080/") == "http://192.0.2.7:8080/"


@pytest.mark.parametrize("command", ["serve", "worker", "migrate", "rebuild", "audit"])
def test_an_unreachable_database_is_reported(command):
    url = "postgresql://nobody:secret@127.0.0.1:1/nothing"
    result = invoke_vola(command, DATABASE_URL=url, PORT="18099")
    assert_refused(result, "Check that it runs, and that DATABASE_URL has its address.")
    assert "secret" not in result.stderr


@pytest.mark.parametrize("name", ["DATABASE_OWNER_URL", "DATABASE_AUDIT_URL"])
def test_an_owner_url_without_a_database_url_is_refused(name, tmp_path):
    """Otherwise the command would audit a new, empty database of its own and find it clean."""
    url = "postgresql://vola_auditor:secret@db.example/vola"
    result = invoke_vola("audit", **{name: url}, DATABASE_URL="", VOLA_DATA=str(tmp_path))
    assert_refused(result, name, "DATABASE_URL")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command",
    [
        *(["audit"], ["rebuild"], ["stuck"], ["backup"], ["export", str(UUID(int=1))]),
        ["migrate", "--dry-run"],
    ],
)
def test_a_command_that_reads_creates_no_new_database(command, tmp_path):
    assert_refused(
        invoke_vola(*command, DATABASE_URL="", VOLA_DATA=str(tmp_path)), str(tmp_path), "VOLA_DATA"
    )
    assert not list(tmp_path.iterdir())


def test_a_worker_creates_no_new_database(tmp_path, monkeypatch):
    """With a mistyped folder it would wait for payments in an empty book, and settle none."""
    monkeypatch.setattr(supervisor.workers, "run_worker", lambda *_, **__: None)
    assert_refused(
        invoke_vola("worker", DATABASE_URL="", VOLA_DATA=str(tmp_path)), "no book", "VOLA_DATA"
    )
    assert not list(tmp_path.iterdir())


def test_modules_in_the_current_folder_are_not_imported(tmp_path):
    for name in ("ledger", "api"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit(99)")
    result = subprocess.run([*PYTHON_MODULE, "api.cli.main"], cwd=tmp_path, text=True, timeout=60)
    assert result.returncode == 2  # no command


START_COMMANDS = {
    "the command": ["-O", "-m", "api.cli.main", "serve"],
    "the command, as it is installed": ["-O", str(Path(sys.executable).with_name("vola")), "serve"],
    "a worker": ["-O", "-m", "api.cli.main", "worker"],
    "a process that serves": [
        "-O",
        "-c",
        "import api.server.granian_server",
    ],
    "the app": ["-O", "-c", "from api.app import create_app"],
    "without docstrings either": ["-OO", "-c", "import api"],
}


@pytest.mark.parametrize("start", START_COMMANDS)
def test_nothing_starts_without_assertions(start):
    """Assertions check the sums, and `-O` would disable them."""
    assert_refused(run_python(*START_COMMANDS[start]), "-O", "PYTHONOPTIMIZE")
    assert_refused(
        run_python(*START_COMMANDS[start][1:], PYTHONOPTIMIZE="1"), "-O", "PYTHONOPTIMIZE"
    )


@pytest.mark.parametrize(
    "package", ["engine.games.registry", "ledger.store.event_store", "workers.outbox_relay"]
)
def test_no_package_is_imported_without_assertions(package):
    result = run_python("-O", "-c", f"import {package}")
    assert "RuntimeError: Assertions hold the sums together" in result.stderr


def run_python(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_data_folder_that_is_a_file_is_reported(tmp_path):
    file = tmp_path / "file"
    file.write_text("not a folder")
    assert_refused(invoke_vola("migrate", VOLA_DATA=str(file), DATABASE_URL=""), str(file))


LONG_PATH = f"/tmp/{'x' * 300}"


@pytest.mark.parametrize(
    ("command", "environment"),
    [
        (["export", "--all", LONG_PATH], {}),
        (["backup", "--to", LONG_PATH], {}),
        (["audit"], {"VOLA_DATA": LONG_PATH, "DATABASE_URL": ""}),
    ],
)
def test_a_path_that_cannot_be_looked_at_is_reported(command, environment):
    assert_refused(invoke_vola(*command, **environment), LONG_PATH, "File name too long")


each_path = pytest.mark.parametrize(
    "command",
    [
        *(["backup", "--to"], ["backup", "--output"], ["migrate", "--backup"], ["export", "--all"]),
        *(["export", str(UUID(int=1)), "-o"], ["import"], ["restore"], ["audit", "--receipt"]),
        *(["witness", "--links"], ["witness", "--ca-file"]),
    ],
)


@each_path
def test_the_path_of_an_unset_variable_is_refused(command, environment, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_refused(invoke_vola(*command, "", **environment), "An empty path names no")
    assert not list(tmp_path.iterdir())


@each_path
def test_a_dash_is_refused_as_a_path(command, environment, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_refused(invoke_vola(*command, "-", **environment), "write ./- for a file")
    assert not list(tmp_path.iterdir())


def test_output_onto_a_full_disk_is_reported():
    command = (sys.executable, "-m", "api.cli.main", "--version")
    with Path("/dev/full").open("w") as full_disk:
        result = subprocess.run(command, stdout=full_disk, stderr=subprocess.PIPE, text=True)
    assert_refused(result, "No space left on device")


@pytest.mark.parametrize(
    ("command", "file"),
    [
        (["backup", "-o", "book.dump"], "book.dump"),
        (["backup", "--to", "."], "vola-000001-*.dump"),
        (["export", "--all", "book.zip"], "book.zip"),
    ],
)
def test_a_file_that_cannot_be_announced_is_named(command, file, environment, store, tmp_path):
    """A full disk under the output must not make a good backup look like a failed one."""
    play_e1(store)
    with Path("/dev/full").open("w") as full_disk:
        result = subprocess.run(
            [*PYTHON_MODULE, "api.cli.main", *command],
            env={**os.environ, **environment},
            cwd=tmp_path,
            stdout=full_disk,
            stderr=subprocess.PIPE,
            text=True,
        )
    (written,) = tmp_path.glob(file)
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1] == (
        f"vola: {written.name} is complete, but the output cannot be written: "
        "No space left on device."
    )


def test_a_wrong_password_is_reported_without_repeating_it(cluster):
    url = cluster.app_url.replace("vola_app:", "vola_app:not-the-")
    result = invoke_vola("migrate", DATABASE_URL=url)
    assert_refused(result, "password authentication failed")
    assert "not-the-" not in result.stderr


def test_a_wrong_auditor_password_is_reported(environment):
    wrong = environment["DATABASE_AUDIT_URL"].replace("vola_auditor:", "vola_auditor:not-the-")
    result = invoke_vola("migrate", **{**environment, "DATABASE_AUDIT_URL": wrong})
    assert_refused(result, "DATABASE_AUDIT_URL", "password authentication failed")
    assert "not-the-" not in result.stderr


def test_an_unreachable_auditor_role_does_not_stop_migrate(environment):
    unreachable = "postgresql://vola_auditor:secret@127.0.0.1:1/vola"
    assert (
        invoke_vola("migrate", **{**environment, "DATABASE_AUDIT_URL": unreachable}).returncode == 0
    )


def test_audit_says_who_has_confirmed_the_sums(environment, store):
    session_id = play_e1(store, deals=2)
    witnessed = witness_newest(store, session_id, "kortklubben")
    act(store, session_id, [{"type": "open_deal"}])
    for player in ("p2", "p1"):
        confirmed = cosign_newest(store, session_id, player)
    lines = (
        "1 session, no findings\nversion {}: witnessed by kortklubben\n"
        "version {}: confirmed by {}\n"
    )
    audit = ("audit", str(session_id))
    assert invoke_vola(*audit, **environment).stdout == lines.format(
        witnessed, confirmed, "Ada, Bo"
    )
    with store.pool.connection() as db:
        erase_player_name(db, session_id, "p1", "Spelare 1")
    assert invoke_vola(*audit, **environment).stdout == lines.format(witnessed, confirmed, "p1, Bo")
    counted = invoke_vola("audit", **environment).stdout
    assert counted.splitlines()[1] == (
        "1 confirmed by phones of their players, 1 witnessed by other books"
    )


def test_audit_exits_with_1_when_it_has_findings(environment, store, urls):
    session_id = play_e1(store)
    result = invoke_vola("audit", **environment)
    assert (result.returncode, result.stdout) == (0, "1 session, no findings\n")
    with psycopg.connect(urls.super) as db:
        db.execute("UPDATE vola.heads SET pot = pot + 5, balances[1] = balances[1] - 5")
    result = invoke_vola("audit", "--json", str(session_id), **environment)
    assert result.returncode == 1
    assert json.loads(result.stdout.splitlines()[0])["code"] == "projection_differs"


@pytest.mark.parametrize(
    ("damage", "advice"),
    [
        ("UPDATE projections.journal SET amount = amount + 5", "`vola rebuild` makes these tables"),
        ("UPDATE vola.events SET at = at + 1 WHERE version = 3", "do not rebuild it"),
    ],
)
def test_audit_says_what_to_do_about_its_findings(environment, store, urls, damage, advice):
    play_e1(store)
    with psycopg.connect(urls.super) as db:
        db.execute("SET session_replication_role = replica")  # no trigger protects the events
        db.execute(damage)
    result = invoke_vola("audit", **environment)
    assert result.returncode == 1
    assert advice in result.stderr
    assert not invoke_vola("audit", "--json", **environment).stderr


def test_a_finding_about_a_group_has_no_version(environment, urls, tmp_path):
    file = tmp_path / "statement.json"
    with app_over(urls) as app:
        group = create_group(app.test_client(), *FIVE_NAMES)
        play_deals(group.open_session(title="Fredag"), E3)
        statement = group.get("/statement?format=json").json
    file.write_text(json.dumps({**statement, "on_tables": statement["on_tables"] + 1}))
    result = invoke_vola("audit", "--receipt", str(file), **environment)
    assert result.returncode == 1
    assert result.stdout.startswith(f"{group.id}: statement_wrong: ")


def test_rebuild_repairs_the_projections(environment, store, urls):
    play_e1(store)
    with psycopg.connect(urls.super) as db:
        db.execute("UPDATE vola.heads SET pot = pot + 5, balances[1] = balances[1] - 5")
    result = run_vola("rebuild", **environment)
    assert result.returncode == 0, result.stderr
    assert "2 rows differed" in result.stdout
    assert "`vola audit` checks the events" in result.stdout
    assert run_vola("audit", **environment).returncode == 0


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("DELETE FROM vola.events WHERE type = 'bet_laid'", "it lacks events"),
        (
            "UPDATE vola.events SET data = replace(data, '\"p2\"', '\"p9\"')",
            "its events cannot have happened",
        ),
        ("UPDATE vola.events SET at = at + 1 WHERE version = 3", "its hash chain does not hold"),
        ("UPDATE vola.events SET at = -1 WHERE version = 1", "its hash chain does not hold"),
        ("UPDATE vola.events SET hash = sha256(hash)", "its hash chain does not hold"),
        ("UPDATE vola.heads SET hash = sha256(hash)", "its hash chain does not hold"),
    ],
)
def test_a_damaged_session_is_not_rebuilt(environment, store, urls, damage, reason):
    session_id = play_e1(store)
    with psycopg.connect(urls.super) as db:
        db.execute("SET session_replication_role = replica")
        db.execute(damage)
        db.execute("UPDATE vola.heads SET pot = pot + 5, balances[1] = balances[1] - 5")
    before = read_projections(urls)
    result = run_vola("rebuild", **environment)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        f"vola: Session {session_id} cannot be rebuilt: {reason}. "
        "`vola audit` names the first version that is wrong.\n"
    )
    assert read_projections(urls) == before


INTERRUPTED_REBUILD = """
import signal, sys
from api.cli.main import main
from ledger.rebuild import rebuild

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it

def interrupt(db, *_):
    db.pgconn.send_query(b"SELECT pg_sleep(60)")
    signal.raise_signal(signal.SIGINT)

rebuild._compare = interrupt
sys.exit(main(["rebuild"]))
"""


def test_ctrl_c_during_a_rebuild_is_answered_in_one_sentence(environment, store):
    play_e1(store)
    result = run_python("-c", INTERRUPTED_REBUILD, **environment)
    assert (result.returncode, result.stdout) == (130, "")
    assert result.stderr == (
        "vola: Interrupted: each session is either repaired or as it was; "
        "`vola rebuild` again does the rest.\n"
    )


def test_only_the_owner_rebuilds(environment, store):
    play_e1(store)
    as_app = {**environment, "DATABASE_OWNER_URL": environment["DATABASE_URL"]}
    assert_refused(invoke_vola("rebuild", **as_app), "set DATABASE_OWNER_URL")


def test_an_export_carries_every_event_with_its_hash(environment, store):
    session_id = play_e1(store)
    result = run_vola("export", str(session_id), **environment)
    exported = json.loads(result.stdout)
    session = store.load(session_id)
    assert exported["version"] == len(exported["events"]) == session.version
    assert exported["hash"] == exported["events"][-1]["hash"] == session.hash.hex()
    assert not mentions(result.stdout, "Ada")


@pytest.mark.parametrize("command", ["export", "audit", "settlement-failures"])
def test_an_unknown_session_is_reported(environment, command):
    unknown = "00000000-0000-4000-8000-000000000000"
    assert_refused(invoke_vola(command, unknown, **environment), unknown)


def test_a_session_with_events_of_a_newer_version_is_reported(environment, store, urls):
    session_id = play_e1(store)
    append_unknown_event(urls, session_id)
    for command in (["export", str(session_id)], ["rebuild"]):
        assert_refused(invoke_vola(*command, **environment), str(session_id), "hat_passed", "newer")
    result = invoke_vola("audit", **environment)  # other sessions are still audited
    assert result.returncode == 1, result
    (line,) = result.stdout.splitlines()
    assert "event_impossible" in line
    assert "newer" in line


def test_the_demo_plays_a_session_into_the_book_of_a_running_server(server):
    result = invoke_vola("demo", "--deals", "5", **server.environment)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1].startswith(f"{server.url}/#/s/")
    assert "No server" not in result.stderr


def test_a_demo_whose_link_leads_nowhere_says_so(server):
    with sockets.reserved_port("127.0.0.1", 0) as port:
        result = invoke_vola("demo", "--deals", "1", **server.environment | {"PORT": str(port)})
    assert result.returncode == 0, result.stderr
    assert f"No server listens at http://127.0.0.1:{port}. Start `vola serve`" in result.stderr


@pytest.mark.parametrize(
    ("language", "sentence"), [("sv", "Alla passade"), ("de", "Alle haben gepasst")]
)
def test_a_demo_speaks_the_language_asked_for(server, language, sentence):
    result = invoke_vola(
        "demo", "--deals", "8", "--seed", "2", "--lang", language, **server.environment
    )
    assert result.returncode == 0, result.stderr
    assert sentence in result.stdout
    assert_refused(invoke_vola("demo", "--lang", "fi"), "fi")


def test_a_demo_without_rights_says_what_is_missing(environment, urls):
    as_auditor = {**environment, "DATABASE_URL": urls.audit}
    assert_refused(run_vola("demo", **as_auditor), "permission denied for table secret", "migrate")
    with psycopg.connect(urls.super) as db:
        db.execute("REVOKE INSERT ON vola.events FROM vola_app")
    result = run_vola("demo", **environment)
    assert_refused(result, "permission denied for table events", "`vola migrate`, which grants")


def test_a_demo_in_a_database_that_is_only_read_says_so(environment, urls):
    joint = "&" if "?" in urls.app else "?"
    read_only = f"{urls.app}{joint}options=-c%20default_transaction_read_only%3Don"
    result = run_vola("demo", **{**environment, "DATABASE_URL": read_only})
    assert_refused(result, "The database refused: cannot execute", "read-only transaction")


def test_a_demo_without_a_book_is_refused(tmp_path):
    assert_refused(
        invoke_vola("demo", DATABASE_URL="", VOLA_DATA=str(tmp_path)), "no book", "vola serve"
    )


def test_an_invalid_certificate_is_reported(environment):
    certificate = str(environment["VOLA_DATA"]) + "/nothing.pem"
    with open(certificate, "w") as file:
        file.write("not a certificate")
    result = invoke_vola(
        "serve", **environment, TLS_CERT=certificate, TLS_KEY=certificate, PORT="18098"
    )
    assert_refused(result, "TLS_CERT")


def test_a_role_with_a_strange_name_is_granted_what_it_needs(cluster):
    import migrations
    from tests.support.databases import copy_database

    urls = copy_database(cluster, "vola_strange_role")
    number = uuid4().hex  # roles outlive their database
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        db.execute(f"""CREATE ROLE "app@{number}" LOGIN PASSWORD 'pw'""")
    user = f"app%40{number}:pw"
    app_url = urls.app.replace(urls.app.partition("//")[2].partition("@")[0], user, 1)
    migrations.apply(urls.owner, app_url=app_url, audit_url=urls.audit)
    with psycopg.connect(app_url) as db:
        db.execute("SELECT count(*) FROM vola.events")


def test_a_role_named_only_by_the_environment_is_granted_what_it_needs(cluster, monkeypatch):
    import migrations
    from tests.support.databases import copy_database

    urls = copy_database(cluster, "vola_unnamed_role")
    app, auditor = (f"{role}_{uuid4().hex}" for role in ("app", "auditor"))
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        for role in (app, auditor):
            db.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'pw'")
    url = "postgresql://" + urls.app.rpartition("@")[2]
    monkeypatch.setenv("PGPASSWORD", "pw")
    monkeypatch.setenv("PGUSER", app)
    migrations.apply(urls.owner, app_url=url, audit_url=urls.audit)
    with psycopg.connect(url) as db:
        db.execute("SELECT count(*) FROM vola.events, vola.secret")
    monkeypatch.setenv("PGUSER", auditor)
    migrations.apply(urls.owner, app_url=urls.app, audit_url=url)
    with psycopg.connect(url) as db:
        db.execute("SELECT count(*) FROM vola.events")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("SELECT FROM vola.secret")
    monkeypatch.setenv("PGPASSWORD", "another")  # a role that cannot log in is granted nothing
    assert migrations.apply(urls.owner, app_url=urls.app, audit_url=url) == []


def test_a_port_in_use_is_refused_although_two_servers_could_share_it(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(sockets, "time", SimpleNamespace(monotonic=lambda: next(clock), sleep=id))
    in_use = pytest.raises(InvalidSetting, match="Address already in use")
    with sockets.reserved_port("127.0.0.1", 0) as port, in_use:
        sockets.check_port("127.0.0.1", port)
    sockets.check_port("127.0.0.1", port)


def test_servers_are_watched_on_after_an_error_of_the_disk(monkeypatch, tmp_path, caplog):
    watched, outcomes = threading.Event(), iter([OSError("Input/output error")])

    @contextmanager
    def server(*_, must_exist):
        for error in outcomes:
            raise error
        watched.set()
        yield "here"

    (tmp_path / "postgres" / "base").mkdir(parents=True)
    monkeypatch.setattr(supervisor, "CHECK_SECONDS", 0)
    monkeypatch.setattr(supervisor.embedded, "postgres", server)
    chosen = Settings(data=tmp_path, redis_url="redis://elsewhere")
    with supervisor.keep_servers_running(chosen):
        assert watched.wait(10)
    assert "Input/output error" in caplog.text


def test_a_restarted_embedded_server_on_another_port_ends_its_clients(
    monkeypatch, tmp_path, caplog
):
    """The processes of the server know only the first address."""
    ended, addresses = threading.Event(), iter(["here", "here", "there"])

    @contextmanager
    def server(*_, must_exist):
        assert must_exist, "a restart never makes a new book"
        yield next(addresses)

    (tmp_path / "postgres" / "base").mkdir(parents=True)
    monkeypatch.setattr(supervisor, "CHECK_SECONDS", 0)
    monkeypatch.setattr(supervisor.embedded, "postgres", server)
    monkeypatch.setattr(supervisor.os, "kill", lambda *_: ended.set())
    chosen = Settings(data=tmp_path, redis_url="redis://elsewhere")
    with supervisor.keep_servers_running(chosen):
        assert ended.wait(10)
    assert "another port" in caplog.text


INTERRUPTED_START = """
import runpy, signal, sys
from contextlib import suppress

class InterruptingFinder:
    @staticmethod
    def find_spec(name, *_):
        if name == interrupted_import:
            with suppress(KeyboardInterrupt):  # as callbacks of the import system lose it
                signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
interrupted_import = sys.argv.pop()
sys.meta_path.insert(0, InterruptingFinder)
runpy.run_module("api.cli.main", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["click", "api.cli.commands.audit", "ledger.audit"])
def test_ctrl_c_while_the_command_is_imported_ends_it_silently(module, tmp_path):
    result = run_python(
        "-c", INTERRUPTED_START, "audit", module, VOLA_DATA=str(tmp_path), DATABASE_URL=""
    )
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


LOSE_THE_SIGNAL = """
import os, signal, time, weakref
from api.cli import command_line

class Referent: pass

def play(*args, **kwargs):
    referent = Referent()
    reference = weakref.ref(referent, lambda _: os.kill(os.getpid(), signal.SIGTERM))
    del referent  # runs the callback, in which Python ignores what the handler raises
    signal.pause()

command_line.vola.main = play
command_line.run([])
"""


def test_a_signal_that_comes_in_a_callback_ends_the_program():
    process = subprocess.run(
        [sys.executable, "-c", LOSE_THE_SIGNAL], capture_output=True, timeout=60, check=False
    )
    assert (process.returncode, process.stderr) == (143, b"")
