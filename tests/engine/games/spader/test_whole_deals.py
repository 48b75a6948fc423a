"""Whole deals of Spader card by card, played by a die: every list of cards told a second time."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine import events as e
from engine.cards import RANKS
from engine.games.spader.state import PACK
from engine.games.spader.trick_rules import play_rule
from engine.tricks.trick_state import TrickState
from tests.support.engine.given_when_then import ADA, CILLA
from tests.support.engine.spader_deals import (
    BOTH_HAVE_BID,
    N_BIDS_FIRST,
    SEATS,
    E,
    N,
    bid,
    count_command,
    hand_commands,
    last_scores,
    playable_cards,
    scores,
    trick_commands,
)

random_deals = settings(max_examples=25, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32)


def dealt(die):
    cards = list(PACK)
    die.shuffle(cards)
    return {player: " ".join(cards[i::4]) for i, player in enumerate(SEATS)}


def expected_cards(hand, table, first, ruffed):
    """The cards that may be played, told a second time."""
    of = {suit: [card for card in hand if card.endswith(suit)] for suit in "CSHD"}
    plain = of["C"] + of["H"] + of["D"]
    match table, first:
        case [], True:
            return set(hand) & {"2C"}
        case [], False:
            return set(hand) if ruffed or not plain else set(plain)
        case _, True:
            return set(of["C"][-1:] or of["H"] + of["D"] or hand)
        case _:
            return set(of[table[0][-1]] or hand)


def sort_hand(hand):
    return sorted(hand, key=lambda card: RANKS.index(card[:-1]))


def play_out(at, die):
    """A deal played to its end by a die, every list of cards compared with the second telling."""
    hand = {
        seated_player: sort_hand(cards)
        for seated_player, cards in at.table_state.game_state.phase.tricks.known_hands
    }
    table, tricks, ruffed = [], 0, False
    while at.table_state.deal_is_open:
        ((seated_player, cards),) = playable_cards(at).items()
        assert set(cards) == expected_cards(hand[seated_player], table, tricks == 0, ruffed)
        card = die.choice(cards)
        hand[seated_player].remove(card)
        ruffed |= bool(tricks and table and table[0][-1] != "S" and card[-1] == "S")
        table.append(card)
        at = at.after(c.Play(player=seated_player, card=card))
        if len(table) == 4:
            table, tricks = [], tricks + 1
    return at


def bids_by(die):
    forms = [str(die.randint(1, 13)), f"nil {die.choice('AC')} {die.randint(1, 9)}", "nil"]
    n = die.choice([*forms, f"blind {die.choice('AC')} {die.randint(1, 9)}"])
    return n, die.choice([forms[0], f"nil {die.choice('BD')} {die.randint(1, 9)}", "nil"])


@random_deals
@given(seeds)
def test_a_deal_scores_the_same_however_it_is_recorded(seed):
    die = Random(seed)
    n, e_ = bids_by(die)
    at = N_BIDS_FIRST.after(bid(N, n), bid(E, e_))
    if n.startswith("blind"):
        at = at.after(die.choice([c.Swap(), c.NoSwap()]))
    by_cards = play_out(at.after(*hand_commands(dealt(die))), die)
    letters = ["ABCD"[SEATS.index(player)] for player in by_cards.history[-1].tricks]
    by_tricks = at.after(*trick_commands(letters))
    by_result = at.after(count_command(letters))
    assert last_scores(by_cards) == last_scores(by_tricks) == last_scores(by_result)
    assert scores(by_cards) == scores(by_tricks) == scores(by_result)
    assert by_cards.history[-1] == by_tricks.history[-1]
    assert by_cards.history[-1].taken == by_result.history[-1].taken


@random_deals
@given(seeds)
def test_a_deal_can_be_told_without_showing_the_hands(seed):
    cards_shown = play_out(BOTH_HAVE_BID.after(*hand_commands(dealt(Random(seed)))), Random(seed))
    cards = [fact for fact in cards_shown.history if isinstance(fact, e.CardPlayed)]
    recorded = BOTH_HAVE_BID.after(*[c.Play(player=fact.player, card=fact.card) for fact in cards])
    assert [fact for fact in cards_shown.history if not isinstance(fact, e.HandShown)] == list(
        recorded.history
    )


@random_deals
@given(seeds, st.sampled_from([True, False, None]))
def test_a_card_forbidden_from_a_hand_stays_forbidden_from_a_larger_one(seed, broken):
    """So that what is known of a hand is enough to prove a revoke."""
    die = Random(seed)
    for _ in range(40):
        cards = list(PACK)
        die.shuffle(cards)
        size = die.randint(1, 12)
        small, large = cards[:size], cards[: die.randint(size + 1, 13)]
        trick_winners, led = die.choice(
            [((), "2C"), ((), None), ((ADA,), cards[-1]), ((ADA,), None)]
        )
        first_lead = not trick_winners and led is None
        leader = None if first_lead else CILLA
        at = TrickState(seats=SEATS, leader=leader, pack=PACK, hand_size=13, winners=trick_winners)
        if led:
            at = at.play_card(CILLA, led)
        rule = play_rule(broken)
        allowed, _ = rule(at, tuple(small))
        allowed_then, _ = rule(at, tuple(large))
        assert not (set(small) - set(allowed)) & set(allowed_then)
        assert allowed or first_lead
