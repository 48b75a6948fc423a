"""Files on the page /verify: chosen, dropped and pasted."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from playwright.sync_api import JSHandle

from tests.support.browser.phone import Phone
from tests.support.proofs.exported_files import encode_document

MAKE_TRANSFER = """(files) => {
  const transfer = new DataTransfer();
  for (const [name, text] of files) {
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    transfer.items.add(new File([bytes], name, { type: 'application/json' }));
  }
  return transfer;
}"""
DISPATCH_PASTE = """(clipboardData) => document.body.dispatchEvent(
  new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))"""


def choose_file(phone: Phone, name: str, content: bytes) -> None:
    """Choose a file in the field `name`."""
    file = {"name": f"{name}.json", "mimeType": "application/json", "buffer": content}
    phone.page.locator(f'input[name="{name}"]').set_input_files(file)  # type: ignore[arg-type]


def make_transfer(phone: Phone, *documents: Any) -> JSHandle:
    """Return these documents as the data of a drag or of the clipboard."""
    files = [
        (
            f"{number}.json",
            b64encode(raw if isinstance(raw, bytes) else encode_document(raw)).decode(),
        )
        for number, raw in enumerate(documents)
    ]
    return phone.page.evaluate_handle(MAKE_TRANSFER, files)


def drop_files(phone: Phone, *documents: Any, on: str = "h1") -> None:
    phone.page.dispatch_event(on, "drop", {"dataTransfer": make_transfer(phone, *documents)})


def paste_files(phone: Phone, *documents: Any) -> None:
    phone.page.evaluate(DISPATCH_PASTE, make_transfer(phone, *documents))


def read_file_names(phone: Phone) -> list[str | None]:
    """Return the names of the files in the fields: to check, its export, the earlier one."""
    names: list[str | None] = phone.page.evaluate(
        """() => ['file', 'export', 'earlier']
          .map((name) => document.querySelector(`[name=${name}]`).files[0]?.name ?? null)"""
    )
    return names
