"""Evenings in tables: every sum is exact, and nothing is left out or corrected unasked."""

from random import Random

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ledger.events.currency import currency_places
from ledger.groups.group_events import BalancesImported, is_balanced
from ledger.transfer.csv_table.refusals import TableRefusal
from ledger.transfer.csv_table.table import read_table
from ledger.transfer.earlier_evenings import evenings as earlier_evenings
from ledger.transfer.earlier_evenings.evenings import Choices, names_in, read_evenings
from ledger.transfer.earlier_evenings.mapping import (
    ColumnMapping,
    propose_mapping,
    propose_members,
)
from tests.support.api.balance_import import real_file
from tests.support.ledger.hostile_csv import hostile_files

MEMBERS = {"m1": "Ada", "m2": "Bo", "m3": "Cilla", "m4": "Disa", "m5": "Emil"}
HOSTILE_FILES = 2_000


def read(content, chosen=None, members=None, currency="SEK", **choices):
    table = read_table(content if isinstance(content, bytes) else content.encode())
    mapping = propose_mapping(table, chosen or ColumnMapping(), MEMBERS)
    matched = {**propose_members(names_in(table, mapping), MEMBERS), **(members or {})}
    return mapping, read_evenings(table, mapping, currency, Choices(members=matched, **choices))


def results(found):
    return [{part.member: part.amount for part in evening.results} for evening in found.evenings]


@pytest.mark.parametrize(
    "name", ["swedish_excel.csv", "google_sheets.csv", "danish_tabs.txt", "long_format.csv"]
)
def test_the_same_evenings_are_read_from_every_kind_of_file(name):
    _, found = read(real_file(name))
    assert [evening.date for evening in found.evenings[:3]] == [
        *("2024-09-05", "2024-09-12", "2024-09-26")
    ]
    assert results(found)[:2] == [
        {"m1": 12_050, "m2": -8000, "m3": -4050},
        {"m1": -6000, "m2": 124_000, "m3": -30_000, "m4": -88_000},
    ]
    assert found.faults == ()


def test_a_difference_is_reported_with_its_row_and_borne_only_by_choice():
    table = "Datum;Ada;Bo\n2024-01-05;10;-9,99\n2024-01-12;5;-5\n"
    _, found = read(table)
    assert [(e.rows, e.difference) for e in found.evenings] == [((2,), 1), ((3,), 0)]
    assert not found.is_ready
    _, found = read(table, differences={2: "m3"})
    assert results(found)[0] == {"m1": 1000, "m2": -999, "m3": -1}
    assert found.evenings[0].borne.amount == -1
    assert found.is_ready
    _, found = read(table, omitted_rows={2})
    assert results(found) == [{"m1": 500, "m2": -500}]
    assert [(skip.row, skip.reason) for skip in found.skipped] == [(2, "chosen")]


def test_a_name_without_a_member_makes_the_evening_not_add_up():
    _, found = read("Datum;Ada;Guest\n2024-01-05;10;-10\n")
    assert [(n.name, n.member, n.total) for n in found.names] == [
        *(("Ada", "m1", 1000), ("Guest", None, -1000))
    ]
    assert [e.difference for e in found.evenings] == [1000]


def test_two_columns_of_one_member_are_added():
    _, found = read("Datum;Ada;Ada 2;Bo\n2024-01-05;10;5;-15\n", members={"Ada 2": "m1"})
    assert results(found) == [{"m1": 1500, "m2": -1500}]


def test_two_columns_with_one_heading_are_refused_until_one_is_chosen():
    table = "Datum;Ada;Bo;Ada\n2024-01-05;10;-15;5\n"
    _, found = read(table)
    assert [(f.reason, f.operands) for f in found.faults] == [
        ("heading_repeated", {"column": 4, "other_column": 2})
    ]
    assert found.evenings == ()
    _, found = read(table, ColumnMapping(results=(2, 3)))
    assert results(found) == [{"m1": 1000, "m2": -1500}]


