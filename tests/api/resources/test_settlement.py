"""Settling up: the plan explains itself, goes on as it is paid, and a phone can scan its lines."""

import re
from random import Random

import pytest
from segno import helpers

from api import paying
from api.words import LANGUAGES
from engine.errors import AmountTooLarge

SWISH = {"kind": "swish", "number": "070-123 45 67"}
EPC = {"kind": "epc", "name": "Cilla Åberg", "iban": "FI21 1234 5600 0007 85"}


def owe(table, **amounts):
    """Balances as they are wanted; p1 is on the other side of each."""
    for player, amount in amounts.items():
        payer, payee = ("p1", player) if amount < 0 else (player, "p1")
        pay(table, payer, payee, abs(amount))


def pay(table, payer, payee, amount, **more):
    sent = {"from": payer, "to": payee, "amount": amount, **more}
    made = table.write("/transfers", sent, match=f'"{table.version}"')
    assert made.status_code == 201, made.json
    return made


def plan(table, query="", **headers):
    told = table.get(f"/settlement{query}", **headers)
    assert told.status_code == 200, told.json
    return told.json


def lines(table, query=""):
    return [(t["from"], t["to"], t["amount"]) for t in plan(table, query)["transfers"]]


def close(table):
    assert table.write("/closure", {}, match=f'"{table.version}"').status_code == 201


@pytest.fixture
def four(table):
    """Ada is 50 kr down, Bo 30 up, Cilla 40 up and Disa 20 down."""
    owe(table, p2=3000, p3=4000, p4=-2000)
    assert table.state["balances"] == {"p1": -5000, "p2": 3000, "p3": 4000, "p4": -2000}
    return table


def test_each_transfer_says_how_the_two_stand_and_what_it_does(four):
    told = plan(four, **{"Accept-Language": "sv"})
    assert [t["why"].replace("\xa0", " ") for t in told["transfers"]] == [
        "Ada ligger 50 kr under, Bo 30 kr över; 30 kr gör Bo kvitt.",
        "Ada ligger 50 kr under, Cilla 40 kr över; 20 kr av det går från Ada till Cilla.",
        "Disa ligger 20 kr under, Cilla 40 kr över; 20 kr gör Disa kvitt.",
    ]
    assert (told["through"], told["fewest"], told["left_over"]) == (None, 3, 0)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("query", ["", "through=p2", "through=p4"])
def test_every_reason_is_a_whole_sentence_in_the_readers_language(four, language, query):
    four.act({"type": "open_deal"})  # a stake on the table
    answer = four.get(f"/settlement?lang={language}&{query}")
    assert answer.headers["Content-Language"] == language
    for line in answer.json["transfers"]:
        assert line["why"].endswith(".")
        assert not re.search(r"[{}]|\bp\d\b", line["why"])


def test_through_the_treasurer_all_money_goes_by_way_of_one_person(four):
    told = plan(four, "?through=p2", **{"Accept-Language": "en"})
    assert lines(four, "?through=p2") == [
        ("p1", "p2", 5000),
        ("p4", "p2", 2000),
        ("p2", "p3", 4000),
    ]
    assert (told["through"], told["fewest"]) == ("p2", 3)
    assert told["transfers"][0]["why"].startswith("Ada is 50\xa0kr down and pays it all to Bo")


def test_the_treasurer_is_one_of_the_players(four):
    assert four.get("/settlement?through=p9").json["code"] == "unknown_player"
    assert four.get("/settlement?through=p9").status_code == 404
    assert four.get("/settlement?through=Bo").status_code == 422


def test_money_on_the_table_is_paid_to_the_box_in_either_plan(table):
    table.act({"type": "open_deal"})
    assert lines(table) == [("p1", "pot", 10)]
    assert lines(table, "?through=p1") == [("p1", "pot", 10)]
    assert lines(table, "?through=p2") == [("p1", "p2", 10), ("p2", "pot", 10)]


def test_a_line_of_the_plan_can_be_sent_as_it_stands(four):
    for line in plan(four)["transfers"]:
        sent = four.write("/transfers", line, match=f'"{four.version}"')
        assert sent.status_code == 201
        assert "why" not in sent.json["events"][0]["data"]
    assert lines(four) == []
    assert set(four.state["balances"].values()) == {0}


def test_a_part_that_is_paid_lowers_what_is_left_and_no_more(four):
    pay(four, "p1", "p2", 500)
    assert lines(four) == [("p1", "p2", 2500), ("p1", "p3", 2000), ("p4", "p3", 2000)]
    pay(four, "p1", "p2", 2500)
    assert lines(four) == [("p1", "p3", 2000), ("p4", "p3", 2000)]


