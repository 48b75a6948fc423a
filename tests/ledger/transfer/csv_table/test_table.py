"""Five files of spreadsheets and banks are read; what is no table is refused with its place."""

from pathlib import Path

import pytest

from ledger.transfer.csv_table.cells import MAX_CELL_CHARACTERS, MAX_COLUMNS, MAX_ROWS
from ledger.transfer.csv_table.columns import describe_columns, is_total
from ledger.transfer.csv_table.encoding import MAX_BYTES
from ledger.transfer.csv_table.refusals import TableRefusal
from ledger.transfer.csv_table.table import read_table

DATA = Path(__file__).parent / "data"
FILES = {
    "swedish_excel.csv": ("windows-1252", ";", 1, 6),
    "google_sheets.csv": ("utf-8", ",", 1, 4),
    "danish_tabs.txt": ("utf-16-le", "\t", 1, 4),
    "german_bank.csv": ("utf-8", ";", 5, 5),
    "long_format.csv": ("utf-8", ";", 1, 9),
}
KINDS = {
    "swedish_excel.csv": "date amount amount amount amount text",
    "google_sheets.csv": "date amount amount amount amount amount amount",
    "danish_tabs.txt": "date amount amount amount amount",
    "german_bank.csv": "date date text text amount amount amount",
    "long_format.csv": "date text amount",
}


def table_of(*lines: str, newline: str = "\n"):
    return read_table(newline.join(lines).encode())


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_is_read_as_it_was_written(name):
    table = read_table((DATA / name).read_bytes())
    found = (table.encoding, table.delimiter, table.header_row, len(table.rows))
    assert found == FILES[name]
    assert {len(row.cells) for row in table.rows} == {len(table.header)}


@pytest.mark.parametrize("name", KINDS)
def test_the_columns_of_a_real_file_are_recognised(name):
    columns = describe_columns(read_table((DATA / name).read_bytes()))
    assert " ".join(column.kind for column in columns) == KINDS[name]


def test_headings_say_what_their_columns_hold():
    columns = describe_columns(read_table((DATA / "german_bank.csv").read_bytes()))
    meanings = [column.meaning for column in columns]
    assert meanings == ["date", None, "player", None, "debit", "credit", "sum"]


def test_letters_beyond_ascii_survive_every_encoding():
    table = read_table((DATA / "swedish_excel.csv").read_bytes())
    assert table.header[5] == "Anmärkning"
    assert table.rows[1].cells[5] == "Röda rummet"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        table = read_table("Datum;Åsa;Örjan\n2024-01-02;1;-1\n".encode(encoding))
        assert table.header == ("Datum", "Åsa", "Örjan")


def test_a_total_row_is_told_from_the_others():
    for name in ("swedish_excel.csv", "danish_tabs.txt"):
        table = read_table((DATA / name).read_bytes())
        assert [is_total(row) for row in table.rows] == [False] * (len(table.rows) - 1) + [True]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_blank_rows_count_and_are_left_out(newline):
    table = table_of("Datum;Ada", "", ";;", "2024-01-02;5", "", newline=newline)
    assert [(row.number, row.cells) for row in table.rows] == [(4, ("2024-01-02", "5"))]


def test_excels_own_first_line_names_the_delimiter():
    table = table_of("sep=;", "Date;Ada;Bo", "2024-01-02;1,5;-1,5")
    assert (table.delimiter, table.header_row) == (";", 2)


def test_more_lines_of_a_bank_than_payments_do_not_hide_the_header():
    table = table_of(
        '"Girokonto";"DE12"',
        '"Zeitraum:";"01.11.2026 - 30.11.2026"',
        '"Kontostand vom 30.11.2026:";"1.234,56 €"',
        '""',
        '"Buchungsdatum";"Zahlungspflichtige*r";"Verwendungszweck";"Betrag (€)";"Kundenreferenz"',
        '"24.11.26";"Ada";"Vola";"50,00";""',
        '"25.11.26";"Bo";"Vola";"-20,00";""',
    )
    assert (table.header_row, len(table.rows)) == (5, 2)


