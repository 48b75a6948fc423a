"""`vola export --all` writes a whole book, and `vola import` restores it unchanged."""

import json
import os
import subprocess
import sys
from collections import namedtuple
from uuid import UUID

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jsonschema import Draft202012Validator

from ledger.proofs.checkpoint import public_bytes, sign_note
from ledger.proofs.statement_note import statement_body, statement_digest
from tests.support.api.book_archive import (
    hostile_archives,
    play_book,
    read_files,
    relist,
    session_names,
    zip_of,
)
from tests.support.api.command_line import assert_refused, invoke_vola
from tests.support.api.group_client import GroupClient
from tests.support.app import app_over
from tests.support.proofs.resigned_export import resign_export
from tests.support.proofs.verifier import verify

PlayedBook = namedtuple("PlayedBook", "app groups file files environment")
SIGNED = ("key", "checkpoint", "labels", "signature")
"""What each book signs with its own key."""


@pytest.fixture(scope="module")
def book(module_app, module_urls, data, tmp_path_factory):
    """A played book, and its archive."""
    environment = {**module_urls.environment, "VOLA_DATA": str(data)}
    groups = play_book(module_app)
    file = tmp_path_factory.mktemp("archive") / "book.zip"
    result = invoke_vola("export", "--all", str(file), **environment)
    assert result.returncode == 0, result.stderr
    return PlayedBook(
        app=module_app, groups=groups, file=file, files=read_files(file), environment=environment
    )


def unsigned(document):
    """Return the JSON without what its book signed, at any depth."""
    if isinstance(document, dict):
        return {k: unsigned(value) for k, value in document.items() if k not in SIGNED}
    return [unsigned(value) for value in document] if isinstance(document, list) else document


def exported_again(environment, folder):
    file = folder / "again.zip"
    result = invoke_vola("export", "--all", str(file), **environment)
    assert result.returncode == 0, result.stderr
    return read_files(file)


def assert_same_book(files, other):
    """Assert that every event, hash, name and group is the same; only the keys may differ."""
    assert files.keys() == other.keys()
    assert session_names(files) == session_names(other)
    hashes = []
    for name, content in files.items():
        document, other_document = json.loads(content), json.loads(other[name])
        if name.startswith("sessions/"):
            assert unsigned(document) == unsigned(other_document)
            assert document["events"] == other_document["events"]
        elif name.startswith("groups/"):
            assert {**document, "generation": 0} == {**other_document, "generation": 0}
            hashes += [event["hash"] for event in document.get("events", ())]
        elif name.startswith("schemas/"):
            assert document == other_document
    assert len(hashes) > 10


def test_an_archive_is_imported_into_an_empty_book_as_it_was(book, environment, urls, tmp_path):
    result = invoke_vola("import", str(book.file), **environment)
    assert result.returncode == 0, result.stderr
    count = len(session_names(book.files))
    assert f"{count} sessions and 2 groups: {count + 2} new, 0 here already, 0 refused" in (
        result.stdout
    )
    assert f"sessions imported: {count} of {count}" in result.stderr
    assert_same_book(book.files, exported_again(environment, tmp_path))
    audit = invoke_vola("audit", **environment)
    assert (audit.returncode, audit.stdout.splitlines()[0]) == (0, f"{count} sessions, no findings")
    with app_over(urls) as app:
        for group in book.groups:
            (link,) = (line for line in result.stdout.splitlines() if f"group {group.id}" in line)
            here = GroupClient(app.test_client(), group.id, {"host": link.rpartition("/")[2]})
            for path in ("/standings", "/statement?format=json", "/statement?format=csv"):
                original, imported = group.get(path, "host"), here.get(path, "host")
                assert imported.status_code == 200, imported.text
                if imported.is_json:
                    assert unsigned(imported.json) == unsigned(original.json)
                else:
                    assert imported.text == original.text
            members = here.get(role="host").json["members"]
            assert members == group.state["members"]


@pytest.mark.parametrize(("period", "count"), [("", 4), ("&to=2000-01-01", 0)])
def test_a_group_s_statement_that_the_old_book_signed_holds(
    book, environment, tmp_path, period, count
):
    assert invoke_vola("import", str(book.file), **environment).returncode == 0
    statement = book.groups[0].get(f"/statement?format=json{period}", "host").json
    assert len(statement["sessions"]) == count
    file = tmp_path / "statement.json"
    for title, code in ((statement["name"], 0), ("Lördag", 1)):
        file.write_text(json.dumps({**statement, "name": title}))
        audit = invoke_vola("audit", "--receipt", str(file), **environment)
        assert audit.returncode == code, audit.stdout
        assert ("statement_wrong" in audit.stdout) == bool(code)


