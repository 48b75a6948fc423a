"""The CSV files of banks and apps are read, with the headings and status words that they have in
the samples of public importers: for Finland those of Tasenor and vergiFinance, for DNB in English
and Arbejdernes Landsbank those of bank2ynab, for the others those that several on GitHub test with.
The report of Swish is that of Handelsbanken's Formatbeskrivning Swishrapport 3.1.2.
"""

import pytest

from ledger.transfer.bank_file import Notation, guess_columns, read_bank_lines
from ledger.transfer.csv_table.table import read_table

WISE = (
    "ID,Status,Direction,Created on,Finished on,Source fee amount,Source fee currency,"
    "Target fee amount,Target fee currency,Source name,Source amount (after fees),"
    "Source currency,Target name,Target amount (after fees),Target currency,Exchange rate,"
    "Reference,Batch,Created by,Category,Note\n"
)
WISE_OUT = (
    "T-2,COMPLETED,OUT,2026-11-29 10:00:00,2026-11-29 10:01:00,0.33,EUR,,,Emil,50.00,EUR,Bo,50.00,"
    "EUR,1.0,,,Emil,General,\n"
)
FORMATS = {
    "Nordea in Norway": (
        "NOK",
        "Bokføringsdato;Beløp;Avsender;Mottaker;Navn;Tittel;Valuta;Betalingstype\n"
        "Reservert;-115,70;6219.12.77436;;;Butikk;NOK;Varekjøp\n"
        "2026/11/30;-300,00;6219.12.77436;;;Bo;NOK;Straksutbetaling\n"
        "2026/11/29;10000,00;;6219.12.77436;;Ada;NOK;Overførsel\n",
        {"Bo": -300_00, "Ada": 10_000_00},
    ),
    "Nordea in English": (
        "EUR",
        "Booking date;Amount;Sender;Recipient;Name;Title;Message;Reference number;Balance;"
        "Currency;\n"
        "Reserved;-1,00;;;Shop;Shop;;;;EUR;\n"
        "2026/11/30;-33,00;FI21 1234 5600 0007 85;;Bo;Bo;Vola;;100,00;EUR;\n"
        "2026/11/29;70,00;;FI21 1234 5600 0007 85;Ada;Ada;Vola;;133,00;EUR;\n",
        {"Bo": -33_00, "Ada": 70_00},
    ),
    "Nordea in Finland": (
        "EUR",
        "Kirjauspäivä;Määrä;Maksaja;Maksunsaaja;Nimi;Otsikko;Viitenumero;Valuutta\n"
        "Varaus;-100,00;FI21 1234 5600 0007 85;;;Kauppa;;EUR\n"
        "2026/11/30;-33,00;FI21 1234 5600 0007 85;;;Bo;;EUR\n"
        "2026/11/29;70,00;;FI21 1234 5600 0007 85;;Ada;;SEK\n",
        {"Bo": -33_00},
    ),
    "S-Pankki": (
        "EUR",
        "Kirjauspäivä;Maksupäivä;Summa;Tapahtumalaji;Maksaja;Saajan nimi;Saajan tilinumero;"
        "Saajan BIC-tunnus;Viitenumero;Viesti;Arkistointitunnus\n"
        "30.11.2026;30.11.2026;-100,00;TILISIIRTO;EMIL;Bo;FI21 1234 5600 0007 85;NDEAFIHH;-;'Vola';"
        "20261130390000000002\n"
        "18.11.2026;18.11.2026;+1105,08;TILISIIRTO;Ada;EMIL;FI62 3939 0064 1413 43;SBANFIHH;1232;"
        "'Vola';20261118390000121450\n",
        {"Bo": -100_00, "Ada": 1105_08},
    ),
    "DKB": (
        "EUR",
        '"Girokonto";"DE02120300000000202051"\n""\n'
        '"Kontostand vom 30.11.2026:";"1.234,56 €"\n""\n'
        '"Buchungsdatum";"Wertstellung";"Status";"Zahlungspflichtige*r";"Zahlungsempfänger*in";'
        '"Verwendungszweck";"Umsatztyp";"IBAN";"Betrag (€)";"Gläubiger-ID";"Kundenreferenz"\n'
        '"30.11.26";"30.11.26";"Vorgemerkt";"Emil";"Shop";"";"Ausgang";"DE3";"-50,00 €";"";""\n'
        '"30.11.26";"30.11.26";"Gebucht";"Ada";"Emil";"Vola";"Eingang";"DE2";"3.000,00 €";"";""\n'
        '"29.11.26";"29.11.26";"Gebucht";"Emil";"Bo";"Vola";"Ausgang";"DE1";"-12,34 €";"";""\n',
        {"Ada": 3000_00, "Bo": -12_34},
    ),
    "DNB before": (
        "NOK",
        "Dato;Forklaring;Rentedato;Uttak fra konto;Innskudd på konto\n"
        "30.11.2026;Bo;30.11.2026;163,80;\n29.11.2026;Ada;29.11.2026;;17 250,00\n",
        {"Bo": -163_80, "Ada": 17_250_00},
    ),
    "DNB in English": (
        "NOK",
        '"Date";"Description";"Interest date";"Withdrawals";"Deposits"\n'
        '"01.02.2026";"From Ada";"01.02.2026";"";"49,534.96"\n'
        '"01.02.2026";"To Bo";"01.02.2026";"2,490.00";""\n',
        {"Ada": 49_534_96, "Bo": -2_490_00},
    ),
    "Arbejdernes Landsbank": (
        "DKK",
        '30-11-2026;"MobilePay Ada";"1.250,00";"2.250,00"\n29-11-2026;"Bo";"-50,00";"1.000,00"\n',
        {"Ada": 1250_00, "Bo": -50_00},
    ),
    "Handelsbanken's report of a Swish number": (
        "SEK",
        "01;2026-11-30;2026-11-30;\n"
        "02;5566778899;123456789;HANDSESS;1235524400;2026-11-30;SWH;1500,00;SEK;+46701740605;Ada;"
        "4469411476093487;Vola;;2026-11-30T19:32:22:683413\n"
        "02;5566778899;123456789;HANDSESS;1235524400;2026-11-29;SWR;150,00;SEK;+46701740606;Bo;"
        "4469411476093488;Retur;;2026-11-29T19:32:22:683413\n03;2\n",
        {"Ada": 1500_00, "Bo": -150_00},
    ),
    "PayPal in German": (
        "EUR",
        '"Datum","Uhrzeit","Zeitzone","Name","Status","Währung","Brutto","Gebühr","Netto"\n'
        '"30.11.2026","12:34:56","CET","Ada","Abgeschlossen","EUR","50,00","-1,24","48,76"\n'
        '"29.11.2026","12:34:56","CET","Bo","Ausstehend","EUR","-20,00","0,00","-20,00"\n',
        {"Ada": 50_00},
    ),
    "Wise": (
        "EUR",
        f"{WISE}T-1,COMPLETED,IN,2026-11-30 10:00:00,2026-11-30 10:01:00,0.00,EUR,,,Ada,250.00,EUR,"
        f"Emil,250.00,EUR,1.0,Vola,,Emil,Money added,\n{WISE_OUT}"
        "B-3,COMPLETED,NEUTRAL,2026-11-28 10:00:00,2026-11-28 10:01:00,0,EUR,,,Emil,10.00,EUR,"
        "Emil,9.00,GBP,0.9,,,Emil,General,\n"
        "T-4,CANCELLED,OUT,2026-11-28 10:00:00,2026-11-28 10:01:00,0,EUR,,,Emil,10.00,EUR,Disa,"
        "10.00,EUR,1.0,,,Emil,General,\n"
        "T-5,COMPLETED,OUT,2026-11-27 10:00:00,2026-11-27 10:01:00,0,GBP,,,Emil,60.00,GBP,Cilla,"
        "60.00,GBP,1.0,,,Emil,General,\n",
        {"Ada": 250_00, "Bo": -50_00},
    ),
    "Wise with payments out alone": ("EUR", WISE + WISE_OUT, {"Bo": -50_00}),
    "Revolut Business": (
        "EUR",
        "Date started (UTC),Date completed (UTC),ID,Type,State,Description,Reference,Payer,"
        "Orig currency,Orig amount,Payment currency,Amount,Total amount,Exchange rate,Fee,Balance\n"
        "2026-11-29,2026-11-30,r-1,TOPUP,COMPLETED,From Ada,Vola,,USD,60.00,EUR,50.00,50.00,,0.00,"
        "150.00\n2026-11-28,2026-11-29,r-2,TRANSFER,COMPLETED,To Bo,,Emil,SEK,-110.00,SEK,-110.00,"
        "-110.00,,0.00,100.00\n",
        {"Ada": 50_00},
    ),
}


