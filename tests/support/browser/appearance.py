"""The colour schemes, languages and text sizes of the browser tests. Each test runs in one of them,
and not all tests in the same one; in `make looks` each test runs in all of them."""

import os
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, TypeVar
from zlib import crc32

import pytest
from playwright.sync_api import ViewportSize

PHONE: ViewportSize = {"width": 390, "height": 844}
SCHEMES = ("dark", "light")
LANGUAGES = ("sv-SE", "en-GB", "da-DK", "de-DE")
EVERY_LOOK = os.environ.get("EVERY_LOOK") == "1"

T = TypeVar("T", bound=Callable[..., Any])


def looks(*usual: tuple[str, str]) -> Callable[[T], T]:
    """Run a test for one of the `usual` pairs of `scheme` and `language`, or in `make looks` for
    all."""
    return parametrize_test(("scheme", "language"), list(product(SCHEMES, LANGUAGES)), usual)


def languages(names: Iterable[str] = LANGUAGES) -> Callable[[T], T]:
    """Run a test in one of these languages, not every test in the same; in `make looks` in all."""
    choices = [(name,) for name in names]
    in_some_languages = parametrize_test(("language",), choices, tuple(choices))
    return lambda test: pytest.mark.languages(in_some_languages(test))


def sizes() -> Callable[[T], T]:
    """Run a test for the pair of `language` and `text` with the least room, since German has the
    longest words; in `make looks` for every pair."""
    usual = (("de-DE", "200%"),)
    return parametrize_test(("language", "text"), list(product(LANGUAGES, ("100%", "200%"))), usual)


def parametrize_test(
    names: tuple[str, ...], every: list[tuple[str, ...]], usual: tuple[tuple[str, ...], ...]
) -> Callable[[T], T]:
    def marked(test: T) -> T:
        look = usual[crc32(test.__name__.encode()) % len(usual)]  # the same in every run
        return pytest.mark.parametrize(names, every if EVERY_LOOK else [look])(test)

    return marked
