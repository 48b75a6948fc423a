"""`deploy/` and docs/running.md name existing settings, commands and sharding keys."""

import re
import shlex
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import psycopg
import pytest
import yaml

from api import settings
from api.cli.command_line import vola
from api.http import json_body
from api.rate_limit.policy import policy_of
from api.resources import change_feed, imports
from api.schemas.group_money import imports as group_imports
from api.server import granian_server
from api.server import request_buffer as uploads
from api.server import rsgi_adapter as reception
from api.server import worker_pool as admission
from ledger.embedded.postgresql import SETTINGS
from tests.support.postgresql import partitioned_tables as partitions

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PAGE = ROOT / "docs" / "running.md"
FLAT = PAGE.read_text().replace("\n", " ")
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
TEXTS = sorted(file for file in [*DEPLOY.rglob("*"), PAGE] if file.is_file())
OUR_SETTING = re.compile(r"\b(?:DATABASE|REDIS|VOLA|TLS)_[A-Z_]+\b")
KEYS = """
SELECT i.indrelid::regclass::text, array_agg(a.attname)
  FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
 WHERE i.indisunique AND i.indrelid = ANY(%(tables)s::regclass[]) GROUP BY i.indexrelid, 1
"""
TABLES = """
SELECT oid::regclass::text FROM pg_class
 WHERE relnamespace IN ('vola'::regnamespace, 'projections'::regnamespace, 'public'::regnamespace)
   AND relkind IN ('r', 'p') AND NOT relispartition
"""


def name(file):
    return str(file.relative_to(ROOT))


def vola_services():
    """Return the services in compose.yaml that run Vola."""
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return {name: service for name, service in services.items() if "build" in service}


def assigned(file):
    lines = (line.strip() for line in file.read_text().splitlines())
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def commands():
    """Yield every `vola …` command in these files, with its place."""
    for unit in UNITS:
        for line in re.findall(r"^ExecStart=(.*)$", unit.read_text(), re.M):
            yield name(unit), shlex.split(line)
    for service in vola_services().values():
        yield "compose.yaml", service["command"]
    yield (
        "Dockerfile",
        yaml.safe_load(
            re.search(r"^CMD (.*)$", (DEPLOY / "Dockerfile").read_text(), re.M).group(1)
        ),
    )
    for file in TEXTS:
        for text in re.findall(r"`(vola [a-z][^`]*)`", file.read_text()):
            yield name(file), shlex.split(text)
    for block in re.findall(r"^```\w*\n(.*?)^```$", PAGE.read_text(), re.S | re.M):
        for line in re.findall(r"^(?:[A-Z_]+=\S+ )?(vola .*)$", block, re.M):
            yield name(PAGE), shlex.split(line, comments=True)


@pytest.mark.parametrize("file", TEXTS, ids=name)
def test_every_setting_named_exists(file):
    assert set(OUR_SETTING.findall(file.read_text())) <= set(settings.HELP)


def test_the_environment_file_is_valid():
    environment = assigned(DEPLOY / "vola.env")
    assert set(environment) <= set(settings.HELP)
    read = settings.read_settings(environment)
    assert read.database_url
    assert read.database_owner_url
    assert read.database_audit_url
    for service in vola_services().values():
        assert set(service["environment"]) <= set(settings.HELP)
        assert settings.read_settings(service["environment"]).redis_url


def test_every_command_exists_and_takes_its_arguments():
    named_commands = list(commands())
    assert len(named_commands) > 12
    context = vola.make_context("vola", ["--"], resilient_parsing=True)
    for place, (program, *arguments) in named_commands:
        assert Path(program).name == "vola", place
        if "--help" in arguments:
            continue
        if arguments == ["restore"]:
            arguments = [*arguments, "FILE"]  # the text names the command without its argument
        name, *rest = arguments
        command = vola.get_command(context, name)
        assert command is not None, place
        assert command.make_context(name, rest, parent=context), place


@pytest.mark.parametrize("unit", UNITS, ids=name)
def test_a_unit_reads_the_environment_file(unit):
    """Except the witness: it needs no database, runs where there is no such file, and is to know no
    password, because it talks to servers of others."""
    text = unit.read_text()
    assert ("EnvironmentFile=/etc/vola/vola.env\n" in text) == (unit.stem != "vola-witness")
    assert text.startswith("[Unit]\nDescription=Vola")


