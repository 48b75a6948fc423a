"""What `deploy/` and the page about running name is there: settings, commands, keys to shard by."""

import re
import shlex
from pathlib import Path

import psycopg
import pytest
import yaml

from api import admission, cli, live, process, reception, serving, settings
from tests import partitions

ROOT = Path(__file__).parents[1]
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


def ours():
    """The services in compose.yaml that run Vola."""
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return {name: service for name, service in services.items() if "build" in service}


def assigned(file):
    lines = (line.strip() for line in file.read_text().splitlines())
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def commands():
    """Everything that is run as `vola …`, wherever it is written down."""
    for unit in UNITS:
        for line in re.findall(r"^ExecStart=(.*)$", unit.read_text(), re.M):
            yield name(unit), shlex.split(line)
    for service in ours().values():
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
    for block in re.findall(r"```\n(.*?)```", PAGE.read_text(), re.S):
        for line in re.findall(r"^(?:[A-Z_]+=\S+ )?(vola .*)$", block, re.M):
            yield name(PAGE), shlex.split(line, comments=True)


@pytest.mark.parametrize("file", TEXTS, ids=name)
def test_only_settings_that_exist_are_named(file):
    assert set(OUR_SETTING.findall(file.read_text())) <= set(settings.HELP)


def test_the_environment_is_one_that_vola_takes():
    given = assigned(DEPLOY / "vola.env")
    assert set(given) <= set(settings.HELP)
    read = settings.read(given)
    assert read.database_url
    assert read.database_owner_url
    assert read.database_audit_url
    for service in ours().values():
        assert set(service["environment"]) <= set(settings.HELP)
        assert settings.read(service["environment"]).redis_url


def test_every_command_exists_and_takes_its_arguments():
    told = list(commands())
    assert len(told) > 12
    parser = cli.parser()
    for where, (program, *arguments) in told:
        assert Path(program).name == "vola", where
        if "--help" in arguments:
            continue
        if arguments == ["restore"]:
            arguments = [*arguments, "FILE"]  # the command is spoken of, not told
        assert parser.parse_args(arguments).command, where


@pytest.mark.parametrize("unit", UNITS, ids=name)
def test_a_unit_reads_the_environment_that_is_there(unit):
    text = unit.read_text()
    assert "EnvironmentFile=/etc/vola/vola.env" in text
    assert text.startswith("[Unit]\nDescription=Vola")


def test_every_file_in_the_page_is_there_and_every_file_there_is_in_the_page():
    told = set(re.findall(r"`([a-zA-Z]+(?:\.(?:yaml|cfg|conf|sql|env)|file|/))`", PAGE.read_text()))
    assert told - {"deploy/"} == {
        f"{file.name}/" if file.is_dir() else file.name
        for file in DEPLOY.iterdir()
        if not file.name.endswith(".dockerignore")
    }


def test_a_cluster_acknowledges_what_two_have():
    agreed = yaml.safe_load((DEPLOY / "patroni.yaml").read_text())["bootstrap"]["dcs"]
    assert agreed["synchronous_mode"] is True
    assert agreed["synchronous_mode_strict"] is True
    assert agreed["ttl"] >= agreed["loop_wait"] + 2 * agreed["retry_timeout"]
    parameters = agreed["postgresql"]["parameters"]
    for must in ("fsync", "full_page_writes", "synchronous_commit"):
        assert parameters[must] == "on"


def test_what_the_page_says_of_slow_clients_and_of_connections_is_so(app):
    desk = reception.Reception(app, app.wsgi_app)
    work, audits, pages, health = (
        (lane.threads, lane.waiting)
        for lane in (desk._work, desk._audits, desk._pages, desk._health)
    )
    said = PAGE.read_text().partition("## Slow, and too many")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| .+? \| (.*?) \| .*? \|$", said, re.M)
    numbers = [tuple(int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", row)) for row in rows]
    assert numbers == [
        (serving.CONNECTIONS,),
        (serving.SILENT_SECONDS,),
        (reception.BODY_SECONDS, reception.SLOWEST // 1024),
        (reception.MOST_BODIES // 1024**2,),
        work,
        audits,
        pages,
        health,
        (live.STREAMS, live.OF_ONE_EVENING),
    ]
    assert admission.WAIT_SECONDS == 1
    each, most = re.search(r"processes with (\d+) each .* has up to (\d+)", FLAT).groups()
    assert int(each) == reception.THREADS + process.SPARE
    assert int(most) == serving.API_PROCESSES * (int(each) + 2) + 4 + 1


def test_what_is_distributed_by_session_has_it_in_every_key(urls):
    spread, whole = partitions.tables(), partitions.tables("whole")
    assert not spread & whole
    with psycopg.connect(urls.super) as db:
        named = {table.removeprefix("public.") for table in spread | whole}
        assert {table for (table,) in db.execute(TABLES)} == named
        for table, columns in db.execute(KEYS, {"tables": list(spread)}):
            assert "session_id" in columns, table
