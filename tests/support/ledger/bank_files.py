"""Files as banks write them: with semicolons, with columns for debit and credit, with tabs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

Row = tuple[date, int, str]
"""The day, the amount in öre (negative for a payment out), and the bank's text."""


def semicolon_file(rows: Iterable[Row]) -> bytes:
    """Return a Swedish bank's file: semicolons, a decimal comma, a balance, lines above the
    header."""
    lines = ["Privatkonto;5555 12 345 67;;;", "Bokföringsdag;Belopp;Rubrik;Saldo;Valuta"]
    balance = 100_000
    for day, amount, text in rows:
        balance += amount
        lines.append(f"{day:%Y/%m/%d};{format_amount(amount)};{text};{format_amount(balance)};SEK")
    return "\n".join(lines).encode("utf-8-sig")


def debit_credit_file(rows: Iterable[Row]) -> bytes:
    """Return a German bank's file: separate debit and credit, quotation marks, a total below."""
    lines = ['"Buchungstag";"Auftraggeber/Empfänger";"Verwendungszweck";"Soll";"Haben"']
    for day, amount, text in rows:
        payer, _, purpose = text.partition(", ")
        debit, credit = (
            (f"-{format_amount(-amount)}", "") if amount < 0 else ("", format_amount(amount))
        )
        lines.append(f'"{day:%d.%m.%Y}";"{payer}";"{purpose}";"{debit}";"{credit}"')
    lines.append('"Summe";"";"";"";"0,00"')
    return "\r\n".join(lines).encode()


def tab_file(rows: Iterable[Row]) -> bytes:
    """Return a payment app's file: tabs, Windows-1252, `kr` after the amounts."""
    lines = ["Datum\tTid\tNamn\tMeddelande\tBelopp\tStatus"]
    for day, amount, text in rows:
        payer, _, purpose = text.partition(", ")
        lines.append(
            f"{day:%Y-%m-%d}\t21:34\t{payer}\t{purpose}\t{format_amount(amount)} kr\tGenomförd"
        )
    return "\r\n".join(lines).encode("windows-1252")


BANK_FILES = {"semicolon": semicolon_file, "debit and credit": debit_credit_file, "tabs": tab_file}


def format_amount(amount: int) -> str:
    whole, cents = divmod(abs(amount), 100)
    digits = f"{whole:,}".replace(",", " ")
    return f"{'-' if amount < 0 else ''}{digits},{cents:02d}"
