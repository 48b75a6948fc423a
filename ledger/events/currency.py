"""How many decimals the amounts of a currency have in whole coins."""

from collections.abc import Iterable

from babel.numbers import get_currency_precision

from engine.values import Amount


def currency_places(currency: str) -> int:
    """Return the number of decimals; chips have none."""
    return 0 if currency == "chips" else int(get_currency_precision(currency))


def have_fractions(amounts: Iterable[Amount], currency: str) -> bool:
    """Return whether any of these amounts has a fraction, so that a list needs decimals."""
    return any(amount % 10 ** currency_places(currency) for amount in amounts)
