"""Which column of a table is proposed as which, and what must be chosen before it can be read."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from ledger.transfer.csv_table.refusals import TableRefusal
from ledger.transfer.csv_table.table import read_table
from ledger.transfer.earlier_evenings.mapping import (
    ColumnMapping,
    check_mapping,
    propose_mapping,
    propose_members,
)

MEMBERS = {"m1": "Ada", "m2": "Bo", "m3": "Cilla", "m4": None}
NO_COLUMNS = dict.fromkeys(
    ("layout", "date", "date_order", "player", "amount", "debit", "credit", "results")
)
LONG = {**NO_COLUMNS, "layout": "long", "date": 1, "date_order": "ymd", "player": 2}
WIDE = {**NO_COLUMNS, "layout": "wide", "date": 1, "date_order": "ymd"}


def proposed(text: str, **chosen: Any) -> dict[str, Any]:
    """Return every field of the mapping, as the preview shows it."""
    mapping = propose_mapping(read_table(text.encode()), ColumnMapping(**chosen), MEMBERS)
    fields: dict[str, Any] = msgspec.to_builtins(mapping)
    return fields


def long_table(*columns: str) -> str:
    """Return a table by player with these columns of amounts."""
    row = ";".join(str(n) for n in range(1, len(columns) + 1))
    return f"Datum;Spelare;{';'.join(columns)}\n2024-01-05;Ada;{row}\n"


def test_a_mapping_says_nothing_of_columns_that_nobody_has_chosen() -> None:
    assert msgspec.to_builtins(ColumnMapping()) == NO_COLUMNS


def test_a_wide_table_has_players_as_columns_and_no_others() -> None:
    table = "Datum;Ada;Bo\n2024-01-05;5;-5\n"
    assert proposed(table) == {**WIDE, "results": (2, 3)}
    assert proposed(table, player=1, amount=2, debit=2, credit=3) == {**WIDE, "results": (2, 3)}


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["Belopp"], {"amount": 3}),
        (["Fredag"], {"amount": 3}),
        (["Fredag", "Belopp"], {"amount": 4}),
        (["Uttag"], {"debit": 3}),
        (["Insättning"], {"credit": 3}),
        (["Uttag", "Insättning"], {"debit": 3, "credit": 4}),
        (["Uttag", "Insättning", "Belopp"], {"debit": 3, "credit": 4}),
        (["Uttag", "Fredag"], {"amount": 4}),
        (["Insättning", "Belopp"], {"amount": 4}),
        (["Vinst", "Förlust"], {"debit": 4, "credit": 3}),
    ],
)
def test_a_long_table_has_one_column_of_amounts_or_what_was_won_and_lost(
    columns: list[str], expected: dict[str, int]
) -> None:
    assert proposed(long_table(*columns), layout="long") == {**LONG, **expected}


@pytest.mark.parametrize("field", ["amount", "debit", "credit"])
def test_a_chosen_column_of_amounts_stands_alone(field: str) -> None:
    table = long_table("Uttag", "Insättning", "Belopp")
    assert proposed(table, layout="long", **{field: 5}) == {**LONG, field: 5}


@pytest.mark.parametrize(
    ("table", "layout"),
    [
        ("Datum;Spelare;Ada;Bo\n2024-01-05;Cilla;5;-5\n", "wide"),
        ("Datum;Spelare;Ada;Plats\n2024-01-05;Cilla;5;Bar\n", "long"),
        ("Datum;Plats;Ada\n2024-01-05;Bar;5\n", "wide"),
    ],
)
def test_a_table_with_two_players_as_columns_is_wide(table: str, layout: str) -> None:
    assert proposed(table)["layout"] == layout


@pytest.mark.parametrize(
    ("cells", "player"),
    [
        (["Ada", "Disa"], 2),
        (["Ada", "", "Disa"], 2),
        (["Ada", "Disa", "Emil"], None),
        (["ADA", "bo", "Disa", "Emil"], 2),
    ],
)
def test_a_column_with_half_its_cells_names_of_members_has_the_players(
    cells: list[str], player: int | None
) -> None:
    rows = "".join(f"2024-01-05;{cell};5\n" for cell in cells)
    assert proposed(f"Datum;Vem;Belopp\n{rows}", layout="long")["player"] == player


def test_a_heading_goes_before_names_in_the_search_for_the_players() -> None:
    table = "Datum;Värd;Spelare;Belopp\n2024-01-05;Ada;Emil;5\n"
    assert proposed(table)["player"] == 3
    assert proposed(table, player=2)["player"] == 2


SINGLE_COLUMNS = ["date", "player", "amount", "debit", "credit"]


@pytest.mark.parametrize("field", SINGLE_COLUMNS)
def test_a_chosen_column_that_the_table_lacks_counts_as_not_chosen(field: str) -> None:
    table = "Datum;Spelare;Belopp;Annan\n2024-01-05;Ada;5;\n"
    assert proposed(table, layout="long", **{field: 4})[field] == 4
    assert proposed(table, layout="long", **{field: 5}) == {**LONG, "amount": 3}


def test_chosen_players_that_the_table_lacks_or_has_twice_are_left_out() -> None:
    table = "Datum;Ada;Bo\n2024-01-05;5;-5\n"
    assert proposed(table, results=(3, 3, 2, 4)) == {**WIDE, "results": (3, 2)}
    assert proposed(table, results=()) == {**WIDE, "results": ()}
    assert proposed(table, results=(1, 2, 3)) == {**WIDE, "results": (2, 3)}, "1 has the dates"


def test_a_chosen_order_of_dates_goes_before_the_proposal() -> None:
    table = "Datum;Ada;Bo\n01/02/2024;5;-5\n"
    assert proposed(table)["date_order"] is None
    assert proposed(table, date_order="mdy")["date_order"] == "mdy"
    assert proposed("Ada;Bo\n5;-5\n") == {**NO_COLUMNS, "layout": "wide", "results": (1, 2)}


@pytest.mark.parametrize(
    ("mapping", "reason", "operands"),
    [
        ({"date": None}, "date_column_missing", {}),
        ({"date_order": None}, "date_order_unclear", {"column": 1}),
        ({"player": None}, "player_column_missing", {}),
        ({"amount": None}, "amount_column_missing", {}),
        ({"layout": "wide"}, "amount_column_missing", {}),
        (
            {"layout": "wide", "results": (3, 2, 4)},
            "heading_repeated",
            {"column": 4, "other_column": 3},
        ),
    ],
)
def test_a_table_is_not_read_before_its_columns_are_clear(
    mapping: dict[str, Any], reason: str, operands: dict[str, int]
) -> None:
    table = read_table(b"Datum;Spelare;Ada;Ada\n2024-01-05;Ada;5;-5\n")
    chosen: dict[str, Any] = {
        "layout": "long",
        "date": 1,
        "date_order": "ymd",
        "player": 2,
        "amount": 3,
    }
    check_mapping(table, ColumnMapping(**chosen))
    with pytest.raises(TableRefusal) as refusal:
        check_mapping(table, ColumnMapping(**{**chosen, **mapping}))
    assert (refusal.value.reason, refusal.value.operands) == (reason, operands)


def test_two_people_of_one_name_are_a_choice_and_the_spelling_goes_first() -> None:
    members = {
        "m1": "Ada Ek",
        "m2": "Ada",
        "m3": "Bo Alm Ek",
        "m4": "Cilla Ask",
        "m5": "Cilla Berg",
    }
    names = ["Ada", "ada ek", "Ada X", "Bo.", "Bo A.", "Cilla", "Disa"]
    assert list(propose_members(names, members).values()) == [
        *("m2", "m1", None, "m3", "m3", None, None)
    ]
