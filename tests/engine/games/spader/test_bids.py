"""What a side may bid in Spader, who may ask for a new deal, and who may swap two cards (§3.2)."""

import pytest

from engine import commands as c
from engine import events as e
from engine.errors import (
    BidsAreMade,
    BidsFirst,
    BlindNilHasLooked,
    BlindNilNotBehind,
    HandAlreadyKnown,
    NilNeedsPlayersTricks,
    NoBlindNil,
    NotASide,
    NotInThisDeal,
    NotNow,
    NotOfThisSide,
    NotSeated,
    OneBlindNil,
    OtherSideBids,
    PartnerMustBid,
    RedealNotDue,
    SwapFirst,
    TricksDoNotAddUp,
)
from engine.table_view import OpenDealView
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, EMIL
from tests.support.engine.spader_deals import (
    N_BIDS_FIRST,
    OPEN_DEAL,
    SEATS,
    E,
    N,
    bid,
    blind_bid,
    count_command,
    scores,
    second_deal_with_scores,
    spader_with,
    trick_commands,
)

swap, no_swap = c.Swap(), c.NoSwap()

# Bids


@pytest.mark.parametrize("dealer", SEATS)
def test_the_forehands_side_bids_first(dealer):
    at = spader_with(dealer=dealer).after(OPEN_DEAL)
    first, second = (E, N) if dealer in (ADA, CILLA) else (N, E)
    at.when(bid(second, "5")).refused(OtherSideBids, turn=first, side=second)
    at = at.when(bid(first, "5")).then(e.SideBidMade(side=first, tricks=5))
    at.when(bid(first, "5")).refused(OtherSideBids, turn=second, side=first)
    at = at.when(bid(second, "13")).then(e.SideBidMade(side=second, tricks=13))
    at.when(bid(first, "5")).refused(BidsAreMade)


@pytest.mark.parametrize("side", ["p3+p1", "p1+p2", "p1+p5", "p1+p1", "p2+p3"])
def test_partners_sit_opposite_each_other_and_are_named_in_seat_order(side):
    N_BIDS_FIRST.when(c.SideBid(side=side, tricks=5)).refused(NotASide, side=side, sides=[N, E])


def test_who_bids_nil_belongs_to_the_side():
    for second in (BO, DISA, EMIL):
        refused_bid = {"player": second, "side": N}
        N_BIDS_FIRST.when(c.SideBid(side=N, tricks=4, nil=second)).refused(
            NotOfThisSide, **refused_bid
        )
        N_BIDS_FIRST.when(blind_bid(N, second)).refused(NotOfThisSide, **refused_bid)
        N_BIDS_FIRST.when(c.SideBid(side=N, blind_nil=ADA, nil=second)).refused(
            NotOfThisSide, **refused_bid
        )
        N_BIDS_FIRST.when(c.SideBid(side=N, blind_nil=(ADA, second))).refused(
            NotOfThisSide, **refused_bid
        )


def test_a_blind_nil_is_for_a_side_a_hundred_behind():
    N_BIDS_FIRST.when(blind_bid(N, ADA)).then(e.SideBidMade(side=N, tricks=1, blind_nil=ADA))
    level = second_deal_with_scores(41, 140).after(OPEN_DEAL)
    level.when(blind_bid(N, ADA)).refused(BlindNilNotBehind, side=N, behind=99, needed=100)
    leading = second_deal_with_scores(140, 0).after(OPEN_DEAL)
    leading.when(blind_bid(N, ADA)).refused(BlindNilNotBehind, side=N, behind=-140, needed=100)
    assert not [a for a in level.legal if "blind_nil" in a.fields]


hands = {  # everybody's, made by hand: a long suit, no spade, no court card, and the rest
    ADA: "AC KC QC JC 10C 9C 8C 2S 3S 4S 2H 3H 4H",
    BO: "AH KH QH JH 10H 9H AD KD QD JD 10D 9D 8D",
    CILLA: "AS 10S 9S 8S 7C 6C 5C 8H 7H 6H 7D 6D 5D",
    DISA: "KS QS JS 7S 6S 5S 4C 3C 2C 5H 4D 3D 2D",
}


def show_hands(*players):
    return [c.Hand(player=p, cards=tuple(hands[p].split())) for p in players]


def test_who_has_looked_bids_no_blind_nil():
    at = N_BIDS_FIRST.after(*show_hands(ADA))
    at.when(blind_bid(N, ADA)).refused(BlindNilHasLooked, player=ADA)
    at.when(blind_bid(N, CILLA)).then(e.SideBidMade(side=N, tricks=1, blind_nil=CILLA))
    (form,) = [a for a in at.legal if "blind_nil" in a.fields]
    assert form.fields["blind_nil"] == {"values": [CILLA]}
    at = N_BIDS_FIRST.after(*show_hands(ADA, CILLA))
    assert not [a for a in at.legal if "blind_nil" in a.fields]


