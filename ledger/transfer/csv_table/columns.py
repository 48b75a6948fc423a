"""What the columns of a table hold: dates, amounts or text, by their cells and their headings."""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from ledger.transfer.csv_table.amounts import BLANK, is_amount
from ledger.transfer.csv_table.dates import DateOrder, is_date, likeliest_order, possible_orders
from ledger.transfer.csv_table.table import CsvRow, CsvTable

ColumnKind = Literal["date", "amount", "text", "blank"]
Meaning = Literal["date", "player", "amount", "debit", "credit", "sum"]

SHARE = (4, 5)
"""Four fifths of a column's cells have its kind: a total row or a remark may be among them."""
SAMPLES = 3
HEADING_WORDS: dict[Meaning, str] = {
    "date": "datum date dato dag tag day kväll spielabend bokföringsdag bokföringsdatum"
    " transaktionsdag transaktionsdatum buchungstag buchungsdatum valutadatum bogføringsdato",
    "player": "spelare spiller player spieler namn navn name deltagare deltager teilnehmer member"
    " medlem mitglied motpart",
    "amount": "belopp beløb beløp määrä amount betrag resultat result ergebnis netto net vinst"
    " gevinst gewinn umsatz poäng points",
    "debit": "debet debit uttag uttak ut ud out soll hævet udgift utbetalt utgift ausgabe"
    " lastschrift förlust förlorat tab tabt loss lost verlust verloren withdrawal withdrawals",
    "credit": "kredit credit insättning insättningar innskudd in inn ind haben indsat indtægt"
    " inbetalt inkomst einnahme gutschrift vunnit vunnet win won gewonnen deposit deposits",
    "sum": "summa sum summe total totalt totals gesamt saldo balance kontostand kontroll check"
    " kontrolle kontrol differens difference differenz ialt",
}
HEADINGS = {meaning: frozenset(words.split()) for meaning, words in HEADING_WORDS.items()}
"""Headings by what they mean, in four languages. The first word that is here decides."""
TEXT_HEADINGS = (
    "text transaktionstext meddelande beskrivning referens rubrik avsändare mottagare betalare"
    " tekst posteringstekst meddelelse beskrivelse besked afsender modtager melding forklaring"
    " tittel avsender mottaker description details reference message title sender recipient payee"
    " payer note verwendungszweck buchungstext vorgang auftraggeber begünstigter empfänger"
    " zahlungsempfänger zahlungspflichtiger kundenreferenz viesti viitenumero nimi otsikko maksaja"
    " maksunsaaja saaja"
)
"""The headings of columns that banks write words into, and sometimes numbers or dates alone."""
TEXT_WORDS = frozenset(TEXT_HEADINGS.split())
FEE_WORDS = frozenset({"fee", "gebühr", "gebyr", "avgift"})
"""What follows them is no amount of a line: "Source fee amount"."""


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """What one column holds."""

    number: int = msgspec.field(name="column")  # from 1
    heading: str
    kind: ColumnKind
    meaning: Meaning | None  # by its heading
    samples: tuple[str, ...]  # its first cells that are not blank


def describe_columns(table: CsvTable) -> tuple[Column, ...]:
    """Return what each column of a table holds."""
    rows = [row.cells for row in table.rows if not is_total(row)]
    columns: list[Column] = []
    for place, heading in enumerate(table.header):
        filled = [cells[place] for cells in rows if cells[place]]
        kind = _kind(filled)
        is_signed = kind == "amount" and {"debit", "credit"}.issubset(_word_meanings(heading))
        columns.append(
            Column(
                number=place + 1,
                heading=heading,
                kind=kind,
                meaning="amount" if is_signed else heading_meaning(heading),
                samples=tuple(filled[:SAMPLES]),
            )
        )
    return tuple(columns)


def amount_column(columns: Sequence[Column], meaning: Meaning | None) -> int | None:
    """Return the number of the first column of amounts whose heading has this meaning."""
    return next((c.number for c in columns if c.kind == "amount" and c.meaning == meaning), None)


def is_total(row: CsvRow) -> bool:
    """Return whether a row adds up others: one of its cells says so and no cell is a date."""
    words = (cell.rstrip(":").casefold().replace(" ", "") for cell in row.cells if cell)
    return any(word in HEADINGS["sum"] for word in words) and not any(map(is_date, row.cells))


def date_orders(table: CsvTable, column: int) -> tuple[DateOrder, ...]:
    """Return the orders in which the dates of a column can be read."""
    return possible_orders(_date_cells(table, column))


def find_date_order(table: CsvTable, column: int) -> DateOrder | None:
    """Return the only order in which the dates of a column can be read, None if there are several;
    where none fits all dates, the one that fits most."""
    cells = _date_cells(table, column)
    orders = possible_orders(cells)
    if len(orders) > 1:
        return None
    return orders[0] if orders else likeliest_order(cells)


def heading_meaning(heading: str) -> Meaning | None:
    """Return what a heading says that its column holds."""
    return next(_word_meanings(heading), None)


def is_text_heading(heading: str) -> bool:
    """Return whether a heading says that its column holds words, whatever its cells look like."""
    meanings = {*_word_meanings(heading)}
    return meanings == {"player"} or (not meanings and not TEXT_WORDS.isdisjoint(_words(heading)))


def _word_meanings(heading: str) -> Iterator[Meaning]:
    """Yield what each word of a heading means."""
    for word in _words(heading):
        if word in FEE_WORDS:
            return
        for meaning, words in HEADINGS.items():
            if word in words:
                yield meaning


def _words(heading: str) -> list[str]:
    words = heading.casefold().replace("/", " ").replace("(", " ").split()
    return [word.strip(".:)") for word in words]


def _date_cells(table: CsvTable, column: int) -> list[str]:
    cells = (row.cells[column - 1] for row in table.rows if not is_total(row))
    return [cell for cell in cells if is_date(cell)]


def _kind(filled: Sequence[str]) -> ColumnKind:
    if not filled:
        return "blank"
    numerator, denominator = SHARE
    if sum(map(is_date, filled)) * denominator >= len(filled) * numerator:
        return "date"
    amounts = sum(cell in BLANK or is_amount(cell) for cell in filled)
    return "amount" if amounts * denominator >= len(filled) * numerator else "text"
