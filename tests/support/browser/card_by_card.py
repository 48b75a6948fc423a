"""Deals recorded card by card."""

from __future__ import annotations

from tests.support.browser.phone import Phone


def play_trick(phone: Phone, trick: str) -> None:
    for card in trick.split():
        phone.tap(f"card-{card}")


def begin_by_cards(phone: Phone, game: str) -> Phone:
    phone.begin(game=game)
    phone.tap("record").tap("depth-cards")
    return phone
