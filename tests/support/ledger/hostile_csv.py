"""Files that no spreadsheet writes: changed copies of real ones, random bytes, bombs, wrong types.

The same seed makes the same files.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

DATA = Path(__file__).parents[2] / "ledger" / "transfer" / "csv_table" / "data"
REAL_FILES = tuple(file.read_bytes() for file in sorted(DATA.iterdir()))
NASTY_CELLS = (
    *("=cmd|' /C calc'!A0", "=1+1", "@SUM(A1)", "+1+1", "1e999", "NaN", "-0", "٣", "１２", "1/3"),
    *("9" * 300, "0" * 300, "-" * 50, "1.2.3", "1,2,3", "99999999999,99", "2026-02-30", "1-1-1"),
    *(
        "\x00",
        "\x1b[2J",
        "\u202eoB",
        "\u200b",
        "\ufeff",
        "\ud7ff",
        '"',
        '""',
        "'",
        "<script>",
        "💥",
    ),
    *("../../etc/passwd", "'; DROP TABLE vola.events; --", "{0}", "%s", "\\x00", "null", "[]"),
)
DELIMITERS = (b";", b",", b"\t", b"|", b"\x00", b" ")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "cp437", "utf-7")
OTHER_TYPES = (
    *(b"PK\x03\x04\x14\x00", b"%PDF-1.7\n%\xe2\xe3", b"\xd0\xcf\x11\xe0\xa1\xb1", b"\x1f\x8b\x08"),
    *(b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\x7fELF", b'{"a": [1, 2]}', b"<?xml version='1.0'?>"),
    *(b"<!doctype html><table><tr><td>Datum;Ada", b"BEGIN:VCALENDAR\r\n", b"MZ\x90\x00"),
)


def hostile_files(count: int, seed: int) -> Iterator[bytes]:
    """Yield `count` files; the kinds take turns."""
    random = Random(seed)
    for number in range(count):
        yield KINDS[number % len(KINDS)](random)


def _changed_bytes(random: Random) -> bytes:
    content = bytearray(random.choice(REAL_FILES))
    for _ in range(random.randint(1, 20)):
        place = random.randrange(len(content))
        content[place : place + random.randint(0, 3)] = random.randbytes(random.randint(0, 3))
    return bytes(content)


def _changed_cells(random: Random) -> bytes:
    text = _text(random)
    sign = random.choice(";,\t\n")
    cells = text.split(sign)
    for _ in range(random.randint(1, 6)):
        cells[random.randrange(len(cells))] = random.choice(NASTY_CELLS)
    return sign.join(cells).encode("utf-8", "surrogatepass")


def _rows_in_disorder(random: Random) -> bytes:
    rows = _text(random).splitlines(keepends=True)
    random.shuffle(rows)
    return "".join(rows[: random.randint(0, len(rows))] * random.randint(1, 3)).encode()


def _other_encoding(random: Random) -> bytes:
    return _text(random).encode(random.choice(ENCODINGS), "replace")


def _other_delimiter(random: Random) -> bytes:
    content = _text(random).encode()
    return content.replace(random.choice(DELIMITERS[:3]), random.choice(DELIMITERS))


def _cut_off(random: Random) -> bytes:
    content = random.choice(REAL_FILES)
    return content[: random.randrange(len(content))]


def _random_bytes(random: Random) -> bytes:
    return random.randbytes(random.randint(0, 2000))


def _random_signs(random: Random) -> bytes:
    signs = "0123456789;;,,\t\n\n\"'-−. ()=AdaBo\r\x00é"
    return "".join(random.choices(signs, k=random.randint(0, 2000))).encode()


def _bomb(random: Random) -> bytes:
    unit = random.choice((b";", b",", b"\t", b"\n", b"\r", b'"', b'"a";', b"1,", b"a;b\n", b"\xff"))
    return b"Datum;Ada;Bo\n" * random.randint(0, 1) + unit * random.choice((100, 6_000, 20_000))


def _wrong_type(random: Random) -> bytes:
    return random.choice(OTHER_TYPES) + random.randbytes(random.randint(0, 200))


def _text(random: Random) -> str:
    content = random.choice(REAL_FILES)
    encoding = "utf-16" if content.startswith(b"\xff\xfe") else "utf-8-sig"
    return content.decode(encoding, "replace")


KINDS: tuple[Callable[[Random], bytes], ...] = (
    *(_changed_bytes, _changed_cells, _rows_in_disorder, _other_encoding, _other_delimiter),
    *(_cut_off, _random_bytes, _random_signs, _bomb, _wrong_type),
)
