"""In a group's statement a name is only a name, too: of a member, a session or the group (S3)."""

import csv
import io
import re
import unicodedata
import zipfile

import openpyxl
import pypdf
import pytest

from api.statements.wording.sanitize import legible_name
from tests.support.api import hledger_reader
from tests.support.api.group_client import GroupClient, create_group
from tests.support.api.hostile_names import TRICKS, list_hostile_names
from tests.support.api.session_client import keys
from tests.support.api.statement_checks import (
    DIRECTION_MARKS,
    DISPOSITION,
    FORMULA,
    check_page,
    check_print,
    check_workbook,
    is_number,
    parse_page,
)
from tests.support.player_names import FOUR_PLAYERS

BATCHES = 11  # every trick, and some mixtures
BATCH_SIZE = 13
HOSTILE = list_hostile_names(BATCHES * BATCH_SIZE)
COLUMNS = 15


def create_named_group(client, name: str) -> GroupClient:
    """Create a group with this name or, if it is refused, with a common one."""
    for group_name in (name, "Torsdagar"):
        body = {"name": group_name, "members": FOUR_PLAYERS[:3]}
        head = {"Idempotency-Key": f"a circle with names, {next(keys)}"}
        answer = client.post("/v1/groups", json=body, headers=head)
        if answer.status_code == 201:
            return GroupClient(client, answer.json["id"], answer.json["tokens"])
    raise AssertionError(answer.json)


def hostile_group(client, candidates):
    """Return a group whose members have these names, each with a transfer to Ada, and the
    accepted names."""
    group = create_named_group(client, candidates[0])
    seated = {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}
    if group.write("/sessions", {**seated, "title": candidates[1]}).status_code != 201:
        group.open_session("m1", "m2", "m3")
    session = group.open_session("m1", "m2", "m3")
    accepted = []
    for name in candidates:
        answer = session.write("/players", {"name": name}, match="*")
        if answer.status_code == 201:
            accepted.append(unicodedata.normalize("NFC", name).strip())
            transfer = {"from": answer.json["id"], "to": "p1", "amount": 5}
            assert session.write("/transfers", transfer, match="*").status_code == 201
    return group, accepted


def check_table(text: str, delimiter: str) -> None:
    """Assert that no cell begins a formula, wherever the line is split."""
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    assert {len(row) for row in rows} == {COLUMNS}
    for cut in (",", ";", "\t", "|"):
        for part in (piece for row in rows for cell in row for piece in cell.split(cut)):
            assert is_number(part) or not part.strip(' "').startswith(FORMULA), part
    assert not DIRECTION_MARKS & set(text)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_name_does_harm_in_any_format(client, batch):
    plain_group = create_group(client, "Ada", "Bo", "Cilla")
    session = plain_group.open_session()
    session.write("/transfers", {"from": "p1", "to": "p2", "amount": 5}, match="*")
    harmless = parse_page(plain_group.get("/statement?format=html"))
    group, accepted = hostile_group(client, HOSTILE[batch * BATCH_SIZE : (batch + 1) * BATCH_SIZE])
    check_table(group.get("/statement?format=csv").text, ",")
    check_table(group.get("/statement?format=csv&profile=excel").text, ";")
    check_workbook(group.get("/statement?format=xlsx"), accepted)
    check_page(group.get("/statement?format=html"), accepted, harmless)
    check_print(group.get("/statement?format=pdf"), accepted)
    journal = group.get("/statement?format=hledger")
    transactions = hledger_reader.parse_journal(journal.text)
    assert len(transactions) == len(accepted) + 1
    assert all(len(transaction.postings) == 2 for transaction in transactions[:-1])
    assert not DIRECTION_MARKS & set(journal.text)
    document = group.get("/statement?format=json")
    assert len(document.json["lines"]) == len(accepted)
    assert not DIRECTION_MARKS & set(document.text)


@pytest.mark.parametrize("name", [n for n in TRICKS if n.strip() and n.isprintable()][::7])
def test_a_members_own_statement_has_the_members_name(client, name):
    """The title of its sheet, its heading, its journal and its file name have the name."""
    group = create_named_group(client, name)
    joined = group.write("/members", {"name": name})
    if joined.status_code != 201:
        return
    member = joined.json["id"]
    session = group.open_session("m1", "m2", member)
    session.write("/transfers", {"from": "p3", "to": "p1", "amount": 5}, match="*")
    for form in ("json", "csv", "html", "xlsx", "pdf", "hledger"):
        answer = group.get(f"/statement?format={form}&member={member}")
        assert answer.status_code == 200, (form, answer.text)
        assert re.fullmatch(DISPOSITION, answer.headers["Content-Disposition"])
    answer = group.get(f"/statement?format=xlsx&member={member}")
    with zipfile.ZipFile(io.BytesIO(answer.data)) as packed:
        assert packed.testzip() is None
    assert len(openpyxl.load_workbook(io.BytesIO(answer.data)).sheetnames) == 3
    hledger_reader.parse_journal(group.get(f"/statement?format=hledger&member={member}").text)
    paper = group.get(f"/statement?format=pdf&member={member}")
    assert pypdf.PdfReader(io.BytesIO(paper.data)).pages
    assert group.get(f"/statement?member={member}").json["name"] in (
        legible_name(name),
        "Torsdagar",
    )
