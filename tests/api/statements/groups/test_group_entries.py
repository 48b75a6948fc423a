"""CSV, workbooks and journals have what a group recorded itself. With the statement's balances it
adds up to the open balances, and every sum of the evenings stays as it was."""

import csv
import io
from collections import Counter
from datetime import datetime
from random import Random
from uuid import UUID

import openpyxl
import pytest

from api.i18n.catalog import LANGUAGES, text
from api.i18n.translator import Translator
from api.statements.groups.group_entries import event_entries
from api.statements.saved_statement_check import check_saved_statement
from api.statements.statement_query import statement_query
from ledger.events.hash_chain import GENESIS_HASH
from ledger.groups.group_event_log import record_group_events
from ledger.groups.group_events import BalanceWrittenOff, MemberAmount
from tests.support.api.balance_import import import_body
from tests.support.api.group_client import create_group
from tests.support.api.random_group import random_group_of_sessions
from tests.support.api.two_sessions import read_journal

OLD_BOOK = b"Datum;Ada;Bo;Cilla\n2024-01-05;10;-10;\n2024-01-12;5,50;-5;-0,50\n"
SETTLED_BOOK = b"Datum;Ada;Bo\n2023-01-05;99;-99\n"
ENTRY_KINDS = {
    *("group_opening", "import", "group_transfer_recorded", "balance_handed_over"),
    *("balance_written_off", "member_left", "member_returned"),
}


@pytest.fixture
def group(app):
    """Bo owes Ada 100 kr after an evening; Emil was never at a table."""
    group = create_group(app.test_client(), "Ada", "Bo", "Cilla", "Disa", "Emil")
    session = group.open_session("m1", "m2", "m3")
    paid = {"from": "p1", "to": "p2", "amount": 10_000}
    assert session.write("/transfers", paid, match="*").status_code == 201
    assert session.write("/closure", {}, match="*").status_code == 201
    return group


def record_entries(group):
    """Import two files, one of them settled, and one that is voided; Bo pays Ada, Disa pays Emil;
    Bo leaves, and Ada and Cilla bear what is left."""
    for content, settled in ((OLD_BOOK, False), (SETTLED_BOOK, True)):
        record(group, "/imports", import_body(content, settled=settled))
    voided = record(
        group, "/imports", import_body(b"Datum;Ada;Bo\n2022-01-05;7;-7\n", settled=False)
    )
    assert group.write(f"/imports/{voided['number']}", method="DELETE").status_code == 200
    record(group, "/transfers", {"from": "m2", "to": "m1", "amount": 4000, "currency": "SEK"})
    record(group, "/transfers", {"from": "m4", "to": "m5", "amount": 700, "currency": "SEK"})
    record(group, "/transfers", {"from": "m4", "to": "m5", "amount": 900, "currency": "DKK"})
    leaves = {"agreement": "write_off", "borne_by": ["m1", "m3"]}
    record(group, "/members/m2/departure", leaves)


def record(group, path, body):
    answer = group.write(path, body)
    assert answer.status_code == 201, answer.json
    return answer.json


def test_a_member_named_twice_by_an_archive_is_added_up():
    """No write names a member twice, but events of an archive may."""
    parts = (MemberAmount(member="m1", amount=70), MemberAmount(member="m1", amount=30))
    event = BalanceWrittenOff(member="m2", amount=100, currency="SEK", borne_by=parts)
    recorded = record_group_events(
        UUID(int=1), [event], number=0, previous_hash=GENESIS_HASH, at=0, by="host.0"
    )
    query = statement_query(None, "money", {"format": "json"})
    (entry,) = event_entries(recorded, "SEK", query, Translator("en"))
    assert entry.changes == {"m1": 100, "m2": -100}


def test_an_empty_period_opens_with_what_was_before_it(group):
    record_entries(group)
    assert "group_opening" in group.get("/statement?from=2099-01-01").json
    assert "group_opening" not in group.get("/statement?to=2000-01-01").json
    assert group.get("/statement?from=2099-01-01&to=2000-01-01").status_code == 422


