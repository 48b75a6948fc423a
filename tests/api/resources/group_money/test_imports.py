"""Earlier evenings from a file: previewed, imported once, shown apart, voided."""

from datetime import datetime, timedelta
from hashlib import sha256
from typing import get_args
from zoneinfo import ZoneInfo

import pytest

from api.i18n.catalog import LANGUAGES, text
from api.i18n.translator import Translator
from ledger.transfer.csv_table.refusals import Reason
from tests.support.api.balance_import import import_body, real_file
from tests.support.api.group_client import create_group, open_session_with_payments
from tests.support.ledger.hostile_csv import hostile_files

SWEDISH = real_file("swedish_excel.csv")
LONG = real_file("long_format.csv")
WIDE = b"Datum;Ada;Bo;Cilla\n2024-01-05;10;-10;\n2024-01-12;5,50;-5;-0,50\n"
ODD = b"Datum;Ada;Bo\n2024-01-05;10;-10\n2024-01-12;5;-4\n2024-01-19;x;3\n"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_of_a_file_has_a_sentence(language):
    for reason in get_args(Reason):
        assert text(language, f"tables.{reason}")


@pytest.fixture
def group(client):
    return create_group(client, "Ada", "Bo", "Cilla", "Disa", "Emil")


def preview(group, content, role="host", query="lang=en", **more):
    return group.client.post(
        f"{group.path}/imports/preview?{query}",
        json=import_body(content, **more),
        headers={"Authorization": f"Bearer {group.tokens[role]}"},
    )


def record(group, content, **more):
    return group.write("/imports", import_body(content, **{"settled": False, **more}))


def code(answer):
    return answer.status_code, answer.json["code"]


def test_a_preview_proposes_columns_and_members(group):
    answer = preview(group, SWEDISH)
    assert answer.status_code == 200, answer.json
    shown = answer.json
    assert (shown["encoding"], shown["delimiter"]) == ("windows-1252", ";")
    assert shown["mapping"]["layout"] == "wide"
    assert shown["mapping"]["results"] == [2, 3, 4, 5]
    assert [(n["name"], n["member"]) for n in shown["names"]] == [
        *(("Ada", "m1"), ("Bo", "m2"), ("Cilla", "m3"), ("Disa", "m4"))
    ]
    assert shown["evenings"][1] == {
        "rows": [3],
        "date": "2024-09-12",
        "results": {"m1": -6000, "m2": 124_000, "m3": -30_000, "m4": -88_000},
        "difference": 0,
        "borne": None,
    }
    assert [e["difference"] for e in shown["evenings"]] == [0, 0, 0, 0, -1000]
    assert shown["skipped"] == [{"row": 8, "reason": "total"}]
    assert shown["ready"] is False
    assert group.get("/imports").json == {"imports": []}


def test_a_long_table_is_read_evening_by_evening(group):
    shown = preview(group, LONG, currency="EUR").json
    assert shown["mapping"]["layout"] == "long"
    assert [(e["date"], e["rows"], e["difference"]) for e in shown["evenings"]] == [
        ("2024-09-05", [2, 3, 4], 0),
        ("2024-09-12", [5, 6, 7, 8], 0),
        ("2024-09-26", [9, 10], 0),
    ]
    assert shown["evenings"][0]["results"] == {"m1": 12_050, "m2": -8000, "m3": -4050}
    assert shown["ready"] is True


def test_debit_and_credit_columns_make_one_amount(group):
    shown = preview(group, real_file("german_bank.csv"), currency="EUR").json
    mapping = shown["mapping"]
    assert (mapping["player"], mapping["debit"], mapping["credit"]) == (3, 5, 6)
    assert [e["results"] for e in shown["evenings"]] == [
        {"m1": 12_050, "m2": -8000, "m3": -4050},
        {"m1": -6000, "m2": 6000},
    ]


def test_dates_that_can_be_two_days_are_asked_about(group):
    content = b"Date;Ada;Bo\n05/06/2024;1;-1\n"
    shown = preview(group, content).json
    assert (shown["mapping"]["date_order"], shown["date_orders"]) == (None, ["dmy", "mdy"])
    assert [fault["reason"] for fault in shown["faults"]] == ["date_order_unclear"]
    assert code(record(group, content)) == (422, "table_unreadable")
    chosen = {"mapping": {"date_order": "mdy"}}
    assert preview(group, content, **chosen).json["evenings"][0]["date"] == "2024-05-06"
    assert record(group, content, **chosen).status_code == 201