@pytest.mark.parametrize(
    "headings",
    ["Vinst;Förlust", "Vunnit;Förlorat", "Gevinst;Tab", "Won;Lost", "Win;Loss", "Gewinn;Verlust"],
)
def test_what_was_won_and_what_was_lost_may_have_columns_of_their_own(headings):
    mapping, found = read(f"Date;Name;{headings}\n2024-01-05;Ada;50;\n2024-01-05;Bo;;50\n")
    assert (mapping.credit, mapping.debit) == (3, 4)
    assert results(found) == [{"m1": 5000, "m2": -5000}]


def test_a_blank_heading_is_not_the_same_as_another_blank_one():
    _, found = read("Datum;Ada;;;Bo\n2024-01-05;10;-4;-6;0\n")
    assert [(name.name, name.total) for name in found.names] == [
        *(("Ada", 1000), ("3", -400), ("4", -600), ("Bo", 0))
    ]


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("Datum;Ada;Bo\n2024-01-05;0;0\n2024-01-12;5;-5\n", [2]),
        ("Datum;Namn;Belopp\n2024-01-05;Ada;0\n;Bo;0\n2024-01-12;Ada;5\n;Bo;-5\n", [2, 3]),
    ],
)
def test_an_evening_of_zeros_is_listed_among_the_rows_left_out(table, rows):
    _, found = read(table)
    assert [(skip.row, skip.reason) for skip in found.skipped] == [(r, "no_amounts") for r in rows]
    assert [evening.date for evening in found.evenings] == ["2024-01-12"]


def test_two_evenings_of_one_day_stay_apart_in_a_wide_table():
    _, found = read("Datum;Ada;Bo\n2024-01-05;10;-10\n2024-01-05;-3;3\n")
    assert [evening.rows for evening in found.evenings] == [(2,), (3,)]


def test_rows_that_cannot_be_read_are_named_and_the_others_are_read():
    table = (
        "Datum;Ada;Bo\n2024-01-05;10;-10\n2024-02-30;1;-1\n;2;-2\n2024-01-12;1,5x;0\n"
        "2024-01-19;99999999999;0\n2024-01-26;;\n"
    )
    _, found = read(table)
    assert [(f.reason, f.operands) for f in found.faults] == [
        ("date_unreadable", {"row": 3, "column": 1}),
        ("date_missing", {"row": 4, "column": 1}),
        ("amount_unreadable", {"row": 5, "column": 2}),
        ("amount_too_large", {"row": 6, "column": 2}),
    ]
    assert len(found.evenings) == 1
    assert [(skip.row, skip.reason) for skip in found.skipped] == [(7, "no_amounts")]


LONG_TABLE = "Datum;Spelare;Belopp\n2024-01-05;Ada;10\n;Bo;-10\n{};;\n;Ada;5\n;Bo;-5\n"


@pytest.mark.parametrize("omitted_rows", [(), (4,)])
def test_a_row_without_a_result_dates_the_rows_below(omitted_rows):
    _, found = read(LONG_TABLE.format("2024-01-12"), omitted_rows=omitted_rows)
    assert [evening.date for evening in found.evenings] == ["2024-01-05", "2024-01-12"]
    assert results(found) == [{"m1": 1000, "m2": -1000}, {"m1": 500, "m2": -500}]


def test_rows_below_an_unreadable_date_have_none():
    _, found = read(LONG_TABLE.format("2024-01-32"), ColumnMapping(layout="long"))
    assert [fault.reason for fault in found.faults] == ["date_missing"] * 2


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("When;Ada;Bo\nx;1;-1\n", "date_column_missing"),
        ("Datum;Ada;Bo\n2024-01-05;5,5;-5.5\n", "decimal_signs_differ"),
        ("Date;Ada;Bo\n01/02/2024;5;-5\n", "date_order_unclear"),
        ("Datum;Text\n2024-01-05;5 kronor\n", "amount_column_missing"),
        ("Datum;Spelare;Belopp\n2024-01-05;;5\n2024-01-05;Ada;-5\n", "name_missing"),
    ],
)
def test_what_must_be_chosen_or_corrected_first_is_said(table, reason):
    _, found = read(table)
    assert [fault.reason for fault in found.faults] == [reason]
    assert not found.is_ready