def test_the_partner_of_a_blind_nil_bids_a_trick():
    N_BIDS_FIRST.when(c.SideBid(side=N, blind_nil=ADA, nil=CILLA)).refused(PartnerMustBid)


def test_only_one_of_two_partners_bids_blind():
    N_BIDS_FIRST.when(c.SideBid(side=N, blind_nil=(ADA, CILLA))).refused(OneBlindNil)


def test_nobody_bids_nil_twice():
    """The partner has bid nothing, then."""
    table = second_deal_with_scores(
        0, 100, blind_nil_partner_zero=True, double_blind_nil=True
    ).after(OPEN_DEAL)
    for at in (N_BIDS_FIRST, table):
        at.when(c.SideBid(side=N, blind_nil=ADA, nil=ADA)).refused(PartnerMustBid)
        at.when(c.SideBid(side=N, blind_nil=(ADA, ADA))).refused(PartnerMustBid)


def test_both_bid_before_anything_is_played():
    for at in (N_BIDS_FIRST, N_BIDS_FIRST.after(bid(N, "5"))):
        at.when(c.Trick(winner=ADA)).refused(BidsFirst)
        at.when(count_command("A" * 13)).refused(BidsFirst)
        at.when(c.Play(player=DISA, card="2C")).refused(BidsFirst)
        at.when(swap).refused(NotNow, action="swap", phase="bidding")
        assert not {"trick", "tricks", "play", "swap", "no_swap"} & at.legal_types()


# The right to a new deal (§3.2)


@pytest.mark.parametrize("reason", ["no_spade", "no_court", "long_suit"])
def test_a_hand_that_nobody_knows_is_believed(reason):
    claimed = e.RedealClaimed(player=CILLA, reason=reason)
    N_BIDS_FIRST.when(c.Redeal(player=CILLA, reason=reason)).then(claimed)


def test_a_hand_that_is_known_must_give_the_right():
    at = N_BIDS_FIRST.after(*show_hands(*SEATS))
    right = {ADA: {"long_suit"}, BO: {"no_spade", "long_suit"}, CILLA: {"no_court"}, DISA: set()}
    for seated_player, reasons in right.items():
        for reason in ("no_spade", "no_court", "long_suit"):
            claim = c.Redeal(player=seated_player, reason=reason)
            if reason in reasons:
                at.when(claim).then(e.RedealClaimed(player=seated_player, reason=reason))
            else:
                at.when(claim).refused(RedealNotDue, player=seated_player)
    listed = {a.fields["player"]["values"][0]: a.fields for a in at.legal if a.type == "redeal"}
    assert {seated_player: set(f["reason"]["values"]) for seated_player, f in listed.items()} == {
        seated_player: reasons for seated_player, reasons in right.items() if reasons
    }


def test_after_a_new_deal_nobody_has_looked_and_the_same_dealer_has_dealt():
    at = N_BIDS_FIRST.after(*show_hands(ADA, BO), c.Redeal(player=BO, reason="no_spade"))
    assert (at.table_state.deal_number, at.table_state.dealer, at.table_state.deal_is_open) == (
        2,
        BO,
        True,
    )
    assert at.table_state.game_state == N_BIDS_FIRST.table_state.game_state
    at.after(c.Redeal(player=ADA, reason="no_court"), *show_hands(ADA, BO, CILLA, DISA))


def test_a_new_deal_is_asked_for_before_the_first_bid():
    claim = c.Redeal(player=BO, reason="no_spade")
    at = N_BIDS_FIRST.after(bid(N, "5"))
    at.when(claim).refused(NotNow, action="redeal", phase="bidding")
    at.after(bid(E, "5")).when(claim).refused(NotNow, action="redeal", phase="playing")
    assert "redeal" not in at.legal_types()
    N_BIDS_FIRST.when(c.Redeal(player=EMIL, reason="no_spade")).refused(NotSeated, player=EMIL)


# Two cards for two (§3.2)


def test_a_blind_nil_may_swap_two_cards_before_the_first_lead():
    at = N_BIDS_FIRST.after(blind_bid(N, ADA), bid(E, "5"))
    assert at.table_state.game_state.phase.name == "swapping"
    lead = c.Play(player=DISA, card="2C")
    at.when(lead).refused(SwapFirst, side=N)
    assert "play" not in at.legal_types()
    at.when(swap).then(e.CardsSwapped(side=N)).after(lead)
    declined = at.when(no_swap).then(e.SwapDeclined(side=N)).after(lead)
    declined.when(swap).refused(NotNow, action="swap", phase="playing")