def read_rows(group, query="", delimiter=",", language="en"):
    answer = group.get(f"/statement?format=csv&lang={language}&currency=SEK{query}")
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text.lstrip("\ufeff")), delimiter=delimiter))


def entry_rows(group, query=""):
    return [row for row in read_rows(group, query) if row["kind"] in ENTRY_KINDS]


def read_json(group, query=""):
    return group.get(f"/statement?lang=en&currency=SEK{query}").json


def changes_in_csv(group, query=""):
    changes = Counter()
    for row in entry_rows(group, query):
        if row["to"]:
            changes[row["to"].partition(":")[2]] += int(row["open_balance_change"])
    return changes


def open_balances(group, currency="SEK"):
    (balances,) = (
        each["balances"]
        for each in group.get("/open-balances").json["currencies"]
        if each["currency"] == currency
    )
    return {row["id"]: row["amount"] for row in balances if row["is_member"] and row["amount"]}


def journal_balances(group, query=""):
    """Return the balances of members in whole cents, by their ids."""
    answer = group.get(f"/statement?format=hledger&lang=en&currency=SEK{query}")
    assert answer.status_code == 200, answer.text
    balances = Counter()
    for transaction in read_journal(answer.text):
        for account, amount in transaction.postings:
            if account.startswith("assets:players:m"):
                balances[account.split(":")[2].split()[0]] += int(100 * amount)
    return {member: amount for member, amount in balances.items() if amount}


def test_a_table_has_the_changes_of_the_json_statement(group):
    record_entries(group)
    statement = read_json(group)
    rows = entry_rows(group)
    events = [
        (event["number"], event["type"], event["at"], event["why"], member, change)
        for event in statement["group_events"]
        for member, change in (event["changes"] or {None: None}).items()
    ]
    in_members_order = sorted(events, key=lambda event: (event[0], event[4] or ""))
    assert [
        (
            int(row["version"]),
            row["kind"],
            row["at"],
            row["why"],
            row["to"].partition(":")[2] or None,
            int(row["open_balance_change"]) if row["to"] else None,
        )
        for row in rows
        if row["kind"] != "import"
    ] == in_members_order
    imports = [row for row in rows if row["kind"] == "import"]
    assert [(row["to"], int(row["balance"])) for row in imports] == [
        (f"member:{member}", result)
        for each in statement["imports"]
        for member, result in each["results"].items()
    ]
    assert [int(row["open_balance_change"]) for row in imports] == [1550, -1500, -50, 0, 0]
    assert changes_in_csv(group).total() == 0


def test_entries_change_no_other_row_and_no_sum_of_the_evenings(group):
    before = read_rows(group)
    record_entries(group)
    after = read_rows(group)
    others = [row for row in after if row["kind"] not in ENTRY_KINDS]
    assert [row | {"why": ""} for row in others] == [row | {"why": ""} for row in before]
    assert (after[0]["kind"], after[-1]["kind"]) == ("opening", "closing")
    entries = [row for row in after if row["kind"] in ENTRY_KINDS]
    assert {row[name] for row in entries for name in ("session", "from", "amount", "change")} == {
        ""
    }


def test_balances_and_entries_of_a_table_add_up_to_the_open_balances(group):
    record_entries(group)
    totals = changes_in_csv(group)
    for row in read_rows(group):
        if row["kind"] == "to_settle":
            totals[row["to"].partition(":")[2]] += int(row["balance"])
    assert {member: total for member, total in totals.items() if total} == open_balances(group)


def test_the_accounts_of_a_journal_have_the_open_balances(group):
    record_entries(group)
    assert journal_balances(group) == open_balances(group) != {}
    journal = group.get("/statement?format=hledger&lang=en&currency=SEK").text
    assert "* Bo has paid Ada 40 kr  ; kind=group_transfer_recorded number=" in (
        journal.replace("\xa0", " ")
    )
    assert "account assets:players:m5 Emil\n" in journal
    assert "settled already" in journal
    assert "Bo left the group" in journal