def test_a_row_without_a_name_is_named():
    _, found = read("Datum;Spelare;Belopp\n2024-01-05;Ada;-5\n2024-01-05;;5\n")
    assert [fault.operands for fault in found.faults] == [{"row": 3, "column": 2}]


def test_each_name_says_in_how_many_evenings_it_stands_and_its_sum():
    table = "Datum;Ada;Bo;Cilla\n2024-01-05;5;-5;\n2024-01-12;1;;-1\n2024-01-19;2;-2;\n"
    _, found = read(table)
    assert [(name.name, name.evenings, name.total) for name in found.names] == [
        *(("Ada", 3, 800), ("Bo", 2, -700), ("Cilla", 1, -100))
    ]


def test_three_digits_after_a_point_are_decimals_where_there_are_three():
    table = "Datum;Ada;Bo\n2024-01-05;1.250;-1.250\n"
    assert results(read(table, currency="KWD")[1]) == [{"m1": 1250, "m2": -1250}]
    assert results(read(table)[1]) == [{"m1": 125_000, "m2": -125_000}]


def test_amounts_that_a_book_cannot_hold_together_are_refused():
    large = "9000000000"
    table = f"Datum;Ada;Bo\n2024-01-05;{large};-{large}\n2024-01-12;-{large};{large}\n"
    _, found = read(table)
    (fault,) = found.faults
    assert (fault.reason, fault.operands) == ("amount_too_large", {"row": 3, "column": 1})


def test_more_results_than_an_import_holds_are_refused(monkeypatch):
    monkeypatch.setattr(earlier_evenings, "MAX_RESULTS", 3)
    table = "Datum;Ada;Bo\n2024-01-05;5;-5\n2024-01-12;5;-5\n"
    _, found = read(table)
    (fault,) = found.faults
    assert (fault.reason, fault.operands) == ("too_many_results", {"most": 3})


COLUMNS = {  # what is proposed where several columns could be meant
    "Bokförd;Datum;Ada;Bo\n2024-01-08;2024-01-05;5;-5\n": {"date": 2, "results": (3, 4)},
    "När;Ada;Bo\n2024-01-05;5;-5\n": {"date": 1, "results": (2, 3)},
    "Datum;Namn;Bo\n2024-01-05;5;-5\n": {"layout": "wide", "results": (2, 3)},
    "Datum;Plats;Ada;Bo\n2024-01-05;Cilla;5;-5\n": {"layout": "wide", "results": (3, 4)},
    "Datum;Spelare;Belopp;Saldo\n2024-01-05;Ada;5;9\n": {"player": 2, "amount": 3},
    "Datum;Spelare;Vinst;Förlust\n2024-01-05;Ada;5;\n2024-01-05;Bo;;5\n": {"debit": 4, "credit": 3},
}


@pytest.mark.parametrize("table", COLUMNS)
def test_columns_are_proposed_by_heading_and_content(table):
    mapping, _ = read(table)
    assert {field: getattr(mapping, field) for field in COLUMNS[table]} == COLUMNS[table]


def test_a_table_by_player_needs_the_column_of_players():
    _, found = read("Datum;Belopp\n2024-01-05;5\n", ColumnMapping(layout="long"))
    assert [fault.reason for fault in found.faults] == ["player_column_missing"]


def test_a_choice_of_columns_goes_before_the_proposal():
    table = "Datum;Ada;Bo;Buffet\n2024-01-05;10;-10;3\n"
    mapping, found = read(table)
    assert mapping.results == (2, 3, 4)
    assert found.names[2].name == "Buffet"
    mapping, found = read(table, ColumnMapping(results=(2, 3, 60)))
    assert mapping.results == (2, 3)
    assert found.is_ready


def test_a_chosen_column_of_what_was_lost_needs_no_other():
    table = "Datum;Spelare;Belopp;Uttag\n2024-01-05;Ada;5;3\n"
    mapping, _ = read(table, ColumnMapping(layout="long", debit=4))
    assert (mapping.amount, mapping.debit, mapping.credit) == (None, 4, None)


