"""Every message of the program exists in every language, with the same operands."""

import ast
import inspect
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any, get_args

import pytest
from babel import Locale
from babel.numbers import list_currencies

from api.i18n.catalog import LANGUAGES, catalog
from api.i18n.message import PluralForms, parse_message
from api.i18n.translator import Translator
from engine import events as e
from engine.commands import Vola
from ledger.events.currency import currency_places
from ledger.events.event_types import LedgerEvent
from ledger.projections.deals import Deal
from ledger.reporting import posting_reasons
from ledger.reporting.deal_outcome import describe_outcome
from tests.support.api.money_events import (
    ANTE_REFERENCES,
    BET_LAID,
    DEAL_OPENED,
    MONEY_EVENTS,
    PAYMENTS,
    PLAYER_NAMES,
    RULE_REFERENCES,
    VOLE_REFERENCES,
    record_event,
)
from tests.support.api.openapi_contract import PROBLEMS, rule_violations_by_code
from tests.support.ledger.unpaged_statement import explain_recorded_event

SHARED_WORDS = {
    "files.export": {"sv", "en"},
    "accounts.bet": {"sv", "en"},
    "score": {"sv", "en", "da", "de"},
    "outcome.scored": {"sv", "en", "da", "de"},
    "statement.on_table": {"sv", "da"},
    "statement.result": {"sv", "da"},
    "statement.result_of": {"sv", "da"},
    "statement.period": {"sv", "en"},
    "statement.deal": {"sv", "da"},
    "statement.balance": {"sv", "da", "de"},
    "statement.version": {"sv", "en", "da", "de"},
    "score_sheet.side": {"en", "da"},
    "score_sheet.la_vola": {"sv", "en", "da", "de"},
    "score_sheet.vole": {"sv", "en", "da", "de"},
}
"""Words that are spelled alike in these languages."""


def flat(words: Any, path: str = "") -> dict[str, str]:
    if isinstance(words, str):
        return {path: words}
    return {k: v for key, inner in words.items() for k, v in flat(inner, f"{path}.{key}").items()}


SENTENCES = {lang: {k.lstrip("."): v for k, v in flat(catalog(lang)).items()} for lang in LANGUAGES}


def placeholders(sentence: str) -> set[str]:
    operands = parse_message(sentence).operands
    return {name.number if isinstance(name, PluralForms) else name for name in operands}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_sentences_with_the_same_operands(language: str) -> None:
    assert set(SENTENCES[language]) == set(SENTENCES["sv"])
    for key, sentence in SENTENCES[language].items():
        assert placeholders(sentence) == placeholders(SENTENCES["sv"][key]), key
        assert sentence == sentence.strip() != "", key
        assert "  " not in sentence, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_plural_forms_are_those_of_the_language(language: str) -> None:
    rules = Locale.parse(language).plural_form.tags | {"other"}
    for key, sentence in SENTENCES[language].items():
        message = parse_message(sentence)
        for operand in message.operands:
            if isinstance(operand, PluralForms):
                assert {name for name in operand.forms if not name.startswith("=")} <= rules, key
                assert "other" in operand.forms, key
        assert ", plural" not in message.form, key


@pytest.mark.parametrize(
    ("language", "spoken"),
    [
        ("sv", ("inga kort", "1 kort", "2 kort")),
        ("de", ("liegen keine Karten mehr", "liegt noch eine Karte", "liegen noch 2 Karten")),
        ("en", ("No cards are", "One card is", "2 cards are")),
    ],
)
def test_a_number_chooses_the_form_of_its_noun(language: str, spoken: tuple[str, ...]) -> None:
    translator = Translator(language)
    for left, words in enumerate(spoken):
        detail = translator.problem_detail("talon_too_small", {"left": left, "cards": 3})
        assert words in detail


@pytest.mark.parametrize(
    ("language", "spoken"),
    [
        ("sv", "1 spelare går inte"),
        ("da", "1 spiller går ikke"),
        ("de", "1 Spieler geht nicht"),
        ("en", "1 player will not do"),
    ],
)
def test_a_single_player_is_refused_in_the_singular(language: str, spoken: str) -> None:
    operands = {"count": 1, "least": 2, "most": 10}
    detail = Translator(language).problem_detail("wrong_number_of_players", operands)
    assert detail.startswith(f"{spoken};")


