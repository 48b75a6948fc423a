"""The decimals of currencies: those of ISO 4217, and those that stored amounts already have."""

import pytest

from ledger.events.currency import currency_places, have_fractions

ISO_4217 = """
AED 2  ALL -  ARS 2  AUD 2  BAM 2  BGN 2  BHD 3  BIF 0  BRL 2  CAD 2  CHF 2  CLF 4  CLP 0  CNY 2
COP 2  CZK 2  DJF 0  DKK 2  EUR 2  GBP 2  GNF 0  HKD 2  HUF 2  IDR 2  ILS 2  INR 2  IQD -  ISK 0
JOD 3  JPY 0  KMF 0  KRW 0  KWD 3  LYD 3  MXN 2  NOK 2  NZD 2  OMR 3  PHP 2  PKR 2  PLN 2  PYG 0
RON 2  RSD -  RWF 0  SEK 2  SGD 2  THB 2  TND 3  TRY 2  TZS 2  UAH 2  UGX 0  USD 2  UYI 0  UYW 4
VND 0  VUV 0  XAF 0  XOF 0  XPF 0  YER -  ZAR 2
ADP -  AFN -  BYR -  ESP -  IRR -  ITL -  KPW -  LAK -  LBP -  LUF -  MGA -  MGF -  MMK -  MRO -
SLL -  SOS -  STD -  SYP -  TMM -  TRL -  ZMK -  ZWD -
"""
"""Currencies with their minor units by list one; `-` where stored amounts have no decimals."""


@pytest.mark.parametrize("row", ISO_4217.strip().replace("\n", "  ").split("  "))
def test_a_currency_has_the_decimals_of_iso_4217(row: str):
    currency, places = row.split()
    assert currency_places(currency) == (0 if places == "-" else int(places))


def test_chips_have_no_decimals():
    assert currency_places("chips") == 0


@pytest.mark.parametrize(
    ("amounts", "currency", "expected"),
    [
        ([100, 250], "SEK", True),
        ([100, 200], "SEK", False),
        ([1, 2], "ISK", False),
        ([1000, 2500], "KWD", True),
        ([], "SEK", False),
    ],
)
def test_a_list_needs_decimals_if_one_amount_has_a_fraction(amounts, currency, expected):
    assert have_fractions(amounts, currency) is expected
