"""The payment plan explains itself, follows the payments, and offers codes that a payment app can
scan."""

import re
from random import Random

import pytest
from marshmallow import ValidationError
from segno import helpers

from api.i18n.catalog import LANGUAGES
from api.representations.qr import svg
from api.representations.settlement import epc_text, swish_text
from api.schemas.settlement import parse_iban, parse_swish_number
from engine.errors import AmountTooLarge

SWISH = {"kind": "swish", "number": "070-123 45 67"}
EPC = {"kind": "epc", "name": "Cilla Åberg", "iban": "FI21 1234 5600 0007 85"}


def set_balances(session, **amounts):
    """Record transfers that give these balances; p1 is the other side of each."""
    for player, amount in amounts.items():
        payer, payee = ("p1", player) if amount < 0 else (player, "p1")
        pay(session, payer, payee, abs(amount))


def pay(session, payer, payee, amount, **more):
    transfer = {"from": payer, "to": payee, "amount": amount, **more}
    answer = session.write("/transfers", transfer, match=f'"{session.version}"')
    assert answer.status_code == 201, answer.json
    return answer


def get_plan(session, query="", **headers):
    answer = session.get(f"/settlement{query}", **headers)
    assert answer.status_code == 200, answer.json
    return answer.json


def plan_lines(session, query=""):
    return [(t["from"], t["to"], t["amount"]) for t in get_plan(session, query)["transfers"]]


def close_session(session):
    assert session.write("/closure", {}, match=f'"{session.version}"').status_code == 201


@pytest.fixture
def four_balances(session):
    """Ada is 50 kr down, Bo 30 up, Cilla 40 up and Disa 20 down."""
    set_balances(session, p2=3000, p3=4000, p4=-2000)
    assert session.state["balances"] == {"p1": -5000, "p2": 3000, "p3": 4000, "p4": -2000}
    return session


def test_each_transfer_explains_balances_and_effect(four_balances):
    plan = get_plan(four_balances, **{"Accept-Language": "sv"})
    assert [t["why"].replace("\xa0", " ") for t in plan["transfers"]] == [
        "Ada ligger 50 kr under, Bo 30 kr över; 30 kr gör Bo kvitt.",
        "Ada ligger 50 kr under, Cilla 40 kr över; 20 kr av det går från Ada till Cilla.",
        "Disa ligger 20 kr under, Cilla 40 kr över; 20 kr gör Disa kvitt.",
    ]
    assert (plan["through"], plan["fewest"], plan["left_over"]) == (None, 3, 0)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("query", ["", "through=p2", "through=p4"])
def test_every_reason_is_a_sentence_in_the_readers_language(four_balances, language, query):
    four_balances.act({"type": "open_deal"})  # puts a stake on the table
    answer = four_balances.get(f"/settlement?lang={language}&{query}")
    assert answer.headers["Content-Language"] == language
    for line in answer.json["transfers"]:
        assert line["why"].endswith(".")
        assert not re.search(r"[{}]|\bp\d\b", line["why"])


def test_with_a_treasurer_all_payments_go_through_one_player(four_balances):
    plan = get_plan(four_balances, "?through=p2", **{"Accept-Language": "en"})
    assert plan_lines(four_balances, "?through=p2") == [
        ("p1", "p2", 5000),
        ("p4", "p2", 2000),
        ("p2", "p3", 4000),
    ]
    assert (plan["through"], plan["fewest"]) == ("p2", 3)
    assert plan["transfers"][0]["why"].startswith("Ada is 50\xa0kr down and pays it all to Bo")


def test_the_treasurer_is_one_of_the_players(four_balances):
    assert four_balances.get("/settlement?through=p9").json["code"] == "unknown_player"
    assert four_balances.get("/settlement?through=p9").status_code == 404
    assert four_balances.get("/settlement?through=Bo").status_code == 422


def test_money_on_the_table_is_paid_to_the_pot_in_either_plan(session):
    session.act({"type": "open_deal"})
    assert plan_lines(session) == [("p1", "pot", 10)]
    assert plan_lines(session, "?through=p1") == [("p1", "pot", 10)]
    assert plan_lines(session, "?through=p2") == [("p1", "p2", 10), ("p2", "pot", 10)]


def test_a_line_of_the_plan_can_be_sent_as_it_stands(four_balances):
    for line in get_plan(four_balances)["transfers"]:
        answer = four_balances.write("/transfers", line, match=f'"{four_balances.version}"')
        assert answer.status_code == 201
        assert "why" not in answer.json["events"][0]["data"]
    assert plan_lines(four_balances) == []
    assert set(four_balances.state["balances"].values()) == {0}