def test_after_the_swap_nobody_knows_what_the_two_hold():
    at = N_BIDS_FIRST.after(
        blind_bid(N, ADA), *show_hands(BO, CILLA, DISA), bid(E, "5"), *show_hands(ADA)
    )
    after = at.after(swap)
    assert set(dict(after.table_state.game_state.phase.tricks.known_hands)) == {BO, DISA}
    after.after(*show_hands(ADA, CILLA))
    kept_cards = at.after(no_swap)
    kept_cards.when(show_hands(ADA)[0]).refused(HandAlreadyKnown, player=ADA)


def test_the_forehands_side_swaps_first_when_both_have_a_blind_nil():
    """Both can be under nought."""
    at = second_deal_with_scores(-200, -200, blind_nil_deficit_mode="absolute").after(OPEN_DEAL)
    at = at.after(blind_bid(N, CILLA), blind_bid(E, BO))
    assert at.table_state.game_state.phase.view().swapping == N
    at = at.when(swap).then(e.CardsSwapped(side=N))
    at.when(c.Play(player=DISA, card="2C")).refused(SwapFirst, side=E)
    at = at.when(no_swap).then(e.SwapDeclined(side=E))
    assert at.table_state.game_state.phase.name == "playing"


def test_without_cards_the_swap_may_be_left_out():
    at = N_BIDS_FIRST.after(blind_bid(N, ADA), bid(E, "5"))
    ended = at.after(count_command("C" * 7 + "B" * 6))
    assert not ended.table_state.deal_is_open
    at = at.after(c.Trick(winner=CILLA))
    at.when(swap).refused(NotNow, action="swap", phase="playing")
    assert scores(at.after(*trick_commands("C" * 6 + "B" * 6))) == scores(ended)


def test_without_a_blind_nil_no_cards_are_swapped():
    at = N_BIDS_FIRST.after(bid(N, "nil A 4"), bid(E, "5"))
    at.when(swap).refused(NoBlindNil)
    at.when(no_swap).refused(NoBlindNil)


# What anybody can see


def test_the_view_shows_what_everybody_can_see():
    def view_of(at):
        return at.table_state.game_state.phase.view()

    assert view_of(second_deal_with_scores(0, 100)) is None
    assert view_of(N_BIDS_FIRST) == OpenDealView(phase="bidding", bidding=N)
    at = N_BIDS_FIRST.after(blind_bid(N, ADA))
    first_bid = {"side": N, "tricks": 1, "blind_nil": ADA}
    assert view_of(at) == OpenDealView(phase="bidding", bids=(first_bid,), bidding=E)
    at = at.after(bid(E, "nil"))
    both_bids = (first_bid, {"side": E, "joint_nil": True})
    assert view_of(at) == OpenDealView(phase="swapping", bids=both_bids, swapping=N)
    at = at.after(no_swap)
    assert view_of(at) == OpenDealView(phase="playing", bids=both_bids, broken=False)
    at = at.after(c.Play(player=DISA, card="2C"))
    assert view_of(at) == OpenDealView(
        phase="playing", bids=both_bids, broken=False, turn=ADA, cards=((DISA, "2C"),)
    )
    at = at.after(c.Undo(), c.Trick(winner=BO))
    assert view_of(at) == OpenDealView(
        phase="playing", bids=both_bids, broken=False, turn=BO, tricks=(BO,)
    )


def _counts(at):
    return [first.fields["taken"]["keys"] for first in at.legal if first.type == "tricks"]


def test_where_nobody_bid_nil_the_tricks_of_each_side_are_enough():
    at = spader_with().after(OPEN_DEAL, bid(E, "5"), bid(N, "7"))
    at = at.after(c.Tricks(taken={N: 8, E: 5}))
    assert scores(at) == [71, 50]
    assert e.TricksCounted(taken={N: 8, E: 5}) in at.history
    assert _counts(spader_with().after(OPEN_DEAL, bid(E, "5"), bid(N, "7"))) == [
        list(SEATS),
        [N, E],
    ]


def test_the_tricks_of_each_side_add_up_to_thirteen():
    at = spader_with().after(OPEN_DEAL, bid(E, "5"), bid(N, "nil"))
    at.when(c.Tricks(taken={N: 8, E: 4})).refused(TricksDoNotAddUp, counted=12, played=13)
    at.when(c.Tricks(taken={N: 8, BO: 5})).refused(NotInThisDeal, player=BO)


def test_a_nil_is_judged_by_the_tricks_of_one_player():
    at = spader_with().after(OPEN_DEAL, bid(E, "5"), bid(N, "nil A 4"))
    at.when(c.Tricks(taken={N: 8, E: 5})).refused(NilNeedsPlayersTricks, player=ADA)
    assert _counts(at) == [list(SEATS)]
