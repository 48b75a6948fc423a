"""Words that a statement keeps are the words it would find; its rows are what any writer writes."""

import csv
import io

import pytest

from api.statements.telling import Fluent
from api.words import LANGUAGES, Speaker
from api.words.sentences import cut
from ledger import why
from tests.api.hostile import names as hostile
from tests.api.test_words import MOVING, NAMES, RULES, recorded

HOSTILE = hostile(40)
OTHERS = {**NAMES, "p1": "Emil", "p4": "Bo"}
NOUNS = {"tricks": {"one": "{number} trick", "many": "{number} tricks"}}


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_has_said_it_before_says_the_same_again(language):
    """Of the people he knows, and of others who are called otherwise."""
    fluent, plain = Fluent(language, NAMES), Speaker(language)
    for event in MOVING:
        for reason in why.of_event(RULES, recorded(event)):
            for names in (NAMES, NAMES, OTHERS):
                for currency in ("SEK", "chips"):
                    said = fluent.why(reason, names, currency)
                    assert said == plain.why(reason, names, currency)
            for end in (reason.posting.source, reason.posting.target):
                for names in (NAMES, OTHERS):
                    assert fluent.account(end, names) == plain.account(end, names)


def test_a_sentence_is_cut_where_something_is_put_in():
    form, operands, counted = cut("{who} tog {taken_tricks}, 100 % av {played_for}", NOUNS)
    assert form % ("Bo", "5 stick", "10 kr") == "Bo tog 5 stick, 100 % av 10 kr"
    assert operands == ("who", "taken_tricks", "played_for")
    assert list(counted) == ["taken_tricks"]
    assert counted["taken_tricks"].number == "taken"


@pytest.mark.parametrize("sentence", ["{who!r} ger", "{amount:>9}", "{0} ger", "{} ger", "{a.b}"])
def test_a_sentence_has_no_other_kind_of_operand(sentence):
    with pytest.raises(AssertionError):
        cut(sentence, NOUNS)


@pytest.mark.parametrize(("profile", "between"), [("", ","), ("&profile=excel", ";")])
@pytest.mark.parametrize("start", range(len(HOSTILE) // 4))
def test_a_table_is_byte_for_byte_what_a_csv_writer_writes(open_table, start, profile, between):
    players = [
        {"name": name} for name in HOSTILE[start :: len(HOSTILE) // 4]
    ]  # none sounds like another
    table = open_table(players=players, title='Fredag; "sen", kväll')
    table.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]},
              {"type": "result", "winner": "p3"})  # fmt: skip
    for player in ("", "&player=p2"):
        sent = table.get(f"/statement?format=csv{profile}{player}").data.decode()
        text = sent.removeprefix("\ufeff")
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=between))
        assert {len(row) for row in rows} == {10}
        again = io.StringIO(newline="")
        csv.writer(again, delimiter=between, lineterminator="\r\n").writerows(rows)
        assert again.getvalue() == text
