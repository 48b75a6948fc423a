"""`verify.py` says of all that was taken home whether it holds, and needs nothing of ours."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from urllib.request import Request, urlopen

import pytest

import verify
from api.words import LANGUAGES, catalog
from ledger.keys import Keys
from tests.ledger.evening import play_e1
from tests.taken_home import Book, raw
from tests.tampered import HOLDS, WAYS, flipped, vector, vectors

VERIFY = Path(verify.__file__)


@pytest.mark.parametrize("what", WAYS)
def test_every_way_of_tampering_has_its_sentence(what):
    given = vector(what, Book(Random(what), 8), Random(1))
    found = verify.judge(given.document, given.earlier, given.key)
    assert found[:2] == (given.exit, given.code)


def test_every_sentence_is_said_of_something():
    said = {vector(what, Book(Random(what), 8), Random(1)).code for what in WAYS}
    assert set(verify.SENTENCES) - said == {"earlier", "given", "own", "root_wrong"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_a_sentence_for_whatever_the_program_says(language):
    said = catalog(language)["verify"]["said"]
    assert set(said) == set(verify.SENTENCES)
    if language == "en":
        refusals = {code for code in said if code not in (*HOLDS, "earlier", "given", "own")}
        assert {code: said[code] for code in refusals} == {
            code: verify.SENTENCES[code] for code in refusals
        }


def test_a_checkpoint_of_other_events_is_refused():
    """Signed by the book's own pen, with the right seal in it and the wrong root."""
    book = Book(Random(2), 8)
    other = Book(Random(3), 8, book.session)
    book.tree = other.tree
    assert verify.judge(raw(book.export())) == (1, "root_wrong", 8)


@pytest.mark.parametrize("kind", ["export", "receipt"])
def test_no_bit_of_it_can_be_another(kind):
    random = Random(kind)
    book = Book(random, 8)
    document = raw(book.export(5) if kind == "export" else book.receipt(3, 7))
    assert verify.judge(document)[0] == 0
    for _ in range(500):
        bent = flipped(random, document)
        assert verify.judge(bent)[0] != 0, bent


def test_generated_documents_are_judged_as_they_were_made():
    for given in vectors(seed=7, count=300):
        exit_code, code, _ = verify.judge(given.document, given.earlier, given.key)
        if given.code:
            assert (exit_code, code) == (given.exit, given.code), given.what


RFC_8032 = (  # §7.1, TEST 1 to 3: key, message, signature
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
)


@pytest.mark.parametrize("vector", RFC_8032)
def test_signatures_are_those_of_rfc_8032(vector):
    key, message, signature = map(bytes.fromhex, vector)
    assert verify.signed(key, message, signature)
    assert not verify.signed(key, message + b"!", signature)
    higher = int.from_bytes(signature[32:], "little") + verify.ORDER
    assert not verify.signed(key, message, signature[:32] + higher.to_bytes(32, "little"))


def run(*arguments):
    """As somebody does who has Python and this file, and nothing else."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(VERIFY), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd="/",
    )
    said = done.stderr if done.returncode else done.stdout
    assert len(said.strip().splitlines()) == 1, done
    return done.returncode, said.strip()


def ask(url, token=None):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return urlopen(Request(url, headers=headers), timeout=20).read()


@pytest.fixture(scope="module")
def evening(server_url):
    """An evening that a demo played over HTTP: its address and a viewer's token."""
    done = subprocess.run(
        [sys.executable, "-m", "api.cli", "demo", "--deals", "4", "--url", server_url],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    session, token = done.stdout.strip().splitlines()[-1].split("/#/s/")[1].split("/")[:2]
    return f"{server_url}/v1/sessions/{session}", token


def test_an_evening_taken_home_over_http_holds_without_us(evening, server_url, tmp_path):
    here, token = evening
    key = json.loads(ask(f"{server_url}/v1/key"))["key"]
    export, receipt, then = (tmp_path / f"{name}.json" for name in ("export", "receipt", "then"))
    export.write_bytes(ask(f"{here}/export", token))
    receipt.write_bytes(ask(f"{here}/receipts/9", token))
    then.write_bytes(ask(f"{here}/receipts/3?to=9", token))
    version = json.loads(export.read_text())["version"]

    code, said = run(export, "--key", key)
    assert (code, said.startswith(f"All {version} events")) == (0, True)
    assert said.endswith("the key is the one you gave.")
    code, said = run(export, "--receipt", receipt)
    assert (code, "still stands" in said, said.endswith(key)) == (0, True, True)
    assert run(receipt, "--receipt", then, "--key", key)[0] == 0
    assert ask(f"{server_url}/verify.py") == VERIFY.read_bytes()


def test_what_vola_export_writes_holds(store, urls, data, tmp_path):
    session_id = play_e1(store)
    file = tmp_path / "evening.json"
    subprocess.run(
        [sys.executable, "-m", "api.cli", "export", str(session_id), "-o", str(file)],
        env={**os.environ, "DATABASE_URL": urls.app, "DATABASE_AUDIT_URL": urls.audit,
             "VOLA_DATA": str(data)},
        timeout=60,
        check=True,
    )  # fmt: skip
    version = store.read(session_id).version
    code, said = run(file, "--key", Keys(store.pool).public.hex())
    assert (code, said.startswith(f"All {version} events")) == (0, True)


def test_what_was_tampered_with_after_that_does_not(evening, tmp_path):
    here, token = evening
    whole, file, kept = json.loads(ask(f"{here}/export", token)), tmp_path / "a", tmp_path / "b"
    kept.write_bytes(ask(f"{here}/receipts/{whole['version']}", token))

    whole["events"][4]["data"] += " "
    file.write_text(json.dumps(whole))
    assert run(file) == (1, "Version 5 is not what was sealed.")

    shorter = json.loads(ask(f"{here}/export", token))
    del shorter["events"][9:]
    early = json.loads(ask(f"{here}/receipts/9?to=9", token))
    shorter |= {name: early[name] for name in ("version", "hash", "at", "checkpoint")}
    file.write_text(json.dumps(shorter))
    assert run(file)[0] == 0  # it was once all there was
    code, said = run(file, "--receipt", kept)
    assert (code, said.startswith("It ends before version")) == (1, True)
    assert run(file, "--key", "00" * 32)[0] == 1


def test_what_cannot_be_read_is_said_in_one_sentence(tmp_path):
    assert run(tmp_path / "nothing")[0] == 2
    assert run(VERIFY) == (2, "This is no export, receipt or statement of Vola.")
