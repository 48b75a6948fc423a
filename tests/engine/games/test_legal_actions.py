"""What may be done and what is accepted are the same, at every point of an evening."""

from random import Random

import pytest
from msgspec.structs import replace

from engine import commands as c
from engine.errors import NotNow, RuleViolation
from engine.session import session as table_session
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, EMIL, Given
from tests.support.engine.random_walk import (
    choose_hand,
    command,
    every_possible_command,
    list_commands,
    next_action,
)

TABLES = {
    "three": Given(players=3, away=2).agreed(merge_double_bets=True),
    "four": Given(players=4, away=1),
    "five": Given(players=5).agreed(bet_multiplier=2, all_one_two_declarers="none"),
    "jacks of their own suit": Given(players=4).agreed(jack_suit="natural", allow_early_end=False),
    "claims": Given(players=5).agreed(bet_payment="on_collection", amount_basis="ante_only"),
}
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


def accepted(at, action):
    try:
        return bool(at.decide(action))
    except RuleViolation:
        return False


def in_one_order(action):
    """Two declarers are the same two in either order."""
    if isinstance(action, c.Declare):
        return replace(action, players=tuple(sorted(action.players)))
    return action


def walk(table, seed, steps, but=()):
    """Points of one random evening, one after the other."""
    die, at = Random(seed), table
    for _ in range(steps):
        yield at
        if not at.legal_types() - set(but):
            return
        at = at.after(next_action(at.legal, die, but))


@every_table
def test_an_action_is_accepted_if_and_only_if_it_is_listed(table):
    for seed in range(3):
        for at in walk(table, seed, steps=40):
            can_be_said = every_possible_command(at.table_state)
            trick_winners = {action for action in can_be_said if accepted(at, action)}
            allowed = list_commands(at.legal, but=("hand", "reseat"))
            assert {*map(in_one_order, trick_winners)} == {*map(in_one_order, allowed)}


@every_table
def test_while_the_evening_is_open_something_other_than_undo_is_possible(table):
    for seed in range(20):
        for at in walk(table, seed, steps=100):
            assert at.legal_types() - {"undo"}


@every_table
def test_every_listed_reseating_is_accepted(table):
    for seed in range(3):
        for at in walk(table, seed, steps=40):
            for action in list_commands(tuple(a for a in at.legal if a.type == "reseat")):
                assert accepted(at, action), action


@every_table
def test_every_hand_that_the_list_describes_is_accepted(table):
    for seed in range(10):
        die = Random(seed)
        for at in walk(table, seed, steps=40, but=("undo", "result", "all_pass", "trick")):
            for action in at.legal:
                if action.type == "hand":
                    (player,) = action.fields["player"]["values"]
                    cards = choose_hand(action.fields["cards"], die)
                    assert accepted(at, command("hand", {"player": player, "cards": cards}))


def test_a_card_that_was_taken_must_be_in_the_hand_shown():
    """Bo had to take a jack and Cilla the ace: the list names them."""
    at = Given(dealer=CILLA).after(c.OpenDeal(), c.Cut(card="JC"), c.TurnUp(card="AH"))
    must = {ADA: [], BO: ["JC"], CILLA: ["AH"], DISA: []}
    for action in at.legal:
        if action.type == "hand":
            (player,) = action.fields["player"]["values"]
            cards = action.fields["cards"]
            assert cards["including"] == must[player]
            assert cards["min"] == cards["max"] == 5 + len(must[player])
            for trick_winners in must[player]:
                cards_shown = [card for card in cards["keys"] if card != trick_winners][
                    : cards["min"]
                ]
                assert not accepted(at, command("hand", {"player": player, "cards": cards_shown}))


bos_hand = c.Hand(player=BO, cards=("AH", "KH", "QH", "10H", "9H"))
bo_plays_hearts = Given().after(c.OpenDeal(), c.Declare(players=(BO,), trump="H"))


def test_a_hand_outside_the_list_is_refused():
    five = bos_hand.cards
    assert accepted(bo_plays_hearts, bos_hand)
    for cards in (five[:4], (*five, "AS"), ("AH",) * 5, (*five[:4], "8H")):
        assert not accepted(bo_plays_hearts, replace(bos_hand, cards=cards))
    assert not accepted(bo_plays_hearts.after(bos_hand), replace(bos_hand, player=CILLA))


def test_a_hand_shown_again_is_listed_if_it_is_accepted():
    cards_shown = bo_plays_hearts.after(bos_hand)
    hands = [action for action in cards_shown.legal if action.type == "hand"]
    listed_again = any(BO in hand.fields["player"]["values"] for hand in hands)
    assert accepted(cards_shown, bos_hand) == listed_again


def test_who_has_no_card_left_cannot_show_a_hand():
    at = Given(players=3).after(c.OpenDeal(), c.Declare(players=(BO,), trump="H"))
    at = at.after(*[c.Trick(winner=p) for p in (BO, CILLA, BO, ADA)], c.Play(player=ADA, card="AS"))
    assert not accepted(at, c.Hand(player=ADA, cards=()))


@every_table
def test_what_is_not_listed_while_waiting_changes_nobodys_seat(table):
    """The list shows changes by one person; any other order of known players is accepted too."""
    turned_round = c.Reseat(players=table.table_state.seats[::-1])
    assert accepted(table, turned_round)
    assert not accepted(table.after(c.OpenDeal()), turned_round)


def test_a_listed_trick_is_accepted_however_large_the_bets_have_grown():
    """Bets doubled deal after deal come to what a book can keep exactly, and must end well."""
    at = Given(players=3).agreed(stake=10**9, bet_multiplier=2)
    while "open_deal" in at.legal_types():
        at = at.after(c.OpenDeal(), c.Declare(players=(at.table_state.dealer,)))
        for action in at.legal:
            if action.type == "result":
                assert all(
                    accepted(at, spoken_action) for spoken_action in list_commands((action,))
                )
        loses = next(p for p in at.table_state.seats if p != at.table_state.dealer)
        at = at.after(c.Result(winner=loses))


def test_a_closed_evening_lists_nothing():
    evening = Given().table_state
    closing = table_session.close(evening, None)
    assert Given().given(*closing).legal == ()


def test_a_newcomer_is_listed_until_there_are_five():
    three = Given(players=3, away=2)
    assert three.table_state.seats == (ADA, BO, CILLA)
    (reseat,) = [action for action in three.legal if action.type == "reseat"]
    seatings = reseat.fields["players"]["values"]
    assert [ADA, BO, CILLA, EMIL] in seatings
    assert [ADA, DISA, CILLA] in seatings
    assert all(len(seating) in (3, 4) for seating in seatings)


def test_a_dealer_without_credit_is_no_dead_end():
    """The stake is more than the limit allows, so somebody else is offered to deal."""
    at = Given(players=3).agreed(stake=10, credit_limit=5)
    (reseat,) = at.legal
    assert (reseat.type, reseat.fields["dealer"]) == ("reseat", {"values": [BO, CILLA]})
    (seats,) = reseat.fields["players"]["values"]
    assert accepted(at, c.Reseat(players=tuple(seats), dealer=BO))


def test_an_ace_turned_up_may_be_taken_or_declined():
    at = Given().after(c.OpenDeal(), c.Cut(card="9C"), c.TurnUp(card="AH"))
    with pytest.raises(NotNow):
        at.after(c.AllPass())
