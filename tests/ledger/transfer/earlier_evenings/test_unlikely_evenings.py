"""Evenings of a file that a person should look at: of a day to come, or in another currency."""

from __future__ import annotations

from datetime import date

import pytest
from babel.core import get_global
from babel.localedata import locale_identifiers
from babel.numbers import get_currency_symbol, get_territory_currencies

from ledger.transfer.csv_table.table import read_table
from ledger.transfer.earlier_evenings.evenings import Choices, names_in, read_evenings
from ledger.transfer.earlier_evenings.mapping import (
    ColumnMapping,
    propose_mapping,
    propose_members,
)
from ledger.transfer.earlier_evenings.unlikely_evenings import find_unlikely_evenings

MEMBERS = {"m1": "Ada", "m2": "Bo", "m3": "Cilla"}
TODAY = date(2024, 2, 1)


def unlikely(
    table_text: str, currency: str = "SEK", mapping: ColumnMapping | None = None
) -> list[tuple[str, int, str | None]]:
    """Return the reason, row and sign of each warning."""
    table = read_table(table_text.encode())
    proposed = propose_mapping(table, mapping or ColumnMapping(), MEMBERS)
    choices = Choices(members=propose_members(names_in(table, proposed), MEMBERS))
    evenings = read_evenings(table, proposed, currency, choices).evenings
    found = list(find_unlikely_evenings(table, proposed, evenings, currency, TODAY))
    assert all(warning.evening in evenings for warning in found)
    assert all(warning.row in warning.evening.rows for warning in found)
    return [(warning.reason, warning.row, warning.sign) for warning in found]


def sign_warnings(sign: str, currency: str) -> list[tuple[str, int, str | None]]:
    return unlikely(f"Datum;Ada;Bo\n2024-01-05;7 {sign};-7\n", currency)


def signs_where_used() -> set[tuple[str, str]]:
    """Return the sign of each currency in the languages of the countries that use it."""
    languages = {
        territory: [name for name in locale_identifiers() if name.endswith(f"_{territory}")]
        for territory in get_global("territory_currencies")
    }
    return {
        (get_currency_symbol(currency, language), currency)
        for territory, names in languages.items()
        for currency in get_territory_currencies(territory)
        for language in names
    }


def test_no_currency_is_another_by_the_sign_that_its_countries_write() -> None:
    signs = {(s, c) for s, c in signs_where_used() if s in {"kr", "kr.", "€", "£", "$"}}
    assert len({currency for _, currency in signs}) > 30
    assert {(sign, currency) for sign, currency in signs if sign_warnings(sign, currency)} == set()


@pytest.mark.parametrize("sign", ["kr", "€", "£", "$", "USD"])
def test_a_sign_that_a_currency_never_has_is_another_currencys(sign: str) -> None:
    assert sign_warnings(sign, "JPY") == [("other_currency", 2, sign)]


def test_an_iso_code_is_the_sign_of_that_currency_alone() -> None:
    assert sign_warnings("NOK", "NOK") == []
    assert sign_warnings("NOK", "SEK") == [("other_currency", 2, "NOK")]


def test_a_day_is_to_come_only_after_today() -> None:
    table = "Datum;Ada;Bo\n2024-01-31;1;-1\n2024-02-01;2;-2\n2024-02-02;3;-3\n"
    assert unlikely(table) == [("date_in_future", 4, None)]


def test_an_evening_can_be_unlikely_for_both_reasons_once_each() -> None:
    table = "Datum;Namn;Belopp\n2024-03-05;Ada;3\n;Bo;1 $\n;Cilla;-4 €\n2024-01-12;Ada;1\n;Bo;-1\n"
    assert unlikely(table) == [("date_in_future", 2, None), ("other_currency", 3, "$")]


def test_an_evening_without_members_is_left_out_and_later_ones_are_not() -> None:
    table = "Datum;Namn;Belopp\n2024-01-05;Disa;5 €\n2024-01-12;Ada;5 €\n;Bo;-5\n"
    assert unlikely(table) == [("other_currency", 3, "€")]


def test_a_sign_outside_the_columns_of_amounts_does_not_count() -> None:
    table = "Datum;Ada;Bo;Kaffe\n2024-01-05;1;-1;3 €\n"
    assert unlikely(table, mapping=ColumnMapping(results=(2, 3))) == []
    assert unlikely(table) == [("other_currency", 2, "€")]
