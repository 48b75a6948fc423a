"""In which colours, languages and sizes of text a screen is looked at: two that differ in all of
them in every run, and all there are in `make looks`."""

import os
from itertools import product

import pytest

SCHEMES = ("dark", "light")
LANGUAGES = ("sv-SE", "en-GB", "da-DK", "de-DE")
EVERY = os.environ.get("EVERY_LOOK") == "1"


def looks(*usual: tuple[str, str]) -> pytest.MarkDecorator:
    """Each test once for every pair of `scheme` and `language`."""
    pairs = list(product(SCHEMES, LANGUAGES)) if EVERY else usual
    return pytest.mark.parametrize(("scheme", "language"), pairs)


def sizes() -> pytest.MarkDecorator:
    """Each test once for every pair of `language` and `text`; German has the longest words."""
    few = [("sv-SE", "100%"), ("de-DE", "200%")]
    pairs = list(product(LANGUAGES, ("100%", "200%"))) if EVERY else few
    return pytest.mark.parametrize(("language", "text"), pairs)