def test_words_that_another_key_signed_must_be_those_of_the_book(book, environment, tmp_path):
    assert invoke_vola("import", str(book.file), **environment).returncode == 0
    statement = book.groups[0].get("/statement?format=json", "host").json
    pen = Ed25519PrivateKey.generate()
    forged = {**statement, "name": "Lördag", "key": public_bytes(pen).hex()}
    group = UUID(statement["group"])
    forged["signature"] = sign_note(pen, group, statement_body(group, statement_digest(forged)))
    file = tmp_path / "statement.json"
    file.write_text(json.dumps(forged))
    audit = invoke_vola("audit", "--receipt", str(file), **environment)
    assert audit.returncode == 1
    assert "that this book has not signed has other words at /name" in audit.stdout


def test_a_group_goes_on_in_the_new_book_with_new_links_alone(book, environment, urls):
    result = invoke_vola("import", str(book.file), **environment)
    first = book.groups[0].id
    (link,) = (line for line in result.stdout.splitlines() if first in line)
    with app_over(urls) as app:
        here = GroupClient(app.test_client(), first, {"host": link.rpartition("/")[2]})
        ended = GroupClient(app.test_client(), first, book.groups[0].tokens)
        assert ended.get(role="host").status_code == 404
        here.open_session("m1", "m2", "m3", "m4", game="polskt_pass")
        assert here.write("/members", {"name": "Fia"}).status_code == 201
        assert len(here.get(role="host").json["sessions"]) == 5
    assert invoke_vola("audit", **environment).returncode == 0
    again = invoke_vola("import", str(book.file), **environment)
    assert again.returncode == 0, again.stderr
    assert f"0 new, {len(session_names(book.files)) + 2} here already, 0 refused" in again.stdout


def test_an_archive_that_is_imported_twice_changes_nothing(book, environment, tmp_path):
    assert invoke_vola("import", str(book.file), **environment).returncode == 0
    again = invoke_vola("import", str(book.file), **environment)
    count = len(session_names(book.files))
    assert again.returncode == 0, again.stderr
    assert f"0 new, {count + 2} here already, 0 refused" in again.stdout
    remade = exported_again(environment, tmp_path)
    result = invoke_vola("import", str(tmp_path / "again.zip"), **environment)
    assert result.returncode == 0, result.stderr
    assert f"0 new, {count + 2} here already, 0 refused" in result.stdout
    assert remade["manifest.json"] != book.files["manifest.json"]
    for group in book.groups:  # both give the same link, although the files differ
        links = [line for line in again.stdout.splitlines() if group.id in line]
        assert links == [
            line.replace("again.zip", book.file.name).replace(str(tmp_path), str(book.file.parent))
            for line in result.stdout.splitlines()
            if group.id in line
        ]


def test_a_group_of_an_earlier_version_s_archive_is_the_same_group(book, environment, tmp_path):
    earlier = dict(book.files)
    for name in (name for name in earlier if name.startswith("groups/")):
        exported = json.loads(earlier[name])
        for session in exported["sessions"]:
            session.pop("enrolled", None)
        earlier[name] = json.dumps(exported).encode()
    assert earlier != book.files
    (tmp_path / "earlier.zip").write_bytes(zip_of(relist(earlier)))
    for file in (tmp_path / "earlier.zip", book.file):
        result = invoke_vola("import", str(file), **environment)
        assert result.returncode == 0, result.stderr


def test_a_group_that_has_gone_on_elsewhere_is_refused_with_what_to_do(book, environment, tmp_path):
    name = f"groups/{book.groups[0].id}.json"
    changes = {"earlier": lambda g: g["events"].pop(), "other": lambda g: g["sessions"].pop(1)}
    results = []
    for place, change in changes.items():
        group = json.loads(book.files[name])
        change(group)
        file = tmp_path / f"{place}.zip"
        file.write_bytes(zip_of(relist({**book.files, name: json.dumps(group).encode()})))
        results.append(invoke_vola("import", str(file), **environment))
    results.append(invoke_vola("import", str(book.file), **environment))
    earlier, other, later = results
    assert earlier.returncode == 0, earlier.stderr
    assert "with another history" in other.stderr
    assert "an import adds nothing to a group" in later.stderr