def test_a_journal_is_strict_whatever_a_members_name_begins_with(app):
    """hledger takes a bracket at the beginning of a description for that of a code."""
    group = create_group(app.test_client(), "(Ada", "[Bo]")
    for payer, payee in (("m1", "m2"), ("m2", "m1")):
        paid = {"from": payer, "to": payee, "amount": 100, "currency": "SEK"}
        record(group, "/transfers", paid)
    journal = group.get("/statement?format=hledger&lang=en").text
    assert len(read_journal(journal)) == 3  # the last one asserts the balances
    assert "* Ada has paid (Bo)" in journal


@pytest.mark.parametrize("day", ["2024-01-06", "2024-06-01", "2099-01-01"])
def test_what_was_before_a_period_opens_its_entries(group, day):
    record_entries(group)
    period = f"&from={day}"
    assert journal_balances(group, period) == open_balances(group)
    assert changes_in_csv(group, period) == changes_in_csv(group)
    (ada, *_) = [row for row in entry_rows(group, period) if row["kind"] == "group_opening"]
    assert (ada["to"], ada["why"]) == ("member:m1", "Opening balance")
    assert "group_opening" not in {row["kind"] for row in entry_rows(group)}


@pytest.mark.parametrize("member", ["", "&member=m1"])
def test_json_and_pages_say_what_was_before_the_period(group, member):
    record_entries(group)
    period = f"&from=2099-01-01{member}"
    opening = read_json(group, period)["group_opening"]
    assert {m: amount for m, amount in opening.items() if amount} == changes_in_csv(group, period)
    assert "group_opening" not in read_json(group, member)
    for query, expected in ((period, 1), (member, 0)):
        page = group.get(f"/statement?format=html&lang=en&currency=SEK{query}").text
        assert page.count("Before the period, outside the evenings") == expected


def test_a_saved_statement_still_has_what_was_before_its_period(app, group):
    record(group, "/transfers", {"from": "m2", "to": "m1", "amount": 4000, "currency": "SEK"})
    saved = group.get("/statement?lang=en&from=2099-01-01")
    assert list(check_saved_statement(app, saved.data)) == []
    record(group, "/transfers", {"from": "m2", "to": "m1", "amount": 500, "currency": "SEK"})
    assert group.get("/statement?lang=en&from=2099-01-01").headers["ETag"] != saved.headers["ETag"]
    assert list(check_saved_statement(app, saved.data)) == []


def test_a_member_sees_the_entries_that_concern_the_member(group):
    record_entries(group)
    rows = entry_rows(group, "&member=m3")
    assert [(row["kind"], row["to"]) for row in rows] == [
        *(("import", "member:m3"), ("balance_written_off", "member:m3"))
    ]
    assert changes_in_csv(group, "&member=m2")["m2"] == changes_in_csv(group)["m2"]
    assert [row["kind"] for row in entry_rows(group, "&member=m2")][-1] == "member_left"
    for member in ("m1", "m2", "m5"):
        own = journal_balances(group, f"&member={member}").get(member, 0)
        assert own == open_balances(group).get(member, 0)


def test_a_workbook_has_a_sheet_of_entries_that_add_up(group):
    answer = group.get("/statement?format=xlsx&lang=en&currency=SEK")
    assert len(openpyxl.load_workbook(io.BytesIO(answer.data)).worksheets) == 3
    record_entries(group)
    answer = group.get("/statement?format=xlsx&lang=en&currency=SEK")
    sheet = openpyxl.load_workbook(io.BytesIO(answer.data)).worksheets[2]
    assert sheet.title == "Recorded by the group"
    head, *rows, total = ([*row] for row in sheet.iter_rows(values_only=True))
    assert head == ["Time", "Why", "Ada", "Bo", "Cilla", "Disa", "Emil"]
    assert rows[0][0] == datetime.fromisoformat("2024-01-12")
    assert [round(100 * sum(row[2:])) for row in rows] == [0] * len(rows)
    totals = dict(zip(("m1", "m2", "m3", "m4", "m5"), total[2:], strict=True))
    assert {member: round(100 * x) for member, x in totals.items()} == changes_in_csv(group)


