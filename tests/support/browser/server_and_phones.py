"""A house to look at the form in: a server with everything behind it, a browser, phones.

For the commands that stand beside the tests (`make screens`, `make web-bench`); the tests share
the house of the whole run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, sync_playwright

import migrations
from ledger import servers
from tests.browser import chromium
from tests.browser.phone import Phone
from tests.conftest import copied, serving


@dataclass(frozen=True)
class House:
    browser: Browser
    url: str

    def context(
        self,
        *,
        width: int = 390,
        height: int = 844,
        scheme: str = "dark",
        language: str = "sv-SE",
        installed: bool = False,
        still: bool = False,
    ) -> BrowserContext:
        """A phone (or, wider, a tablet) that nobody has used. `still`: nothing on it moves."""
        return self.browser.new_context(
            viewport={"width": width, "height": height},
            has_touch=True,
            is_mobile=True,
            locale=language,
            color_scheme=scheme,  # type: ignore[arg-type]
            reduced_motion="reduce" if still else "no-preference",
            service_workers="allow" if installed else "block",
        )

    def lend(self, scheme: str = "dark", language: str = "sv-SE", **more: Any) -> Phone:
        """One to take pictures with; `more` as `context` has it."""
        context = self.context(scheme=scheme, language=language, still=True, **more)
        return Phone(context.new_page(), self.url)


@contextmanager
def opened(name: str) -> Iterator[House]:
    """A house that is gone afterwards; `chromium.MISSING` where there is no browser."""
    found = chromium.path()
    if found is None:
        raise SystemExit(chromium.MISSING)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f"vola-{name}-")))
        cluster = stack.enter_context(servers.postgres(folder))
        bell = stack.enter_context(servers.valkey(folder))
        migrations.apply(cluster.owner_url, app_url=cluster.app_url, audit_url=cluster.audit_url)
        urls = copied(cluster, name)
        environment = {
            "DATABASE_URL": urls.app,
            "DATABASE_OWNER_URL": urls.owner,
            "DATABASE_AUDIT_URL": urls.audit,
            "REDIS_URL": bell.url,
            "VOLA_DATA": str(folder),
        }
        server = stack.enter_context(serving(environment, folder / "server.log"))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=found, args=list(chromium.ARGUMENTS))
        stack.callback(browser.close)
        yield House(browser, server.url)
