"""Why Knektpass says no: every refusal of staying, exchanging and counting, with an example."""

import pytest

from engine import commands as c
from engine import errors
from engine.errors import (
    AlreadyExchanged,
    CardNotInPack,
    DealersSwapOnly,
    EverybodyHasSpoken,
    ExchangeRoundsOver,
    GameIsWon,
    NoOpenDeal,
    NotInThisDeal,
    NotNow,
    NotSeated,
    NotYourTurn,
    RosterIsFixed,
    SayStayOrPass,
    SomebodyStays,
    SwapBindsTheDealer,
    SwapComesFirst,
    TalonTooSmall,
    TricksAlreadyRecorded,
    TricksDoNotAddUp,
    WrongNumberOfPlayers,
)
from engine.games.knektpass import decider as knektpass
from engine.session import session as table_session
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, EMIL
from tests.support.engine.knektpass_deals import (
    TEN_PLAYERS,
    KnektpassGiven,
    deal_commands,
    declare_commands,
    exchange_commands,
)

open_deal, all_pass = c.OpenDeal(), c.AllPass()
hearts = c.TurnUp(card="9H")
four = KnektpassGiven()
opened = four.after(open_deal)
bo_stays = opened.after(c.Stay(player=BO))
two_stay = opened.after(*declare_commands([ADA, BO]))  # Bo, the forehand, and Ada, the dealer
play_begun = two_stay.after(c.Trick(winner=BO))


def stay(player):
    return c.Stay(player=player)


def exchange(player, cards):
    return c.Exchange(player=player, cards=cards)


def swap(player):
    return c.Exchange(player=player, turn_up=True)


def tricks(**trick_winners):
    return c.Tricks(taken=trick_winners)


@pytest.mark.parametrize(
    "command",
    [
        *(stay(BO), c.Pass(player=BO), all_pass, hearts, swap(ADA), exchange(BO, 1)),
        *(c.Trick(winner=BO), tricks(p1=5), c.Play(player=BO, card="AS")),
        c.Hand(player=BO, cards=()),
    ],
    ids=lambda said: said.__struct_config__.tag,
)
def test_between_deals_every_action_of_a_deal_is_refused(command):
    four.when(command).refused(NoOpenDeal)


# Staying and passing


@pytest.mark.parametrize("word", [c.Stay, c.Pass])
def test_everybody_speaks_in_turn(word):
    opened.when(word(player=CILLA)).refused(NotYourTurn, turn=BO, player=CILLA)
    bo_stays.when(word(player=BO)).refused(NotYourTurn, turn=CILLA, player=BO)
    opened.when(word(player=EMIL)).refused(NotSeated, player=EMIL)


@pytest.mark.parametrize("word", [c.Stay, c.Pass])
@pytest.mark.parametrize("player", [ADA, CILLA])
def test_nobody_speaks_twice(word, player):
    two_stay.when(word(player=player)).refused(EverybodyHasSpoken)
    play_begun.when(word(player=player)).refused(EverybodyHasSpoken)


@pytest.mark.parametrize(
    "command",
    [
        *(exchange(BO, 1), c.Trick(winner=BO), tricks(p1=5)),
        c.Play(player=BO, card="AS"),
    ],
    ids=lambda said: said.__struct_config__.tag,
)
def test_before_everybody_has_spoken_nobody_exchanges_or_plays(command):
    opened.when(command).refused(SayStayOrPass, turn=BO)
    bo_stays.when(command).refused(SayStayOrPass, turn=CILLA)


def test_who_stays_cannot_have_passed():
    bo_stays.when(all_pass).refused(SomebodyStays, player=BO)
    two_stay.when(all_pass).refused(SomebodyStays, player=BO)
    play_begun.when(all_pass).refused(SomebodyStays, player=BO)


# The dealer's swap and the card turned up


def test_only_the_dealer_swaps():
    for at in (opened, bo_stays, two_stay, play_begun):
        at.when(swap(BO)).refused(DealersSwapOnly, dealer=ADA)
    opened.when(swap(EMIL)).refused(NotSeated, player=EMIL)


def test_the_dealer_swaps_before_anybody_speaks():
    for at in (bo_stays, two_stay, play_begun, opened.after(c.Pass(player=BO))):
        at.when(swap(ADA)).refused(SwapComesFirst)


def test_the_dealer_swaps_once():
    swapped = opened.after(swap(ADA))
    swapped.when(swap(ADA)).refused(AlreadyExchanged)
    swapped.after(*declare_commands([ADA, BO])).when(swap(ADA)).refused(AlreadyExchanged)


def test_with_turn_up_commits_a_dealer_who_swapped_must_stay():
    swapped = four.agreed(turn_up_commits=True).after(open_deal, swap(ADA))
    swapped.when(all_pass).refused(SwapBindsTheDealer, player=ADA)
    last = swapped.after(*declare_commands(())[:3])
    last.when(c.Pass(player=ADA)).refused(SwapBindsTheDealer, player=ADA)
    swapped.after(stay(BO)).when(all_pass).refused(SomebodyStays, player=BO)