@pytest.mark.parametrize("language", LANGUAGES)
def test_excel_gets_names_and_decimal_commas_in_the_readers_language(group, language):
    record_entries(group)
    rows = read_rows(group, "&profile=excel", ";", language)
    paid = [row for row in rows if row["kind"] == "group_transfer_recorded"]
    assert [(row["to"], row["open_balance_change"]) for row in paid] == [
        *(("Ada", "-40,00"), ("Bo", "40,00"), ("Disa", "7,00"), ("Emil", "-7,00"))
    ]
    assert text(language, "statement.imported_short").startswith(
        next(row["why"] for row in rows if row["kind"] == "import").split()[0]
    )


def test_an_erased_name_is_in_no_entry(group):
    record_entries(group)
    erased = group.write("/members/m5/name", method="DELETE")
    assert erased.status_code < 300, erased.text
    for form in ("csv", "csv&profile=excel", "hledger"):
        answer = group.get(f"/statement?format={form}&lang=en&currency=SEK")
        assert "Emil" not in answer.text
    assert journal_balances(group) == open_balances(group)


@pytest.mark.parametrize("seed", range(4))
def test_a_random_groups_journal_and_table_agree_with_its_open_balances(app, seed):
    random = Random(seed)
    group = random_group_of_sessions(app, random)
    members = [member["id"] for member in group.state["members"]]
    record(group, "/imports", import_body(OLD_BOOK, settled=False))
    for _ in range(8):
        payer, payee = random.sample(members, 2)
        amount = random.randint(1, 9999)
        paid = {"from": payer, "to": payee, "amount": amount, "currency": "SEK"}
        record(group, "/transfers", paid)
    assert journal_balances(group) == open_balances(group)
    totals = changes_in_csv(group)
    assert totals.total() == 0
    for member, balance in read_json(group)["balances"].items():
        totals[member] += balance
    assert {member: total for member, total in totals.items() if total} == open_balances(group)


def test_a_group_without_an_evening_has_its_entries_too(app):
    group = create_group(app.test_client(), "Ada", "Bo", "Cilla")
    record(group, "/imports", import_body(OLD_BOOK, settled=False))
    assert journal_balances(group) == open_balances(group)
    assert changes_in_csv(group) == {"m1": 1550, "m2": -1500, "m3": -50}


def test_entries_of_another_currency_are_left_out(group):
    record_entries(group)
    kinds = [row["kind"] for row in entry_rows(group)]
    assert kinds.count("group_transfer_recorded") == 4
    in_kroner = group.get("/statement?format=hledger&currency=DKK").text
    assert "9.00 DKK" in in_kroner
    assert "7.00" not in in_kroner


def test_a_hostile_name_is_harmless_in_every_entry(app):
    group = create_group(app.test_client(), "=1+1", "Bo; kind=x:y", "@Cilla")
    for payer, payee in (("m1", "m2"), ("m2", "m3")):
        paid = {"from": payer, "to": payee, "amount": 100, "currency": "SEK"}
        record(group, "/transfers", paid)
    record(group, "/members/m1/departure", {"agreement": "hand_over", "recipient": "m3"})
    rows = read_rows(group, "&profile=excel", ";")
    entries = [row for row in rows if row["kind"] in ENTRY_KINDS]
    assert len(entries) == 7
    assert not any(row[name][:1] in tuple("=+@") for row in entries for name in ("to", "why"))
    assert journal_balances(group) == open_balances(group)
