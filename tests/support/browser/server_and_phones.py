"""A server with its databases, a browser and phones, for commands beside the tests.

`make screens` and `make web-bench` use it; the tests use the server of the whole run.
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

ACCEPT_EVERY_TAP = """new MutationObserver(() => delete document.documentElement.dataset.spared)
  .observe(document, {subtree: true, attributeFilter: ['data-spared']})"""
"""A script with which the form ignores no tap as too soon, for phones whose users read first."""

SAVING = "Object.defineProperty(navigator, 'connection', {value: {saveData: true}})"
"""A script that asks the form to save data. Without it the form fetches two hundred files in
advance, which takes half of a test's time."""

SHORT_WAITS = """{
  const { setTimeout } = window;
  const waits = { 1_000: 200, 2_000: 300, 3_000: 100, 4_000: 400, 10_000: 1_000, 15_000: 1_000 };
  window.setTimeout = (run, wait, ...more) => setTimeout(run, waits[wait] ?? wait, ...more);
}"""
"""A script with which the form waits less, each wait in milliseconds: between polls for join
requests, before it loads the other modules and checks receipts, between polls beside an open feed,
and before it sends an answer again."""


def open_context(
    browser: Browser,
    *,
    width: int = 390,
    height: int = 844,
    language: str = "sv-SE",
    scheme: str = "dark",
    installed: bool = False,
    reduced_motion: bool = False,
    timezone: str = "Europe/Stockholm",
) -> BrowserContext:
    """Return an unused phone, or with a larger width a tablet. Its clock shows Swedish time
    wherever the test runs, as that of the players does, unless another time zone is named.

    `installed`: the phone stores the form for use without a network.
    """
    return browser.new_context(
        viewport={"width": width, "height": height},
        has_touch=True,
        is_mobile=True,
        locale=language,
        timezone_id=timezone,
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce" if reduced_motion else "no-preference",
        service_workers="allow" if installed else "block",
    )


@dataclass(frozen=True)
class BrowserSetup:
    """A browser, and the address of a server."""

    browser: Browser
    url: str

    def context(self, **look: Any) -> BrowserContext:
        """Return `open_context` in this browser."""
        return open_context(self.browser, **look)

    def lend(self, scheme: str = "dark", language: str = "sv-SE", **more: Any) -> Phone:
        """Return a phone to take pictures with; `more` goes to `context`."""
        context = self.context(scheme=scheme, language=language, reduced_motion=True, **more)
        return Phone(context.new_page(), self.url)


@contextmanager
def run_browser_setup(name: str) -> Iterator[BrowserSetup]:
    """Run a server and a browser inside the `with`. SystemExit with `chromium.MISSING` without a
    browser."""
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
        yield BrowserSetup(browser, server.url)
