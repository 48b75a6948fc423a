"""Fixtures for browser tests: one Chromium per run, one new phone per test."""

import os
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    sync_playwright,
)

from tests.support.browser import chromium, smoke_size
from tests.support.browser.appearance import PHONE
from tests.support.browser.phone import Phone
from tests.support.browser.server_and_phones import (
    ACCEPT_EVERY_TAP,
    SAVING,
    SHORT_WAITS,
    open_context,
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the browser tests, and leave out those that do not belong to the smoke size."""
    browser_tests = [item for item in items if "browser" in getattr(item, "fixturenames", ())]
    for item in browser_tests:
        item.add_marker(pytest.mark.browser)
    if smoke_size.SEED:
        chosen = smoke_size.select_tests(browser_tests, smoke_size.SEED)
        left_out = set(browser_tests) - set(chosen)
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


LENT = pytest.StashKey[list[BrowserContext]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what each phone showed to the report of a failed browser test."""
    report = yield
    if report.failed and call.when == "call":
        lent: list[BrowserContext] = item.stash.get(LENT, [])
        for number, context in enumerate(lent, 1):
            report.sections.append((f"on phone {number}", describe_screens(context)))
    return report


def describe_screens(context: BrowserContext) -> str:
    """Return the name of the screen and all text on a phone's page."""
    page = "location.hash.split('/').slice(3, 4) + '\\n' + document.body.innerText"
    try:
        return "\n\n".join(str(open_page.evaluate(page)) for open_page in context.pages)
    except Error as trouble:
        return f"nothing: {trouble}"


CPU_THROTTLE = float(os.environ.get("VOLA_CPU_THROTTLE", "1"))


def slow_down(page: Page) -> None:
    """Slow a page's CPU down by the factor in VOLA_CPU_THROTTLE, to find tests that race it."""
    if CPU_THROTTLE > 1:
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": CPU_THROTTLE})


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = chromium.path()
    if executable is None:
        if chromium.required():
            pytest.fail("CI=true and no Chromium: the browser tests must run here")
        pytest.skip(chromium.MISSING)
    with sync_playwright() as playwright:
        running_browser = playwright.chromium.launch(
            executable_path=executable, args=list(chromium.ARGUMENTS)
        )
        yield running_browser
        running_browser.close()


@pytest.fixture(scope="module")
def form_page(browser: Browser, server_url: str) -> Page:
    """Return a page whose modules a test calls by itself; no session is open."""
    page = browser.new_context().new_page()
    page.goto(server_url)
    return page


@pytest.fixture
def lend(
    browser: Browser, server_url: str, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Phone]]:
    """A function that opens a new phone: `lend()`, `lend(width=320, language="de")`. Phones share
    nothing. `installed`: the phone stores the form for use without a network; `hasty`: the form
    ignores taps that come too soon after a change. The form of a test marked `short_waits` waits
    less."""
    lent: list[tuple[BrowserContext, list[Error]]] = []
    contexts: list[BrowserContext] = []
    request.node.stash[LENT] = contexts
    has_short_waits = request.node.get_closest_marker("short_waits") is not None

    def phone(*, installed: bool = False, hasty: bool = False, **look: Any) -> Phone:
        context = open_context(browser, installed=installed, reduced_motion=True, **look)
        if not installed:
            context.add_init_script(SAVING)
        if not hasty:
            context.add_init_script(ACCEPT_EVERY_TAP)
        if has_short_waits:
            context.add_init_script(SHORT_WAITS)
        context.on("page", slow_down)
        page = context.new_page()
        errors: list[Error] = []
        page.on("pageerror", lambda error: errors.append(error))
        lent.append((context, errors))
        contexts.append(context)
        return Phone(page, server_url)

    yield phone
    for context, _ in lent:
        for page in context.pages:
            page.unroute_all(behavior="ignoreErrors")  # a request may still be on its way
        context.close()
    assert [str(error) for _, errors in lent for error in errors] == []


@pytest.fixture
def phone(lend: Callable[..., Phone]) -> Phone:
    return lend()


@pytest.fixture
def styled_phone(lend: Callable[..., Phone], scheme: str, language: str) -> Phone:
    """A phone in the colours and the language of `looks`."""
    return lend(scheme=scheme, language=language)


@pytest.fixture
def clipboard_phone(browser: Browser, server_url: str) -> Iterator[Phone]:
    """A phone whose browser has a clipboard."""
    executable = chromium.path(with_clipboard=True)
    if executable is None:
        pytest.skip("This Chromium has no clipboard.")
    with browser.browser_type.launch(
        executable_path=executable, args=list(chromium.ARGUMENTS)
    ) as clipboard_browser:
        page = clipboard_browser.new_page(locale="sv-SE", has_touch=True, viewport=PHONE)
        yield Phone(page, server_url)


@pytest.fixture(params=["dark", "light"])
def small_verify_page(lend: Callable[..., Phone], request: pytest.FixtureRequest) -> Phone:
    """A narrow phone, in either scheme, that shows the page /verify."""
    phone = lend(width=320, scheme=request.param)
    phone.page.goto(f"{phone.url}/verify")
    return phone