def test_an_import_that_was_killed_goes_on(book, environment, urls, tmp_path):
    """The last session cannot be written while this test holds its row, so the kill comes before
    the end; it comes after the first session, which the log names."""
    *_, last = (name.partition("/")[2].removesuffix(".json") for name in session_names(book.files))
    with psycopg.connect(urls.super) as db:
        db.execute(
            "INSERT INTO vola.sessions (session_id, token_generations) VALUES (%s, '{0,0,0}')",
            [last],
        )
        with subprocess.Popen(
            [sys.executable, "-m", "api.cli.main", "import", str(book.file)],
            env={**os.environ, **environment},
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        ) as process:
            lines = (line for line in process.stderr if line.startswith("sessions imported: "))
            assert next(lines).startswith("sessions imported: 1 of ")
            process.kill()
        db.rollback()
    count = len(session_names(book.files))
    with psycopg.connect(urls.super) as db:
        ((imported,),) = db.execute("SELECT count(*) FROM vola.heads")
    assert 1 <= imported < count
    result = invoke_vola("import", str(book.file), **environment)
    assert result.returncode == 0, result.stderr
    expected = f"{count + 2 - imported} new, {imported} here already, 0 refused"
    assert expected in result.stdout
    assert_same_book(book.files, exported_again(environment, tmp_path))
    assert invoke_vola("audit", **environment).returncode == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda events: events[0].update(at=events[0]["at"] - 1), "with another history"),
        (lambda events: events.pop(), "an import adds nothing to a session"),
    ],
    ids=["another history", "fewer events"],
)
def test_a_session_with_another_history_is_named_and_the_rest_goes_on(
    book, environment, tmp_path, change, reason
):
    group = json.loads(book.files[f"groups/{book.groups[0].id}.json"])
    session, *others = (played["session"] for played in group["sessions"])
    other_history = json.loads(book.files[f"sessions/{session}.json"])
    change(other_history["events"])
    file = tmp_path / "other.json"
    file.write_text(json.dumps(resign_export(other_history)))
    assert invoke_vola("import", str(file), **environment).returncode == 0
    result = invoke_vola("import", str(book.file), **environment)
    assert result.returncode == 2
    refused = [line for line in result.stderr.splitlines() if line.startswith("vola: ")]
    for line, name in zip(refused, (f"session {session}", book.groups[0].id), strict=True):
        assert name in line
    assert reason in refused[0]
    count = len(session_names(book.files))
    assert f"{count} new, 0 here already, 2 refused" in result.stdout
    for other in others:  # the group does not lead to them
        assert f"session {other} is here now" in result.stdout
        assert f"/#/s/{other}/" in result.stdout


def test_a_session_that_went_on_since_is_here_already(book, environment, tmp_path):
    """An older archive adds nothing, and does not restore a name that was erased since."""
    assert invoke_vola("import", str(book.file), **environment).returncode == 0
    session = json.loads(book.files[session_names(book.files)[0]])["session"]
    with psycopg.connect(environment["DATABASE_URL"]) as db:
        db.execute(
            "UPDATE vola.players SET name = NULL, matching_key = NULL, salt = NULL"
            " WHERE session_id = %s AND player_id = 'p1'",
            [session],
        )
    assert invoke_vola("import", str(book.file), **environment).returncode == 0
    names = json.loads(exported_again(environment, tmp_path)[f"sessions/{session}.json"])["names"]
    assert names[0]["name"] is None


def test_hostile_archives_are_refused_in_a_sentence_each(book, environment, urls, tmp_path):
    archives = hostile_archives(book.files)
    files = []
    for number, (content, _) in enumerate(archives.values()):
        files.append(tmp_path / f"{number}.zip")
        files[-1].write_bytes(content)
    result = invoke_vola("import", *map(str, files), **environment)
    assert result.returncode == 2
    lines = [line for line in result.stderr.splitlines() if not line.startswith("files checked: ")]
    for (what, (_, reason)), file, line in zip(archives.items(), files, lines, strict=True):
        assert line.startswith(f"vola: {file}: "), what
        assert reason in line, what
        assert line.endswith("."), what
        assert len(line) < 300, what
    with psycopg.connect(urls.super) as db:
        assert db.execute("SELECT count(*) FROM vola.sessions").fetchone() == (0,)


