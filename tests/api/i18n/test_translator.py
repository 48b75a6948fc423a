"""Everything that the program says, it can say in every language, with the same operands."""

import ast
import inspect
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any, get_args

import pytest

from api.words import LANGUAGES, Speaker, catalog
from api.words.fields import SENTENCES
from engine import events as e
from engine.commands import Vola
from engine.games import GAMES, polskt_pass
from ledger import why
from ledger.entries import Entry, PaymentSettled, SessionOpened, TransferRecorded
from ledger.envelope import Recorded
from ledger.projections.deals import Deal
from tests.api.test_openapi import PROBLEMS, rules

NAMES = {"p1": "Ada", "p2": "Bo", "p3": "Cilla", "p4": None}

SAME = {
    "accounts.bet": {"sv", "en"},
    "point": {"en", "da"},
    "score": {"sv", "en", "da", "de"},
    "outcome.scored": {"sv", "en", "da", "de"},
    "statement.period": {"sv", "en"},
    "statement.deal": {"sv", "da"},
    "statement.balance": {"sv", "da", "de"},
    "statement.version": {"sv", "en", "da", "de"},
}
"""Words that are spelled alike in these languages."""


def flat(words: Any, path: str = "") -> dict[str, str]:
    if isinstance(words, str):
        return {path: words}
    return {k: v for key, inner in words.items() for k, v in flat(inner, f"{path}.{key}").items()}


SAID = {lang: {k.lstrip("."): v for k, v in flat(catalog(lang)).items()} for lang in LANGUAGES}


def placeholders(sentence: str) -> set[str]:
    return set(re.findall(r"{(\w+)}", sentence))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_sentences_with_the_same_operands(language: str) -> None:
    assert set(SAID[language]) == set(SAID["sv"])
    for key, sentence in SAID[language].items():
        assert placeholders(sentence) == placeholders(SAID["sv"][key]), key
        assert sentence == sentence.strip() != "", key
        assert "  " not in sentence, key


def test_nothing_was_left_untranslated() -> None:
    for one, other in combinations(LANGUAGES, 2):
        for key, sentence in SAID[one].items():
            if key.startswith("counted."):
                continue  # a number and a noun, which neighbours often share
            alike = {one, other} <= SAME.get(key, set())
            assert (sentence == SAID[other][key]) == alike, (key, one, other)


def test_every_problem_has_a_sentence_of_operands_that_it_carries() -> None:
    carried: dict[str, set[str]] = {}
    for problem in PROBLEMS:
        more = {"action"} if problem["code"] in rules() else set()
        carried.setdefault(problem["code"], set()).update(problem.get("operands", []), more)
    for language in LANGUAGES:
        sentences = catalog(language)["problems"]
        assert set(sentences) == set(carried)
        for code, sentence in sentences.items():
            assert placeholders(sentence) <= carried[code], (language, code)


def test_every_fault_of_a_field_has_a_sentence_of_operands_that_it_carries() -> None:
    for language in LANGUAGES:
        sentences = catalog(language)["fields"]
        assert set(sentences) == set(SENTENCES)
        for key, sentence in sentences.items():
            assert placeholders(sentence) <= set(re.compile(SENTENCES[key]).groupindex), key


def codes(function: Any) -> set[str]:
    """The codes that a function of ledger.why can give: first arguments and what is put in `code`.

    Read from the source, so that a new one cannot be forgotten.
    """

    def texts(node: ast.expr | None) -> Iterator[str]:
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.IfExp(body=one, orelse=other):
                yield from texts(one)
                yield from texts(other)

    found: set[str] = set()
    for node in ast.walk(ast.parse(inspect.getsource(function))):
        match node:
            case ast.Call(func=ast.Name(id="_because"), args=[first, *_]):
                found |= set(texts(first))
            case ast.Call(func=ast.Name(id="Told"), keywords=keywords):
                found |= {t for k in keywords if k.arg == "code" for t in texts(k.value)}
            case ast.Assign(targets=[ast.Name(id="code")], value=value):
                found |= set(texts(value))
    return found


def recorded(event: Entry) -> Recorded:
    kept = {"type": "", "schema": 1, "at": 0, "by": "host.0", "data": "{}", "hash": b""}
    return Recorded(version=1, event=event, **kept)  # type: ignore[arg-type]