def test_a_column_of_sums_is_no_player():
    mapping, _ = read("Datum;Ada;Bo;Summa\n2024-01-05;10;-10;0\n")
    assert mapping.results == (2, 3)


def test_a_column_of_dates_that_look_like_amounts_is_no_player():
    mapping, _ = read("Datum;Ada;Bo\n24.11;50;-50\n")
    assert (mapping.date, mapping.results) == (1, (2, 3))


def test_a_player_named_like_a_heading_is_a_player():
    table = read_table(b"Datum;Dag;Ada\n2024-01-05;10;-10\n")
    assert propose_mapping(table, ColumnMapping(), {"m1": "Dag", "m2": "Ada"}).results == (2, 3)


def test_names_are_proposed_by_spelling_and_by_the_only_same_first_name():
    members = {"m1": "Ada Ek", "m2": "Bo A", "m3": "Bo B", "m4": None, "m5": "Cilla"}
    proposed = propose_members(["ADA EK", "Ada", "Bo", "Bo B.", "Cilla", "Disa"], members)
    assert [proposed[name] for name in ("ADA EK", "Ada", "Cilla")] == ["m1", "m1", "m5"]
    assert [proposed[name] for name in ("Bo", "Bo B.", "Disa")] == [None, None, None]


amounts = st.integers(-(10**9), 10**9)


@settings(max_examples=60, deadline=None)
@example(evenings=[[1000] * 4, [10]], currency="KWD", sign=",", seed=0)
@given(
    evenings=st.lists(st.lists(amounts, min_size=1, max_size=4), min_size=1, max_size=8),
    currency=st.sampled_from(["JPY", "SEK", "KWD"]),
    sign=st.sampled_from(",."),
    seed=st.integers(0, 2**32),
)
def test_what_was_written_is_read_to_the_ore(evenings, currency, sign, seed):
    """This holds for any number of decimals, decimal sign and thousands separator."""
    random, names, places = Random(seed), list(MEMBERS.values()), currency_places(currency)
    rows, expected, is_ambiguous = [], [], True
    for day, results_but_one in enumerate(evenings, start=1):
        amounts_of_day = [*results_but_one, -sum(results_but_one)]
        amounts_of_day += [0] * (len(names) - len(amounts_of_day))
        # only 1,000 and the like: thousands, or thousandths of a coin
        is_ambiguous &= places == 3 and all(1_000 <= abs(x) < 1_000_000 for x in amounts_of_day)
        cells = [format_amount(amount, places, sign, random) for amount in amounts_of_day]
        rows.append(";".join([f"2024-01-{day:02}", *cells]))
        expected.append({member: x for member, x in zip(MEMBERS, amounts_of_day, strict=True) if x})
    assume(not is_ambiguous)
    _, found = read("\n".join([";".join(["Datum", *names]), *rows]), currency=currency)
    assert not found.faults
    assert results(found) == [evening for evening in expected if evening]
    event = BalancesImported(
        number=1, sha256="0" * 64, currency="SEK", settled=False, evenings=found.as_imported()
    )
    assert is_balanced(event)


def format_amount(amount, places, sign, random):
    """Return an amount as people may write it, always with its decimals."""
    coins, fraction = divmod(abs(amount), 10**places)
    text = f"{coins:,}".replace(",", random.choice(["", " ", "'", "\u00a0"]))
    text += f"{sign}{fraction:0{places}}" if places else ""
    return random.choice(["-", "−"]) + text if amount < 0 else text


def test_hostile_tables_make_evenings_that_add_up_or_faults():
    ready = 0
    for content in hostile_files(HOSTILE_FILES, seed=27):
        try:
            _, found = read(content)
        except TableRefusal:
            continue
        ready += found.is_ready
        for evening in found.evenings:
            total = sum(part.amount for part in evening.results)
            assert total == evening.difference
    assert ready >= HOSTILE_FILES // 100