@pytest.mark.parametrize(("currency", "content", "expected"), FORMATS.values(), ids=FORMATS)
def test_the_file_of_a_bank_is_read(currency, content, expected):
    table = read_table(content.encode("utf-8-sig"), header_required=False)
    lines = read_bank_lines(table, guess_columns(table), Notation(currency=currency))
    assert [line.amount for line in lines] == [*expected.values()]
    for line, name in zip(lines, expected, strict=True):
        assert name in line.text.split()


def test_a_balance_below_the_lines_does_not_hide_their_dates():
    header = "Buchungstag;Wert;Begünstigter / Auftraggeber;Verwendungszweck;Betrag;Währung\n"
    line = "30.11.2026;28.11.2026;Ada;Vola;50,00;EUR\n"
    table = read_table(f"{header}{line}Kontostand;30.11.2026;;;1.434,56;EUR\n".encode())
    lines = read_bank_lines(table, guess_columns(table), Notation(currency="EUR"))
    assert [(line.day.day, line.amount, line.text) for line in lines] == [(30, 5000, "Ada Vola")]


@pytest.mark.parametrize("heading", ["Summa", "Other"])
def test_without_a_known_heading_the_amounts_are_no_balance(heading):
    content = f"Päivä;Saldo;{heading};Viite\n30.11.2026;150,00;50,00;12\n29.11.2026;100,00;-7,00;"
    table = read_table(content.encode())
    lines = read_bank_lines(table, guess_columns(table), Notation(currency="EUR"))
    assert [line.amount for line in lines] == [5000, -700]


def test_a_person_or_message_is_no_status():
    header = "Date;Name;Amount;Status\n"
    table = read_table(f"{header}2026-11-30;Venter;50;Done\n2026-11-29;Bo;5;Failed".encode())
    lines = read_bank_lines(table, guess_columns(table), Notation(currency="EUR"))
    assert [line.amount for line in lines] == [5000]