def test_once_the_evening_is_closed_the_plan_stands_whatever_line_is_paid_first(open_table):
    """As the book is re-read at every step, nobody is told to pay somebody new."""
    die = Random(7)
    for _ in range(3):
        table = open_table()
        owe(table, p2=die.randint(-99, 99) or 1, p3=die.randint(-99, 99) or 2, p4=100)
        close(table)
        left = lines(table)
        while left:
            assert lines(table) == left
            payer, payee, amount = left.pop(die.randrange(len(left)))
            part = die.randint(1, amount)
            pay(table, payer, payee, part)
            if part < amount:
                pay(table, payer, payee, amount - part)
        assert lines(table) == []


def test_a_part_after_which_two_are_just_even_makes_the_plan_shorter(four):
    """Ada is 40 kr down then, and Cilla 40 up: two payments are left instead of three."""
    close(four)
    pay(four, "p1", "p2", 1000)
    assert lines(four) == [("p1", "p3", 4000), ("p4", "p2", 2000)]


def test_a_payment_taken_back_is_a_line_of_the_plan_again(four):
    close(four)
    before = lines(four)
    pay(four, "p4", "p3", 2000)
    assert lines(four) == before[:2]
    pay(four, "p3", "p4", 2000)
    assert lines(four) == before


def test_whoever_paid_somebody_else_is_not_marked_as_having_paid(four):
    close(four)
    pay(four, "p1", "p4", 2500)
    assert four.state["balances"] == {"p1": -2500, "p2": 3000, "p3": 4000, "p4": -4500}
    assert sum(amount for *_, amount in lines(four)) == 7000


def code(table, payer, payee, **query):
    return table.client.get(
        f"{table.here}/settlement/{payer}/{payee}/qr",
        query_string=query,
        headers={"Authorization": f"Bearer {table.tokens['viewer']}"},
    )


def test_swish_is_told_number_amount_and_message_and_lets_nothing_be_changed(open_table):
    table = open_table(title="Fredag; hos Åsa & Bo")
    owe(table, p2=3050)
    told = code(table, "p1", "p2", **SWISH)
    assert told.status_code == 200, told.json
    assert told.json["text"] == "C0701234567;30,50;Fredag%20hos%20%C3%85sa%20Bo;0"
    assert told.json["qr"].startswith("<svg ")
    assert (told.json["amount"], told.json["currency"]) == (3050, "SEK")
    assert told.headers["Cache-Control"] == "no-store"


def test_a_sepa_code_says_what_an_independent_maker_of_such_codes_says(open_table):
    table = open_table(currency="EUR", title="Freitag")
    owe(table, p3=123456)
    told = code(table, "p1", "p3", **EPC).json
    assert told["text"].split("\n") == [
        *("BCD", "002", "1", "SCT", "", "Cilla Åberg", "FI2112345600000785"),
        *("EUR1234.56", "", "", "Freitag"),
    ]
    theirs = helpers.make_epc_qr(
        name="Cilla Åberg",
        iban="FI2112345600000785",
        amount="1234.56",
        text="Freitag",
        encoding="utf-8",
    )
    assert told["qr"] == paying.svg(told["text"].encode())
    assert theirs.version >= 1
    made = helpers._make_epc_qr_data(
        "Cilla Åberg", "FI2112345600000785", "1234.56", text="Freitag", encoding="utf-8"
    )
    assert made == told["text"].encode()


def test_a_code_may_be_for_a_part_and_for_no_more_than_the_plan(four):
    assert code(four, "p1", "p2", **SWISH, amount="1").json["text"].split(";")[1] == "0,01"
    assert code(four, "p1", "p2", **SWISH, amount="3000").json["amount"] == 3000
    for amount in ("3001", "0", "-1", "1.5", "ten"):
        assert code(four, "p1", "p2", **SWISH, amount=amount).status_code == 422


def test_a_code_of_the_treasurers_plan(four):
    assert code(four, "p4", "p2", **SWISH).json["code"] == "transfer_not_planned"
    assert code(four, "p4", "p2", **SWISH, through="p2").json["amount"] == 2000


def test_what_the_plan_does_not_have_cannot_be_scanned(four):
    four.act({"type": "open_deal"})
    for payer, payee in (("p2", "p1"), ("p1", "p9"), ("p1", "pot"), ("p4", "pot"), ("p1", "p1")):
        refused = code(four, payer, payee, **SWISH)
        assert (refused.status_code, refused.json["code"]) == (404, "transfer_not_planned")


