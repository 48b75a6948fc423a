"""Waits for conditions that a page does not show."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

TIMEOUT_MS = 30_000
POLL = """async ([argument, timeout]) => {{
  const condition = {condition};
  const deadline = performance.now() + timeout;
  while (performance.now() < deadline) {{
    const value = await condition(argument);
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }}
  throw new Error('Still false: ' + condition);
}}"""


def wait_until(
    page: Page, condition: str, argument: Any = None, *, timeout_ms: int = TIMEOUT_MS
) -> Any:
    """Return the first truthy value of a JavaScript function, called until it returns one.

    Playwright's `wait_for_function` compiles its text again for every call, which the form's
    content security policy refuses from the second on; this one is compiled once.
    """
    return page.evaluate(POLL.format(condition=condition), [argument, timeout_ms])
