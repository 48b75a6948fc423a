"""In which colours and languages a screen is looked at: two that differ in both in every run, all
eight in `make looks`."""

import os
from itertools import product

import pytest

SCHEMES = ("dark", "light")
LANGUAGES = ("sv-SE", "en-GB", "da-DK", "de-DE")


def looks(*usual: tuple[str, str]) -> pytest.MarkDecorator:
    """Each test once for every pair of `scheme` and `language`."""
    every = os.environ.get("EVERY_LOOK") == "1"
    pairs = list(product(SCHEMES, LANGUAGES)) if every else usual
    return pytest.mark.parametrize(("scheme", "language"), pairs)
