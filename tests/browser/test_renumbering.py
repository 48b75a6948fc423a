"""What a waiting deal of Knektpass becomes under another number and another dealer."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.support.browser.form_sources import imported_module

Write = dict[str, Any]

RENUMBER = f"""async ([waiting, session, shift]) => {{
  const {{ renumberWrite }} = await {imported_module("domain/renumbering.js")};
  const newNumber = ({{ note }}) => (note.number ?? note.live) + shift;
  return waiting.map((write) => renumberWrite(write, newNumber, {{ session, waiting }}));
}}"""


def session(dealer: str, number: int = 4, **options: str) -> dict[str, Any]:
    deal = {"number": number, "phase": "waiting", "dealer": dealer}
    return {"seats": ["p1", "p2", "p3", "p4"], "options": options, "deal": deal}


def actions_of(text: str) -> list[dict[str, Any]]:
    """`+2 -3 2:1` is: p2 stays, p3 passes, p2 exchanges one card."""
    actions: list[dict[str, Any]] = []
    for word in text.split():
        player, _, cards = word.lstrip("+-").partition(":")
        if cards:
            actions.append({"type": "exchange", "player": f"p{player}", "cards": int(cards)})
        else:
            call = "stay" if word.startswith("+") else "pass"
            actions.append({"type": call, "player": f"p{player}"})
    return actions


def text_of(write: Write) -> str:
    words = {"stay": "+{player}", "pass": "-{player}", "exchange": "{player}:{cards}"}
    played = [a for a in write["body"]["actions"] if a["type"] in words]
    return " ".join(
        words[a["type"]].format(player=a["player"][1:], cards=a.get("cards")) for a in played
    )


def whole_deal(number: int, text: str) -> Write:
    taps = actions_of(text)
    note = {"number": number, "base": 0, "heard": [], "taps": taps}
    return {"body": {"actions": [{"type": "open_deal", "number": number}, *taps]}, "note": note}


@pytest.mark.parametrize(
    ("dealer", "moved"),
    [
        ("p1", "+2 +3 -4 +1 3:1 2:1 1:2 3:1"),
        ("p2", "+3 -4 +1 +2 3:1 1:2 2:1 3:1"),
        ("p4", "+1 +2 +3 -4 3:1 1:2 2:1 3:1"),
    ],
)
def test_calls_and_rounds_of_exchanges_follow_the_dealer(
    form_page: Page, dealer: str, moved: str
) -> None:
    """Cilla exchanges in the first and third round, Bo and Ada in the second."""
    write = whole_deal(4, "+2 +3 -4 +1 3:1 2:1 1:2 3:1")
    (result,) = form_page.evaluate(RENUMBER, [[write], session(dealer), 0])
    assert text_of(result) == moved
    assert result["note"]["taps"] == result["body"]["actions"][1:]


@pytest.mark.parametrize(("rule", "moved"), [("same", "+2 -3 -4 -1"), ("next", "-3 -4 -1 +2")])
def test_a_deal_that_all_passed_may_keep_its_dealer(form_page: Page, rule: str, moved: str) -> None:
    waiting = [whole_deal(3, "-4 -1 -2 -3"), whole_deal(4, "-4 -1 +2 -3")]
    state = session("p1", all_pass_dealer=rule)
    first, second = form_page.evaluate(RENUMBER, [waiting, state, 1])
    assert (text_of(first), text_of(second)) == ("-2 -3 -4 -1", moved)
    assert [write["note"]["number"] for write in (first, second)] == [4, 5]


def test_a_deal_in_two_writes_is_put_in_order_as_one(form_page: Page) -> None:
    opening = actions_of("+2")
    rest = actions_of("-3 -4 +1")
    waiting = [
        {
            "body": {"actions": [{"type": "open_deal", "number": 4}, *opening]},
            "note": {"number": 4},
        },
        {
            "body": {"actions": rest},
            "note": {"number": 4, "base": 1, "heard": opening, "taps": rest},
        },
    ]
    first, second = form_page.evaluate(RENUMBER, [waiting, session("p2", 5), 1])
    assert (text_of(first), text_of(second)) == ("-3", "-4 +1 +2")
    assert second["note"]["heard"] == actions_of("-3")
    assert second["note"]["taps"] == actions_of("-4 +1 +2")


def test_the_rest_of_an_open_deal_stays_as_it_is(form_page: Page) -> None:
    rest = actions_of("+1 3:1 2:1")
    write = {"body": {"actions": rest}, "note": {"number": 4}}
    assert form_page.evaluate(RENUMBER, [[write], session("p3"), 0]) == [write]


def test_a_write_that_an_earlier_form_stored_gets_its_number_too(form_page: Page) -> None:
    write = whole_deal(4, "+2 -3 -4 -1")
    write["note"]["live"] = write["note"].pop("number")
    (moved,) = form_page.evaluate(RENUMBER, [[write], session("p1"), 1])
    assert moved["body"]["actions"][0] == {"type": "open_deal", "number": 5}
    assert moved["note"]["number"] == 5
