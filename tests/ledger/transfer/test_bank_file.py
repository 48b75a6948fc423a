"""The lines of a bank's file are read the same, whichever columns they are in."""

from datetime import date

import pytest

from ledger.transfer.bank_file import (
    BankColumns,
    Notation,
    guess_columns,
    read_bank_lines,
)
from ledger.transfer.csv_table.columns import date_orders
from ledger.transfer.csv_table.refusals import TableRefusal
from ledger.transfer.csv_table.table import read_table
from tests.support.ledger.bank_files import BANK_FILES, headerless_file, semicolon_file
from tests.support.ledger.hostile_csv import hostile_files

KRONOR = Notation(currency="SEK")
ROWS = [
    (date(2026, 11, 21), 1_250_50, "SWISH FRÅN ADA A, Fredag"),
    (date(2026, 11, 22), -5000, "Swish till Cilla, Vola"),
    (date(2026, 12, 1), 30, "Ränta, december"),
]


def read_lines(content, **options):
    table = read_table(content, header_required=False)
    return read_bank_lines(table, guess_columns(table), Notation(currency="SEK", **options))


@pytest.mark.parametrize("write", BANK_FILES.values(), ids=BANK_FILES)
def test_every_banks_file_gives_the_same_lines(write):
    lines = read_lines(write(ROWS))
    assert [(line.day, line.amount) for line in lines] == [row[:2] for row in ROWS]
    for line, (_, _, text) in zip(lines, ROWS, strict=True):
        assert all(word in line.text for word in text.replace(",", "").split())


@pytest.mark.parametrize("earlier_text", ["123", "2026-11-20", "SEK", "", "Fredag"])
def test_a_line_has_the_same_text_in_every_file(earlier_text):
    header = "Meddelande;Datum;Belopp;Namn"
    line = "124;2026-11-21;50,00;ADA"
    (alone,) = read_lines(f"{header}\n{line}".encode())
    others = f"{earlier_text};2026-11-20;10,00;Bo\n" * 4
    *_, with_others = read_lines(f"{header}\n{others}{line}".encode())
    assert (alone.day, alone.amount, alone.text) == (date(2026, 11, 21), 5000, "124 ADA")
    assert with_others.text == alone.text


def amounts_of(text, **options):
    return [line.amount for line in read_lines(text.encode(), **options)]


DIRECTIONS = {  # by heading: how a payment out is marked, and one that came in
    "Soll/Haben": "S H",
    "S/H": "Soll Haben",
    "Type": "D K",
    "Debet/Kredit": "Debet Kredit",
    "D/C": "d c",
    "": "DEBIT CREDIT",
    "+/-": "- +",
}


@pytest.mark.parametrize(("heading", "marks"), DIRECTIONS.items())
def test_a_column_of_directions_gives_amounts_their_sign(heading, marks):
    debit, credit = marks.split()
    content = f"Datum;Belopp;{heading};Text\n2026-11-21;50,00;{credit};Ada\n2026-11-22;0;{debit};"
    rows = f"\n2026-11-23;1 250,50;{debit};Bo\nSumma;1 300,50;;"
    assert amounts_of(content + rows) == [5000, 0, -125050]


@pytest.mark.parametrize(("heading", "debit"), [("Soll/Haben", "S"), ("D/K", "d"), ("", "S")])
def test_under_its_heading_or_none_a_single_direction_counts(heading, debit):
    assert amounts_of(f"Datum;Belopp;{heading}\n2026-11-21;50;{debit}") == [-5000]


@pytest.mark.parametrize(
    "content",
    [
        "Datum;Belopp;Status\n2026-11-21;50;S\n2026-11-22;60;S",
        "Datum;Belopp;Soll/Haben\n2026-11-21;50;S\n2026-11-22;60;",
        "Datum;Belopp;Soll/Haben\n2026-11-21;50;S\n2026-11-22;60;K",
        "Datum;Belopp;Uttag\n2026-11-21;50;-\n2026-11-22;60;-",
        "Datum;Belopp;A;B\n2026-11-21;50;S;H\n2026-11-22;60;H;S",
    ],
)
def test_a_column_that_may_hold_something_else_changes_no_sign(content):
    assert amounts_of(content) == [5000, 6000]