def test_a_partial_payment_lowers_its_line_alone(four_balances):
    pay(four_balances, "p1", "p2", 500)
    assert plan_lines(four_balances) == [("p1", "p2", 2500), ("p1", "p3", 2000), ("p4", "p3", 2000)]
    pay(four_balances, "p1", "p2", 2500)
    assert plan_lines(four_balances) == [("p1", "p3", 2000), ("p4", "p3", 2000)]


def test_the_plan_of_a_closed_session_stands_whatever_is_paid_first(open_session):
    """The plan is computed anew at every step, and no player has to pay someone new."""
    die = Random(7)
    for _ in range(3):
        session = open_session()
        set_balances(session, p2=die.randint(-99, 99) or 1, p3=die.randint(-99, 99) or 2, p4=100)
        close_session(session)
        open_lines = plan_lines(session)
        while open_lines:
            assert plan_lines(session) == open_lines
            payer, payee, amount = open_lines.pop(die.randrange(len(open_lines)))
            part = die.randint(1, amount)
            pay(session, payer, payee, part)
            if part < amount:
                pay(session, payer, payee, amount - part)
        assert plan_lines(session) == []


def test_a_payment_that_evens_two_balances_shortens_the_plan(four_balances):
    """Ada is then 40 kr down and Cilla 40 up: two payments instead of three."""
    close_session(four_balances)
    pay(four_balances, "p1", "p2", 1000)
    assert plan_lines(four_balances) == [("p1", "p3", 4000), ("p4", "p2", 2000)]


def test_a_payment_returned_is_a_line_of_the_plan_again(four_balances):
    close_session(four_balances)
    before = plan_lines(four_balances)
    pay(four_balances, "p4", "p3", 2000)
    assert plan_lines(four_balances) == before[:2]
    pay(four_balances, "p3", "p4", 2000)
    assert plan_lines(four_balances) == before


def test_a_payment_outside_the_plan_settles_no_line(four_balances):
    close_session(four_balances)
    pay(four_balances, "p1", "p4", 2500)
    assert four_balances.state["balances"] == {"p1": -2500, "p2": 3000, "p3": 4000, "p4": -4500}
    assert sum(amount for *_, amount in plan_lines(four_balances)) == 7000


def get_code(session, payer, payee, **query):
    return session.client.get(
        f"{session.path}/settlement/{payer}/{payee}/qr",
        query_string=query,
        headers={"Authorization": f"Bearer {session.tokens['viewer']}"},
    )


def test_a_swish_code_fixes_number_amount_and_message(open_session):
    session = open_session(title="Fredag; hos Åsa & Bo")
    set_balances(session, p2=3050)
    answer = get_code(session, "p1", "p2", **SWISH)
    assert answer.status_code == 200, answer.json
    assert answer.json["text"] == "C0701234567;30,50;Fredag%20hos%20%C3%85sa%20Bo;0"
    assert answer.json["qr"].startswith("<svg ")
    assert (answer.json["amount"], answer.json["currency"]) == (3050, "SEK")
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_sepa_code_equals_that_of_an_independent_encoder(open_session):
    session = open_session(currency="EUR", title="Freitag")
    set_balances(session, p3=123456)
    code = get_code(session, "p1", "p3", **EPC).json
    assert code["text"].split("\n") == [
        *("BCD", "002", "1", "SCT", "", "Cilla Åberg", "FI2112345600000785"),
        *("EUR1234.56", "", "", "Freitag"),
    ]
    reference = helpers.make_epc_qr(
        name="Cilla Åberg",
        iban="FI2112345600000785",
        amount="1234.56",
        text="Freitag",
        encoding="utf-8",
    )
    assert code["qr"] == svg(code["text"].encode())
    assert reference.version >= 1
    reference_data = helpers._make_epc_qr_data(
        "Cilla Åberg", "FI2112345600000785", "1234.56", text="Freitag", encoding="utf-8"
    )
    assert reference_data == code["text"].encode()


def test_a_code_may_be_for_a_part_of_its_line_and_no_more(four_balances):
    assert (
        get_code(four_balances, "p1", "p2", **SWISH, amount="1").json["text"].split(";")[1]
        == "0,01"
    )
    assert get_code(four_balances, "p1", "p2", **SWISH, amount="3000").json["amount"] == 3000
    for amount in ("3001", "0", "-1", "1.5", "ten"):
        assert get_code(four_balances, "p1", "p2", **SWISH, amount=amount).status_code == 422