def test_a_group_that_says_what_its_sessions_do_not_is_refused(book, environment, tmp_path):
    groups = [name for name in book.files if name.startswith("groups/")]
    group = next(name for name in groups if b'"events"' in book.files[name])
    sessions = "sessions"
    forgeries = {
        "a player who never came": lambda g: g[sessions][0]["members"].update(p9="m9"),
        "a member who is none": lambda g: g[sessions][0]["members"].update(p1="m99"),
        "two players who were one": lambda g: g[sessions][0]["members"].update(p1="m2", p2="m2"),
        "two members of one name": lambda g: g["members"][0].update(name=g["members"][1]["name"]),
        "a member since a session that is not": lambda g: g[sessions][2].update(enrolled={"p4": 9}),
        "a gap between members": lambda g: g["members"].pop(1),
        "an event less": lambda g: g["events"].pop(3),
        "an event of another time": lambda g: g["events"][2].update(at=1),
        "two events exchanged": lambda g: g["events"].reverse(),
    }
    files = []
    for number, forge in enumerate(forgeries.values()):
        changed = json.loads(book.files[group])
        forge(changed)
        files.append(tmp_path / f"{number}.zip")
        forged = relist({**book.files, group: json.dumps(changed).encode()})
        files[-1].write_bytes(zip_of(forged))
    result = invoke_vola("import", *map(str, files), **environment)
    assert result.returncode == 2
    refused = [line for line in result.stderr.splitlines() if line.startswith("vola: ")]
    for what, file, line in zip(forgeries, files, refused, strict=True):
        assert line.startswith(f"vola: {file}: group {changed['group']}: "), what
        assert line.endswith("."), what


def test_a_forged_session_is_refused_and_the_rest_goes_on(book, environment, tmp_path):
    name = next(n for n in session_names(book.files) if "Fredag" in book.files[n].decode())
    forged = book.files[name].replace(b'"by":"host.0"', b'"by":"host.1"', 1)
    file = tmp_path / "forged.zip"
    file.write_bytes(zip_of(relist({**book.files, name: forged})))
    result = invoke_vola("import", str(file), **environment)
    assert result.returncode == 2
    assert "Version 1 has been changed" in result.stderr
    count = len(session_names(book.files))
    assert f"{count + 1} new, 0 here already, 1 refused" in result.stdout


def test_each_file_of_an_archive_has_its_schema_in_it(book):
    schemas = {
        kind: Draft202012Validator(json.loads(book.files[f"schemas/{kind}.json"]))
        for kind in ("manifest", "session", "group")
    }
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema.schema)
    for name, content in book.files.items():
        kind = name.partition("/")[0].removesuffix("s").removesuffix(".json")
        if kind in schemas:
            schemas[kind].validate(json.loads(content))
            assert not schemas[kind].is_valid({**json.loads(content), "secret": 1}), name
    assert sum(name.startswith("groups/") for name in book.files) == 2


def test_the_verifier_accepts_each_session_of_an_archive(book):
    for name in session_names(book.files):
        assert verify.verify_document(book.files[name])[0] == 0, name


def test_no_secret_is_in_an_archive(book):
    with psycopg.connect(book.environment["DATABASE_OWNER_URL"]) as db:
        ((secret,),) = db.execute("SELECT secret FROM vola.secret")
        ((key,),) = db.execute("SELECT secret FROM vola.signing_key")
    text = b"".join(book.files.values())
    for group in book.groups:
        assert not [t for t in group.tokens.values() if t.partition(".")[2].encode() in text]
    for private in (secret, key):
        assert bytes(private) not in text
        assert bytes(private).hex().encode() not in text


def test_sessions_stand_after_those_that_they_carry_forward(book):
    place = {
        json.loads(book.files[name])["session"]: i
        for i, name in enumerate(session_names(book.files))
    }
    carried = 0
    for session, later in place.items():
        for event in json.loads(book.files[f"sessions/{session}.json"])["events"]:
            if event["type"] == "brought_forward":
                assert place[json.loads(event["data"])["session"]] < later
                carried += 1
    assert carried >= 2


def test_an_archive_is_for_its_owner_alone_and_never_replaced(book, tmp_path):
    assert book.file.stat().st_mode & 0o777 == 0o600
    before = book.file.read_bytes()
    assert_refused(invoke_vola("export", "--all", str(book.file), **book.environment), "is there")
    assert book.file.read_bytes() == before
    nowhere = tmp_path / "nowhere" / "book.zip"
    result = invoke_vola("export", "--all", str(nowhere), **book.environment)
    assert_refused(result, "Cannot write")


@pytest.mark.parametrize(
    "arguments", [[], ["--all", "x.zip", "-o", "y"], ["--all", "x.zip", "--names"]]
)
def test_an_export_is_of_one_session_or_of_all(arguments):
    assert_refused(invoke_vola("export", *arguments), "--all")