@pytest.mark.parametrize("heading", ["Insättningar/uttag", "Insättning/Uttag", "Ind/ud"])
def test_a_column_of_both_directions_has_amounts_with_a_sign(heading):
    header = f"Bokförd;Text;{heading};Bokfört saldo\n"
    assert amounts_of(f"{header}2026-11-21;Ada;50,00;150,00") == [5000]
    assert amounts_of(f"{header}2026-11-21;Ada;50,00;150,00\n2026-11-22;Bo;-70,00;80,00") == [
        5000,
        -7000,
    ]


@pytest.mark.parametrize(("out", "into"), [("Uttag", "Insättningar"), ("Ud", "Ind")])
def test_two_columns_of_amounts_are_told_apart(out, into):
    rows = "2026-11-21;Ada;;50,00\n2026-11-22;Bo;70,00;"
    assert amounts_of(f"Dato;Tekst;{out};{into}\n{rows}") == [5000, -7000]


def test_amounts_with_signs_of_their_own_keep_them():
    content = "Datum;Belopp;Soll/Haben\n2026-11-21;-50;S\n2026-11-22;60;H\n2026-11-23;70;S"
    assert amounts_of(content) == [-5000, 6000, 7000]


def test_a_balance_shows_which_sign_the_decimals_have():
    content = "Datum;Belopp;Saldo\n2026-11-21;150.000;{}\n2026-11-22;20.500;900"
    assert amounts_of(content.format("1.000.000")) == [150_000_00, 20_500_00]
    with pytest.raises(TableRefusal, match=r"^amount_unreadable "):
        amounts_of(content.format("1000.500"))


def test_three_decimals_are_read_where_all_amounts_have_them():
    content = "Datum;Belopp;Saldo\n2026-11-21;-30.000;970.000\n2026-11-22;{}"
    assert amounts_of(content.format("20.500;1990.500")) == [-3000, 2050]
    assert amounts_of(content.format("20.500;990.500")) == [-3000, 2050]
    for row in ("20.500;990.505", "20.500;"):
        assert amounts_of(content.format(row)) == [-30_000_00, 20_500_00]
    no_balance = content.replace("Saldo", "Rest")
    assert amounts_of(no_balance.format("20.500;990.500")) == [-30_000_00, 20_500_00]
    for row in ("20.505;1990.500", "20.50;1990.500", "20.500;1990.50", "20;1990.500"):
        with pytest.raises(TableRefusal, match=r"^amount_unreadable "):
            amounts_of(content.format(row))


def test_a_payment_in_another_currency_is_left_out():
    header = "Date,Name,{},Gross,Original currency\n"
    rows = "2026-11-21,Ada,SEK,50.00,EUR\n2026-11-22,Bo,USD,20.00,SEK\n2026-11-23,Bo,,30.00,\n"
    for heading in ("Currency", "Valuta", "Währung"):
        assert amounts_of(header.format(heading) + rows) == [5000, 3000]
    assert amounts_of(header.format("Country") + rows) == [5000, 2000, 3000]
    assert amounts_of(header.format("Currency") + rows.replace("SEK", "EUR")) == [5000, 2000, 3000]


@pytest.mark.parametrize("pending", ["Reserverat", "offen"])
def test_a_payment_that_is_not_booked_yet_is_left_out(pending):
    content = f"Datum;Belopp;Text\n{pending};-20;Bo\n{pending};-30;Bo\n2026-11-21;50;Ada"
    assert amounts_of(content) == [5000]


@pytest.mark.parametrize("status", ["Umsatz vorgemerkt", "Venter", "REVERTED"])
def test_a_payment_whose_status_is_not_booked_is_left_out(status):
    content = f"Dato;Beløb;Status\n2026-11-21;50;Booked\n2026-11-22;60;{status}"
    assert amounts_of(content) == [5000]


def test_rows_count_as_in_a_spreadsheet():
    assert [line.row for line in read_lines(semicolon_file(ROWS))] == [3, 4, 5]


def test_without_headings_the_first_row_is_a_line():
    table = read_table(headerless_file(ROWS), header_required=False)
    assert guess_columns(table) == BankColumns(date=2, amount=4, texts=(1,))
    assert [row.number for row in table.rows] == [1, 2, 3]
    for content in (b"Ada;Bo\nCilla;Disa", b"\n2026-11-21;Ada\n2026-11-22;Bo", b"sep=;\n;"):
        with pytest.raises(TableRefusal, match=r"^no_header "):
            read_table(content, header_required=False)


def test_a_single_line_needs_no_headings():
    assert amounts_of("2026-11-21;Ada;50,00;150,00") == [5000]
    for content in (b"Datum;Ada;Bo\n", b"2026-11-21;Ada\n"):
        with pytest.raises(TableRefusal, match=r"^one_row "):
            read_table(content, header_required=False)