OPENED = e.DealOpened(number=1, dealer="p1", seats=("p1", "p2"), stake=10, played_for=30)
LAID = e.BetLaid(deal=1, bet=1, by=("p2", "p4"), each=20, played_for=20, multiplier=1)
TAKEN = e.BetTaken(deal=2, player="p1", bet=1, by=("p2", "p4"), each=20, laid_in=1)
SETTLED = PaymentSettled(payment="1-p1-p2", deal=1, payer="p1", payee="p2", amount=30)
SHARES = (e.Share(player="p1", amount=5),)
PARTS: dict[str, Any] = {"deal": 1, "bet": 1, "by": ("p2",), "each": 20}

BEGUN = SessionOpened(
    game="any",
    options={},
    currency="SEK",
    players=("p1", "p3"),
    names=("", ""),
    first_dealer="p1",
    start={"p1": 12},
)
RULES = {
    code: rule
    for game in GAMES.values()
    for code, rule in game.rules(game.options()).items()
    if not code.startswith("vole_")
}
VOLE_RULES = GAMES["polskpas"].rules(GAMES["polskpas"].options())
ANTE_RULES = GAMES["polskt_pass"].rules(polskt_pass.Options(amount_basis="ante_only"))

UNCOUNTED = e.Scored(
    deal=1, to="p1+p3", points=41, rule="bid_made", bid=4, taken=5, each=10, player="p1"
)
BACK = PaymentSettled(
    payment="9-p2-p1", deal=1, payer="p2", payee="p1", amount=30, reverses=SETTLED.payment
)
BY_CORRECTION = PaymentSettled(payment="9.1-p2-p1", deal=1, payer="p2", payee="p1", amount=30)
PAID_LEGS = (SETTLED, BACK, BY_CORRECTION)
VOLAS = {
    f"{vola}_{how}" for vola in ("la_vola", "vole") for how in ("paid", "paid_back", "corrected")
}

