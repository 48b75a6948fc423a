"""A table that shows a session while another phone closes it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.browser.connection import recording_phones
from tests.support.browser.group_screens import close_session
from tests.support.browser.phone import Phone


def test_a_table_asks_once_whose_phone_it_is(lend: Callable[..., Phone]) -> None:
    host, scorer = recording_phones(lend)
    question = scorer.page.get_by_role("heading", name="Vems är den här telefonen?")
    expect(question).to_have_count(1)
    close_session(host)
    expect(scorer.page.locator('[data-key="holder-none"]')).to_be_visible()
    expect(question).to_have_count(1)
