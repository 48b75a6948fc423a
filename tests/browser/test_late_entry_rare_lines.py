"""Rare lines, typed from paper: misdeals, merged bets, redeals, blind nils, the turn-up."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser.connection import read_deals, set_flight_mode
from tests.support.browser.late_entry import (
    open_late_entry,
    see_sums_agree,
    type_lines,
    typed_lines,
)
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_as_host, record_and_open, record_elsewhere

LINES: dict[str, tuple[str, dict[str, Any], tuple[str, ...], dict[str, str]]] = {
    "a misdeal, then two losing declarers whose bets are merged": (
        "polskt_pass",
        {"stake": 1_000},
        ("!", "AD BBCBD =", "C CCC", "-"),
        {"p1": "-20", "p2": "0", "p3": "20", "p4": "-10"},
    ),
    "bets that are kept apart where the table merges": (
        "polskt_pass",
        {"stake": 1_000, "merge_double_bets": True},
        ("AD BBCBD/", "C CCC", "-"),
        {"p1": "-20", "p2": "0", "p3": "10", "p4": "-10"},
    ),
    "a misdeal that passes the deal on": (
        "polskt_pass",
        {"stake": 1_000, "misdeal_policy": "next_dealer"},
        ("!", "-", "!", "-"),
        {"p1": "0", "p2": "-10", "p3": "0", "p4": "-10"},
    ),
    "a misdeal in Polskpas": (
        "polskpas",
        {"stake": 1_000},
        ("-", "!", "C CCC"),
        {"p1": "-10", "p2": "-10", "p3": "20", "p4": "0"},
    ),
    "redeals before the bids": (
        "spader",
        {},
        ("!A1 !B2 5 4 8", "!"),
        {"p1+p3": "41", "p2+p4": "53"},
    ),
    "a redeal that passes the deal on": (
        "spader",
        {"redeal_dealer": "next"},
        ("!A3", "5 4 8"),
        {"p1+p3": "53", "p2+p4": "41"},
    ),
    "nil and blind nil of one side": (
        "spader",
        {"blind_nil_deficit": 0, "blind_nil_partner_zero": True},
        ("5 A+C 0 7 0 6",),
        {"p1+p3": "150", "p2+p4": "58"},
    ),
    "two blind nils of one side": (
        "spader",
        {"blind_nil_deficit": 0, "double_blind_nil": True},
        ("5 +A+C 0 7 0 6",),
        {"p1+p3": "200", "p2+p4": "58"},
    ),
    "the turn-up counts as one card": (
        "knektpass",
        {},
        ("*2 - 0 - 2 - 3 -", "!"),
        {"p1": "17", "p2": "12", "p3": "9", "p4": "12"},
    ),
    "the turn-up counts as none": (
        "knektpass",
        {"turn_up_counts": False},
        ("*2 - 0 - 2 - 3 -", "0 *- 1 - 4 - 1 -"),
        {"p1": "6", "p2": "12", "p3": "8", "p4": "12"},
    ),
    "the order of the tricks decides who is home first": (
        "knektpass",
        {"start": 2, "finish_tie": "trick_order"},
        ("- 0 0 - BBCCC",),
        {"p1": "2", "p2": "0", "p3": "-1", "p4": "2"},
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_rare_lines_are_typed_and_their_sums_agree(phone: Phone, name: str) -> None:
    game, options, lines, sums = LINES[name]
    record_and_open(phone, game=game, options=options)
    open_late_entry(phone)
    type_lines(phone, lines)
    expect(typed_lines(phone)).to_have_text(lines[::-1])
    see_sums_agree(phone, sums)
    phone.wait_until(lambda: len(read_deals(phone)) == len(lines))
    assert all(deal["actions"][0]["late_entry"] for deal in read_deals(phone))  # type: ignore[index]
    statuses = [deal["status"] == "voided" for deal in read_deals(phone)]
    assert statuses == [line == "!" for line in lines]


@pytest.mark.parametrize(
    ("game", "options", "reasons"),
    [
        (
            "polskt_pass",
            {},
            {
                "B CCC =": "Betar läggs ihop eller hålls isär bara när två",
                "AD AAA /": "Betar läggs ihop eller hålls isär bara när två",
                "AD BBB /": "Så kan given inte ha gått enligt reglerna.",
            },
        ),
        (
            "polskt_pass",
            {"stake": 10, "credit_limit": 0},
            {"-": "Given kan inte öppnas", "!": "Given kan inte öppnas"},
        ),
        ("polskpas", {}, {"B CCC =": "Betar läggs ihop eller hålls isär bara när två"}),
        (
            "spader",
            {},
            {
                "!A 5 4 8": "!A är ingen omgiv",
                "!A1": "Båda sidornas bud fattas.",
                "5 A+C 0 7 0 6": "Så kan given inte ha gått enligt reglerna.",
                "5 A+B 0 7 0 6": "A+B är inget giltigt bud för den sidan.",
                "5 4 14": "Sticken ska bli 13 tillsammans.",
            },
        ),
        ("spader", {"redeal_dealer": "next"}, {"!A1 5 4 8": "Efter omgiven ger nästa spelare"}),
        (
            "knektpass",
            {},
            {
                "- *1 0 - - 2 3 -": "Bara givaren byter till sig",
                "1 2 - - 2 2 - -": "Sticken ska bli 5 tillsammans.",
            },
        ),
        ("knektpass", {"turn_up_commits": True}, {"*- 1 0 - - 2 3 -": "Så kan given inte"}),
    ],
)
def test_a_line_without_a_meaning_is_refused_in_a_sentence(
    phone: Phone, game: str, options: dict[str, Any], reasons: dict[str, str]
) -> None:
    record_and_open(phone, game=game, options=options)
    field = open_late_entry(phone)
    for line, reason in reasons.items():
        type_lines(phone, [line])
        expect(phone.page.locator(".wrong")).to_contain_text(reason)
        expect(typed_lines(phone)).to_have_count(0)
        assert phone.read("")["version"] == 1
        field.fill("")
        expect(phone.page.locator(".wrong")).to_have_count(0)


def test_a_misdeal_is_read_before_it_is_entered(phone: Phone) -> None:
    record_and_open(phone, options={"stake": 1_000, "misdeal_policy": "next_dealer"})
    open_late_entry(phone)
    phone.page.keyboard.type("!")
    reading = phone.page.locator("#late-reading")
    expect(reading).to_contain_text("Felgiv: given räknas inte, och Bo ger nästa.")
    assert phone.read("")["version"] == 1


def test_lines_after_a_misdeal_wait_for_the_network(phone: Phone) -> None:
    record_and_open(phone)
    open_late_entry(phone)
    set_flight_mode(phone)
    type_lines(phone, ["B CCC", "!", "C AAA"])
    expect(typed_lines(phone)).to_have_text(["!", "B CCC"])
    set_flight_mode(phone, enabled=False)
    expect(typed_lines(phone)).to_have_text(["C AAA", "!", "B CCC"])
    phone.wait_until(lambda: len(read_deals(phone)) == 3)
    assert [deal["status"] for deal in read_deals(phone)] == ["closed", "voided", "closed"]


def test_lines_that_wait_stay_while_the_screen_is_left(phone: Phone) -> None:
    record_and_open(phone)
    line = open_late_entry(phone)
    set_flight_mode(phone)
    type_lines(phone, ["B CCC", "!", "C AAA"])
    phone.page.keyboard.type("D B")
    phone.tap("table")
    phone.see_table()
    open_late_entry(phone)
    expect(typed_lines(phone)).to_have_text(["!", "B CCC"])
    expect(line).to_have_value("D B")
    set_flight_mode(phone, enabled=False)
    expect(typed_lines(phone)).to_have_text(["C AAA", "!", "B CCC"])
    expect(line).to_have_value("D B")
    phone.wait_until(lambda: len(read_deals(phone)) == 3)
    assert [deal["status"] for deal in read_deals(phone)] == ["closed", "voided", "closed"]


def type_misdeal_offline(phone: Phone) -> tuple[RemoteSession, Locator]:
    """Return another phone's recorder of the session, and the field of the line."""
    recorder = record_elsewhere(phone)
    open_as_host(phone, recorder)
    line = open_late_entry(phone)
    set_flight_mode(phone)
    type_lines(phone, ["!"])
    return recorder, line


