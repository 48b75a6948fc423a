"""`vola witness` follows sessions of other books, and cosigns continuations of what it saw."""

from __future__ import annotations

import json
import socket
import stat
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.checkpoint import public_bytes
from ledger.proofs.signing_key import key_words
from tests.support.api.command_line import assert_refused, run_vola
from tests.support.api.hostile_server import Answer, forward, hostile_server
from tests.support.api.http_client import RemoteSession, ask, new_key
from tests.support.api.witnesses import (
    ALL_PASS,
    invite_link,
    judge_contradiction,
    read_contradiction,
    rewrite_without_witnesses,
    run_witness,
    witnessed_versions,
)
from tests.support.certificates import create_certificate
from tests.support.databases import DatabaseUrls, valkey_url
from tests.support.player_names import FOUR_PLAYERS
from tests.support.polling import wait_until
from tests.support.proofs.verifier import verify
from tests.support.server_process import ModuleProcess, ServerProcess, run_server
from tests.support.session_forger import move_back, rewrite_session

SOME_ID, SOME_TOKEN = "8b9cb826-de6e-42e5-a518-f13ce4e1d7ed", "t" * 43


@pytest.fixture(scope="module")
def book(
    module_urls, valkey, data, tmp_path_factory
) -> Iterator[tuple[ServerProcess, DatabaseUrls, dict[str, str]]]:
    """A server of its own, so that the tests may do anything to its database."""
    environment = {
        **module_urls.environment,
        "REDIS_URL": valkey_url(valkey, 12),
        "VOLA_DATA": str(data),
    }
    with run_server(environment, tmp_path_factory.mktemp("witnessed") / "log") as server:
        yield server, module_urls, environment


@pytest.fixture
def phone(book) -> RemoteSession:
    phone = RemoteSession(book[0].url).open(title="Fredag")
    phone.act(*ALL_PASS)
    return phone


def test_a_witness_follows_an_evening_and_cosigns_it(phone, tmp_path):
    first = run_witness(tmp_path, invite_link(phone))
    begun = phone.state()["version"]
    assert (first.returncode, first.stderr) == (0, "")
    key = phone.get("/receipts/1").json["key"]
    assert f"Fredag ({phone.id[:8]}): version {begun}, signed with the key" in first.stdout
    assert f"{key_words(bytes.fromhex(key))} ({key})" in first.stdout
    assert witnessed_versions(phone) == [begun]
    phone.act(*ALL_PASS)
    newest = phone.state()["version"]
    second = run_witness(tmp_path, invite_link(phone))
    assert f"version {newest} continues version {begun}." in second.stdout
    assert witnessed_versions(phone) == [newest]
    third = run_witness(tmp_path, invite_link(phone))
    assert (third.returncode, len(third.stdout.splitlines())) == (0, 1), "nothing is new"
    export = phone.get("/export")
    (witness,) = export.json["witnesses"]
    assert witness["version"] == newest
    assert f"Witness {witness['name']}, key " in third.stdout
    assert witness["key"] in third.stdout
    assert verify.verify_document(export.raw) == (0, "export", newest)


def test_two_books_witness_each_other(book, server_url, tmp_path):
    phones = RemoteSession(book[0].url).open(), RemoteSession(server_url).open()
    for turn in range(2):
        for phone, other in (phones, phones[::-1]):
            phone.act(*ALL_PASS)
            seen = run_witness(
                tmp_path / other.id, invite_link(phone), "--name", f"book-{other.id[:4]}"
            )
            assert seen.returncode == 0, (turn, seen)
    for phone, other in (phones, phones[::-1]):
        (witness,) = phone.get("/export").json["witnesses"]
        assert witness["name"] == f"book-{other.id[:4]}"
        assert witness["version"] == phone.state()["version"]


def test_a_link_to_a_group_leads_to_all_its_sessions(book, tmp_path):
    url, key = book[0].url, {"Idempotency-Key": new_key()}
    body = {"name": "Kretsen", "members": FOUR_PLAYERS[:3]}
    group = ask(f"{url}/v1/groups", "POST", body, key).json
    access = {"Authorization": f"Bearer {group['tokens']['host']}"}
    body, sessions = {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}, []
    for count in (1, 2):
        path = f"{url}/v1/groups/{group['id']}/sessions"
        opened = ask(path, "POST", body, {**access, "Idempotency-Key": new_key()}).json
        sessions.append(RemoteSession(url, opened["id"], opened["tokens"]["viewer"]))
        seen = run_witness(tmp_path, f"{url}/#/c/{group['id']}/{group['tokens']['viewer']}")
        assert seen.returncode == 0, seen
        assert all(witnessed_versions(session) for session in sessions), count


