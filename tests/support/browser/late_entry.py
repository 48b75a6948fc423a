"""Typing an evening from paper: the screen, its lines and its sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from playwright.sync_api import Locator, expect

from tests.support.browser.phone import Phone

SECONDS_PER_KEY = 0.2
"""The seconds that a person who types with two fingers takes for a key."""


def open_late_entry(phone: Phone) -> Locator:
    """Open the screen through the menu, and return its line, which has the focus."""
    phone.tap("menu").tap("paper").tap("late")
    line = phone.page.locator('[data-key="line"]')
    expect(line).to_be_focused()
    return line


def type_lines(phone: Phone, lines: Iterable[str]) -> int:
    """Type each line with its Enter, without waiting. Return the number of keys pressed."""
    keys = 0
    for line in lines:
        phone.page.keyboard.type(line)
        phone.page.keyboard.press("Enter")
        keys += len(line) + 1
    return keys


def type_sums(phone: Phone, sums: Mapping[str, str]) -> int:
    keys = 0
    for contestant, written in sums.items():
        phone.page.locator(f'[data-key="sum-{contestant}"]').focus()
        phone.page.keyboard.type(written)
        keys += 1 + len(written)
    return keys


def sum_comparison(phone: Phone, contestant: str) -> Locator:
    return phone.page.locator(f'[data-sum="{contestant}"]')


def see_sums_agree(phone: Phone, sums: Mapping[str, str], words: str = "Stämmer") -> None:
    """Type the sums on the paper, and check that each is the same here."""
    type_sums(phone, sums)
    for contestant in sums:
        expect(sum_comparison(phone, contestant)).to_have_text(words)


def typed_lines(phone: Phone) -> Locator:
    """Return the accepted lines, the latest first."""
    return phone.page.locator("#main ol code")
