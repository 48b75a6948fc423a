"""Files as banks write them: with semicolons, with columns for debit and credit, with tabs,
with three decimals, with a table of the account above."""

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


def unnamed_direction_file(rows: Iterable[Row]) -> bytes:
    """Return a German cooperative bank's file: `S` or `H` beside each amount under a blank heading,
    every line as wide as the table, balances with their dates below."""
    header = (
        "Buchungstag;Valuta;Auftraggeber/Zahlungsempfänger;Empfänger/Zahlungspflichtiger;"
        "Konto-Nr.;IBAN;BLZ;BIC;Vorgang/Verwendungszweck;Kundenreferenz;Währung;Umsatz; "
    )
    end = ";" * header.count(";")
    lines = [f"Umsatzanzeige{end}", end, f"BLZ:;10020030;;Datum:;24.12.2026{end[4:]}"]
    lines += [f"Konto:;12345678;;Uhrzeit:;21:34:56{end[4:]}", end, header]
    for day, amount, text in rows:
        payer, _, purpose = text.partition(", ")
        account = f"12345678;DE02100200300012345678;10020030;VOLADEBB;{purpose}"
        direction = "S" if amount < 0 else "H"
        cells = f"{day:%d.%m.%Y};{day:%d.%m.%Y};Emil;{payer};{account};;EUR"
        lines.append(f"{cells};{format_amount(abs(amount))};{direction}")
    lines += [
        end,
        f"01.11.2026{end[3:]}Anfangssaldo;EUR;1 000,00;H",
        f"24.12.2026{end[3:]}Endsaldo;EUR;2 200,80;H",
    ]
    return "\r\n".join(lines).encode("windows-1252")


def three_decimals_file(rows: Iterable[Row]) -> bytes:
    """Return the file of a private account at SEB: three decimals after a point, no thousands."""
    lines = ["Bokföringsdatum;Valutadatum;Verifikationsnummer;Text;Belopp;Saldo"]
    balance = 100_000
    for day, amount, text in rows:
        balance += amount
        cells = f"{day};{day};5490990004;{text}"
        lines.append(f"{cells};{amount / 100:.3f};{balance / 100:.3f}")
    return "\r\n".join(lines).encode("utf-8-sig")


def account_above_file(rows: Iterable[Row]) -> bytes:
    """Return the file of Länsförsäkringar: a table of the account, as wide as that of the lines."""
    lines = ['"Kontonummer";"Kontonamn";"";"Saldo";"Tillgängligt belopp"']
    lines += ['"90241234567";"Privatkonto";"";"1 200,80";"1 200,80"', ""]
    lines.append('"Bokföringsdatum";"Transaktionsdatum";"Transaktionstyp";"Meddelande";"Belopp"')
    lines += [f'"{day}";"{day}";"Swish";"{text}";"{format_amount(n)}"' for day, n, text in rows]
    return "\n".join(lines).encode()


def out_and_in_file(rows: Iterable[Row]) -> bytes:
    """Return the file of DNB: what went out in one column, what came in in the other."""
    lines = ['"Dato";"Forklaring";"Rentedato";"Ut fra konto";"Inn på konto"']
    for day, amount, text in rows:
        cells = (format_amount(-amount), "") if amount < 0 else ("", format_amount(amount))
        lines.append(f'"{day:%d.%m.%Y}";"{text}";"{day:%d.%m.%Y}";"{cells[0]}";"{cells[1]}"')
    return "\n".join(lines).encode()


def headerless_file(rows: Iterable[Row]) -> bytes:
    """Return the file of a Swedish savings bank: no headings, the text first, a balance."""
    lines, balance = [], 100_000
    for day, amount, text in rows:
        balance += amount
        lines.append(f"{text};{day};{day};{format_amount(amount)};{format_amount(balance)}")
    return "\r\n".join(lines).encode("windows-1252")


BANK_FILES = {
    "semicolon": semicolon_file,
    "debit and credit": debit_credit_file,
    "tabs": tab_file,
    "unnamed direction": unnamed_direction_file,
    "three decimals": three_decimals_file,
    "account above": account_above_file,
    "out and in": out_and_in_file,
    "no headings": headerless_file,
}


def format_amount(amount: int) -> str:
    whole, cents = divmod(abs(amount), 100)
    digits = f"{whole:,}".replace(",", " ")
    return f"{'-' if amount < 0 else ''}{digits},{cents:02d}"