@pytest.mark.parametrize(
    ("command", "phase"),
    [
        ([hearts], "opened"),
        ([swap(ADA)], "opened"),
        ([stay(BO)], "declaring"),
        (declare_commands([ADA, BO]), "exchanging"),
        ([*declare_commands([ADA, BO]), c.Trick(winner=BO)], "playing"),
    ],
)
def test_the_card_is_turned_up_once_and_first(command, phase):
    opened.after(*command).when(hearts).refused(NotNow, action="turn_up", phase=phase)


def test_a_card_of_another_pack_is_not_turned_up():
    opened.when(c.TurnUp(card="2H")).decide()
    three = KnektpassGiven(players=3).after(open_deal)
    three.when(c.TurnUp(card="2H")).refused(CardNotInPack, card="2H")


# Exchanging


def test_only_those_who_stay_exchange_and_take_tricks():
    two_stay.when(exchange(CILLA, 1)).refused(NotInThisDeal, player=CILLA)
    two_stay.when(c.Trick(winner=CILLA)).refused(NotInThisDeal, player=CILLA)
    two_stay.when(tricks(p1=4, p3=1)).refused(NotInThisDeal, player=CILLA)
    two_stay.when(tricks(p1=5, p3=0)).refused(NotInThisDeal, player=CILLA)


def test_who_does_not_sit_here_exchanges_nothing_and_takes_no_tricks():
    two_stay.when(exchange(EMIL, 1)).refused(NotSeated, player=EMIL)
    two_stay.when(c.Trick(winner=EMIL)).refused(NotSeated, player=EMIL)
    two_stay.when(tricks(p5=5)).refused(NotSeated, player=EMIL)
    two_stay.when(c.Hand(player=EMIL, cards=())).refused(NotSeated, player=EMIL)


def test_cards_are_exchanged_in_three_rounds():
    at = two_stay.after(exchange(BO, 1), exchange(BO, 1), exchange(BO, 1))
    at.when(exchange(BO, 1)).refused(ExchangeRoundsOver, player=BO)
    last = at.after(exchange(ADA, 1))
    for player in (ADA, BO):
        last.when(exchange(player, 1)).refused(ExchangeRoundsOver, player=player)


def test_no_more_cards_are_exchanged_than_the_talon_has():
    ten = KnektpassGiven(players=10).after(*deal_commands("A B", 10))
    ten.when(exchange(BO, 2)).refused(TalonTooSmall, left=1, cards=2)
    ten.after(exchange(BO, 1)).when(exchange(ADA, 1)).refused(TalonTooSmall, left=0, cards=1)


def test_a_talon_of_one_card_is_no_larger_for_discards_that_come_back():
    ten = (
        KnektpassGiven(players=10).agreed(reshuffle_discards=True).after(*deal_commands("A B", 10))
    )
    ten = ten.after(*exchange_commands({BO: 1, ADA: 1}, 10))
    ten.when(exchange(ADA, 2)).refused(TalonTooSmall, left=1, cards=2)


def test_after_the_first_trick_no_card_is_exchanged():
    play_begun.when(exchange(BO, 1)).refused(NotNow, action="exchange", phase="playing")


# Counting tricks


@pytest.mark.parametrize(
    ("counted", "trick_winners"),
    [(4, {ADA: 4}), (6, {ADA: 3, BO: 3}), (0, {}), (5, {ADA: 6, BO: -1})],
)
def test_five_tricks_are_played(counted, trick_winners):
    at = two_stay.when(c.Tricks(taken=trick_winners))
    if counted != 5:
        at.refused(TricksDoNotAddUp, counted=counted, played=5)


def test_tricks_are_counted_only_if_none_is_recorded():
    play_begun.when(tricks(p1=5)).refused(TricksAlreadyRecorded)
    cards = four.after(
        open_deal, hearts, *declare_commands([ADA, BO]), c.Play(player=BO, card="AS")
    )
    cards.when(tricks(p1=5)).refused(TricksAlreadyRecorded)


# The game as a whole


def test_when_the_game_is_won_no_deal_is_opened():
    won = four.agreed(start=5).after(*deal_commands("C"))
    won.when(open_deal).refused(GameIsWon, winners=[CILLA])
    shared = four.agreed(start=2).after(*deal_commands("A B C"), tricks(p1=2, p2=2, p3=1))
    shared.when(open_deal).refused(GameIsWon, winners=[ADA, BO])


def test_the_same_players_sit_all_evening():
    four.when(c.Reseat(players=(ADA, BO, CILLA))).refused(RosterIsFixed)
    assert "reseat" not in four.legal_types()


@pytest.mark.parametrize("count", [1, 11])
def test_two_to_ten_play(count):
    players = (*TEN_PLAYERS, "p11")[:count]
    with pytest.raises(WrongNumberOfPlayers):
        table_session.begin(knektpass.GAME, knektpass.Options(), players, ADA)


def test_actions_of_other_games_are_refused():
    opened.when(c.Declare(players=(ADA,))).refused(NotNow, action="declare", phase="playing")


def test_every_refusal_of_exchanging_and_staying_has_an_example():
    named = {n for n, reason in vars(errors.exchanging).items() if isinstance(reason, type)}
    assert named - {"RuleViolation"} <= set(globals())


def test_a_refusal_out_of_turn_names_whose_turn_it_is():
    with pytest.raises(NotYourTurn) as refusal:
        opened.decide(stay(DISA))
    assert str(refusal.value) == "It is p2's turn, not p4's."
