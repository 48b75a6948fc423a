"""What a side scores, and who has won, told a second time in another way (docs/rules.md §3.3,
§3.4)."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine.games.spader.bids_and_scoring import winners
from engine.games.spader.decider import Options
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA
from tests.support.engine.spader_deals import (
    OPEN_DEAL,
    E,
    N,
    overtricks,
    scores,
    second_deal_with_scores,
)

many = settings(max_examples=400, deadline=None, derandomize=True, database=None)
worth = st.integers(0, 300)


@st.composite
def agreements(draw):
    return {
        "target": draw(st.sampled_from([300, 500])),
        "nil": draw(worth),
        "blind_nil": draw(worth),
        "joint_nil": draw(worth),
        "joint_nil_fail": draw(st.sampled_from([-50, -100, -200])),
        "joint_nil_fail_bags": draw(st.booleans()),
        "bag_limit": draw(st.integers(1, 12)),
        "bag_penalty": draw(worth),
        "bag_points_removed": draw(st.booleans()),
        "undertricks": draw(st.sampled_from(["per_trick", "per_bid"])),
        "failed_nil_tricks_count": draw(st.booleans()),
        "tie_at_target": draw(st.sampled_from(["play_on", "shared"])),
        "loss_floor": draw(st.sampled_from([None, -200, -500])),
        "blind_nil_deficit": 0,
        "blind_nil_partner_zero": True,
        "double_blind_nil": True,
    }


@st.composite
def bids_of(draw, side):
    """Any form of bid."""
    first, opponent = draw(st.permutations(side.split("+")))
    tricks = draw(st.integers(1, 13))
    forms = [
        {"tricks": tricks},
        {"tricks": tricks, "nil": first},
        {"tricks": tricks, "blind_nil": first},
        {"joint_nil": True},
        {"blind_nil": first, "nil": opponent},
        {"blind_nil": (first, opponent)},
    ]
    return draw(st.sampled_from(forms))


tricks = st.lists(st.sampled_from((ADA, BO, CILLA, DISA)), min_size=13, max_size=13)


def second_telling(agreed, command, side, trick_winners, before):
    """Points and overtricks, counted trick by trick."""
    nil, blind = command.get("nil"), command.get("blind_nil") or ()
    blind = (blind,) if isinstance(blind, str) else blind
    own = [seated_player for seated_player in trick_winners if seated_player in side.split("+")]
    points, bags = 0, 0
    for player, value in ((nil, agreed["nil"]), *((p, agreed["blind_nil"]) for p in blind)):
        if player:
            points += -value if player in own else value
    if "joint_nil" in command:
        points += agreed["joint_nil_fail"] if own else agreed["joint_nil"]
        bags += len(own) if agreed["joint_nil_fail_bags"] else 0
    if "tricks" in command:
        mine = [p for p in own if agreed["failed_nil_tricks_count"] or p not in (nil, *blind)]
        left = command["tricks"]
        for _ in mine:
            bags += left <= 0
            left -= 1
        if left <= 0:
            points += 10 * command["tricks"]
        else:
            points -= 10 * (left if agreed["undertricks"] == "per_trick" else command["tricks"])
    points += bags
    for bag in range(before + 1, before + bags + 1):
        if bag % agreed["bag_limit"] == 0:
            points -= agreed["bag_penalty"]
            points -= agreed["bag_limit"] if agreed["bag_points_removed"] else 0
    return points, bags


def second_winners(agreed, n, e_):
    if max(n, e_) < agreed["target"]:
        floor = agreed["loss_floor"]
        if floor is None or min(n, e_) > floor:
            return ()
    if n == e_:
        return (N, E) if agreed["tie_at_target"] == "shared" else ()
    return (N,) if n > e_ else (E,)


@many
@given(agreements(), bids_of(N), bids_of(E), tricks, st.integers(0, 40), st.integers(0, 40))
def test_a_deal_scores_what_a_second_telling_says(agreed, n, e_, trick_winners, over_n, over_e):
    at = second_deal_with_scores(0, 0, over_n, over_e, **agreed).after(
        OPEN_DEAL,
        c.SideBid(side=N, **n),
        c.SideBid(side=E, **e_),
        c.Tricks(taken={player: trick_winners.count(player) for player in trick_winners}),
    )
    of_n, bags_n = second_telling(agreed, n, N, trick_winners, over_n)
    of_e, bags_e = second_telling(agreed, e_, E, trick_winners, over_e)
    assert scores(at) == [of_n, of_e]
    assert overtricks(at) == [over_n + bags_n, over_e + bags_e]
    assert at.table_state.game_state.sheet.winners == second_winners(agreed, of_n, of_e)


near = st.one_of(st.integers(-510, -190), st.integers(290, 310), st.integers(490, 510))


@many
@given(agreements(), near, st.data())
def test_the_game_is_won_when_a_second_telling_says_so(agreed, n, data):
    e_ = data.draw(st.one_of(st.just(n), near))
    assert winners(Options(**agreed), {N: n, E: e_}) == second_winners(agreed, n, e_)