def test_the_last_heading_may_be_blank():
    table = table_of("Datum;Ada; ;", "2024-01-02;5;S;", "2024-01-03;5")
    assert table.header == ("Datum", "Ada", "")
    assert [row.cells for row in table.rows] == [("2024-01-02", "5", "S"), ("2024-01-03", "5", "")]


def test_blank_cells_make_no_header_of_a_line_above_it():
    """A spreadsheet that saves a bank's file makes all rows as wide as the widest."""
    table = table_of(
        "Kontonamn;Kontonummer;Clearing;;",
        "Datum;Text;Belopp;Saldo;Valuta",
        "2024-01-02;Ada;5;5;SEK",
        "2024-01-03;Bo;5;10;SEK",
    )
    assert (table.header_row, table.header[0]) == (2, "Datum")


def test_a_formula_stays_text():
    table = table_of("Datum;Ada;Remark", '2024-01-02;1;"=HYPERLINK(""x"")"')
    assert table.rows[0].cells[2] == '=HYPERLINK("x")'


REFUSED = {
    "nothing": (b"", "file_is_empty", {}),
    "blanks": (b"\xef\xbb\xbf \r\n\r\n", "file_is_empty", {}),
    "large": (b"x" * (MAX_BYTES + 1), "file_too_large", {"most": MAX_BYTES}),
    "a workbook": (b"PK\x03\x04rest", "not_a_text_file", {}),
    "a PDF": (b"%PDF-1.7", "not_a_text_file", {}),
    "no encoding": (b"Datum;Ada\n2024-01-02;\x81\n", "encoding_unknown", {"row": 2}),
    "half a UTF-16": (b"\xff\xfeD\x00a", "encoding_unknown", {"row": 1}),
    "NUL": (b"Datum;Ada\n2024-01-02;1\x00\n", "control_character", {"row": 2, "column": 2}),
    "turned text": (
        "Datum;Ada\n2024-01-02;\u202e1\n".encode(),
        "control_character",
        {"row": 2, "column": 2},
    ),
    "an open quote": (b'Datum;Ada\n2024-01-02;"1\n', "quote_not_closed", {"row": 2}),
    "text after a quote": (b'Datum;Ada\n2024-01-02;"1"2\n', "quote_not_closed", {"row": 2}),
    "many rows": (
        b"Datum;Ada\n" + b"2024-01-02;1\n" * MAX_ROWS,
        "too_many_rows",
        {"most": MAX_ROWS},
    ),
    "many columns": (
        b"Datum" + b";Ada" * MAX_COLUMNS,
        "too_many_columns",
        {"row": 1, "most": MAX_COLUMNS},
    ),
    "a long cell": (
        b"Datum;Ada\n2024-01-02;" + b"1" * (MAX_CELL_CHARACTERS + 1),
        "cell_too_long",
        {"row": 2, "column": 2, "most": MAX_CELL_CHARACTERS},
    ),
    "a cell longer than csv reads by itself": (
        b"Datum;Ada\n2024-01-02;" + b"1" * 200_000,
        "cell_too_long",
        {"row": 2, "column": 2, "most": MAX_CELL_CHARACTERS},
    ),
    "an open quote before much text": (
        b'Datum;Ada\n2024-01-02;"' + b"1;2\n" * 50_000,
        "quote_not_closed",
        {"row": 2},
    ),
    "one column": (b"Datum\n2024-01-02\n", "one_column", {}),
    "no header": (b"2024-01-02;1;-1\n2024-01-03;2;-2\n", "no_header", {}),
    "headings alone": (b"Datum;Ada;Bo\n", "one_row", {}),
    "a delimiter alone": (b"sep=;\n;;\n", "no_header", {}),
    "decimal commas between commas": (
        b"Datum,Ada,Bo\n2024-01-02,1,50,-1,50\n2024-01-02,2,50,-2,50\n",
        "row_too_wide",
        {"row": 2},
    ),
}


@pytest.mark.parametrize(("content", "reason", "operands"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_table_is_refused_with_its_place(content, reason, operands):
    with pytest.raises(TableRefusal) as refused:
        read_table(content)
    assert (refused.value.reason, refused.value.operands) == (reason, operands)