def test_an_import_is_kept_with_its_hash_and_is_no_session(group):
    answer = record(group, WIDE)
    assert answer.status_code == 201, answer.json
    assert answer.headers["Location"] == f"{group.path}/imports/1"
    shown = group.get("/imports/1").json
    assert shown == answer.json
    assert shown["sha256"] == sha256(WIDE).hexdigest()
    assert (shown["number"], shown["status"], shown["settled"]) == (1, "recorded", False)
    assert (shown["from"], shown["to"], shown["evening_count"]) == ("2024-01-05", "2024-01-12", 2)
    assert shown["totals"] == {"m1": 1550, "m2": -1500, "m3": -50}
    assert shown["evenings"][0] == {"date": "2024-01-05", "results": {"m1": 1000, "m2": -1000}}
    (listed,) = group.get("/imports").json["imports"]
    assert listed == {name: value for name, value in shown.items() if name != "evenings"}
    assert group.state["sessions"] == []
    assert set(group.standings_by_member["m1"]) == set(
        create_group(group.client, "Ada").standings_by_member["m1"]
    )


def test_the_same_file_is_imported_once(group):
    record(group, WIDE)
    again = record(group, WIDE)
    assert code(again) == (409, "already_imported")
    assert again.json["number"] == 1
    assert preview(group, WIDE).json["imported_as"] == 1
    assert preview(group, WIDE).json["ready"] is False
    other = create_group(group.client, "Ada", "Bo", "Cilla")
    assert record(other, WIDE).status_code == 201


def test_the_same_key_imports_once(group):
    body = import_body(WIDE, settled=True)
    first = group.write("/imports", body, key="the old book, once")
    again = group.write("/imports", body, key="the old book, once")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.data == first.data
    assert code(group.write("/imports", {**body, "settled": False}, key="the old book, once")) == (
        *(422, "idempotency_key_reused"),
    )
    assert len(group.get("/imports").json["imports"]) == 1


def test_a_repeat_gets_the_reply_although_a_name_is_erased(group):
    body = import_body(WIDE, settled=False)
    first = group.write("/imports", body, key="once")
    assert first.status_code == 201
    group.write("/members/m3/name", method="DELETE")
    again = group.write("/imports", body, key="once")
    assert (again.status_code, again.data) == (201, first.data)
    assert again.headers["Idempotency-Replayed"] == "true"


def test_a_void_import_can_be_imported_again(group):
    record(group, WIDE)
    voided = group.write("/imports/1", method="DELETE")
    assert (voided.status_code, voided.json["status"]) == (200, "voided")
    refusals = [group.write(f"/imports/{number}", method="DELETE") for number in (1, 2)]
    assert [code(answer) for answer in refusals] == [
        *((409, "import_does_not_count"), (404, "unknown_import"))
    ]
    assert [answer.json["number"] for answer in refusals] == [1, 2]
    assert record(group, WIDE).json["number"] == 2
    statuses = [each["status"] for each in group.get("/imports").json["imports"]]
    assert statuses == ["voided", "recorded"]


def test_what_does_not_add_up_is_omitted_rows_or_borne_by_a_choice(group):
    shown = preview(group, ODD).json
    assert [(f["row"], f["column"], f["reason"]) for f in shown["faults"]] == [
        (4, 2, "amount_unreadable")
    ]
    assert "Row 4, column 2" in shown["faults"][0]["detail"]
    assert code(record(group, ODD)) == (422, "table_unreadable")
    refused = record(group, ODD, omitted_rows=[4])
    assert code(refused) == (409, "evenings_do_not_add_up")
    assert refused.json["rows"] == [3]
    assert len(group.get("/imports").json["imports"]) == 0
    borne = record(group, ODD, omitted_rows=[4], differences=[{"row": 3, "member": "m2"}])
    assert borne.json["evenings"][1] == {"date": "2024-01-12", "results": {"m1": 500, "m2": -500}}
    assert (
        record(create_group(group.client, "Ada", "Bo"), ODD, omitted_rows=[3, 4]).status_code == 201
    )


def opened_at(group):
    return group.state["sessions"][0]["created_at"]


def test_a_session_of_the_day_is_warned_of_and_nothing_is_refused(group):
    named = group.open_session(title="Friday")
    nameless = group.open_session()
    day = opened_at(group)[:10]
    written = Translator("en").format_day(day)
    content = f"Datum;Ada;Bo\n2024-01-05;10;-10\n{day};5;-5\n".encode()
    shown = preview(group, content, query="lang=en&tz=UTC").json
    assert shown["warnings"] == [
        {
            "reason": "same_day_as_session",
            "rows": [3],
            "date": day,
            "session": session.id,
            "title": title,
            "import": None,
            "detail": f"Row 3: Vola has “{called}” of {written} already. If it is the same "
            "evening, leave it out, or it will be in the book twice.",
        }
        for session, title, called in (
            *((named, "Friday", "Friday"), (nameless, None, "Evening 2")),
        )
    ]
    assert shown["ready"] is True
    assert preview(group, content, query="tz=UTC", omitted_rows=[3]).json["warnings"] == []
    assert record(group, content).status_code == 201


