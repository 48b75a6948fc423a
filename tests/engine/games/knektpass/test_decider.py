"""Knektpass as it is told at the table: who stays, who exchanges, and what that scores."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine import events as e
from engine.errors import GameIsWon
from engine.games.knektpass import decider as knektpass
from engine.games.knektpass.state import pack_for
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, EMIL, Given
from tests.support.engine.knektpass_deals import (
    E8,
    TEN_PLAYERS,
    KnektpassGiven,
    count_command,
    deal_commands,
    declare_commands,
    exchange_commands,
    parse_deals,
    trick_commands,
)

open_deal, all_pass, undo = c.OpenDeal(), c.AllPass(), c.Undo()
four = KnektpassGiven()
many = settings(max_examples=200, deadline=None, derandomize=True, database=None)


def stay(player):
    return c.Stay(player=player)


def passes(player):
    return c.Pass(player=player)


def exchange(player, cards):
    return c.Exchange(player=player, cards=cards)


# A whole evening (§8 E8)


@pytest.mark.parametrize(
    "record", [trick_commands, count_command], ids=["by tricks", "by the result"]
)
def test_an_evening_of_four(record):
    at = four
    for number, (staying_player, tricks, scores, winners) in enumerate(parse_deals(E8), start=1):
        at = at.after(*deal_commands(staying_player, dealer=at.table_state.dealer), *record(tricks))
        assert (at.scores, at.sheet.winners) == (scores, winners), f"deal {number}"
    at.when(open_deal).refused(GameIsWon, winners=[CILLA])
    assert at.legal_types() == {"undo"}


def test_it_is_played_with_what_the_shared_examples_bring():
    at = Given(players=4, game=knektpass.GAME, options=knektpass.Options())
    at = at.after(*deal_commands("A2 B0 D3"), *trick_commands("AABDD"))
    assert at.table_state.game_state.sheet.scores == {ADA: 10, BO: 11, CILLA: 12, DISA: 17}


def test_the_first_deal_of_that_evening_fact_by_fact():
    opened = e.DealOpened(number=1, dealer=ADA, seats=(ADA, BO, CILLA, DISA))
    at = four.when(open_deal).then(opened)
    at = at.when(stay(BO)).then(e.Stayed(player=BO))
    at = at.when(passes(CILLA)).then(e.Passed(player=CILLA))
    at = at.after(stay(DISA)).when(stay(ADA)).then(e.Stayed(player=ADA))
    at = at.when(exchange(DISA, 3)).then(e.CardsExchanged(player=DISA, cards=3))
    at = at.after(exchange(ADA, 2))
    scored = (
        e.Scored(deal=1, to=BO, points=-1, rule="quota_made", taken=1, exchanged=0, least=0),
        e.Scored(
            deal=1, to=DISA, points=5, rule="quota_missed", taken=2, exchanged=3, least=3, each=5
        ),
        e.Scored(deal=1, to=ADA, points=-2, rule="quota_made", taken=2, exchanged=2, least=2),
    )
    trick_winners = {BO: 1, DISA: 2, ADA: 2}
    at.when(c.Tricks(taken={ADA: 2, BO: 1, DISA: 2})).then(
        e.TricksCounted(taken=trick_winners),
        *scored,
        e.DealClosed(deal=1, outcome="scored", next_dealer=BO, taken=trick_winners),
    )
    *first, last = trick_commands("AABDD")
    in_order = (ADA, ADA, BO, DISA, DISA)
    at.after(*first).when(last).then(
        e.TrickRecorded(winner=DISA),
        *scored,
        e.DealClosed(
            deal=1, outcome="scored", next_dealer=BO, tricks=in_order, taken=trick_winners
        ),
    )


# Scoring (§4.3)


@pytest.mark.parametrize(
    ("rounds", "tricks", "change"),
    [
        ((2,), "AABBB", -2),
        ((2,), "ABBBB", +5),
        ((2,), "BBBBB", +10),
        ((4, 3), "AAAAA", +10),
        ((5, 5, 5), "AAAAA", +50),
        ((1, 1, 1), "AAABB", -3),
        ((1, 1, 1), "AABBB", +5),
        ((), "BBBBB", 0),
        ((), "AAAAA", -5),
        ((5,), "AAAAA", -5),
        ((5,), "BBBBB", +25),
    ],
)
@pytest.mark.parametrize(
    "record", [trick_commands, count_command], ids=["by tricks", "by the result"]
)
def test_a_trick_for_every_card_exchanged_or_five_points_for_each_missing(
    record, rounds, tricks, change
):
    at = four.after(*deal_commands("A B"), *(exchange(ADA, cards) for cards in rounds))
    at = at.after(*record(tricks))
    bos = -tricks.count("B")
    assert at.scores == [12 + change, 12 + bos, 12, 12]


def test_staying_without_exchange_or_trick_gives_a_line_of_nothing():
    at = four.after(*deal_commands("A B"), *count_command("AAAAA"))
    no_tricks = e.Scored(deal=1, to=BO, points=0, rule="quota_made", taken=0, exchanged=0, least=0)
    assert no_tricks in at.history


@many
@given(st.data(), st.integers(2, 10))
def test_scores_agree_with_a_second_way_to_count(data, players):
    seats = TEN_PLAYERS[:players]
    staying = data.draw(st.lists(st.sampled_from(seats), min_size=2, max_size=players, unique=True))
    talon = (36 if players < 4 else 52) - 5 * players - 1
    cards = {}
    for player in staying:
        cards[player] = data.draw(st.integers(0, min(5, talon)))
        talon -= cards[player]
    tricks = data.draw(st.lists(st.sampled_from(staying), min_size=5, max_size=5))
    at = KnektpassGiven(players=players).after(open_deal, *declare_commands(staying, players))
    at = at.after(
        *exchange_commands(cards, players), *[c.Trick(winner=winner) for winner in tricks]
    )
    for player in seats:
        exchanged, trick_winners = cards.get(player, 0), tricks.count(player)
        expected = (
            12 + 5 * (exchanged - trick_winners)
            if exchanged > trick_winners
            else 12 - trick_winners
        )
        assert at.sheet.scores[player] == expected


# Who stays (§4.2 DECLARE)


def test_everybody_speaks_from_forehand_to_dealer():
    at = four.after(open_deal)
    for player in (BO, CILLA, DISA, ADA):
        assert at.view.turn == player
        at = at.after(stay(player))
    assert (at.view.phase, at.view.staying) == ("exchanging", (BO, CILLA, DISA, ADA))


@pytest.mark.parametrize(
    "command",
    [
        [all_pass],
        [passes(BO), all_pass],
        [passes(BO), passes(CILLA), passes(DISA), all_pass],
        declare_commands(()),
    ],
)
def test_when_all_pass_nothing_changes_and_the_next_one_deals(command):
    at = four.after(open_deal, *command)
    closed = e.DealClosed(deal=1, outcome="all_pass", next_dealer=BO)
    assert at.history[-1] == closed
    assert (at.scores, at.table_state.dealer) == ([12] * 4, BO)


@pytest.mark.parametrize("player", [ADA, BO, CILLA, DISA])
def test_who_plays_alone_wins_at_once(player):
    before = four.after(open_deal, *declare_commands([player])[:-1])
    last = declare_commands([player])[-1]
    after = before.when(last).then(
        e.Stayed(player=ADA) if player == ADA else e.Passed(player=ADA),
        e.Scored(deal=1, to=player, points=-5, rule="played_alone"),
        e.DealClosed(deal=1, outcome="played_alone", next_dealer=BO),
    )
    assert after.sheet.scores == {**dict.fromkeys((ADA, BO, CILLA, DISA), 12), player: 7}


def test_a_dealer_left_alone_still_speaks_for_himself():
    at = four.after(open_deal, *declare_commands(())[:3])
    assert at.legal_types() >= {"stay", "pass", "all_pass"}
    assert at.after(stay(ADA)).scores == [7, 12, 12, 12]
    assert at.after(passes(ADA)).scores == [12] * 4


# Exchanging (§4.2 TURN and EXCHANGE)


def test_the_dealer_may_take_the_card_turned_up_before_anybody_speaks():
    swap = c.Exchange(player=ADA, turn_up=True)
    unknown = four.after(open_deal).when(swap).then(e.TurnUpExchanged(player=ADA))
    known_cards = four.after(open_deal, c.TurnUp(card="9H"), swap)
    for at in (unknown, known_cards):
        at = at.after(*declare_commands([ADA, BO]))
        assert at.view.exchanged == {BO: 0, ADA: 1}
        assert at.after(*count_command("BBBBB")).scores == [17, 7, 12, 12], (
            "one exchanged, none taken"
        )
    assert (unknown.view.trump, known_cards.view.trump) == (None, "H")


def test_a_dealer_who_took_the_card_may_pass_all_the_same():
    at = four.after(open_deal, c.Exchange(player=ADA, turn_up=True), *declare_commands([BO, CILLA]))
    assert at.after(*count_command("BBBBB")).scores == [12, 7, 12, 12]


def test_who_speaks_again_begins_a_new_round():
    at = four.after(*deal_commands("A B D"))  # in the order B D A
    rounds = []
    for player in (BO, ADA, BO, DISA, ADA, ADA):
        at = at.after(exchange(player, 1))
        rounds.append(at.view.round)
    assert rounds == [1, 1, 2, 2, 2, 3]
    assert at.view.exchanged == {BO: 2, DISA: 1, ADA: 3}
    left = [action for action in at.legal if action.type == "exchange"]
    assert left == [], "Ada was the last of the third round"


def test_the_third_round_is_open_to_those_after_the_last_speaker():
    at = four.after(*deal_commands("A B D"), *[exchange(BO, 1)] * 3)
    can = [a.fields["player"]["values"] for a in at.legal if a.type == "exchange"]
    assert can == [[DISA], [ADA]]


@pytest.mark.parametrize("first", [c.Trick(winner=BO), c.Play(player=BO, card="9S")])
def test_the_first_trick_or_card_ends_the_exchange(first):
    at = four.after(open_deal, c.TurnUp(card="9H"), *declare_commands([ADA, BO]))
    assert at.view.phase == "exchanging"
    assert "exchange" in at.legal_types()
    at = at.after(first)
    assert at.view.phase == "playing"
    assert "exchange" not in at.legal_types()


@pytest.mark.parametrize(
    ("players", "talon"),
    [(2, 25), (3, 20), (4, 31), (5, 26), (6, 21), (7, 16), (8, 11), (9, 6), (10, 1)],
)
def test_the_talon_is_what_is_left_of_36_or_52_cards(players, talon):
    at = KnektpassGiven(players=players).after(*deal_commands("A B", players))
    assert at.view.talon == talon


# From two to ten players


@pytest.mark.parametrize("players", range(2, 11))
def test_from_two_to_ten_play(players):
    seats = TEN_PLAYERS[:players]
    at = KnektpassGiven(players=players).after(open_deal, *declare_commands(seats, players))
    last = seats[-1]
    at = at.after(*[c.Trick(winner=last)] * 5)
    assert at.scores == [12] * (players - 1) + [7]
    assert at.table_state.dealer == BO


@pytest.mark.parametrize("players", range(2, 11))
def test_36_cards_for_two_or_three_and_52_for_more(players):
    pack = pack_for(TEN_PLAYERS[:players])
    assert len(pack) == len(set(pack)) == (36 if players <= 3 else 52)
    assert ("5S" in pack) == (players > 3)
    assert 5 * players + 1 <= len(pack)


def test_those_seated_count_for_the_pack_and_not_those_who_stay():
    at = four.after(open_deal, c.TurnUp(card="2H"), *declare_commands([ADA, BO]))
    assert at.view.trump == "H"


# Undo


def test_every_action_is_taken_back_with_what_followed_from_it():
    command = [
        *(open_deal, c.TurnUp(card="9H"), c.Exchange(player=ADA, turn_up=True)),
        *declare_commands([ADA, BO, DISA]),
        *(exchange(BO, 2), exchange(ADA, 1), exchange(BO, 1)),
        *trick_commands("AABDD"),
        *(open_deal, *declare_commands([BO], dealer=BO)),
        *(open_deal, all_pass),
    ]
    state_before, at = [], four
    for action in command:
        state_before.append(at.table_state.game_state)
        at = at.after(action)
    for table in reversed(state_before):
        at = at.after(undo)
        assert at.table_state.game_state == table
    assert at.scores == [12] * 4


def test_a_game_that_was_won_goes_on_when_the_last_trick_is_taken_back():
    at = four.agreed(start=5).after(*deal_commands("A B"), *trick_commands("AAAAA"))
    assert at.sheet.winners == (ADA,)
    at = at.after(undo, *trick_commands("B"))
    assert (at.sheet.winners, at.scores) == ((), [1, 4, 5, 5])
    assert "open_deal" in at.legal_types()


def test_five_sit_and_emil_wins():
    at = (
        KnektpassGiven(players=5)
        .agreed(start=3)
        .after(*deal_commands("E0 C3", 5), *trick_commands("EEECC"))
    )
    assert at.sheet.winners == (EMIL,)
    assert at.scores == [3, 3, 8, 3, 0]
