"""The page that checks statements and exports."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route, sync_playwright

from api.web.assets import VERIFIER_FOLDER
from tests.support.browser import chromium
from tests.support.proofs.tampered_exports import Vector

BATCH = 50


JUDGE_BATCH = """async (batch) => {
  const { verifyDocument } = await import('/static/verify/verification.js');
  const bytes = (text) => text && Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const { splitContradiction } = await import('/static/verify/document.js');
  return batch.map(([document, earlier, key, exported]) => {
    const given = [bytes(document), bytes(earlier)];
    const [received, kept] = earlier === null ? splitContradiction(given[0]) ?? given : given;
    return verifyDocument(received, kept, key, bytes(exported));
  });
}"""


@contextmanager
def verifier_page() -> Iterator[Page]:
    """Yield a page of a browser of its own with the page's modules, without a server."""
    executable = chromium.path()
    if executable is None:
        raise SystemExit(chromium.MISSING)

    def serve(route: Route) -> None:
        path = VERIFIER_FOLDER / route.request.url.rpartition("/")[2]
        is_module = path.suffix == ".js"
        content_type = "text/javascript" if is_module else "text/html"
        route.fulfill(body=path.read_bytes() if is_module else b"", content_type=content_type)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=list(chromium.ARGUMENTS)
        )
        page = browser.new_page()
        page.route("**/*", serve)
        page.goto("http://vola.test/verify")
        yield page
        browser.close()


def judge_vectors(page: Page, vectors: list[Vector]) -> list[tuple[int, str, int | None]]:
    """Return the browser's verdict on each of these vectors."""
    verdicts = []
    for start in range(0, len(vectors), BATCH):
        batch = [
            (
                encode_part(vector.document),
                encode_part(vector.earlier),
                vector.key,
                encode_part(vector.export),
            )
            for vector in vectors[start : start + BATCH]
        ]
        verdicts += [tuple(verdict) for verdict in page.evaluate(JUDGE_BATCH, batch)]
    return verdicts


def encode_part(part: bytes | None) -> str | None:
    return None if part is None else b64encode(part).decode()