def test_the_day_of_a_session_is_that_of_the_readers_time_zone(group):
    open_session_with_payments(group)
    opened = datetime.fromisoformat(opened_at(group))
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):  # 25 hours apart
        day = opened.astimezone(ZoneInfo(zone)).date()
        content = f"Datum;Ada;Bo\n{day};1;-1\n".encode()
        assert len(preview(group, content, query=f"tz={zone}").json["warnings"]) == 1
        other = f"Datum;Ada;Bo\n{day - timedelta(days=2)};1;-1\n".encode()
        assert preview(group, other, query=f"tz={zone}").json["warnings"] == []
    assert code(preview(group, WIDE, query="tz=Mars/Olympus")) == (422, "wrong_shape")


def test_another_import_of_the_day_is_warned_of_until_it_is_void(group):
    record(group, WIDE)
    record(group, b"Datum;Ada;Bo\n2024-01-12;1;-1\n", settled=True)
    content = b"Datum;Namn;Belopp\n2024-01-12;Ada;3\n;Bo;-3\n2024-01-19;Ada;2\n;Bo;-2\n"
    shown = preview(group, content).json
    assert [(w["reason"], w["rows"], w["import"]) for w in shown["warnings"]] == [
        *(("same_day_as_import", [2, 3], 1), ("same_day_as_import", [2, 3], 2))
    ]
    assert shown["warnings"][0]["detail"].startswith("Row 2: import 1 has an evening of 12/01/2024")
    group.write("/imports/1", method="DELETE")
    assert [w["import"] for w in preview(group, content).json["warnings"]] == [2]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_warning_is_in_the_readers_language(group, language):
    group.open_session(title="Friday")
    day = opened_at(group)[:10]
    record(group, WIDE)
    content = f"Datum;Ada;Bo\n{day};5;-5\n2024-01-05;1;-1\n".encode()
    shown = preview(group, content, query=f"lang={language}&tz=UTC").json
    details = [warning["detail"] for warning in shown["warnings"]]
    written, earlier = map(Translator(language).format_day, (day, "2024-01-05"))
    assert details == [
        text(language, "tables.same_day_as_session").format(row=2, title="Friday", date=written),
        text(language, "tables.same_day_as_import").format(row=3, number=1, date=earlier),
    ]


def test_a_day_to_come_and_another_currency_are_warned_of(group):
    content = "Datum;Ada;Bo\n2024-01-05;2 €;-2\n2190-01-05;5 kr;-5\n2024-01-12;1;-1 SEK\n".encode()
    shown = preview(group, content).json
    assert [(w["reason"], w["rows"], w["date"]) for w in shown["warnings"]] == [
        ("other_currency", [2], "2024-01-05"),
        ("date_in_future", [3], "2190-01-05"),
    ]
    assert shown["warnings"][0]["detail"].startswith(
        "Row 2 has an amount in €, but the file is read"
    )
    assert shown["warnings"][1]["detail"].startswith("Row 3: 05/01/2190 is a day to come.")
    assert shown["ready"] is True
    assert preview(group, content, omitted_rows=[2, 3]).json["warnings"] == []
    in_euro = preview(group, content, currency="EUR").json["warnings"]
    assert [(w["reason"], w["rows"]) for w in in_euro] == [
        *(("date_in_future", [3]), ("other_currency", [3]), ("other_currency", [4]))
    ]


def test_today_is_that_of_the_readers_time_zone(group):
    ahead, behind = (ZoneInfo(f"Pacific/{place}") for place in ("Kiritimati", "Pago_Pago"))
    content = f"Datum;Ada;Bo\n{datetime.now(ahead).date()};1;-1\n".encode()
    assert preview(group, content, query=f"tz={ahead}").json["warnings"] == []
    (warning,) = preview(group, content, query=f"tz={behind}").json["warnings"]
    assert warning["reason"] == "date_in_future"


def test_columns_with_one_heading_are_not_imported(group):
    content = b"Datum;Ada;Bo;Ada\n2024-01-05;10;-15;5\n"
    (fault,) = preview(group, content).json["faults"]
    assert (fault["reason"], fault["row"], fault["column"]) == ("heading_repeated", None, 4)
    assert fault["detail"].startswith("Columns 2 and 4 have the same heading.")
    refused = record(group, content)
    assert (*code(refused), refused.json["reason"]) == (422, "table_unreadable", "heading_repeated")


