"""A house to look at the form in: a server with everything behind it, a browser, phones.

For the commands that stand beside the tests (`make screens`, `make web-bench`); the tests share
the house of the whole run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.support.browser import chromium
from tests.support.browser.phone import Phone
from tests.support.databases import run_temporary_servers
from tests.support.server_process import run_server

CALM = """new MutationObserver(() => delete document.documentElement.dataset.spared)
  .observe(document, {subtree: true, attributeFilter: ['data-spared']})"""
"""A script for phones whose owners have read every question before they tap: the form ignores no
tap as too soon."""


def open_context(
    browser: Browser,
    *,
    width: int = 390,
    height: int = 844,
    language: str = "sv-SE",
    scheme: str = "dark",
    installed: bool = False,
    reduced_motion: bool = False,
) -> BrowserContext:
    """Return a phone (or, wider, a tablet) that nobody has used.

    `installed`: it keeps the form for when there is no network.
    """
    return browser.new_context(
        viewport={"width": width, "height": height},
        has_touch=True,
        is_mobile=True,
        locale=language,
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce" if reduced_motion else "no-preference",
        service_workers="allow" if installed else "block",
    )


@dataclass(frozen=True)
class House:
    browser: Browser
    url: str

    def context(self, **look: Any) -> BrowserContext:
        """As `open_context`, in this house's browser."""
        return open_context(self.browser, **look)

    def lend(self, scheme: str = "dark", language: str = "sv-SE", **more: Any) -> Phone:
        """One to take pictures with; `more` as `context` has it."""
        context = self.context(scheme=scheme, language=language, reduced_motion=True, **more)
        return Phone(context.new_page(), self.url)


@contextmanager
def opened(name: str) -> Iterator[House]:
    """A house that is gone afterwards; `chromium.MISSING` where there is no browser."""
    executable = chromium.path()
    if executable is None:
        raise SystemExit(chromium.MISSING)
    with ExitStack() as stack:
        embedded = stack.enter_context(run_temporary_servers(name))
        server = stack.enter_context(
            run_server(embedded.environment, embedded.folder / "server.log")
        )
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(
            executable_path=executable, args=list(chromium.ARGUMENTS)
        )
        stack.callback(browser.close)
        yield House(browser, server.url)
