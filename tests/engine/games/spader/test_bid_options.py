"""Every option of Spader about bids and new deals, in each position (docs/rules.md §7, A-SP)."""

import pytest

from engine import commands as c
from engine import events as e
from engine.errors import (
    BlindNilHasLooked,
    BlindNilNotBehind,
    BlindNilNotBelowZero,
    RedealNotDue,
)
from tests.support.engine.given_when_then import ADA, BO, CILLA
from tests.support.engine.option_cases import parametrize_option
from tests.support.engine.spader_deals import (
    OPEN_DEAL,
    E,
    N,
    bid,
    blind_bid,
    count_command,
    last_scores_of_n,
    overtricks,
    scores,
    second_deal_with_scores,
)


def accepted(at, command):
    """And listed: every form of bid has an entry of its own."""
    form = {name for name in ("blind_nil", "nil") if getattr(command, name)}
    listed = [a for a in at.legal if a.type == "side_bid" and form <= set(a.fields)]
    if command.tricks is None:
        listed = [a for a in listed if "tricks" not in a.fields]
    at = at.after(command)
    assert listed
    return at


@parametrize_option(blind_nil_deficit={100: 100, 200: 200, 0: 0})
def test_how_far_behind_a_side_bids_blind_is_agreed(agreed, expected):
    trailing = second_deal_with_scores(0, expected, **agreed).after(OPEN_DEAL)
    accepted(trailing, blind_bid(N, ADA))
    nearer = second_deal_with_scores(1, expected, **agreed).after(OPEN_DEAL)
    too_close_state = {"side": N, "behind": expected - 1, "needed": expected}
    nearer.when(blind_bid(N, ADA)).refused(BlindNilNotBehind, **too_close_state)
    assert not [a for a in nearer.legal if "blind_nil" in a.fields]


@parametrize_option(
    blind_nil_deficit_mode={"relative": [(0, 100)], "absolute": [(-100, -100), (-100, -90)]}
)
def test_one_is_behind_the_other_side_or_under_nought(agreed, expected):
    for before in [(0, 100), (-100, -100), (-100, -90), (0, 99), (-99, -90)]:
        at = second_deal_with_scores(*before, **agreed).after(OPEN_DEAL)
        if before in expected:
            accepted(at, blind_bid(N, ADA))
        elif agreed["blind_nil_deficit_mode"] == "absolute":
            state = {"side": N, "points": before[0], "needed": 100}
            at.when(blind_bid(N, ADA)).refused(BlindNilNotBelowZero, **state)
        else:
            state = {"side": N, "behind": before[1] - before[0], "needed": 100}
            at.when(blind_bid(N, ADA)).refused(BlindNilNotBehind, **state)


zero = c.SideBid(side=N, blind_nil=ADA, nil=CILLA)
listed_zeros = [{ADA: CILLA}, {CILLA: ADA}]


def without_tricks(at):
    """The bids of two nils that may be made now."""
    forms = [a.fields for a in at.legal if a.type == "side_bid" and "blind_nil" in a.fields]
    return [form for form in forms if "tricks" not in form]


@parametrize_option(blind_nil_partner_zero={False: [], True: listed_zeros})
def test_the_partner_of_a_blind_nil_bids_a_trick_or_none(agreed, expected):
    at = second_deal_with_scores(0, 100, **agreed).after(OPEN_DEAL)
    zeros = [{f["blind_nil"]["values"][0]: f["nil"]["values"][0]} for f in without_tricks(at)]
    assert zeros == expected
    if expected:
        at.when(zero).then(e.SideBidMade(side=N, blind_nil=ADA, nil=CILLA))


@pytest.mark.parametrize(
    ("tricks", "reasons"),
    [
        ("", [("nil_made", 50), ("blind_nil_made", 100)]),
        ("A", [("nil_made", 50), ("blind_nil_failed", -100)]),
        ("CC", [("nil_failed", -50), ("blind_nil_made", 100)]),
        ("ACC", [("nil_failed", -50), ("blind_nil_failed", -100)]),
    ],
)
def test_a_nil_beside_a_blind_nil_is_scored_by_itself(tricks, reasons):
    at = second_deal_with_scores(0, 100, blind_nil_partner_zero=True).after(
        OPEN_DEAL, zero, bid(E, "1")
    )
    assert at.table_state.game_state.phase.sides == (N,)
    at = at.after(count_command(tricks + "B" * (13 - len(tricks))))
    assert (last_scores_of_n(at), overtricks(at)[0]) == (reasons, 0)