def test_a_balance_is_no_amount_and_a_currency_no_text():
    columns = guess_columns(read_table(semicolon_file(ROWS)))
    assert columns == BankColumns(date=1, amount=2, texts=(3,))


def test_what_the_other_person_paid_counts_not_what_a_fee_left():
    header = "Datum,Name,Status,Währung,Brutto,Gebühr,Netto,Guthaben\n"
    rows = '21.11.2026,Ada,Fertig,EUR,"50,00","-1,24","48,76","148,76"\n22.11.2026,Bo,Fertig,EUR,'
    content = f'{header}{rows}"-20,00","0,00","-20,00","128,76"'
    assert amounts_of(content) == [5000, -2000]
    assert amounts_of(content.replace("Brutto", "Net").replace("Netto", "Gross")) == [4876, -2000]


def test_a_column_that_few_lines_fill_holds_no_amounts_of_lines():
    header = "Buchungstag;Verwendungszweck;Fremde Gebühren;Betrag;Soll;Haben;Währung\n"
    rows = "21.11.2026;Ada;;;;50,00;EUR\n22.11.2026;Bo;3,00;17,00;-20,00;;EUR"
    assert amounts_of(header + rows) == [5000, -2000]
    rows = "21.11.2026;Ada;;50,00;;;EUR\n22.11.2026;Bo;3,00;-20,00;;;EUR"
    assert amounts_of(header + rows) == [5000, -2000]


def test_a_person_may_say_which_columns_count():
    table = read_table(b"Datum;Ada;Bo\n2026-11-21;5;7\n2026-11-22;6;8")
    lines = read_bank_lines(table, BankColumns(date=1, amount=3), KRONOR)
    assert [line.amount for line in lines] == [700, 800]


def test_days_and_months_that_could_change_places_are_asked_for():
    content = b"Date;Text;Amount\n11/12/2026;Ada;5\n10/12/2026;Bo;6"
    table = read_table(content)
    assert set(date_orders(table, guess_columns(table).date)) == {"dmy", "mdy"}
    with pytest.raises(TableRefusal, match="date_order_unclear"):
        read_lines(content)
    assert read_lines(content, date_order="dmy")[0].day == date(2026, 12, 11)


def test_a_remark_among_the_dates_does_not_choose_their_order():
    rows = "".join(f"\n{day}/12/2026;Ada;5" for day in range(8, 12))
    with pytest.raises(TableRefusal, match="date_order_unclear"):
        read_lines(f"Date;Text;Amount{rows}\npending;Bo;".encode())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Datum;Text;Belopp\n2026-11-21;Ada;5\n;Bo;6", "date_missing {'row': 3, 'column': 1}"),
        (
            b"Datum;T;Belopp\n" + b"2026-11-21;Ada;5\n" * 9 + b"soon;Bo;6",
            "date_unreadable {'row': 11, 'column': 1}",
        ),
        (b"Datum;Text\n2026-11-21;Ada\n2026-11-22;Bo", "amount_column_missing"),
        (b"Text;Belopp\nAda;5\nBo;6", "date_column_missing"),
        (b"Datum;Belopp\n2026-11-21;5,00\n2026-11-22;5.00", "decimal_signs_differ"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(content, message):
    with pytest.raises(TableRefusal) as refused:
        read_lines(content)
    assert str(refused.value).startswith(message)


def test_three_digits_after_a_point_are_decimals_where_there_are_three():
    table = read_table(b"Datum;Text;Belopp\n2026-11-21;Ada;1.250\n2026-11-22;Bo;-2.500")
    for currency, expected in (("KWD", [1250, -2500]), ("SEK", [125_000, -250_000])):
        lines = read_bank_lines(table, guess_columns(table), Notation(currency=currency))
        assert [line.amount for line in lines] == expected


def test_a_column_beyond_the_table_is_refused():
    with pytest.raises(TableRefusal, match=r"^column_missing "):
        read_bank_lines(read_table(semicolon_file(ROWS)), BankColumns(date=1, amount=9), KRONOR)


def test_hostile_files_are_read_or_refused():
    outcomes = set()
    for content in hostile_files(2000, seed=26):
        try:
            outcomes.add(type(read_lines(content)))
        except TableRefusal as refusal:
            outcomes.add(refusal.reason)
    assert tuple in outcomes
    assert len(outcomes) > 5