def test_names_are_matched_by_a_person_where_they_differ(group):
    content = "Datum;Ada L;Bosse;Gäst\n2024-01-05;10;-7;-3\n".encode()
    shown = preview(group, content).json
    assert [(n["name"], n["member"]) for n in shown["names"]] == [
        *(("Ada L", "m1"), ("Bosse", None), ("Gäst", None))
    ]
    members = {"Bosse": "m2", "Gäst": "m5"}
    assert preview(group, content, members=members).json["evenings"][0]["results"] == {
        "m1": 1000,
        "m2": -700,
        "m5": -300,
    }
    assert code(preview(group, content, members={"Bosse": "m9"})) == (404, "unknown_member")
    nobody = {"Ada L": None, "Bosse": None, "Gäst": None}
    assert code(record(group, content, members=nobody)) == (409, "nothing_to_import")


def balances(group):
    (in_currency,) = group.get("/open-balances").json["currencies"]
    return {row["id"]: row["amount"] for row in in_currency["balances"]}


def test_an_import_is_in_the_open_balances_unless_it_is_settled(group):
    record(group, WIDE)
    assert balances(group) == {"m1": 1550, "m2": -1500, "m3": -50}
    settled = b"Datum;Ada;Bo\n2023-01-05;99;-99\n"
    assert record(group, settled, settled=True).status_code == 201
    assert balances(group) == {"m1": 1550, "m2": -1500, "m3": -50}
    group.write("/imports/1", method="DELETE")
    assert group.get("/open-balances").json["currencies"] == []


def test_an_import_leaves_alone_the_balance_of_a_member_who_has_left(group):
    record(group, ODD, omitted_rows=[3, 4], settled=True)
    assert group.write("/members/m2/departure", {}).status_code == 201
    assert code(record(group, WIDE)) == (409, "member_has_left")
    assert record(group, WIDE, settled=True).status_code == 201
    assert group.write("/imports/2", method="DELETE").status_code == 200


def test_an_import_is_not_voided_once_a_member_in_it_has_left(group):
    record(group, WIDE)
    settled = group.write("/members/m3/departure", {"agreement": "settle"})
    assert settled.status_code == 201
    before = balances(group)
    refused = group.write("/imports/1", method="DELETE")
    assert (*code(refused), refused.json["member"]) == (409, "member_has_left", "m3")
    assert balances(group) == before


def test_only_a_host_imports_and_a_viewer_reads(group):
    for role in ("scorer", "viewer"):
        assert code(preview(group, WIDE, role=role)) == (403, "role_too_low")
        body = import_body(WIDE, settled=True)
        assert code(group.write("/imports", body, role=role)) == (403, "role_too_low")
    record(group, WIDE)
    assert group.get("/imports", role="viewer").status_code == 200
    assert group.write("/imports/1", method="DELETE", role="scorer").status_code == 403


@pytest.mark.parametrize(
    "change",
    [
        {"file": "not base64!"},
        {"file": "Å"},
        {"file": 5},
        {"currency": "XYZ1"},
        {"mapping": {"date": 0}},
        {"mapping": {"date": "1"}},
        {"mapping": {"layout": "deep"}},
        {"mapping": {"results": [1] * 61}},
        {"mapping": {"colour": 1}},
        {"mapping": [1]},
        {"members": {"Ada": "Ada"}},
        {"members": ["m1"]},
        {"omitted_rows": [0]},
        {"omitted_rows": [True]},
        {"differences": [{"row": 2}]},
        {"settled": "no"},
        {"settled": None},
        {"more": 1},
    ],
    ids=str,
)
def test_a_request_of_another_shape_is_refused(group, change):
    body = {**import_body(WIDE, settled=True), **change}
    assert code(group.write("/imports", body)) == (422, "wrong_shape")
    assert group.get("/imports").json == {"imports": []}


def test_a_body_that_is_too_large_is_refused(group):
    assert code(record(group, b"x" * 2_000_000)) == (413, "too_large")
    assert code(record(group, b"x" * 1_100_000)) == (422, "table_unreadable")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refused_file_is_told_in_the_readers_language(group, language):
    answer = group.client.post(
        f"{group.path}/imports/preview?lang={language}",
        json=import_body(b"PK\x03\x04"),
        headers={"Authorization": f"Bearer {group.tokens['host']}"},
    )
    assert code(answer) == (422, "table_unreadable")
    assert answer.json["detail"] == text(language, "tables.not_a_text_file")
    assert answer.json["reason"] == "not_a_text_file"


def test_hostile_files_are_read_or_refused_and_nothing_is_written(group):
    for content in hostile_files(60, seed=7):
        answer = preview(group, content)
        assert answer.status_code in (200, 422), answer.text
        if answer.status_code == 422:
            assert answer.json["detail"].endswith(".")
    assert group.get("/imports").json == {"imports": []}
