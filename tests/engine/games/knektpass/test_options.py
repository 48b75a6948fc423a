"""Every option of Knektpass (docs/rules.md §7 A-KP), in each of its positions."""

import msgspec
import pytest

from engine import commands as c
from engine import events as e
from engine.errors import MustTrump, SwapBindsTheDealer
from engine.games.knektpass.decider import GAME, Options
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA
from tests.support.engine.knektpass_deals import (
    KnektpassGiven,
    count_command,
    deal_commands,
    declare_commands,
    trick_commands,
)
from tests.support.engine.option_cases import parametrize_option

open_deal, all_pass = c.OpenDeal(), c.AllPass()
swap = c.Exchange(player=ADA, turn_up=True)
four = KnektpassGiven()


def exchange(player, *rounds):
    return [c.Exchange(player=player, cards=cards) for cards in rounds]


def last_score(at, player):
    """The last line on the sheet for this player."""
    return next(f for f in at.history[::-1] if isinstance(f, e.Scored) and f.to == player)


def score_after_swap(agreed, rounds, tricks):
    """Ada's score after she took the turn-up as the dealer and exchanged in these rounds."""
    commands = [
        open_deal,
        swap,
        *declare_commands([ADA, BO]),
        *exchange(ADA, *rounds),
        *count_command(tricks),
    ]
    return last_score(four.agreed(**agreed).after(*commands), ADA)


def test_what_is_agreed_when_nothing_is_said():
    assert msgspec.to_builtins(Options()) == {
        "start": 12,
        "solo_deduction": 5,
        "penalty_per_trick": 5,
        "turn_up_counts": True,
        "exchange_quota": "sum",
        "min_trick_floor": 0,
        "finish": "at_or_below",
        "finish_tie": "lowest",
        "must_trump_when_void": True,
        "all_pass_dealer": "next",
        "turn_up_commits": False,
        "reshuffle_discards": False,
        "misdeal_policy": "same_dealer",
        "point_value": None,
    }


@pytest.mark.parametrize(
    "agreed",
    [
        {"start": 0},
        {"start": 1001},
        {"solo_deduction": -1},
        {"penalty_per_trick": 1001},
        {"min_trick_floor": 2},
        {"exchange_quota": "none"},
        {"finish": "below"},
        {"finish_tie": "shared"},
        {"all_pass_dealer": "left"},
        {"misdeal_policy": "none"},
        {"point_value": 0},
        {"turn_up_counts": 1},
        {"stake": 10},
    ],
    ids=str,
)
def test_what_cannot_be_agreed(agreed):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(agreed, Options)


@parametrize_option(start={1: 1, 12: 12, 1000: 1000})
def test_everybody_begins_at_the_agreed_number(agreed, expected):
    assert four.agreed(**agreed).scores == [expected] * 4


@parametrize_option(solo_deduction={5: 7, 3: 9, 0: 12})
def test_playing_alone_takes_off_so_much(agreed, expected):
    assert four.agreed(**agreed).after(*deal_commands("C")).scores == [12, 12, expected, 12]


@parametrize_option(penalty_per_trick={5: 27, 2: 18, 0: 12})
def test_a_missing_trick_costs_so_much(agreed, expected):
    at = four.agreed(**agreed).after(*deal_commands("A4 B"), *count_command("ABBBB"))
    assert at.scores[0] == expected
    assert last_score(at, ADA).each == agreed["penalty_per_trick"]


@parametrize_option(turn_up_counts={True: (3, +5), False: (2, -2)})
def test_the_dealers_swap_is_a_card_exchanged_or_is_not(agreed, expected):
    line = score_after_swap(agreed, (2,), "AABBB")
    assert (line.least, line.points) == expected
    assert line.exchanged == 3, "so many cards were exchanged, whatever counts"


@parametrize_option(exchange_quota={"sum": (9, +25), "capped_at_5": (5, +5), "last_round": (2, -4)})
def test_what_counts_of_three_rounds(agreed, expected):
    command = [*deal_commands("A B"), *exchange(ADA, 4, 3, 2), *count_command("AAAAB")]
    line = last_score(four.agreed(**agreed).after(*command), ADA)
    assert (line.least, line.points) == expected
    assert line.exchanged == 9


@parametrize_option(exchange_quota={"sum": 8, "capped_at_5": 5, "last_round": 4})
def test_the_swap_is_added_to_what_counts_of_the_rounds(agreed, expected):
    assert score_after_swap(agreed, (4, 3), "AAAAA").least == expected


@parametrize_option(exchange_quota={"sum": 6, "capped_at_5": 5, "last_round": 6})
def test_five_cards_and_the_swap_are_six_unless_five_is_the_most(agreed, expected):
    assert score_after_swap(agreed, (5,), "AAAAA").least == expected


