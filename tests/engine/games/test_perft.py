"""Every way to play a deal, counted by the engine and counted again by the second rules.

The hands and the first counts, made by hand, are in perft_deals.py. At the end of every way the
takers of the tricks and the score are the same, too.
"""

from collections import Counter

import pytest

from engine import commands as c
from engine import events as e
from engine.games.registry import GAMES
from engine.session import fold
from engine.session import session as table_session
from engine.session.legal import legal_actions
from tests.support.engine.perft_deals import DEALS
from tests.support.engine.reference_card_rules import Heading, Spades, StandingJacks
from tests.support.ledger import reference_other_games as reference_games
from tests.support.ledger import reference_polskt_pass as reference

every_deal = pytest.mark.parametrize("deal", DEALS.values(), ids=DEALS)


# --- the first way: what the engine lists --------------------------------------------------------


def broke(player):
    return 0


def start_deal(deal):
    """The evening with all hands open, and whatever was played before."""
    game = GAMES[deal.game]
    options = game.options_type(**deal.options)
    at = table_session.begin(game, options, deal.seats, "p1")
    hands = [c.Hand(player=player, cards=tuple(cards)) for player, cards in deal.cards.items()]
    for command in (c.OpenDeal(), *deal.commands, *hands):
        at, _ = act(at, command)
    for _ in range(deal.after):
        ((player, listed),) = plays(at)
        card = next(card for card in deal.cards[player] if card in listed)
        at, _ = act(at, c.Play(player=player, card=card))
    return at


def act(at, command):
    facts = table_session.decide(at, command, broke)
    for fact in facts:
        at = fold.evolve(at, fact)
    return at, facts


def plays(at):
    return [
        (player, action.fields["card"]["values"])
        for action in legal_actions(at, broke)
        if action.type == "play"
        for player in action.fields["player"]["values"]
    ]


def by_the_engine(deal):
    """Ways to play 1, 2 … cards, and how often each end is reached."""
    start = start_deal(deal)
    counts, ends = [0] * deal.depth, Counter()

    def walk(at, depth, takers):
        for player, cards in plays(at):
            for card in cards:
                after, facts = act(at, c.Play(player=player, card=card))
                took = tuple(fact.winner for fact in facts if isinstance(fact, e.TrickWon))
                counts[depth] += 1
                if depth + 1 == deal.depth:
                    ends[takers + took, outcome(after.game_state)] += 1
                else:
                    walk(after, depth + 1, takers + took)

    walk(start, 0, ())
    return counts, ends


def outcome(table):
    """Pot and bets, or the sheet."""
    sheet = getattr(table, "sheet", None)
    if sheet is None:
        bets = tuple((bet.by, bet.amount) for bet in getattr(table, "bets", ()))
        return table.pot, bets
    return tuple(sheet.scores.items()), sheet.winners


# --- the second way ------------------------------------------------------------------------------


def rules_of(deal):
    if deal.game == "spader":
        return Spades()
    if deal.game == "knektpass":
        return Heading(deal.trump, deal.agreed["must_trump_when_void"])
    return StandingJacks(deal.trump, deal.agreed.get("jack_suit") == "natural")


def by_the_second_rules(deal):
    """The same counts and ends. Played and taken back in place."""
    counts, ends = [0] * deal.depth, Counter()
    hands = deal.cards
    table = rules_of(deal)
    seats = deal.seats
    leads = next((p for p in seats if "2C" in hands[p]), None)
    turn = [leads if deal.game == "spader" else "p2"]

    def put(card):
        """Play a card; what is needed to take it back."""
        player = turn[0]
        before = (player, list(table.cards), list(table.taken), getattr(table, "broken", None))
        place = hands[player].index(card)
        hands[player].pop(place)
        table.put(player, card)
        turn[0] = seats[(seats.index(player) + 1) % len(seats)]
        if len(table.cards) == len(seats):
            turn[0] = table.take_trick()
        return before, place

    def undo_card(card, undo):
        (player, cards, trick_winners, broken), place = undo
        hands[player].insert(place, card)
        table.cards, table.taken = cards, trick_winners
        if broken is not None:
            table.broken = broken
        turn[0] = player

    for _ in range(deal.after):
        may = table.may(hands[turn[0]])
        put(next(card for card in hands[turn[0]] if card in may))
    tricks_before = len(table.taken)

    def walk(depth):
        for card in sorted(table.may(hands[turn[0]])):
            undo = put(card)
            counts[depth] += 1
            if depth + 1 == deal.depth:
                ends[tuple(table.taken[tricks_before:]), score_deal(deal, tuple(table.taken))] += 1
            else:
                walk(depth + 1)
            undo_card(card, undo)

    walk(0)
    return counts, ends


def score_deal(deal, trick_winners):
    """By the second books (tests/ledger): what these tricks come to."""
    count = {player: trick_winners.count(player) for player in deal.seats}
    if deal.game == "spader":
        book = reference_games.new_spader_book(deal.agreed, deal.seats)
        if sum(count.values()) == 13:
            bids = {"p1+p3": {"nils": ["p1"], "tricks": 4}, "p2+p4": {"tricks": 6}}
            reference_games.score_spader(
                book, {"bids": bids, "tricks_taken": count, "dealer": "p1"}
            )
        return tuple(book["points"].items()), book["won"]
    if deal.game == "knektpass":
        book = reference_games.new_knektpass_book(deal.agreed, deal.seats)
        recorded = {"exchanged": dict.fromkeys(deal.seats, (False, [])), "tricks_taken": count}
        reference_games.score_knektpass(book, recorded | {"order": trick_winners, "dealer": "p1"})
        return tuple(book["points"].items()), book["won"]
    winner = reference.find_winner(trick_winners)
    if deal.game == "polskpas":
        book = reference_games.new_polskpas_book(deal.agreed, deal.seats)
        recorded = {"soloist": "p2", "winner": winner, "vole": None, "dealer": "p1"}
        reference_games.score_polskpas(book, recorded)
        return book["pot"], ()
    recorded = {"seats": deal.seats, "dealer": "p1", "declarers": ["p2"], "winner": winner}
    _, pot, bets = reference.score_session(deal.agreed, deal.seats, [recorded])
    return pot, tuple(bets)


def test_every_game_has_a_deal_that_was_counted_by_hand():
    missing = set(GAMES) - {deal.game for deal in DEALS.values()}
    assert not missing, f"Add a deal of {missing} to perft_deals.py, and its second rules here."


@every_deal
def test_both_ways_count_the_same_plays_and_come_to_the_same_ends(deal):
    counts, ends = by_the_engine(deal)
    counted, ended = by_the_second_rules(deal)
    assert counts == counted
    assert ends == ended
    assert sum(ends.values()) == counts[-1]


@every_deal
def test_the_first_counts_are_those_made_by_hand(deal):
    counts, _ = by_the_second_rules(deal)
    assert tuple(counts[: len(deal.by_hand)]) == deal.by_hand
