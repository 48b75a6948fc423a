"""Amounts in every way that people write them, exact to the öre."""

import pytest

from ledger.transfer.csv_table.amounts import (
    currency_sign,
    find_decimal_sign,
    is_amount,
    read_amount,
)
from ledger.transfer.csv_table.refusals import TableRefusal


def amount_of(text, *others, currency="SEK"):
    cells = [((2 + row, 1), cell) for row, cell in enumerate((text, *others))]
    return read_amount(text, currency, find_decimal_sign(cells, currency), (2, 1))


READ = {
    "12": 1200, "0": 0, "12,5": 1250, "12.50": 1250, "1234,50": 123_450, "1 234,50": 123_450,
    "1\u00a0234,50": 123_450, "1\u202f234,50": 123_450, "1.234,50": 123_450, "1,234.50": 123_450,
    "1'234.50": 123_450, "1’234.50": 123_450, "1.234": 123_400, "1,234": 123_400,
    "1.234.567": 123_456_700, "1,234,567.89": 123_456_789, "0,5": 50, ",5": 50, ".50": 50,
    "10.0000": 1000, "007": 700, "-12": -1200, "−12": -1200, "–12": -1200, "- 12": -1200,
    "12-": -1200, "12,50−": -1250, "(12)": -1200, "(1 234,50)": -123_450, "+12": 1200,
    "50 kr": 5000, "50:-": 5000, "50,-": 5000, "kr 50": 5000, "SEK 50": 5000, "50 SEK": 5000,
    "-50 kr": -5000, "€ 5": 500, "€ -5": -500, "-€5": -500, "5,00 €": 500, "-$1,234.50": -123_450,
}  # fmt: skip
UNREADABLE = [
    *("x", "1x", "1e3", "0x10", "1,2345", "12.34.56", "1.2.3", "1 23", "12 3456", "1,23,456.00"),
    *("1 234'567", "--1", "-1-", "(-1)", "(1", "1)", "=1+1", "½", "１２", "٣", "∞", "NaN", "1/2"),
    *("12,345,67", "1.234,567", "1e400", "5 5 kr", "kr", "+", "50 kronor"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "amount"), READ.items())
def test_an_amount_is_read_exactly(text, amount):
    assert is_amount(text)
    assert amount_of(text) == amount


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_is_no_amount_is_refused_with_its_place(text):
    with pytest.raises(TableRefusal, match="amount_unreadable") as refused:
        amount_of(text)
    assert refused.value.operands == {"row": 2, "column": 1}


@pytest.mark.parametrize("text", ["", "-", "–", "—"])
def test_a_blank_or_a_dash_is_no_amount(text):
    assert amount_of(text) is None
    assert not is_amount(text)


def test_the_other_amounts_show_what_a_point_means():
    assert amount_of("1.234", "5,50") == 123_400
    assert amount_of("1.234.567", "5,50") == 123_456_700
    assert amount_of("5.50", "1,234,567") == 550
    for text, other in (("1.234", "5.50"), ("1,234", "5,50")):
        with pytest.raises(TableRefusal, match="amount_unreadable"):
            amount_of(text, other)
    with pytest.raises(TableRefusal, match="decimal_signs_differ") as refused:
        amount_of("5,50", "1", "5.50")
    assert refused.value.operands == {"row": 4, "column": 1}


def test_a_currency_has_its_own_number_of_decimals():
    assert amount_of("1234", currency="JPY") == 1234
    assert amount_of("12,00", currency="JPY") == 12
    assert amount_of("1.234", "0.5", currency="KWD") == 1234
    assert amount_of("1.234", "-20.500", currency="KWD") == 1234
    assert amount_of("1,234", "1.5", currency="KWD") == 1_234_000
    assert amount_of("1.234", "12.345,678", currency="KWD") == 1_234_000
    with pytest.raises(TableRefusal, match="decimal_signs_differ"):
        amount_of("1.234", "1,234", currency="KWD")
    for text in ("12,5", "12,05"):
        with pytest.raises(TableRefusal, match="amount_unreadable"):
            amount_of(text, currency="JPY")


def test_the_largest_amount_is_that_of_a_book():
    assert amount_of("10000000000,00") == 10**12
    for text in ("10000000000,01", "-99999999999999999999", "9" * 400):
        with pytest.raises(TableRefusal, match="amount_too_large") as refused:
            amount_of(text)
        assert refused.value.operands == {"row": 2, "column": 1}


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        *(("50", None), ("-50:-", None), ("x €", None), ("", None)),
        *(
            ("50 kr", "kr"),
            ("Kr 50", "kr"),
            ("Kr. 50", "kr"),
            ("-2,50 €", "€"),
            ("(£5)", "£"),
            ("5 KRW", "KRW"),
        ),
    ],
)
def test_the_sign_of_a_currency_is_found_on_either_side(text, sign):
    assert currency_sign(text) == sign