@pytest.mark.parametrize(
    ("change", "reason", "code"),
    [
        (move_back, "rewritten", "rewritten"),
        (lambda events: events[:-1], "tail_missing", "tail_missing"),
    ],
    ids=["rewritten", "cut"],
)
def test_a_changed_history_is_reported_and_not_cosigned(
    book, phone, tmp_path, change, reason, code
):
    link = invite_link(phone)
    run_witness(tmp_path, link)
    seen_version = phone.state()["version"]
    rewrite_without_witnesses(book[1], phone, change)
    for _ in range(2):
        found = run_witness(tmp_path, link)
        assert found.returncode == 1, found
        assert f"Fredag ({phone.id[:8]}) DOES NOT HOLD" in found.stderr
    document = read_contradiction(tmp_path, phone)
    assert (document["format"], document["reason"]) == ("vola contradiction 1", reason)
    assert document["version"] == document["kept"]["head"]["version"] == seen_version
    assert judge_contradiction(document) == (1, code, seen_version)
    kept = json.dumps(document["kept"]["document"]).encode()
    assert verify.verify_document(kept)[0] == 0, "both are signed by the book"
    phone.act(*ALL_PASS)
    assert run_witness(tmp_path, link).returncode == 1
    assert witnessed_versions(phone) == []


def test_a_cosignature_of_another_history_is_found_by_every_check(book, phone, tmp_path):
    run_witness(tmp_path, invite_link(phone))
    version = phone.state()["version"]
    rewrite_session(book[1], phone.id, move_back)
    assert verify.verify_document(phone.get("/export").raw) == (1, "witness_wrong", version)
    (finding,) = phone.get("/audit").json["findings"]
    assert finding["code"] == "cosignature_wrong"


def test_an_old_backup_that_was_played_on_from_is_found(book, phone, tmp_path):
    backup = phone.state()["version"]
    phone.act(*ALL_PASS)
    run_witness(tmp_path, invite_link(phone))
    seen_version = phone.state()["version"]
    rewrite_without_witnesses(book[1], phone, lambda events: events[:backup])
    for _ in range(3):
        phone.act({"type": "open_deal"})
        phone.act({"type": "undo"})
    assert phone.state()["version"] > seen_version
    found = run_witness(tmp_path, invite_link(phone))
    assert found.returncode == 1
    assert f"version {seen_version} is not the one that this witness has seen" in found.stderr
    assert judge_contradiction(read_contradiction(tmp_path, phone)) == (
        1,
        "rewritten",
        seen_version,
    )


@pytest.mark.parametrize("is_seen", [False, True])
def test_a_mistyped_key_is_refused_and_blocks_nothing(phone, tmp_path, is_seen):
    link, key = invite_link(phone), phone.get("/receipts/1").json["key"]
    if is_seen:
        run_witness(tmp_path, link)
        phone.act(*ALL_PASS)
    seen_versions = witnessed_versions(phone)
    mistyped = run_witness(tmp_path, link, "--key", key[:-1] + ("0" if key[-1] != "0" else "1"))
    assert mistyped.returncode == 1, mistyped
    assert key in mistyped.stderr
    assert "not with that of --key" in mistyped.stderr
    assert witnessed_versions(phone) == seen_versions
    assert not list((tmp_path / "witness").glob("contradiction-*"))
    assert run_witness(tmp_path, link, "--key", key).returncode == 0


def test_a_key_is_followed_only_where_the_one_before_endorses_it(book, phone, tmp_path):
    _, urls, environment = book
    link, known = invite_link(phone), phone.get("/receipts/1").json["key"]
    run_witness(tmp_path, link)
    assert run_vola("key", "--rotate", **environment).returncode == 0
    phone.act(*ALL_PASS)
    rotated = run_witness(tmp_path, link, "--key", known)
    assert rotated.returncode == 0, rotated
    assert "a new key, endorsed by the one before" in rotated.stdout
    assert phone.get("/receipts/1").json["key"] in rotated.stdout
    key = Ed25519PrivateKey.generate()
    replace_key = "UPDATE vola.signing_key SET public = %s, secret = %s WHERE number = 2"
    with psycopg.connect(urls.super) as db:
        db.execute("SET session_replication_role = replica")
        kept = db.execute("SELECT public, secret FROM vola.signing_key WHERE number = 2").fetchone()
        db.execute(replace_key, (public_bytes(key), key.private_bytes_raw()))
    try:
        assert run_witness(tmp_path, link).returncode == 1
        assert read_contradiction(tmp_path, phone)["reason"] == "other_key"
        assert judge_contradiction(read_contradiction(tmp_path, phone))[:2] == (1, "other_key")
        other = RemoteSession(phone.url).open()
        assert run_witness(tmp_path, invite_link(other)).returncode == 1, (
            "the book is known by its address"
        )
        assert run_witness(tmp_path / "new", invite_link(other), "--key", known).returncode == 1
        assert run_witness(tmp_path / "newer", invite_link(other)).returncode == 0
    finally:
        with psycopg.connect(urls.super) as db:
            db.execute("SET session_replication_role = replica")
            db.execute(replace_key, kept)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_witness_interrupted_while_it_cosigns_loses_nothing(phone, tmp_path, moment):
    """The connection breaks before the cosignature reaches the book, or before its response."""

    def break_off(request: BaseHTTPRequestHandler) -> Answer:
        if request.command == "PUT" and moment == "before":
            return []
        answer = forward(phone.url, request)
        return answer if request.command == "GET" else []

    version = phone.state()["version"]
    with hostile_server(break_off) as url:
        assert_refused(run_witness(tmp_path, invite_link(phone, url=url)), "cannot be reached")
    assert witnessed_versions(phone) == ([] if moment == "before" else [version])
    assert (tmp_path / "witness" / "sessions" / f"{phone.id}.json").exists(), (
        "what may be cosigned is kept"
    )
    again = run_witness(tmp_path, invite_link(phone))
    assert again.returncode == 0
    assert witnessed_versions(phone) == [version]