def test_the_largest_amount_of_a_code_may_be_asked_for(open_session):
    session = open_session()
    pay(session, "p2", "p1", 10**11)
    assert get_code(session, "p1", "p2", **SWISH).json["code"] == "amount_too_large"
    largest = get_code(session, "p1", "p2", **SWISH, amount="99999999999").json
    assert largest["text"].split(";")[1] == "999999999,99"
    assert get_code(session, "p1", "p2", **SWISH, amount="100000000000").status_code == 422


def test_a_code_follows_the_plan_of_the_treasurer(four_balances):
    assert get_code(four_balances, "p4", "p2", **SWISH).json["code"] == "transfer_not_planned"
    assert get_code(four_balances, "p4", "p2", **SWISH, through="p2").json["amount"] == 2000


def test_a_payment_outside_the_plan_has_no_code(four_balances):
    four_balances.act({"type": "open_deal"})
    for payer, payee in (("p2", "p1"), ("p1", "p9"), ("p1", "pot"), ("p4", "pot"), ("p1", "p1")):
        refused = get_code(four_balances, payer, payee, **SWISH)
        assert (refused.status_code, refused.json["code"]) == (404, "transfer_not_planned")


def test_each_kind_of_code_has_its_currency(four_balances, open_session):
    refused = get_code(four_balances, "p1", "p2", **EPC)
    assert (refused.status_code, refused.json["code"]) == (409, "wrong_currency")
    assert refused.json["needed"] == "EUR"
    euro = open_session(currency="EUR")
    set_balances(euro, p2=1)
    assert get_code(euro, "p1", "p2", **SWISH).json["code"] == "wrong_currency"
    assert get_code(euro, "p1", "p2", **EPC).json["text"].split("\n")[7] == "EUR0.01"


@pytest.mark.parametrize(
    ("query", "pointer"),
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
def test_parameters_of_a_swish_code_are_checked(four_balances, query, pointer):
    refused = get_code(four_balances, "p1", "p2", **query)
    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json["errors"]] == [pointer]


@pytest.mark.parametrize(
    ("query", "pointer"),
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
        ({"message": "Poker 👩\u200d👧"}, None),
        ({"name": "木" * 70, "message": "木" * 70}, "?message"),
    ],
)
def test_parameters_of_a_sepa_code_are_checked(open_session, query, pointer):
    session = open_session(currency="EUR")
    set_balances(session, p2=1)
    refused = get_code(session, "p1", "p2", **{**EPC, **query})
    assert refused.status_code == (422 if pointer else 200)
    assert [error["pointer"] for error in refused.json.get("errors", [])] == [pointer][
        : bool(pointer)
    ]


def test_numbers_may_be_written_with_spaces_and_prefixes():
    for written in ("0701234567", "070-123 45 67", "+46 70 123 45 67", "0046701234567"):
        assert parse_swish_number(written) == "0701234567"
    assert parse_swish_number("123 456 78 90") == "1234567890"
    for account in ("SE45 5000 0000 0583 9825 7466", "DE89370400440532013000", "NO9386011117947"):
        assert parse_iban(account.lower()) == account.replace(" ", "")


def test_every_digit_of_an_iban_is_checked():
    good = "FI2112345600000785"
    for place in range(2, len(good)):
        for digit in "0123456789":
            wrong = good[:place] + digit + good[place + 1 :]
            if wrong != good:
                with pytest.raises(ValidationError, match="check digits"):
                    parse_iban(wrong)


def test_amounts_are_exact_and_limited_to_what_banks_accept():
    assert swish_text("0701234567", 99_999_999_999, "x").split(";")[1] == "999999999,99"
    for encode in (swish_text, lambda *_: epc_text("A", "B", 100_000_000_000, "x")):
        with pytest.raises(AmountTooLarge):
            encode("0701234567", 100_000_000_000, "x")
    for amount in Random(5).sample(range(1, 10**11), 200):
        units, _, parts = swish_text("0701234567", amount, "x").split(";")[1].partition(",")
        assert int(units + parts) == amount


def test_parameters_of_a_code_are_stored_nowhere(four_balances, app, caplog):
    assert get_code(four_balances, "p1", "p2", **SWISH, message="Hemligt").status_code == 200
    with app.extensions["store"].pool.connection() as db:
        table_names = db.execute(
            "SELECT oid::regclass::text FROM pg_class"
            " WHERE relnamespace IN ('vola'::regnamespace, 'projections'::regnamespace)"
            " AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'signing_key'"
        ).fetchall()
        for (table_name,) in table_names:
            rows = db.execute(f"SELECT t::text FROM {table_name} t").fetchall()
            assert not [row for (row,) in rows if "0701234567" in row or "Hemligt" in row]
    assert "0701234567" not in caplog.text
