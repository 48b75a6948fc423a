"""Files that a phone downloads."""

from __future__ import annotations

from pathlib import Path

from tests.support.browser.phone import Phone

FIRST_BYTES = {
    "pdf": (b"%PDF-", ".pdf"),
    "xlsx": (b"PK\x03\x04", ".xlsx"),
    "csv": (b"version,at,deal,", ".csv"),
    "excel": ("\ufeffversion;at;deal;".encode(), ".csv"),
    "hledger": (b"; ", ".journal"),
    "json": (b'{"session":', ".json"),
    "export": (b'{"format":', ".json"),
}


def download(phone: Phone, form: str) -> tuple[str, bytes]:
    with phone.page.expect_download() as started:
        phone.tap(f"take-{form}")
    return started.value.suggested_filename, Path(started.value.path()).read_bytes()


SLOW_CSV = """() => {
  const real = fetch;
  const slow = (signal) => new Response(new ReadableStream({start(line) {
    globalThis.line = line;
    signal.addEventListener('abort', () => line.error(signal.reason));
  }}));
  globalThis.fetch = async (address, how) =>
    String(address).includes('format=csv') ? slow(how.signal) : real(address, how);
}"""


SEND_CSV_PIECE = """async (text) => {
  while (!globalThis.line) await new Promise(requestAnimationFrame); // it has been asked for
  globalThis.line.enqueue(new TextEncoder().encode(text));
}"""
