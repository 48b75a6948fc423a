"""The page that checks statements and exports."""

from __future__ import annotations

from base64 import b64encode

from playwright.sync_api import Page

from tests.support.proofs.tampered_exports import Vector

BATCH = 50


JUDGE = """async (batch) => {
  const { judge } = await import('/static/verify/judge.js');
  const bytes = (text) => text === null ? null : Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  return batch.map(([document, earlier, key, exported]) => judge(bytes(document), bytes(earlier), key, bytes(exported)));
}"""  # noqa: E501


def judged(page: Page, given: list[Vector]) -> list[tuple[int, str, int | None]]:
    """What the browser says of each."""
    found = []
    for start in range(0, len(given), BATCH):
        batch = [
            (written(one.document), written(one.earlier), one.key, written(one.export))
            for one in given[start : start + BATCH]
        ]
        found += [tuple(said) for said in page.evaluate(JUDGE, batch)]
    return found


def written(part: bytes | None) -> str | None:
    return None if part is None else b64encode(part).decode()
