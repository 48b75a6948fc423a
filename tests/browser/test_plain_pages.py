"""Pages beside the form: a statement in the browser, and the page of a wrong address."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.browser.appearance import SCHEMES
from tests.support.browser.layout_checks import LONG_NAME, SMALL_TARGETS, TOO_WIDE
from tests.support.browser.phone import Phone
from tests.support.player_names import FOUR_NAMES

Lend = Callable[..., Phone]

HIDDEN_WIDTHS = """() => [...document.querySelectorAll('figure')]
  .map((figure) => figure.scrollWidth - figure.clientWidth)"""
COLOR = "(element) => getComputedStyle(element).color"


@pytest.mark.parametrize("name", ["Ada", LONG_NAME])
def test_the_chart_of_a_statement_fits_a_small_phone(lend: Lend, name: str) -> None:
    phone = lend(width=320, height=640).begin((name, *FOUR_NAMES[1:]))
    phone.play(1, "B", "CCDCB")
    phone.see_saved()
    session = phone.page.evaluate("location.hash.split('/')[2]")
    phone.page.goto(f"{phone.url}/v1/sessions/{session}/statement?format=html")
    assert phone.page.evaluate(HIDDEN_WIDTHS) == [0]
    assert phone.page.evaluate(TOO_WIDE) <= 0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_way_back_from_a_missing_page_looks_like_the_page(lend: Lend, scheme: str) -> None:
    phone = lend(scheme=scheme)
    phone.page.goto(f"{phone.url}/nowhere")
    link, brand = phone.page.locator("main a"), phone.page.locator(".brand")
    assert link.evaluate(COLOR) == brand.evaluate(COLOR)
    assert phone.page.evaluate(SMALL_TARGETS) == []


@pytest.mark.parametrize("path", ["verify", "docs"])
def test_a_plain_page_prints_in_the_light_colours(lend: Lend, path: str) -> None:
    phone = lend(scheme="dark")
    phone.page.goto(f"{phone.url}/{path}")
    body = phone.page.locator("body")
    assert body.evaluate(COLOR) == "rgb(236, 230, 216)"
    phone.page.emulate_media(media="print")
    assert body.evaluate(COLOR) == "rgb(29, 36, 32)"