def test_nothing_was_left_untranslated() -> None:
    for first, second in combinations(LANGUAGES, 2):
        for key, sentence in SENTENCES[first].items():
            if key.startswith("cards."):
                continue  # neighbours often share a noun
            is_shared = {first, second} <= SHARED_WORDS.get(key, set())
            assert (sentence == SENTENCES[second][key]) == is_shared, (key, first, second)


def test_every_problem_has_a_sentence_of_operands_that_it_carries() -> None:
    carried: dict[str, set[str]] = {}
    for problem in PROBLEMS:
        of_rules = {"action"} if problem["code"] in rule_violations_by_code() else set()
        carried.setdefault(problem["code"], set()).update(problem.get("operands", []), of_rules)
    for language in LANGUAGES:
        sentences = catalog(language)["problems"]
        assert set(sentences) == set(carried)
        for code, sentence in sentences.items():
            assert placeholders(sentence) <= carried[code], (language, code)


def test_every_field_error_has_a_sentence_of_its_operands() -> None:
    """A FieldError fills in its English sentence when it is made."""
    english = catalog("en")["fields"]
    for language in LANGUAGES:
        sentences = catalog(language)["fields"]
        assert set(sentences) == set(english)
        for key, sentence in sentences.items():
            assert placeholders(sentence) <= placeholders(english[key]), key


def codes(function: Any) -> set[str]:
    """Return the codes that a function of ledger.reporting.posting_reasons can give.

    They are the first arguments and the values of `code` in its source, so that a new one cannot
    be forgotten.
    """

    def texts(node: ast.expr | None) -> Iterator[str]:
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.IfExp(body=body, orelse=orelse):
                yield from texts(body)
                yield from texts(orelse)

    found_codes: set[str] = set()
    for node in ast.walk(ast.parse(inspect.getsource(function))):
        match node:
            case ast.Call(func=ast.Name(id="_cause"), args=[first, *_]):
                found_codes |= set(texts(first))
            case ast.Call(func=ast.Name(id="DealOutcome"), keywords=keywords):
                found_codes |= {t for k in keywords if k.arg == "code" for t in texts(k.value)}
            case ast.Assign(targets=[ast.Name(id="code")], value=value):
                found_codes |= set(texts(value))
    return found_codes