@parametrize_option(min_trick_floor={0: (0, 0), 1: (1, +5)})
def test_who_exchanges_nothing_must_take_nothing_or_one_trick(agreed, expected):
    at = four.agreed(**agreed).after(*deal_commands("A B2"), *count_command("BBBBB"))
    assert (last_score(at, ADA).least, last_score(at, ADA).points) == expected
    assert last_score(at, BO).least == 2, "whoever must take more must take more"


@parametrize_option(
    finish={
        "at_or_below": (-5, -2, (ADA,)),
        "exact": (-5, -2, ()),
        "clamp_zero": (-3, 0, (ADA,)),
    }
)
@pytest.mark.parametrize(
    "command",
    [[*deal_commands("A B"), *trick_commands("AAAAA")], deal_commands("A")],
    ids=["by tricks", "alone"],
)
def test_three_points_and_five_off(agreed, expected, command):
    points, score, winners = expected
    at = four.agreed(start=3, **agreed).after(*command)
    assert (last_score(at, ADA).points, at.scores[0], at.sheet.winners) == (points, score, winners)


@parametrize_option(finish={"at_or_below": (ADA,), "exact": (ADA,), "clamp_zero": (ADA,)})
def test_who_comes_to_exactly_0_wins_at_every_table(agreed, expected):
    at = four.agreed(start=5, **agreed).after(*deal_commands("A"))
    assert (at.scores[0], at.sheet.winners) == (0, expected)


def test_below_0_the_game_goes_on_where_only_exactly_0_wins():
    """A missed quota brings Ada back above 0, and three tricks down to it."""
    at = four.agreed(start=3, finish="exact").after(*deal_commands("A"))
    at = at.after(*deal_commands("A1 B", dealer=BO), *count_command("BBBBB"))
    assert (at.scores, at.sheet.winners) == ([3, -2, 3, 3], ())
    at = at.after(*deal_commands("A C", dealer=CILLA), *count_command("AAACC"))
    assert (at.scores, at.sheet.winners) == ([0, -2, 1, 3], (ADA,))


@parametrize_option(finish_tie={"lowest": (BO,), "trick_order": (ADA,)})
@pytest.mark.parametrize("tricks", ["AABBB", "AABBB"[::-1]])
def test_of_two_the_lowest_wins_or_who_was_there_first(agreed, expected, tricks):
    """Both begin at 2: Ada takes two tricks and Bo three."""
    at = four.agreed(start=2, **agreed).after(*deal_commands("A B"), *trick_commands(tricks))
    assert at.scores == [0, -1, 2, 2]
    first = expected if tricks == "AABBB" else (BO,)
    assert at.sheet.winners == first


@parametrize_option(finish_tie={"lowest": (ADA, BO), "trick_order": (BO,)})
def test_equal_scores_share_unless_the_tricks_tell_who_was_first(agreed, expected):
    at = four.agreed(start=2, **agreed).after(*deal_commands("A B C"), *trick_commands("ABBCA"))
    assert (at.scores, at.sheet.winners) == ([0, 0, 1, 2], expected)


@parametrize_option(finish_tie={"lowest": (BO,), "trick_order": (BO,)})
@pytest.mark.parametrize("finish", ["at_or_below", "exact", "clamp_zero"])
def test_two_tricks_of_five_cards_bring_nobody_to_0(agreed, expected, finish):
    at = four.agreed(start=2, finish=finish, **agreed).after(
        *deal_commands("A5 B C"), *trick_commands("AABBC")
    )
    assert (at.scores, at.sheet.winners) == ([17, 0, 1, 2], expected)


@parametrize_option(finish_tie={"lowest": (ADA, BO), "trick_order": (ADA, BO)})
def test_tricks_only_counted_have_no_order(agreed, expected):
    at = four.agreed(start=2, **agreed).after(*deal_commands("A B C"), *count_command("ABBCA"))
    assert at.sheet.winners == expected


@parametrize_option(finish_tie={"lowest": (ADA, BO), "trick_order": (BO,)})
def test_at_a_score_that_stops_at_0_all_who_reach_it_are_equal(agreed, expected):
    at = four.agreed(start=2, finish="clamp_zero", **agreed)
    at = at.after(*deal_commands("A B"), *trick_commands("BBAAA"))
    assert (at.scores, at.sheet.winners) == ([0, 0, 2, 2], expected)


@parametrize_option(finish_tie={"lowest": (ADA, BO), "trick_order": (ADA,)})
def test_who_came_to_0_by_a_penalty_comes_after_those_who_took_tricks(agreed, expected):
    """Only exactly 0 wins: Bo was at -5, and a missing trick brings him up to it; also with Ada."""
    at = four.agreed(start=5, finish="exact", solo_deduction=10, **agreed)
    at = at.after(
        *deal_commands("B"), *deal_commands("A B2 C", dealer=BO), *trick_commands("BAAAA")
    )
    assert at.scores == [1, 0, 5, 5]
    assert at.sheet.winners == (BO,)
    at = four.agreed(start=4, finish="exact", solo_deduction=9, **agreed)
    at = at.after(
        *deal_commands("B"), *deal_commands("A B2 C", dealer=BO), *trick_commands("BAAAA")
    )
    assert (at.scores, at.sheet.winners) == ([0, 0, 4, 4], expected)


