"""A client of WebDriver (W3C), for browsers that Playwright cannot drive. Selenium's would bring a
plugin of Hypothesis along, with whose warning no test here would pass."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key under which WebDriver names an element (§12.1)."""
REQUEST_SECONDS = 60


class WebDriverError(Exception):
    """The browser could not do it; an element may be covered, or no longer there."""


class Element:
    def __init__(self, driver: WebDriver, name: str) -> None:
        self._driver, self._path = driver, f"/element/{name}"

    def click(self) -> None:
        self._driver.send("POST", f"{self._path}/click", {})

    def type(self, text: str) -> None:
        """Type a text; into a field for files, choose the file with this path."""
        self._driver.send("POST", f"{self._path}/value", {"text": text})

    @property
    def text(self) -> str:
        """The text as a person reads it."""
        text: str = self._driver.send("GET", f"{self._path}/text")
        return text

    @property
    def is_displayed(self) -> bool:
        return bool(self._driver.send("GET", f"{self._path}/displayed"))


class WebDriver:
    """One window of a browser, at the driver program that listens at `address`."""

    def __init__(self, address: str, capabilities: dict[str, Any]) -> None:
        self._url = f"{address}/session"
        body = {"capabilities": {"alwaysMatch": capabilities}}
        self._url += f"/{self.send('POST', '', body)['sessionId']}"

    def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a command and return its value. WebDriverError if it fails."""
        request = urllib.request.Request(
            f"{self._url}{path}",
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=REQUEST_SECONDS) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise WebDriverError(error.read().decode()) from None

    def resize(self, width: int, height: int) -> None:
        self.send("POST", "/window/rect", {"width": width, "height": height})

    def load(self, url: str) -> None:
        self.send("POST", "/url", {"url": url})

    def reload(self) -> None:
        self.send("POST", "/refresh", {})

    def evaluate(self, script: str) -> Any:
        """Return what the body of a function in the page returns."""
        return self.send("POST", "/execute/sync", {"script": script, "args": []})

    def elements(self, selector: str) -> list[Element]:
        found = self.send("POST", "/elements", {"using": "css selector", "value": selector})
        return [Element(self, element[ELEMENT]) for element in found]

    def close(self) -> None:
        """Close the window, which ends the browser."""
        self.send("DELETE", "")
