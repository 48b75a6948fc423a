"""Dates in the ways that people and banks write them; an ambiguous one is not guessed."""

from datetime import date

import pytest

from ledger.transfer.csv_table.dates import is_date, likeliest_order, possible_orders, read_date

DAY = date(2026, 11, 24)
CERTAIN = [
    *("2026-11-24", "2026/11/24", "2026.11.24", "20261124", "24.11.2026", "24.11.26", "24/11/2026"),
    *("24-11-2026", "11/24/2026", "24 nov 2026", "24. november 2026", "24-Nov-2026", "24 nov. 26"),
    *("Nov 24, 2026", "November 24 2026", "tis 24 nov 2026", "Di., 24.11.2026", "2026-11-24 18:30"),
    *("2026-11-24T18:30:05.250Z", "24.11.2026, 18:30"),
]  # fmt: skip
NO_DATE = [
    *("", "x", "24", "24.11.", "2026-13-01", "2026-02-30", "32.1.2026", "0-0-0", "24.11.126"),
    *("1/2", "12/31/1899", "2200-01-01", "2026-11-24x", "24 foo 2026", "２０２６-11-24", "1.234"),
]  # fmt: skip


@pytest.mark.parametrize("text", CERTAIN)
def test_a_certain_date_has_one_order(text):
    (order,) = possible_orders([text])
    assert read_date(text, order) == DAY


@pytest.mark.parametrize("text", NO_DATE)
def test_a_text_that_is_no_date_is_not_read_as_one(text):
    assert not is_date(text)


def test_two_orders_are_both_named():
    assert possible_orders(["05/06/2026", "07/08/2026"]) == ("dmy", "mdy")
    assert possible_orders(["05-06-07"]) == ("ymd", "dmy", "mdy")
    assert possible_orders(["24-11-26"]) == ("ymd", "dmy")


def test_one_date_decides_for_its_column():
    assert possible_orders(["05/06/2026", "13/06/2026"]) == ("dmy",)
    assert possible_orders(["05/06/2026", "06/13/2026"]) == ("mdy",)
    assert possible_orders(["13/06/2026", "06/13/2026"]) == ()
    assert likeliest_order(["13/06/2026", "Summa", "14/06/2026"]) == "dmy"


def test_the_months_of_four_languages_are_known():
    for text in ("1 maj 2026", "1 maj 2026", "1 May 2026", "1. Mai 2026"):
        assert read_date(text, "ymd") == date(2026, 5, 1)
    for text in ("2 mars 2026", "2. marts 2026", "2 March 2026", "2. März 2026"):
        assert read_date(text, "ymd") == date(2026, 3, 2)
    for text in ("3 okt 2026", "3 Oct 2026", "3. Oktober 2026"):
        assert read_date(text, "ymd") == date(2026, 10, 3)
    for text in ("4 dec 2026", "4. Dezember 2026"):
        assert read_date(text, "ymd") == date(2026, 12, 4)