MOVING: tuple[Entry, ...] = (
    OPENED,
    e.PotTaken(deal=1, player="p3", amount=10),
    TAKEN,
    e.BetTaken(deal=2, player="p1", bet=1, by=("p2",), each=20, laid_in=1, paid=False),
    LAID,
    e.BetLaid(deal=1, bet=1, by=("p2",), each=40, played_for=20, multiplier=2),
    e.BetsMerged(added=2, **PARTS),
    e.BetsParted(parted=2, **PARTS),
    *PAID_LEGS,
    UNCOUNTED,
    e.Scored(
        deal=1, to="p1+p3", points=-40, rule="bid_failed", bid=4, taken=3, each=10, player="p1"
    ),
    TransferRecorded(payer="p1", payee="p4", amount=100),
    e.PotShared(shares=SHARES),
    e.BetShared(bet=1, shares=SHARES),
    e.BetCollected(bet=1, by=("p2",), each=20),
    BEGUN,
    e.PenaltyPaid(deal=1, player="p2", amount=10),
    *(
        e.Scored(
            deal=1,
            to="p1+p3",
            points=-12,
            rule=rule,
            player=None if rule in ("bid_made", "bid_failed") else "p1",
            bid=3,
            taken=2,
            exchanged=4,
            least=4,
            each=10,
            overtricks=0,
        )
        for rule in get_args(e.Rule)
    ),
    e.PointsPaid(payer="p1", payee="p2", points=7, value=50),
    e.ActionUndone(deal=1, took_back=(OPENED,)),
    e.DealVoided(deal=1, took_back=(OPENED,), next_dealer="p1"),
    e.DealCorrected(
        deal=1,
        rescored=(
            e.Rescored(deal=1, was=(OPENED,), facts=(OPENED, LAID)),
            e.Rescored(deal=2, was=(LAID,), facts=()),
        ),
        next_dealer="p1",
    ),
    e.BetTaken(deal=1, player="p1", bet=1, by=("p2",), each=20, laid_in=0),
    e.BetTaken(deal=1, player="p1", bet=1, by=("p2",), each=20, laid_in=0, paid=False),
    e.BroughtForward(
        session="earlier",
        version=9,
        hash="ab",
        pot=10,
        bets=(e.Brought(bet=1, by=("p2",), each=20, paid=True),),
        balances={"p1": 10, "p2": -40},
    ),
    e.DealCorrected(
        deal=3, rescored=(e.Rescored(deal=3, was=(OPENED,), facts=()),), next_dealer="p1"
    ),
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_movement_of_money_can_be_explained(language: str) -> None:
    reasons = [reason for event in MOVING for reason in why.of_event(RULES, recorded(event))]
    reasons += [r for leg in PAID_LEGS for r in why.of_event(VOLE_RULES, recorded(leg))]
    reasons += why.of_event(ANTE_RULES, recorded(POT))
    known = codes(why._why) | codes(why.of_payment) | codes(why._corrected) | codes(why._brought)
    known |= {f"score_{rule}" for rule in get_args(e.Rule)}
    known |= {"score_bid_made_apart", "score_bid_failed_apart"} | VOLAS
    assert {reason.code for reason in reasons} == known == set(catalog(language)["why"])
    for reason in reasons:
        sentence = Speaker(language).why(reason, NAMES, "SEK")
        assert sentence.endswith(f" ({reason.rule})") == (reason.code != "transfer")
        assert not re.search(r"[{}]|\bp\d\b", sentence), sentence


def closed(outcome: str, *declarers: str, laid: bool = False, **more: Any) -> Deal:
    facts: tuple[Entry, ...] = more.pop("facts", ())
    end = e.DealClosed(
        deal=1,
        outcome=outcome,  # type: ignore[arg-type]
        next_dealer="p2",
        declarers=declarers,
        **more,
    )
    bet = (recorded(LAID),) if laid else ()
    return Deal(facts=(recorded(OPENED), *bet, *map(recorded, facts), recorded(end)))


FOR_POINTS = e.DealOpened(number=1, dealer="p1", seats=("p1", "p2"))
POT = e.PotTaken(deal=1, player="p2", amount=30)
VOLE = e.VoleAnnounced(player="p1")
VOLE_BY_RESULT = e.ResultRecorded(winner="p1", vole=Vola(player="p1", won=True))
PAID = e.LaVolaWon(deal=1, player="p1", amount=30, payers=("p2",))
LINE = e.Scored(deal=1, to="p1+p3", points=-5, rule="bid_failed")
WON = e.GameWon(deal=1, winners=("p1+p3",))

PASSED = e.DealClosed(deal=1, outcome="all_pass", next_dealer="p2")
FOR_POINTS_PASSED = Deal(facts=(recorded(FOR_POINTS), recorded(PASSED)))

DEALS = (
    Deal(facts=(recorded(OPENED),)),
    Deal(facts=(recorded(OPENED),), voided=True),
    closed("all_pass"),
    closed("nobody", "p1"),
    closed("nobody", "p1", laid=True),
    closed("won", "p1", winner="p1"),
    closed("won", "p1", winner="p2", laid=True),
    closed("won", "p1", "p2", winner="p2", laid=True),
    closed("won", "p1", "p2", winner="p3", laid=True),
    closed("la_vola_won", "p1", winner="p3", la_vola="p3"),
    closed("la_vola_lost", "p1", la_vola="p3"),
    closed("la_vola_lost", "p3", la_vola="p3", laid=True),
    Deal(facts=(recorded(FOR_POINTS),)),
    Deal(facts=(recorded(FOR_POINTS),), voided=True),
    closed("lost", "p1", winner="p2"),
    closed("lost", "p1", winner="p2", facts=(POT,)),
    closed("lost", "p1", winner="p2", la_vola="p1"),
    closed("lost", "p1", winner="p2", la_vola="p1", facts=(POT,)),
    closed("la_vola_won", "p1", winner="p1", la_vola="p1", facts=(VOLE, POT, PAID)),
    closed("la_vola_won", "p1", winner="p1", la_vola="p1", facts=(VOLE_BY_RESULT, PAID)),
    closed("la_vola_lost", "p1", la_vola="p1", facts=(VOLE,)),
    closed("vole_not_all", "p1", winner="p1", la_vola="p1"),
    closed("scored", facts=(LINE,)),
    closed("scored", facts=(LINE, WON)),
    closed("played_alone", facts=(LINE,)),
    closed("played_alone", facts=(LINE, WON)),
    closed("redealt"),
    FOR_POINTS_PASSED,
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_end_of_a_deal_can_be_told(language: str) -> None:
    told = [why.outcome(deal) for deal in DEALS]
    assert {t.code for t in told} == set(catalog(language)["outcome"])
    assert set(get_args(e.Outcome)) - {"won"} <= {t.code for t in told}
    for one in told:
        sentence = Speaker(language).outcome(one, NAMES, "SEK")
        assert not re.search(r"[{}]|\bp\d\b|\(\)", sentence), sentence


def test_a_problem_names_people_and_money_as_the_reader_does() -> None:
    operands = {"player": "p2", "stake": 1000, "balance": -500, "limit": 1000}
    told = {
        language: Speaker(language).problem("credit_limit_reached", operands, NAMES, "SEK")
        for language in LANGUAGES
    }
    assert all("Bo" in sentence for sentence in told.values())
    assert "p2" not in "".join(told.values())
    assert "10\N{NO-BREAK SPACE}kr" in told["sv"]
