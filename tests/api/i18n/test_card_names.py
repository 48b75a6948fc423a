"""Cards are called by their names in the reader's language, wherever people read them."""

import re

import pytest

from api.i18n.catalog import LANGUAGES
from api.i18n.translator import Translator

CARD_NAMES = {
    "sv": ("klöver knekt", "hjärter 10", "spader ess"),
    "en": ("jack of clubs", "10 of hearts", "ace of spades"),
    "da": ("klør knægt", "hjerter 10", "spar es"),
    "de": ("Kreuz-Bube", "Herz-10", "Pik-Ass"),
}
CODE = re.compile(r"\b(?:[2-9AKQJ]|10)[CSHD]\b")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_has_a_name(language):
    speak = Translator(language)
    assert tuple(map(speak.card_name, ("JC", "10H", "AS"))) == CARD_NAMES[language]


@pytest.mark.parametrize(
    ("language", "detail"),
    [("sv", "Klöver 2 finns inte i leken."), ("de", "Kreuz-2 ist nicht im Spiel.")],
)
def test_a_refusal_calls_a_card_by_its_name(language, detail):
    refused = Translator(language).problem_detail("card_not_in_pack", {"card": "2C"})
    assert refused.startswith(detail.split()[0])
    assert not CODE.findall(refused)


def test_a_refusal_lists_the_cards_that_may_be_played(session):
    session.act(
        {"type": "open_deal"}, {"type": "cut", "card": "9D"}, {"type": "turn_up", "card": "KH"}
    )
    session.act({"type": "bid", "player": "p2", "call": "accept"})
    session.act({"type": "hand", "player": "p2", "cards": ["9C", "10C", "QC", "KC", "AS"]})
    refused = session.act({"type": "play", "player": "p2", "card": "JS"})
    assert refused.status_code == 409
    assert refused.json["card"] == "JS", "programs get the code"
    assert not CODE.findall(refused.json["detail"])
    assert "spader knekt" in refused.json["detail"].lower()
