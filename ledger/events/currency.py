"""Currencies: how many decimals their amounts have in whole coins, and which of them are kronor.

The decimals say what a stored amount is worth. They are written down here, since the upgrade of a
library must never change that. Knows nothing of how an amount is written in a language.
"""

from collections.abc import Iterable

from engine.values import Amount

MINOR_UNITS = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
"""The currencies that do not have two decimals, by number of decimals. Source: ISO 4217, list
one."""

WITHOUT_SMALL_COINS = (
    "ADP AFN ALL BYR ESP IQD IRR ITL KPW LAK LBP LUF MGA MGF MMK MRO RSD SLL SOS STD SYP TMM TRL "
    "YER ZMK ZWD"
)
"""Currencies without decimals here although ISO 4217 gives them two, or three to IQD, or no longer
lists them: the coins are not used. Source: CLDR 45. Every version of Vola has read their amounts
so; with the decimals of the standard, those already stored would be worth a hundredth."""

KRONA_CURRENCIES = frozenset({"SEK", "DKK", "NOK", "ISK"})
"""The currencies whose sign is `kr`."""

_PLACES = {
    "chips": 0,
    **{code: places for places, codes in MINOR_UNITS.items() for code in codes.split()},
    **dict.fromkeys(WITHOUT_SMALL_COINS.split(), 0),
}


def currency_places(currency: str) -> int:
    """Return the number of decimals; chips have none."""
    return _PLACES.get(currency, 2)


def have_fractions(amounts: Iterable[Amount], currency: str) -> bool:
    """Return whether any of these amounts has a fraction, so that a list needs decimals."""
    return any(amount % 10 ** currency_places(currency) for amount in amounts)
