"""Cached sentences equal those translated anew, and rows equal those of the csv module."""

import csv
import io

import pytest

from api.i18n.catalog import LANGUAGES
from api.i18n.message import PluralForms, parse_message
from api.i18n.translator import CachedTranslator, Translator
from tests.support.api.hostile_names import list_hostile_names as hostile
from tests.support.api.money_events import MONEY_EVENTS, PLAYER_NAMES, RULE_REFERENCES, record_event
from tests.support.ledger.unpaged_statement import explain_recorded_event

HOSTILE = hostile(40)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cached_sentence_equals_a_new_one(language):
    cached, plain = CachedTranslator(language, PLAYER_NAMES), Translator(language, PLAYER_NAMES)
    for event in MONEY_EVENTS:
        for reason in explain_recorded_event(RULE_REFERENCES, record_event(event)):
            for currency in ("SEK", "chips", "SEK"):
                sentence = cached.explain_posting(reason, currency)
                assert sentence == plain.explain_posting(reason, currency)
            for end in (reason.posting.source, reason.posting.target):
                assert cached.account_name(end) == plain.account_name(end)


def test_a_sentence_is_split_at_its_operands():
    form, operands = parse_message(
        "{who} tog {taken, plural, =0 {inget stick} other {# stick}}, 100 % av {played_for}"
    )
    assert form % ("Bo", "5 stick", "10 kr") == "Bo tog 5 stick, 100 % av 10 kr"
    forms = PluralForms("taken", {"=0": "inget stick", "other": "# stick"})
    assert operands == ("who", forms, "played_for")


def test_a_form_for_a_number_may_be_empty():
    assert PluralForms("taken", {"=0": "", "other": "# stick"}).choose("sv", 0) == ""


@pytest.mark.parametrize("sentence", ["{who!r} ger", "{amount:>9}", "{0} ger", "{} ger", "{a.b}"])
def test_a_sentence_has_no_other_kind_of_operand(sentence):
    with pytest.raises(AssertionError):
        parse_message(sentence)


@pytest.mark.parametrize(("profile", "delimiter"), [("", ","), ("&profile=excel", ";")])
@pytest.mark.parametrize("start", range(len(HOSTILE) // 4))
def test_a_table_equals_what_a_csv_writer_writes(open_session, start, profile, delimiter):
    players = [{"name": name} for name in HOSTILE[start :: len(HOSTILE) // 4]]  # no two sound alike
    session = open_session(players=players, title='Fredag; "sen", kväll')
    session.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]},
              {"type": "result", "winner": "p3"})  # fmt: skip
    for player in ("", "&player=p2"):
        body = session.get(f"/statement?format=csv{profile}{player}").data.decode()
        text = body.removeprefix("\ufeff")
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        assert {len(row) for row in rows} == {12}
        rewritten = io.StringIO(newline="")
        csv.writer(rewritten, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
        assert rewritten.getvalue() == text
