"""`verify.py` verifies exports, receipts and statements without any module of Vola."""

import gzip
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from random import Random
from urllib.request import Request, urlopen

import pytest

from api.i18n.catalog import LANGUAGES, catalog
from ledger.events import codec
from ledger.projections import postings
from ledger.proofs.checkpoint import SMALL_ORDER, read_public_key
from ledger.proofs.receipts import ReceiptIssuer
from tests.support.api.command_line import run_vola
from tests.support.ledger.store_session import play_e1
from tests.support.module_output import run_module
from tests.support.proofs.contradiction_files import contradiction_file, names_file
from tests.support.proofs.cosigned_documents import witness_claim, witnessed_export
from tests.support.proofs.exported_files import SignedBook, encode_document
from tests.support.proofs.group_statements import true_group_statement
from tests.support.proofs.tampered_exports import (
    WAYS,
    flip_bit,
    vector,
    vectors,
)
from tests.support.proofs.verifier import verify

GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).parent / "golden" / "events.jsonl").read_text().splitlines()
]

CLAUSES = {
    *("earlier", "given", "own", "witnessed", "witnesses"),
    *("confirmed_sessions", "confirmed_evening", "witnessed_sessions", "names_unsigned"),
    *("keys_differ", "cut_off", "archive", "compressed", "utf_16"),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_tampering_has_its_sentence(way):
    tampered = vector(way, SignedBook(Random(way), 8), Random(1))
    assert tampered.judged()[:2] == (tampered.exit, tampered.code)


def test_every_code_has_an_example():
    codes = {vector(way, SignedBook(Random(way), 8), Random(1)).code for way in WAYS}
    assert set(verify.SENTENCES) - codes == {*CLAUSES, "root_wrong"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_a_sentence_for_every_code(language):
    assert set(catalog(language)["verify"]["said"]) == set(verify.SENTENCES)


def test_a_checkpoint_of_other_events_is_refused():
    """It is signed with the book's own key, with the right hash and the wrong root."""
    book = SignedBook(Random(2), 8)
    other_book = SignedBook(Random(3), 8, book.session)
    book.tree = other_book.tree
    assert verify.verify_document(encode_document(book.export())) == (1, "root_wrong", 8)


@pytest.mark.parametrize("kind", ["export", "receipt"])
def test_no_bit_of_a_document_can_be_changed(kind):
    random = Random(kind)
    book = SignedBook(random, 8)
    document = encode_document(book.export(5) if kind == "export" else book.receipt(3, 7))
    assert verify.verify_document(document)[0] == 0
    for _ in range(500):
        bent = flip_bit(random, document)
        assert verify.verify_document(bent)[0] != 0, bent


def test_generated_documents_get_their_expected_verdict():
    for tampered in vectors(seed=7, count=300):
        exit_code, code, _ = tampered.judged()
        if tampered.code:
            assert (exit_code, code) == (tampered.exit, tampered.code), tampered.way


@pytest.mark.parametrize("line", GOLDEN, ids=lambda line: f"{line['type']} {line['schema']}")
def test_the_postings_of_every_stored_event_agree_with_the_ledger(line):
    """A new event needs its shape and postings in verify.py, and in api/verify/static, too."""
    event = codec.decode(line["type"], line["schema"], line["data"])
    moved = [(x.source, x.target, x.amount) for x in postings.postings_of(event)]
    assert verify.movements_of(line["type"], verify.parse_object(line["data"])) == moved


def test_many_receipts_kept_earlier_take_no_tree_each(monkeypatch):
    """A file of some megabytes would else keep the program busy for very long."""
    roots = []
    tree_root = verify.tree_root
    monkeypatch.setattr(verify, "tree_root", lambda leaves: roots.append(1) or tree_root(leaves))
    book = SignedBook(Random(4), 40)
    receipts = [{k: book.bare_receipt(v)[k] for k in ("version", "hash")} for v in range(1, 41)]
    earlier = {**book.receipt(40), "format": None, "receipts": receipts}
    verdict = verify.verify_document(encode_document(book.export()), encode_document(earlier))
    assert verdict == (0, "export", 40)
    assert len(roots) == 2, "that of the export, and that of the one signed version"


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
    assert verify.is_signature(key, message, signature)
    assert not verify.is_signature(key, message + b"!", signature)
    higher = int.from_bytes(signature[32:], "little") + verify.ORDER
    assert not verify.is_signature(key, message, signature[:32] + higher.to_bytes(32, "little"))


def test_no_key_of_small_order_signs_anything():
    """OpenSSL accepts one text of eight for such a key, or every text, and nobody has to sign."""
    keys = [
        (y | sign << 255).to_bytes(32, "little") for y in sorted(SMALL_ORDER) for sign in (0, 1)
    ]
    for key in keys:
        with pytest.raises(ValueError):
            read_public_key(key)
        signatures = [point + bytes(32) for point in keys]
        texts = [bytes([number]) for number in range(4)]
        assert not any(verify.is_signature(key, x, s) for x in texts for s in signatures), key.hex()


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The file verify.py, written by `python -m api.verify.single_file`."""
    file = tmp_path_factory.mktemp("verifier") / "verify.py"
    file.write_text(run_module("api.verify.single_file"), "utf-8")
    return file


@pytest.fixture(scope="module")
def run(script):
    def run_script(*arguments):
        """Run verify.py as a user who has only Python and this file."""
        result = subprocess.run(
            [sys.executable, "-I", "-S", str(script), *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=60,
            cwd="/",
        )
        output = result.stderr if result.returncode else result.stdout
        *first_line, sentence = output.strip().splitlines()
        assert len(first_line) == (result.returncode != 2), result
        return result.returncode, sentence

    return run_script


@pytest.fixture(scope="module")
def first_line(script):
    def run_script(*arguments, encoding="utf-8"):
        """Return the first line that verify.py prints on a terminal with this encoding."""
        start = (
            "import runpy, sys; sys.stdout.reconfigure(encoding=sys.argv.pop(1), errors='strict')"
        )
        program = f"{start}; runpy.run_path(sys.argv.pop(1), run_name='__main__')"
        result = subprocess.run(
            [sys.executable, "-I", "-S", "-c", program, encoding, script, *map(str, arguments)],
            capture_output=True,
            timeout=60,
        )
        output = result.stderr if result.returncode else result.stdout
        return output.decode(encoding if result.stdout else "utf-8").splitlines()[0]

    return run_script


def test_the_first_line_says_what_the_file_is_and_whether_it_holds(first_line, script, tmp_path):
    book, file, export = SignedBook(Random(5), 12), tmp_path / "file", tmp_path / "export"
    file.write_bytes(encode_document(book.true_statement("p1")))
    export.write_bytes(encode_document(book.labelled_export()))
    end = "up to version 12 of 31 January 2024"
    assert (
        first_line(file)
        == f"The statement of Player 1, evening {str(book.session)[:8]}, {end} holds."
    )
    assert first_line(file, "--export", export) == f"The statement of Ada, Fredag ♠, {end} holds."
    assert first_line(export) == f"The export of Fredag ♠ {end} holds."
    assert first_line(export, "--key", "00" * 32) == (
        f"The file does not hold; it claims to be the export of Fredag ♠ {end}."
    )
    assert first_line(script) == verify.SENTENCES["unreadable"]


def test_a_title_cannot_control_the_terminal_or_stop_the_program(first_line, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(
        encode_document(SignedBook(Random(5), 12).labelled_export("\x1b[2J\u202e♠ א\n"))
    )
    line = first_line(file)
    assert line.startswith("The export of \u2068\ufffd[2J\ufffd♠ א\ufffd\u2069 up to version 12")
    file.write_bytes(encode_document(SignedBook(Random(5), 12).labelled_export("♠" * 60)))
    assert f"The export of {'♠' * 40}… up to" in first_line(file)
    assert f"The export of {'?' * 41} up to" in first_line(file, encoding="ascii")


@pytest.mark.parametrize(
    ("tampered", "exit_code", "broken"), [(False, 2, "stdout"), (True, 1, "stderr")]
)
def test_a_full_disk_is_no_verdict(script, tmp_path, tampered, exit_code, broken):
    file = tmp_path / "file"
    file.write_bytes(encode_document(SignedBook(Random(5), 12).labelled_export()))
    command = [sys.executable, "-I", "-S", str(script), str(file)]
    command += ["--key", "00" * 32] if tampered else []
    other = "stderr" if broken == "stdout" else "stdout"
    with open("/dev/full", "w") as full:
        outputs = {broken: full, other: subprocess.PIPE}
        result = subprocess.run(command, **outputs, text=True, timeout=60)
    assert result.returncode == exit_code
    remark = "" if tampered else "Cannot write the result: No space left on device.\n"
    assert getattr(result, other) == remark


def test_a_closed_pipe_is_no_verdict(script, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(encode_document(SignedBook(Random(5), 12).labelled_export()))
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = subprocess.run(
            [sys.executable, "-I", "-S", str(script), str(file)],
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    finally:
        os.close(writer)
    assert (result.returncode, result.stderr) == (2, "Cannot write the result: Broken pipe.\n")


@pytest.mark.parametrize("keeper", ["a phone", "a witness"])
def test_two_histories_in_one_file_are_compared(run, tmp_path, keeper):
    file, book = tmp_path / "file", SignedBook(Random(5), 12)
    file.write_bytes(encode_document(contradiction_file(book, 4, keeper)))
    exit_code, sentence = run(file)
    assert exit_code == 0
    assert "what you kept earlier still stands" in sentence
    file.write_bytes(encode_document(contradiction_file(book.rewrite(2), 4, keeper, book)))
    assert run(file) == (1, "Version 4 was a different one when you got your receipt.")
    for member in ("kept", "received"):
        broken = contradiction_file(book, 4, keeper) | {member: None}
        file.write_bytes(encode_document(broken))
        assert run(file)[0] == 2


def test_a_file_of_moved_names_says_what_it_cannot_prove(run, first_line, tmp_path):
    file, book = tmp_path / "file", SignedBook(Random(5), 8)
    unsigned = verify.SENTENCES["names_unsigned"]
    moved = (
        "The phone was shown the name {bo}\ufffd for Player 1, after it had seen Player 2 bear it."
    )
    doc = names_file(book, p1="{bo}\u202e")
    doc["kept"]["names"]["p2"].append("{bo}\u202e")
    doc["received"]["players"].append({"id": "p2", "name": "Bo"})
    file.write_bytes(encode_document(doc))
    assert run(file) == (1, f"{moved} {unsigned}")
    evening = f"evening {str(book.session)[:8]}"
    assert first_line(file) == (
        f"Names in {evening} have moved from one player to another, a file of 26 November 2026 "
        "says."
    )
    file.write_bytes(encode_document(names_file(book, p1="Ada", p2="Bo")))
    assert run(file) == (3, f"{verify.SENTENCES['names_agree']} {unsigned}")
    receipt = tmp_path / "receipt"
    receipt.write_bytes(encode_document(book.receipt(3)))
    assert run(file, "--receipt", receipt) == (1, "It carries no signature.")
    assert first_line(file, "--receipt", receipt) == "It does not hold."
    assert run(receipt, "--receipt", file)[0] == 2
    assert run(file, "--export", receipt)[0] == 2


def test_the_sentence_names_the_other_books_that_witness(run, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(encode_document(witnessed_export(SignedBook(Random(5), 8))))
    exit_code, sentence = run(file)
    assert exit_code == 0
    for seen, books in ((8, "kortklubben"), (6, "bo")):
        assert f"up to version {seen} it is witnessed by {books} (another book)" in sentence


def test_the_sentence_names_the_players_who_have_confirmed(run, tmp_path):
    file, export, book = tmp_path / "file", tmp_path / "export", SignedBook(Random(5), 8)
    claim = witness_claim(book, 6, "p1", "p2")
    file.write_bytes(
        encode_document(book.sign_document({**book.true_statement(), "witnessed": claim}))
    )
    assert "version 6 is confirmed by Player 1, Player 2, each with" in run(file)[1]
    export.write_bytes(encode_document(book.labelled_export()))
    exit_code, sentence = run(file, "--export", export, "--key", book.key)
    assert (exit_code, sentence.endswith("; the key is the one you gave.")) == (0, True)
    assert "version 6 is confirmed by Ada, Bo, each with" in sentence


@pytest.mark.parametrize("edition", ["0.1", "0.2", "1.0"])
@pytest.mark.parametrize("which", ["group_first", "group_second"])
def test_a_frozen_group_statement_goes_with_each_export(edition, which):
    book = Path(__file__).parent / "golden" / f"book-{edition}"
    statement = (book / "group-statement-m1.json").read_bytes()
    export = (book / which / "export.json").read_bytes()
    # 0.1 did not sign its statements
    code = (3, "group_figures") if edition == "0.1" else (0, "group_remade")
    assert verify.verify_document(statement, export=export)[:2] == code


def ask(url, token=None):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return urlopen(Request(url, headers=headers), timeout=20).read()


@pytest.fixture(scope="module")
def evening(server):
    """A session that the demo played: its URL and a viewer token."""
    result = run_vola("demo", "--deals", "4", **server.environment)
    session, token = result.stdout.strip().splitlines()[-1].split("/#/s/")[1].split("/")[:2]
    return f"{server.url}/v1/sessions/{session}", token


def test_files_fetched_over_http_verify_without_vola(evening, run, script, server_url, tmp_path):
    session_url, token = evening
    key = json.loads(ask(f"{server_url}/v1/key"))["key"]
    export, receipt, later_receipt = (
        tmp_path / f"{name}.json" for name in ("export", "receipt", "then")
    )
    export.write_bytes(ask(f"{session_url}/export", token))
    receipt.write_bytes(ask(f"{session_url}/receipts/9", token))
    later_receipt.write_bytes(ask(f"{session_url}/receipts/3?to=9", token))
    version = json.loads(export.read_text())["version"]

    code, output = run(export, "--key", key)
    assert (code, output.startswith(f"Up to version {version} no event is missing")) == (0, True)
    assert output.endswith("the key is the one you gave.")
    code, output = run(export, "--receipt", receipt)
    assert (code, "still stands" in output, output.endswith(key)) == (0, True, True)
    assert run(receipt, "--receipt", later_receipt, "--key", key)[0] == 0
    assert ask(f"{server_url}/verify.py") == script.read_bytes()


def test_a_file_of_vola_export_verifies(run, store, urls, data, tmp_path):
    session_id = play_e1(store)
    file = tmp_path / "evening.json"
    subprocess.run(
        [sys.executable, "-m", "api.cli.main", "export", str(session_id), "-o", str(file)],
        env={**os.environ, "DATABASE_URL": urls.app, "DATABASE_AUDIT_URL": urls.audit,
             "VOLA_DATA": str(data)},
        timeout=60,
        check=True,
    )  # fmt: skip
    version = store.load(session_id).version
    code, output = run(file, "--key", ReceiptIssuer(store.pool).signing_key().public_bytes.hex())
    assert (code, output.startswith(f"Up to version {version} no event is missing")) == (0, True)


def test_a_tampered_export_does_not_verify(evening, run, tmp_path):
    session_url, token = evening
    export, file, receipt_file = (
        json.loads(ask(f"{session_url}/export", token)),
        tmp_path / "a",
        tmp_path / "b",
    )
    receipt_file.write_bytes(ask(f"{session_url}/receipts/{export['version']}", token))

    export["events"][4]["data"] += " "
    file.write_text(json.dumps(export))
    assert run(file) == (1, "Version 5 is not as it was written.")

    shorter = json.loads(ask(f"{session_url}/export", token))
    del shorter["events"][9:]
    early = json.loads(ask(f"{session_url}/receipts/9?to=9", token))
    shorter |= {name: early[name] for name in ("version", "hash", "at", "checkpoint")}
    file.write_text(json.dumps(shorter))
    code, output = run(file)
    assert code == 0, "it was once all there was"
    assert "whether the evening went on after that, this file cannot show" in output
    code, output = run(file, "--receipt", receipt_file)
    assert (code, output.startswith("It ends before version")) == (1, True)
    assert run(file, "--key", "00" * 32)[0] == 1


def test_an_unreadable_file_is_refused_in_one_sentence(run, script, tmp_path):
    assert run(tmp_path / "nothing")[0] == 2
    code, output = run(script)
    text = "This file cannot be checked. What can be checked are exports, receipts and statements"
    assert (code, output.startswith(f"{text} in JSON.")) == (2, True)
    assert output.endswith("A statement in another format is checked at the address that it shows.")


def test_files_that_do_not_go_together_say_nothing_against_any(run, first_line, tmp_path):
    book, other_book = SignedBook(Random(5), 12), SignedBook(Random(6), 12)
    imported = SignedBook.from_events(book.session, book.events, other_book.signing_key)
    file, second = tmp_path / "file", tmp_path / "second"
    for option, document, second_document, code in (
        ("--export", book.true_statement(), other_book.export(), "export_other"),
        ("--export", book.true_statement(), book.export(5), "export_short"),
        ("--export", book.true_statement(), imported.export(), "keys_differ"),
        ("--receipt", book.export(), other_book.receipt(4), "other_session"),
        ("--receipt", imported.export(), book.receipt(4), "keys_differ"),
    ):
        file.write_bytes(encode_document(document))
        second.write_bytes(encode_document(second_document))
        assert run(file, option, second) == (1, verify.SENTENCES[code].format(version=12))
        assert first_line(file, option, second) == verify.UNNAMED_SUMMARIES["apart"]
    assert run(file, "--receipt", second, "--key", "00" * 32)[1] == verify.SENTENCES["other_key"]


def test_a_file_that_was_cut_off_is_called_so(run, tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    document = encode_document(SignedBook(Random(5), 12).true_statement())
    whole.write_bytes(document)
    cut.write_bytes(document[:-9])
    for arguments, code in (
        ((cut,), "unreadable"),
        ((whole, "--export", cut), "export_unreadable"),
        ((whole, "--receipt", cut), "earlier_unreadable"),
    ):
        sentence = f"{verify.SENTENCES[code]} {verify.SENTENCES['cut_off']}"
        assert run(*arguments) == (2, sentence)


def test_a_file_is_cut_off_wherever_it_ends():
    book = SignedBook(Random(5), 12)
    for document in (book.export(), book.receipt(4, 9), book.true_statement()):
        raw = encode_document(document)
        hints = [verify.hint_code(raw[:length]) for length in range(1, len(raw) + 1)]
        assert hints == ["cut_off"] * (len(raw) - 1) + [None]
    for raw in (b"", b"[1", b"x{", b'{"a": }', b'{"}": "\\"{"}', b"{}}", b"{]"):
        assert verify.hint_code(raw) is None, raw


def test_an_archive_is_to_be_unpacked(run, tmp_path):
    archive = tmp_path / "archive"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("sessions/1.json", "{}")
    sentence = f"{verify.SENTENCES['unreadable']} {verify.SENTENCES['archive']}"
    assert run(archive) == (2, sentence)


@pytest.mark.parametrize(
    ("code", "pack"),
    [
        ("compressed", gzip.compress),
        ("utf_16", lambda content: content.decode().encode("utf-16")),
        ("utf_16", lambda content: b"\xfe\xff" + content.decode().encode("utf-16-be")),
    ],
)
def test_a_file_that_another_program_has_changed_is_called_so(run, tmp_path, code, pack):
    file = tmp_path / "export"
    file.write_bytes(pack(encode_document(SignedBook(Random(5), 12).export())))
    assert run(file) == (2, f"{verify.SENTENCES['unreadable']} {verify.SENTENCES[code]}")


def test_the_export_of_a_statement_has_the_version_of_an_earlier_receipt(run, tmp_path):
    book, export, receipt = SignedBook(Random(5), 12), tmp_path / "export", tmp_path / "receipt"
    statement = tmp_path / "statement"
    export.write_bytes(encode_document(book.export()))
    receipt.write_bytes(encode_document(book.receipt(4, 9)))
    for document in (book.true_statement(), true_group_statement(book)):
        statement.write_bytes(encode_document(document))
        exit_code, sentence = run(statement, "--export", export, "--receipt", receipt)
        assert exit_code == 0
        assert verify.SENTENCES["earlier"] in sentence
    receipt.write_bytes(encode_document(book.rewrite(3).receipt(4, 9)))
    outcome = run(statement, "--export", export, "--receipt", receipt)
    assert outcome == (1, verify.SENTENCES["rewritten"].format(version=4))
