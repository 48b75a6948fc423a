"""The page that checks statements and exports."""

from __future__ import annotations

from base64 import b64encode

from playwright.sync_api import Page

from tests.support.proofs.tampered_exports import Vector

BATCH = 50


JUDGE = """async (batch) => {
  const { verifyDocument } = await import('/static/verify/verification.js');
  const bytes = (text) => text === null ? null : Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  return batch.map(([document, earlier, key, exported]) => verifyDocument(bytes(document), bytes(earlier), key, bytes(exported)));
}"""  # noqa: E501


def judged(page: Page, vectors: list[Vector]) -> list[tuple[int, str, int | None]]:
    """What the browser says of each."""
    verdicts = []
    for start in range(0, len(vectors), BATCH):
        batch = [
            (written(vector.document), written(vector.earlier), vector.key, written(vector.export))
            for vector in vectors[start : start + BATCH]
        ]
        verdicts += [tuple(verdict) for verdict in page.evaluate(JUDGE, batch)]
    return verdicts


def written(part: bytes | None) -> str | None:
    return None if part is None else b64encode(part).decode()