def test_each_code_is_for_its_own_currency(four, open_table):
    refused = code(four, "p1", "p2", **EPC)
    assert (refused.status_code, refused.json["code"]) == (409, "wrong_currency")
    assert refused.json["needed"] == "EUR"
    euro = open_table(currency="EUR")
    owe(euro, p2=1)
    assert code(euro, "p1", "p2", **SWISH).json["code"] == "wrong_currency"
    assert code(euro, "p1", "p2", **EPC).json["text"].split("\n")[7] == "EUR0.01"


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({}, "?kind"),
        ({"kind": "bankgiro"}, "?kind"),
        ({"kind": "swish"}, "?number"),
        ({**SWISH, "number": "0801234567"}, "?number"),
        ({**SWISH, "number": "07012345678"}, "?number"),
        ({**SWISH, "number": "070123456٧"}, "?number"),
        ({**SWISH, "number": "0701234567;1"}, "?number"),
        ({**SWISH, "message": ""}, "?message"),
        ({**SWISH, "message": "x" * 51}, "?message"),
        ({**SWISH, "message": "a\nb"}, "?message"),
    ],
)
def test_what_is_asked_with_is_checked_for_swish(four, given, pointer):
    refused = code(four, "p1", "p2", **given)
    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json["errors"]] == [pointer]


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"iban": "FI2112345600000786"}, "?iban"),
        ({"iban": "FI21123456000007850"}, "?iban"),
        ({"iban": "US2112345600000785"}, "?iban"),
        ({"iban": "FI2112345600000785\nEUR1"}, "?iban"),
        ({"iban": ""}, "?iban"),
        ({"name": ""}, "?name"),
        ({"name": "x" * 71}, "?name"),
        ({"name": "Cilla\nFI2112345600000785"}, "?name"),
        ({"name": "Ö" * 70, "message": "Ö" * 70}, None),
        ({"name": "木" * 70, "message": "木" * 70}, "?message"),
    ],
)
def test_what_is_asked_with_is_checked_for_sepa(open_table, given, pointer):
    table = open_table(currency="EUR")
    owe(table, p2=1)
    refused = code(table, "p1", "p2", **{**EPC, **given})
    assert refused.status_code == (422 if pointer else 200)
    assert [error["pointer"] for error in refused.json.get("errors", [])] == [pointer][
        : bool(pointer)
    ]


def test_a_number_may_be_written_as_people_write_it():
    for written in ("0701234567", "070-123 45 67", "+46 70 123 45 67", "0046701234567"):
        assert paying.swish_number(written) == "0701234567"
    assert paying.swish_number("123 456 78 90") == "1234567890"
    for account in ("SE45 5000 0000 0583 9825 7466", "DE89370400440532013000", "NO9386011117947"):
        assert paying.iban(account.lower()) == account.replace(" ", "")


def test_every_digit_of_an_account_is_checked():
    good = "FI2112345600000785"
    for place in range(2, len(good)):
        for digit in "0123456789":
            wrong = good[:place] + digit + good[place + 1 :]
            if wrong != good:
                with pytest.raises(ValueError, match="check digits"):
                    paying.iban(wrong)


def test_amounts_are_exact_to_the_last_unit_and_no_larger_than_a_bank_reads():
    assert paying.swish("0701234567", 99_999_999_999, "x").split(";")[1] == "999999999,99"
    for told in (paying.swish, lambda *_: paying.epc("A", "B", 100_000_000_000, "x")):
        with pytest.raises(AmountTooLarge):
            told("0701234567", 100_000_000_000, "x")
    for amount in Random(5).sample(range(1, 10**11), 200):
        whole, _, parts = paying.swish("0701234567", amount, "x").split(";")[1].partition(",")
        assert int(whole + parts) == amount


def test_what_is_asked_with_is_kept_nowhere(four, app, caplog):
    assert code(four, "p1", "p2", **SWISH, message="Hemligt").status_code == 200
    with app.extensions["store"].pool.connection() as db:
        tables = db.execute(
            "SELECT oid::regclass::text FROM pg_class"
            " WHERE relnamespace IN ('vola'::regnamespace, 'projections'::regnamespace)"
            " AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'keys'"
        ).fetchall()
        for (table,) in tables:
            rows = db.execute(f"SELECT t::text FROM {table} t").fetchall()
            assert not [row for (row,) in rows if "0701234567" in row or "Hemligt" in row]
    assert "0701234567" not in caplog.text