def test_a_history_changed_between_two_interrupted_looks_is_found(book, phone, tmp_path):
    def break_off(request: BaseHTTPRequestHandler) -> Answer:
        return [] if request.command == "PUT" else forward(phone.url, request)

    with hostile_server(break_off) as url:
        run_witness(tmp_path, invite_link(phone, url=url))
    rewrite_without_witnesses(book[1], phone, move_back)
    assert run_witness(tmp_path, invite_link(phone)).returncode == 1
    assert witnessed_versions(phone) == []


def test_only_a_trusted_certificate_is_accepted(phone, tmp_path):
    pair = create_certificate(tmp_path, "served")
    with hostile_server(lambda request: forward(phone.url, request), pair) as url:
        link = invite_link(phone, url=url)
        assert_refused(run_witness(tmp_path, link), "its certificate is not trusted")
        assert run_witness(tmp_path, link, "--ca-file", str(pair[0])).returncode == 0
    assert witnessed_versions(phone) == [phone.state()["version"]]


def test_its_files_are_its_owner_s_alone_and_hold_no_token(phone, tmp_path):
    links = tmp_path / "links"
    links.write_text(f"{invite_link(phone)}\n\n")
    seen = run_witness(tmp_path, "--links", str(links))
    assert seen.returncode == 0, seen
    files = [file for file in (tmp_path / "witness").rglob("*") if file.is_file()]
    assert {file.name for file in files} == {"key", "lock", f"{phone.id}.json"}
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert phone.tokens["viewer"] not in file.read_text()
    assert phone.tokens["viewer"] not in seen.stdout + seen.stderr


def test_files_that_it_cannot_read_are_refused(phone, tmp_path):
    run_witness(tmp_path, invite_link(phone))
    kept, key = (tmp_path / "witness" / name for name in (f"sessions/{phone.id}.json", "key"))
    kept.write_text('{"format": "vola witness 1", "server"')
    assert_refused(run_witness(tmp_path, invite_link(phone)), str(kept), "move it away")
    key.write_text("Ada")
    assert_refused(run_witness(tmp_path, invite_link(phone)), str(key), "no key of a witness")


def test_a_book_that_takes_no_more_witnesses_is_named(phone, tmp_path):
    for number in range(8):
        assert run_witness(tmp_path / str(number), invite_link(phone)).returncode == 0
    assert_refused(run_witness(tmp_path / "late", invite_link(phone)), "too_many_witnesses")


def test_a_witness_follows_several_servers_until_it_is_stopped(book, phone, tmp_path):
    """One of two sessions is rewritten, and a second server cannot be reached."""
    other = RemoteSession(phone.url).open(title="Lördag")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        gone = f"http://127.0.0.1:{closed.getsockname()[1]}/#/s/{SOME_ID}/{SOME_TOKEN}"
    links, log = [invite_link(phone), gone, invite_link(other)], tmp_path / "log"
    witness = ModuleProcess(["witness", "--every", "1", *links], {"VOLA_DATA": str(tmp_path)}, log)
    witness.launch()
    try:
        wait_until(lambda: witnessed_versions(other) == [other.state()["version"]], log.read_text)
        assert_refused(run_witness(tmp_path, invite_link(other)), "Another witness is running")
        rewrite_without_witnesses(book[1], phone, move_back)
        wait_until(lambda: "DOES NOT HOLD" in log.read_text(), log.read_text)
        other.act(*ALL_PASS)
        wait_until(lambda: witnessed_versions(other) == [other.state()["version"]], log.read_text)
    finally:
        exit_code = witness.stop()
    said = log.read_text()
    assert (exit_code, "Traceback" in said) == (130, False)
    assert [said.count(word) for word in ("cannot be reached", "DOES NOT HOLD")] == [1, 1], said
    assert SOME_TOKEN not in said