def test_the_partner_who_bids_nil_beside_a_blind_nil_may_have_looked():
    at = second_deal_with_scores(0, 100, blind_nil_partner_zero=True).after(OPEN_DEAL)
    at = at.after(c.Hand(player=CILLA, cards=at.table_state.game_state.phase.deal.pack[:13]))
    accepted(at, zero)
    at.when(c.SideBid(side=N, blind_nil=CILLA, nil=ADA)).refused(BlindNilHasLooked, player=CILLA)
    assert [form["blind_nil"]["values"] for form in without_tricks(at)] == [[ADA]]


both_blind = c.SideBid(side=N, blind_nil=(ADA, CILLA))


@parametrize_option(double_blind_nil={False: [], True: [{"values": [[ADA, CILLA]]}]})
def test_one_partner_bids_blind_or_both_may(agreed, expected):
    at = second_deal_with_scores(0, 100, **agreed).after(OPEN_DEAL)
    assert [form["blind_nil"] for form in without_tricks(at)] == expected
    if expected:
        command = e.SideBidMade(side=N, blind_nil=(ADA, CILLA))
        at.when(both_blind).then(command)
        at.when(c.SideBid(side=N, blind_nil=(CILLA, ADA))).then(command)


@pytest.mark.parametrize(("tricks", "points"), [("", 200), ("A", 0), ("CC", 0), ("AC", -200)])
def test_each_of_two_blind_nils_is_scored_by_itself(tricks, points):
    at = second_deal_with_scores(0, 100, double_blind_nil=True).after(
        OPEN_DEAL, both_blind, bid(E, "1")
    )
    assert at.table_state.game_state.phase.sides == (N,)
    at = at.after(c.Swap(), count_command(tricks + "B" * (13 - len(tricks))))
    assert (scores(at)[0], overtricks(at)[0]) == (points, 0)


def test_two_blind_nils_need_two_who_have_not_looked():
    at = second_deal_with_scores(0, 100, double_blind_nil=True).after(OPEN_DEAL)
    at = at.after(c.Hand(player=CILLA, cards=at.table_state.game_state.phase.deal.pack[:13]))
    at.when(both_blind).refused(BlindNilHasLooked, player=CILLA)
    assert without_tricks(at) == []


no_court = "10S 9S 8S AC 7C 6C 5C 8H 7H 6H 7D 6D 5D"  # but an ace


@parametrize_option(court_cards={"JQK": True, "JQKA": False})
def test_an_ace_is_a_court_card_or_not(agreed, expected):
    at = second_deal_with_scores(0, 0, **agreed).after(OPEN_DEAL)
    at = at.after(c.Hand(player=ADA, cards=tuple(no_court.split())))
    claim = c.Redeal(player=ADA, reason="no_court")
    listed = [a for a in at.legal if a.type == "redeal" and ADA in a.fields["player"]["values"]]
    assert bool(listed) == expected
    if expected:
        at.after(claim)
    else:
        at.when(claim).refused(RedealNotDue, player=ADA)


@pytest.mark.parametrize("court", ["J", "Q", "K"])
@pytest.mark.parametrize("agreed", ["JQK", "JQKA"])
def test_one_jack_queen_or_king_is_a_court_card(agreed, court):
    cards = no_court.replace("AC", f"{court}C")
    at = second_deal_with_scores(0, 0, court_cards=agreed).after(OPEN_DEAL)
    at = at.after(c.Hand(player=ADA, cards=tuple(cards.split())))
    at.when(c.Redeal(player=ADA, reason="no_court")).refused(RedealNotDue, player=ADA)


@parametrize_option(redeal_dealer={"same": BO, "next": CILLA})
def test_after_thrown_in_hands_the_same_dealer_deals_or_the_next(agreed, expected):
    """Bo had dealt."""
    at = second_deal_with_scores(0, 0, **agreed).after(OPEN_DEAL)
    claim = c.Redeal(player=ADA, reason="no_spade")
    claimed = e.RedealClaimed(player=ADA, reason="no_spade")
    closed = e.DealClosed(deal=2, outcome="redealt", next_dealer=CILLA)
    at = at.when(claim).then(claimed, *((closed,) if expected == CILLA else ()))
    assert (at.table_state.dealer, at.table_state.deal_is_open) == (expected, expected == BO)
    assert scores(at) == [0, 0]
    if expected == CILLA:
        at = at.after(OPEN_DEAL, bid(E, "5"))
        assert at.table_state.deal_number == 3