def test_a_line_refused_after_the_screen_was_left_is_there_again(phone: Phone) -> None:
    recorder, line = type_misdeal_offline(phone)
    phone.tap("table")
    phone.see_table()
    recorder.act({"type": "open_deal"}, {"type": "all_pass"})
    set_flight_mode(phone, enabled=False)
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    open_late_entry(phone)
    expect(line).to_have_value("!")
    expect(typed_lines(phone)).to_have_count(0)


def test_a_line_is_entered_after_a_misdeal_was_taken_back(phone: Phone) -> None:
    record_and_open(phone)
    open_late_entry(phone)
    set_flight_mode(phone)
    expect(phone.page.locator(".sync")).to_contain_text("Ingen kontakt")
    type_lines(phone, ["!"])
    phone.tap("table")
    phone.tap("undo")
    expect(phone.page.locator('[data-key="undo"]')).to_have_count(0)
    open_late_entry(phone)
    type_lines(phone, ["B CCC"])
    expect(typed_lines(phone)).to_have_text(["B CCC"])
    set_flight_mode(phone, enabled=False)
    phone.wait_until(lambda: len(read_deals(phone)) == 1)
    assert read_deals(phone)[0]["status"] == "closed"


def test_a_deal_taken_back_is_no_longer_listed(phone: Phone) -> None:
    record_and_open(phone)
    open_late_entry(phone)
    type_lines(phone, ["B CCC", "-"])
    expect(typed_lines(phone)).to_have_text(["-", "B CCC"])
    phone.see_saved()
    phone.tap("table").tap("undo")
    expect(phone.page.locator('[data-key="all-pass"]')).to_be_visible()
    phone.visit("late")
    expect(typed_lines(phone)).to_have_text(["B CCC"])


def test_a_misdeal_voids_no_deal_of_another_phone(phone: Phone) -> None:
    recorder, line = type_misdeal_offline(phone)
    recorder.act({"type": "open_deal"}, {"type": "all_pass"})
    set_flight_mode(phone, enabled=False)
    expect(line).to_have_value("!")
    expect(typed_lines(phone)).to_have_count(0)
    assert [deal["status"] for deal in read_deals(phone)] == ["closed"]


def test_players_who_share_a_letter_bid_nil(phone: Phone) -> None:
    phone.begin(("Anna", "Bo", "Anders", "Disa"), "spader")
    open_late_entry(phone)
    type_lines(phone, ["5 A14 0 7 4 2"])  # nil by A1 next to four tricks
    see_sums_agree(phone, {"p1+p3": "90", "p2+p4": "54"})
