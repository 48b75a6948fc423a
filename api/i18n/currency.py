"""How many decimals the amounts of a currency have in whole coins."""

from babel.numbers import get_currency_precision


def currency_places(currency: str) -> int:
    """Return the number of decimals; chips have none."""
    return 0 if currency == "chips" else int(get_currency_precision(currency))
