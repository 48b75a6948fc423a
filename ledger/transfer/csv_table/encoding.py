"""The text of a file: UTF-8, UTF-16 with a byte order mark, or Windows-1252."""

import codecs

from ledger.transfer.csv_table.refusals import TableRefusal

MAX_BYTES = 1024 * 1024
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WITHOUT_MARK = ("utf-8", "windows-1252")
"""In this order: Windows-1252 with any letter beyond ASCII is almost never valid UTF-8."""
OTHER_FILES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF", b"\x1f\x8b", b"Rar!", b"7z\xbc\xaf")
"""The beginnings of workbooks (xlsx, ods, xls), PDF and archives."""


def decode_text(content: bytes) -> tuple[str, str]:
    """Return the text of a file without its byte order mark, and the Python name of its encoding.
    Raise TableRefusal."""
    if len(content) > MAX_BYTES:
        raise TableRefusal("file_too_large", most=MAX_BYTES)
    if content.startswith(OTHER_FILES):
        raise TableRefusal("not_a_text_file")
    marked = [(mark, name) for mark, name in BYTE_ORDER_MARKS if content.startswith(mark)]
    mark, *names = marked[0] if marked else (b"", *WITHOUT_MARK)
    text, encoding = _decode(content[len(mark) :], names)
    if not text.strip():
        raise TableRefusal("file_is_empty")
    return text, encoding


def _decode(content: bytes, names: list[str]) -> tuple[str, str]:
    failed_at = 0
    for name in names:
        try:
            return content.decode(name), name
        except UnicodeDecodeError as error:
            failed_at = error.start
    raise TableRefusal("encoding_unknown", row=content.count(b"\n", 0, failed_at) + 1)