hand = c.Hand(player=CILLA, cards=("AD", "KD", "9H", "QC", "KC"))
spade_led = [
    open_deal,
    c.TurnUp(card="2H"),
    *declare_commands([BO, CILLA]),
    hand,
    c.Play(player=BO, card="9S"),
]


@parametrize_option(must_trump_when_void={True: ["9H"], False: list(hand.cards)})
def test_who_cannot_follow_must_trump_or_may_throw_any_card(agreed, expected):
    at = four.agreed(**agreed).after(*spade_led)
    (play,) = [action for action in at.legal if action.type == "play"]
    assert play.fields["card"]["values"] == expected
    now = GAME.cards_in_play(at.table_state.game_state)
    assert now.rule(now.tricks, hand.cards)[0] == tuple(expected)
    discards = at.when(c.Play(player=CILLA, card="AD"))
    if agreed["must_trump_when_void"]:
        discards.refused(MustTrump, player=CILLA, legal=["9H"])
    else:
        assert discards.decide()[1] == e.TrickWon(winner=BO)


@parametrize_option(all_pass_dealer={"next": BO, "same": ADA})
@pytest.mark.parametrize(
    "command", [[all_pass], declare_commands(())], ids=["at once", "one by one"]
)
def test_after_all_passed_the_next_one_deals_or_the_same(agreed, expected, command):
    at = four.agreed(**agreed).after(open_deal, *command)
    assert (at.table_state.dealer, at.history[-1].next_dealer) == (expected, expected)


@parametrize_option(all_pass_dealer={"next": BO, "same": BO})
@pytest.mark.parametrize(
    "command", [deal_commands("A"), [*deal_commands("A B"), *count_command("AAAAA")]]
)
def test_after_any_other_deal_the_next_one_deals(agreed, expected, command):
    assert four.agreed(**agreed).after(*command).table_state.dealer == expected


@parametrize_option(turn_up_commits={False: True, True: False})
def test_a_dealer_who_swapped_may_pass_or_must_stay(agreed, expected):
    at = four.agreed(**agreed).after(open_deal, swap)
    dealers_turn = at.after(*declare_commands([BO, CILLA])[:3])
    assert ("all_pass" in at.legal_types()) == expected
    assert ("pass" in dealers_turn.legal_types()) == expected
    assert "pass" in at.legal_types(), "the others are free"
    if not expected:
        at.when(all_pass).refused(SwapBindsTheDealer, player=ADA)
        dealers_turn.when(c.Pass(player=ADA)).refused(SwapBindsTheDealer, player=ADA)
        assert dealers_turn.after(c.Stay(player=ADA)).view.staying == (BO, CILLA, ADA)


@parametrize_option(turn_up_commits={False: True, True: True})
def test_a_dealer_who_did_not_swap_is_free(agreed, expected):
    at = four.agreed(**agreed).after(open_deal)
    assert ("all_pass" in at.legal_types()) == expected
    assert at.after(*declare_commands(())).table_state.deal_is_open is False


@parametrize_option(reshuffle_discards={False: (1, 1), True: (6, 5)})
def test_the_talon_runs_out_or_the_discards_come_back(agreed, expected):
    """Six cards for nine players: Ada takes five of them."""
    left, maximum = expected
    at = KnektpassGiven(players=9).agreed(**agreed).after(*deal_commands("A B", 9))
    at = at.after(*exchange(ADA, 5))
    assert at.view.talon == left
    (can,) = [a for a in at.legal if a.type == "exchange" and a.fields["player"]["values"] == [BO]]
    assert can.fields["cards"] == {"min": 1, "max": maximum}
    at.after(*exchange(BO, maximum))


@parametrize_option(misdeal_policy={"same_dealer": ADA, "next_dealer": BO})
def test_after_a_misdeal_the_same_one_deals_or_the_next(agreed, expected):
    at = four.agreed(**agreed).after(*deal_commands("A B"))
    (voided,) = at.when_misdealt(1).decide()
    assert voided.next_dealer == at.given(voided).table_state.dealer == expected


def settled_points(at):
    """Who pays whom when the evening ends: `p2 p1 5` at the agreed value."""
    facts = at.when_closed().decide()
    assert facts[-1] == e.EveningClosed(policy="carry")
    return [(f.payer, f.payee, f.points, f.value) for f in facts[:-1]]


@parametrize_option(point_value={None: [], 1: 1, 50: 50})
def test_who_is_behind_pays_for_each_point_or_for_none(agreed, expected):
    at = four.agreed(**agreed).after(*deal_commands("A B"), *trick_commands("AAABB"))
    assert at.scores == [9, 10, 12, 12]
    pairs = [(BO, ADA, 1), (CILLA, ADA, 3), (DISA, ADA, 3), (CILLA, BO, 2), (DISA, BO, 2)]
    assert settled_points(at) == [(*pair, expected) for pair in pairs if expected]