def test_systemd_reads_every_unit_without_a_complaint(tmp_path):
    """The units name the `vola` of an operator; the test puts the one of this environment in its
    place."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("No systemd is here to read the units: apt-get install systemd")
    program = str(Path(sys.executable).with_name("vola"))
    units = sorted((DEPLOY / "systemd").iterdir())
    for unit in units:
        tmp_path.joinpath(unit.name).write_text(
            unit.read_text().replace("/opt/vola/.venv/bin/vola", program)
        )
    files = [str(tmp_path / unit.name) for unit in units]
    run = subprocess.run([analyze, "verify", "--man=no", *files], capture_output=True, text=True)
    assert [line for line in run.stderr.splitlines() if "vola" in line] == []


def test_the_image_is_pinned_and_runs_as_a_user_of_its_own():
    instructions = [
        line.split(maxsplit=1)
        for line in (DEPLOY / "Dockerfile").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    names = [name for name, _ in instructions]
    assert names[0] == "FROM"
    assert names[-2:] == ["EXPOSE", "CMD"]
    texts = dict(instructions)
    assert re.fullmatch(r"python:3\.\d+-slim", texts["FROM"])
    assert texts["USER"] == "vola"
    assert names.index("USER") > max(i for i, name in enumerate(names) if name == "RUN")
    for name, text in instructions:
        assert name != "ADD"
        assert "pip install" not in text or "--no-cache-dir" in text


def test_the_image_has_no_data_and_no_history_of_the_folder():
    """Nor the passwords in `deploy`, a broken book that was put aside, or a backup."""
    ignored = set((DEPLOY / "Dockerfile.dockerignore").read_text().split())
    assert {".git", ".venv", "var"} <= ignored
    for secret in ("deploy", "var.broken", "vola-20261126T181500Z.dump", "book.zip"):
        assert any(fnmatch(secret, pattern) for pattern in ignored), secret


def test_the_page_names_every_file_of_the_folder_and_no_other():
    named_files = set(
        re.findall(r"`([a-zA-Z]+(?:\.(?:yaml|cfg|conf|sql|env)|file|/))`", PAGE.read_text())
    )
    assert named_files - {"deploy/"} == {
        f"{file.name}/" if file.is_dir() else file.name
        for file in DEPLOY.iterdir()
        if not file.name.endswith(".dockerignore")
    }


def test_the_proxy_accepts_every_body_that_the_server_does(app):
    text = (DEPLOY / "nginx.conf").read_text()
    rest, *locations = text.split("    location ")
    limit = re.search(r"client_max_body_size (\d+)m;", rest)[1]
    sizes = {"": int(limit)}
    for location in locations:
        path, own = location.partition(" {")[0], re.search(r"_body_size (\d+)m;", location)
        sizes[re.sub(r"^= (.*)$", r"^\1$", path).removeprefix("~ ")] = int(own[1] if own else limit)
    for rule in app.url_map.iter_rules():
        url = re.sub(r"<.*?>", "1", rule.rule)
        largest = max(size for path, size in sizes.items() if re.search(path, url))
        assert policy_of(app, rule.endpoint).max_bytes <= largest * reception.MIB, url


def test_the_proxy_writes_no_query_into_a_log():
    """Its messages of the level `error`, which is the default, repeat the request."""
    text = (DEPLOY / "nginx.conf").read_text()
    (form,) = re.findall(r"^log_format without_query '(.*)';$", text, re.M)
    assert not {"$request", "$request_uri", "$args", "$query_string"} & set(
        re.findall(r"\$\w+", form)
    )
    assert re.findall(r"access_log \S+ (\w+);", text) == ["without_query"]
    assert re.findall(r"error_log \S+ (\w+);", text) == ["crit"]


def test_the_proxy_writes_no_link_of_a_printed_statement_into_a_log():
    """Whoever has the link sees the statement."""
    text = (DEPLOY / "nginx.conf").read_text()
    (form,) = re.findall(r"^log_format without_query '(.*)';$", text, re.M)
    (pattern, logged) = re.findall(r"map \$uri \$logged_uri \{\s+~(\S+) (\S+);", text)[0]
    assert "$uri" not in re.findall(r"\$\w+", form)
    assert "$logged_uri" in form
    for path in ("/statement/AbC-_9", "/statement/AbC/x", "/statement/"):
        assert re.search(pattern, path)
    assert not re.search(pattern, "/v1/sessions/1/statement")
    assert logged == "/statement/..."
    servers = text.split("\nserver {")[1:]
    assert all("access_log" in server for server in servers)  # the default one has the request


def test_a_cluster_acknowledges_only_replicated_commits():
    agreed = yaml.safe_load((DEPLOY / "patroni.yaml").read_text())["bootstrap"]["dcs"]
    assert agreed["synchronous_mode"] is True
    assert agreed["synchronous_mode_strict"] is True
    assert agreed["ttl"] >= agreed["loop_wait"] + 2 * agreed["retry_timeout"]
    parameters = agreed["postgresql"]["parameters"]
    for must in ("fsync", "full_page_writes", "synchronous_commit"):
        assert parameters[must] == "on"


def test_no_database_logs_the_content_of_rows():
    quiet = {"log_error_verbosity": "terse", "log_min_error_statement": "panic"}
    agreed = yaml.safe_load((DEPLOY / "patroni.yaml").read_text())["bootstrap"]["dcs"]
    assert quiet.items() <= agreed["postgresql"]["parameters"].items()
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    command = services["postgres"].get("command", [])
    assert quiet == dict(word.split("=") for word in command if "=" in word)
    assert quiet.items() <= SETTINGS.items()


def test_the_figures_on_slow_clients_and_connections_are_right(app):
    adapter = reception.RsgiAdapter(app)
    work, pages, health = (
        (pool.threads, pool.max_waiting)
        for pool in (adapter._default_pool, adapter._page_pool, adapter._health_pool)
    )
    audits, statements, imported = (
        (adapter._long_pools[name].threads, adapter._long_pools[name].max_waiting)
        for name in ("audits", "statements", "imports")
    )
    idle = uploads.IDLE_SECONDS
    bodies, import_bodies, responses = (
        (budget._total_limit // reception.MIB, budget._client_limit // reception.MIB)
        for budget in (adapter._body_budget, adapter._import_budget, adapter._response_budget)
    )
    section = PAGE.read_text().partition("## Slow clients and overload")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| .+? \| (.*?) \| .*? \|$", section, re.M)
    numbers = [tuple(int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", row)) for row in rows]
    assert numbers == [
        (granian_server.MAX_CONNECTIONS,),
        (granian_server.HEADER_READ_SECONDS,),
        (granian_server.MAX_HEADER_BYTES // 1024,),
        (idle, idle, uploads.MIN_BYTES_PER_SECOND // 1024, uploads.MAX_UPLOAD_SECONDS),
        (
            json_body.MAX_BODY_BYTES // 1024,
            group_imports.MAX_REQUEST_BYTES // reception.MIB,
            imports.MAX_BYTES // reception.MIB,
        ),
        bodies,
        import_bodies,
        responses,
        work,
        (*statements, reception.LONG_WAIT_SECONDS),
        audits,
        imported,
        pages,
        health,
        (change_feed.MAX_STREAMS, change_feed.MAX_STREAMS_PER_SESSION),
    ]
    assert f"joins it for what remains of {admission.MAX_WAIT_SECONDS} seconds" in FLAT
    processes, connections = re.search(
        r"processes with (\d+) each .* has up to (\d+)", FLAT
    ).groups()
    assert int(processes) == granian_server.POOL_SIZE
    assert int(connections) == granian_server.API_PROCESSES * (int(processes) + 2) + 4 + 1


def test_tables_distributed_by_session_have_it_in_every_key(urls):
    distributed, undistributed = partitions.tables(), partitions.tables("whole")
    assert not distributed & undistributed
    with psycopg.connect(urls.super) as db:
        named = {table.removeprefix("public.") for table in distributed | undistributed}
        assert {table for (table,) in db.execute(TABLES)} == named
        for table, columns in db.execute(KEYS, {"tables": list(distributed)}):
            assert "session_id" in columns, table
