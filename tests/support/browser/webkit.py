"""WebKit, the engine of every browser on an iPhone, and a phone that runs it.

Debian has it as `webkit2gtk-driver`; it draws on a display of its own (`xvfb`). Without them the
tests in WebKit are skipped.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from typing import TypeVar

from tests.support.browser.phone import PATIENCE_SECONDS, SEATS, deal_steps
from tests.support.browser.server_and_phones import ACCEPT_EVERY_TAP
from tests.support.browser.webdriver import Element, WebDriver, WebDriverError
from tests.support.player_names import FOUR_NAMES
from tests.support.polling import wait_until

T = TypeVar("T")

DRIVER, DISPLAY = "WebKitWebDriver", "Xvfb"
BROWSERS = "/usr/lib*/*/webkit2gtk-4.*/MiniBrowser"
MISSING = "No WebKit here: its tests are skipped (apt-get install webkit2gtk-driver xvfb)."
COLLECT_ERRORS = """
  window.pageErrors = [];
  addEventListener('error', (event) => pageErrors.push(event.message));
  addEventListener('unhandledrejection', (event) => pageErrors.push(String(event.reason)));
"""


def browser_path() -> str | None:
    """Return the browser to run, or None if anything that it needs is missing."""
    if shutil.which(DRIVER) is None or shutil.which(DISPLAY) is None:
        return None
    return next(iter(glob(BROWSERS)), None)


@contextmanager
def run_webkit() -> Iterator[WebDriver]:
    """Run the browser, in a window of the size of a phone. It must be installed."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    options = {"binary": browser_path(), "args": ["--automation"]}
    with _display() as display:
        # In a locale without a language the form is in Swedish, whatever this machine speaks.
        environment = {**os.environ, "DISPLAY": display, "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen([DRIVER, f"--port={port}"], env=environment)
        try:
            wait_until(lambda: unless_it_fails(lambda: _is_listening(port)))
            driver = WebDriver(f"http://127.0.0.1:{port}", {"webkitgtk:browserOptions": options})
            driver.resize(390, 844)
            yield driver
            driver.close()
        finally:
            process.terminate()
            process.wait()


@contextmanager
def _display() -> Iterator[str]:
    """Yield the name of a display that nobody sees."""
    reading, writing = os.pipe()
    arguments = ["-displayfd", str(writing), "-screen", "0", "800x1000x24", "-nolisten", "tcp"]
    process = subprocess.Popen([DISPLAY, *arguments], pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as number:
            yield f":{number.readline().strip()}"
    finally:
        process.terminate()
        process.wait()


def _is_listening(port: int) -> bool:
    socket.create_connection(("127.0.0.1", port)).close()
    return True


def unless_it_fails(action: Callable[[], T]) -> T | None:
    """Return the result of the action, or None if the browser cannot do it yet."""
    try:
        return action()
    except (OSError, WebDriverError):
        return None


class WebKitPhone:
    """A phone whose browser is WebKit; its methods are named as those of `Phone`."""

    def __init__(self, driver: WebDriver, url: str) -> None:
        self.driver, self.url = driver, url
        self._earlier_errors: list[str] = []  # of pages that were loaded before this one

    def open(self, path: str) -> None:
        """Load this page."""
        self.driver.load("about:blank")  # the same page at another fragment would not be loaded
        self.driver.load(f"{self.url}{path}")
        self._watch()

    def reload(self) -> None:
        self._earlier_errors = self.errors()
        self.driver.reload()
        self._watch()

    def _watch(self) -> None:
        """Begin to collect errors, and let the form ignore no tap as too soon."""
        self.driver.evaluate(ACCEPT_EVERY_TAP + COLLECT_ERRORS)

    def errors(self) -> list[str]:
        return [*self._earlier_errors, *self.driver.evaluate("return pageErrors")]

    def visit(self, screen: str) -> None:
        place = "location.hash.split('/').slice(0, 3).join('/')"
        self.driver.evaluate(f"location.hash = {place} + '/{screen}'")

    def _wait_until(self, check: Callable[[], T | None], wanted: str) -> T:
        """Call `check` until its result is true, and return it."""
        shown = "return document.body.innerText"
        result = wait_until(
            lambda: unless_it_fails(check),
            lambda: f"no {wanted}; the page shows:\n{self.driver.evaluate(shown)}",
            seconds=PATIENCE_SECONDS,
        )
        assert result is not None
        return result

    def see(self, selector: str) -> Element:
        """Wait until an element is visible, and return it."""

        def find() -> Element | None:
            return next((x for x in self.driver.elements(selector) if x.is_displayed), None)

        return self._wait_until(find, selector)

    def see_text(self, selector: str, text: str) -> None:
        self._wait_until(lambda: text in self.see(selector).text, text)

    def see_texts(self, selector: str, texts: Sequence[str]) -> None:
        """Wait until there are as many elements, each with its text."""
        self._wait_until(
            lambda: [x.text for x in self.driver.elements(selector)] == [*texts], str(texts)
        )

    def tap(self, key: str) -> None:
        self._click(f'[data-key="{key}"]')

    def seat(self, letters: str) -> None:
        for letter in letters:
            self._click(f'[data-seat="p{SEATS.index(letter) + 1}"]')

    def fill(self, key: str, text: str) -> None:
        self.see(f'[data-key="{key}"]').type(text)

    def mark(self, name: str, value: str) -> None:
        """Choose one of the buttons with this name: the label around it, as a finger does."""
        self._click(f'label:has([name="{name}"][value="{value}"])')

    def _click(self, selector: str) -> None:
        def click() -> bool:
            self.see(selector).click()
            return True

        self._wait_until(click, selector)

    def begin_by_tapping(self, names: Sequence[str] = FOUR_NAMES) -> None:
        """Tap from the front page to the table of a new session."""
        self.open("/")
        self.tap("new")
        self.see(".lineup input")
        for field, name in zip(self.driver.elements(".lineup input"), names, strict=False):
            field.type(name)
        self.tap("open")
        self.see("body.table .felt")

    def play(self, number: int, declarers: str, tricks: str = "") -> None:
        """Record a whole deal, as `Phone.play` does."""
        self.tap("record")
        for key, seat in deal_steps(declarers, tricks):
            self.tap(key) if key else self.seat(seat)
        self.see(".verdict")
        self.see_text("h1", str(number))
