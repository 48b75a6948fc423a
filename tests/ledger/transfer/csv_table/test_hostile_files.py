"""Each of two thousand hostile files is read, or refused with the place of its fault."""

from collections import Counter

import pytest

from ledger.transfer.csv_table.columns import describe_columns
from ledger.transfer.csv_table.encoding import MAX_BYTES
from ledger.transfer.csv_table.refusals import TableRefusal
from ledger.transfer.csv_table.table import read_table
from tests.support.ledger.hostile_csv import REAL_FILES, hostile_files

FILES = 2_000


def test_every_hostile_file_is_read_or_refused_by_name():
    found: Counter[str] = Counter()
    places: set[str] = set()
    for content in hostile_files(FILES, seed=26):
        try:
            table = read_table(content)
        except TableRefusal as refusal:
            found[refusal.reason] += 1
            places.update(refusal.operands)
        else:
            assert len(describe_columns(table)) == len(table.header) > 1
            found["read"] += 1
    assert found.total() == FILES
    assert places <= {"row", "column", "most"}
    assert len(found) >= 10, "the files are all refused for the same few reasons"
    assert found["read"] >= FILES // 10, "too few get past the reader"


def test_the_files_that_are_changed_are_read():
    headers = [read_table(content).header for content in REAL_FILES]
    assert len(headers) == 5
    assert all("Ada" in header or header[0] in ("Datum", "Buchungstag") for header in headers)


SLOW_CELLS = ("1" * 499 + "x", "1 " * 249 + "x", "1.1," * 124 + "x", "a" * 499, "- " * 249)


@pytest.mark.parametrize("cell", SLOW_CELLS, ids=range(len(SLOW_CELLS)))
def test_a_large_file_of_nearly_amounts_is_read_to_its_end(cell):
    """A regular expression that tries every division of such a cell would not end in an hour."""
    line = f"2026-11-24;{cell}\n"
    content = f"Datum;Ada\n2026-11-24;1\n{line * ((MAX_BYTES - 40) // len(line))}".encode()
    assert describe_columns(read_table(content))[1].kind == "text"