VOLAS = {
    f"{vola}_{change}"
    for vola in ("la_vola", "vole")
    for change in ("paid", "paid_back", "corrected")
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_movement_of_money_can_be_explained(language: str) -> None:
    reasons = [
        reason
        for event in MONEY_EVENTS
        for reason in explain_recorded_event(RULE_REFERENCES, record_event(event))
    ]
    reasons += [
        r for leg in PAYMENTS for r in explain_recorded_event(VOLE_REFERENCES, record_event(leg))
    ]
    reasons += explain_recorded_event(ANTE_REFERENCES, record_event(POT))
    known_codes = (
        codes(posting_reasons._find_cause)
        | codes(posting_reasons._explain_correction)
        | codes(posting_reasons._brought_forward_cause)
    )
    known_codes |= codes(posting_reasons._cost_cause)
    known_codes |= {f"score_{rule}" for rule in get_args(e.ScoringRule)}
    known_codes |= {"score_bid_made_apart", "score_bid_failed_apart"} | VOLAS
    assert {reason.code for reason in reasons} == known_codes == set(catalog(language)["why"]), (
        "tests/support/api/money_events.py has an event for each reason"
    )
    for reason in reasons:
        sentence = Translator(language, PLAYER_NAMES).explain_posting(reason, "SEK")
        assert sentence.endswith(f" ({reason.rule})") == (reason.code != "transfer")
        assert not re.search(r"[{}]|\bp\d\b", sentence), sentence


def closed_deal(outcome: str, *declarers: str, laid: bool = False, **fields: Any) -> Deal:
    facts: tuple[LedgerEvent, ...] = fields.pop("facts", ())
    end = e.DealClosed(
        deal=1,
        outcome=outcome,  # type: ignore[arg-type]
        next_dealer="p2",
        declarers=declarers,
        **fields,
    )
    bet = (record_event(BET_LAID),) if laid else ()
    return Deal(
        facts=(record_event(DEAL_OPENED), *bet, *map(record_event, facts), record_event(end))
    )


FOR_POINTS = e.DealOpened(number=1, dealer="p1", seats=("p1", "p2"))
POT = e.PotTaken(deal=1, player="p2", amount=30)
VOLE = e.VoleAnnounced(player="p1")
VOLE_BY_RESULT = e.ResultRecorded(winner="p1", vole=Vola(player="p1", won=True))
PAID = e.LaVolaWon(deal=1, player="p1", amount=30, payers=("p2",))
LINE = e.Scored(deal=1, to="p1+p3", points=-5, rule="bid_failed")
WON = e.GameWon(deal=1, winners=("p1+p3",))

PASSED = e.DealClosed(deal=1, outcome="all_pass", next_dealer="p2")
FOR_POINTS_PASSED = Deal(facts=(record_event(FOR_POINTS), record_event(PASSED)))

DEALS = (
    Deal(facts=(record_event(DEAL_OPENED),)),
    Deal(facts=(record_event(DEAL_OPENED),), voided=True),
    closed_deal("all_pass"),
    closed_deal("nobody", "p1"),
    closed_deal("nobody", "p1", laid=True),
    closed_deal("won", "p1", winner="p1"),
    closed_deal("won", "p1", winner="p2", laid=True),
    closed_deal("won", "p1", "p2", winner="p2", laid=True),
    closed_deal("won", "p1", "p2", winner="p3", laid=True),
    closed_deal("la_vola_won", "p1", winner="p3", la_vola="p3"),
    closed_deal("la_vola_lost", "p1", la_vola="p3"),
    closed_deal("la_vola_lost", "p3", la_vola="p3", laid=True),
    Deal(facts=(record_event(FOR_POINTS),)),
    Deal(facts=(record_event(FOR_POINTS),), voided=True),
    closed_deal("lost", "p1", winner="p2"),
    closed_deal("lost", "p1", winner="p2", facts=(POT,)),
    closed_deal("lost", "p1", winner="p2", la_vola="p1"),
    closed_deal("lost", "p1", winner="p2", la_vola="p1", facts=(POT,)),
    closed_deal("la_vola_won", "p1", winner="p1", la_vola="p1", facts=(VOLE, POT, PAID)),
    closed_deal("la_vola_won", "p1", winner="p1", la_vola="p1", facts=(VOLE_BY_RESULT, PAID)),
    closed_deal("la_vola_lost", "p1", la_vola="p1", facts=(VOLE,)),
    closed_deal("vole_not_all", "p1", winner="p1", la_vola="p1"),
    closed_deal("scored", facts=(LINE,)),
    closed_deal("scored", facts=(LINE, WON)),
    closed_deal("played_alone", facts=(LINE,)),
    closed_deal("played_alone", facts=(LINE, WON)),
    closed_deal("redealt"),
    FOR_POINTS_PASSED,
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_end_of_a_deal_can_be_told(language: str) -> None:
    outcomes = [describe_outcome(deal) for deal in DEALS]
    codes = {outcome.code for outcome in outcomes}
    assert codes == set(catalog(language)["outcome"]), "DEALS has a deal for each sentence"
    assert set(get_args(e.Outcome)) - {"won"} <= codes
    for outcome in outcomes:
        sentence = Translator(language, PLAYER_NAMES).describe_outcome(outcome, "SEK")
        assert not re.search(r"[{}]|\bp\d\b|\(\)", sentence), sentence


def test_one_trick_of_a_joint_nil_counts_as_one_overtrick() -> None:
    sentences = []
    for tricks in (1, 2):
        bags = e.Scored(deal=1, to="p1+p3", points=tricks, rule="joint_nil_bags", taken=tricks)
        (reason,) = explain_recorded_event(RULE_REFERENCES, record_event(bags))
        sentences.append(Translator("en", PLAYER_NAMES).explain_posting(reason, "SEK"))
    assert "1 trick counts as an overtrick, 1 point" in sentences[0]
    assert "2 tricks count as overtricks, 2 points" in sentences[1]


def test_points_settled_in_money_are_told_as_points_and_their_price() -> None:
    paid = e.PointsPaid(payer="p1", payee="p2", points=7, value=50)
    (reason,) = explain_recorded_event(RULE_REFERENCES, record_event(paid))
    sentence = Translator("en", PLAYER_NAMES).explain_posting(reason, "SEK")
    told = sentence.replace("\N{NO-BREAK SPACE}", " ")
    assert told.startswith("Ada is 7 points behind Bo and pays 0,50 kr for each point, 3,50 kr in")


def test_a_currency_code_before_an_amount_stands_apart_from_it() -> None:
    translator = Translator("en", PLAYER_NAMES)
    assert translator.format_money(1_000, "KWD", sign=True) == "+KWD\N{NO-BREAK SPACE}1"
    assert translator.format_money(-1_050, "KWD") == "−KWD\N{NO-BREAK SPACE}1.050"
    assert translator.format_money(1_050, "EUR") == "€10.50"


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_amount_is_written_with_the_decimals_that_its_currency_has_here(language: str) -> None:
    translator = Translator(language)
    written = {
        currency: re.sub(r"\D", "", translator.format_money(1, currency, fixed=True))
        for currency in list_currencies()
    }
    assert written == {
        currency: "1".rjust(currency_places(currency) + 1, "0") for currency in list_currencies()
    }


@pytest.mark.parametrize("currency", ["SEK", "DKK", "NOK"])
def test_each_krona_has_the_sign_of_the_form(currency: str) -> None:
    signs = {
        language: Translator(language)
        .format_money(1_000, currency)
        .partition("\N{NO-BREAK SPACE}")[2]
        for language in LANGUAGES
    }
    assert signs == {"sv": "kr", "en": "kr", "da": "kr.", "de": "kr"}


def test_a_problem_names_people_and_money_as_the_reader_does() -> None:
    operands = {"player": "p2", "stake": 1000, "balance": -500, "limit": 1000}
    details = {
        language: Translator(language, PLAYER_NAMES).problem_detail(
            "credit_limit_reached", operands, "SEK"
        )
        for language in LANGUAGES
    }
    assert all("Bo" in detail for detail in details.values())
    assert "p2" not in "".join(details.values())
    assert "10\N{NO-BREAK SPACE}kr" in details["sv"]


@pytest.mark.parametrize(
    ("language", "spoken"),
    [
        ("sv", "för Bo är det −10 poäng."),
        ("da", "for Bo er det −10 point."),
        ("de", "bei Bo beträgt er −10 Punkte."),
        ("en", "for Bo it is −10 points."),
    ],
)
def test_a_side_that_is_ahead_is_behind_by_less_than_none(language: str, spoken: str) -> None:
    speak = Translator(language, PLAYER_NAMES)
    operands = {"side": "p2", "behind": -10, "needed": 100}
    assert speak.problem_detail("blind_nil_not_behind", operands).endswith(spoken)


def test_a_problem_lists_people_as_a_sentence_does() -> None:
    for language, people in (("sv", "Ada och Bo"), ("en", "Ada and Bo"), ("de", "Ada und Bo")):
        speak = Translator(language, PLAYER_NAMES)
        for code, operand in (("discard_first", "players"), ("game_is_won", "winners")):
            assert people in speak.problem_detail(code, {operand: ["p1", "p2"]})


def test_a_problem_writes_a_day_in_the_order_of_the_language() -> None:
    for language, day in (
        ("sv", "2026-11-30"),
        ("en", "30/11/2026"),
        ("da", "30.11.2026"),
        ("de", "30.11.2026"),
    ):
        detail = Translator(language).problem_detail("bank_line_used", {"day": "2026-11-30"})
        assert day in detail


def test_a_name_written_from_right_to_left_moves_nothing_beside_it() -> None:
    players = ["p1", "p2", "p3"]
    names = {"p1": "אבג", "p2": "محمد", "p3": "Cilla"}
    isolated = {"p1": "\u2068אבג\u2069", "p2": "\u2068محمد\u2069", "p3": "Cilla"}
    expected = "\u2068אבג\u2069, \u2068محمد\u2069 and Cilla"
    assert Translator("en", names).player_names(players) == expected
    assert Translator("en", isolated).player_names(players) == expected
