"""The worked evenings E1 and E3 of docs/rules.md §8, deal by deal, at every depth of recording.

The tables are those of tests/support/worked_evenings.py, which are also sent to a running server.
"""

from collections.abc import Callable

import pytest

from engine import commands as c
from tests.support.engine.dealt_cards import E1_DEAL_1, E1_DEAL_2, E1_DEAL_3
from tests.support.engine.random_walk import command
from tests.support.engine.reference_card_rules import find_winner
from tests.support.ledger.memory_store import Book, is_balanced
from tests.support.worked_evenings import CLOSED_E3, E1, E3, Line, lines

Record = Callable[[Line], list[c.Command]]


def by_tricks(line):
    return [command(action.pop("type"), action) for action in line.actions()]


def by_result(line):
    opened, *action = by_tricks(line)
    if not line.tricks:
        return [opened, *action]
    if line.la_vola:
        won = line.tricks == [line.la_vola] * 5
        result = c.Result(la_vola=c.Vola(player=line.la_vola, won=won))
    else:
        result = c.Result(winner=find_winner(line.tricks))
    return [opened, c.Declare(players=tuple(line.declarers)), result]


def by_turns(line):
    """Odd deals by tricks, even deals by the result."""
    return by_tricks(line) if line.number % 2 else by_result(line)


CARDS = {
    1: tuple(E1_DEAL_1.actions()),
    2: tuple(E1_DEAL_2.actions(hands=False)),
    3: tuple(E1_DEAL_3.actions(hands=False)),
}


def by_cards_first(line):
    """The first deals of E1 card by card, the others by tricks and by the result in turn."""
    return CARDS.get(line.number) or by_turns(line)


def standing_of(book):
    """As a line of the table says it."""
    return book.balances, book.session.pot, [(by[0], amount) for by, amount in book.bets]


def play_evening(evening, players, record):
    book = Book(players)
    for line in lines(evening):
        book.act(*record(line))
        book.settle()
        assert standing_of(book) == (line.balances, line.pot, line.bets), line
    return book


@pytest.mark.parametrize("record", [by_tricks, by_result, by_turns, by_cards_first])
def test_an_evening_of_four(record: Record):
    play_evening(E1, 4, record)


@pytest.mark.parametrize("record", [by_tricks, by_result, by_turns])
def test_an_evening_of_five(record: Record):
    play_evening(E3, 5, record)


@pytest.mark.parametrize("merged", [True, False], ids=["at once", "one by one"])
def test_one_batch_and_single_actions_give_the_same_state(merged):
    book = Book()
    for line in lines(E1):
        spoken_action = by_tricks(line)
        for batch in [spoken_action] if merged else [[action] for action in spoken_action]:
            book.act(*batch)
        book.settle()
        assert standing_of(book) == (line.balances, line.pot, line.bets)


def test_la_vola_counts_only_as_it_is_settled():
    """In E1 deal 5 Cilla is owed 50 by each of the three others."""
    book = Book()
    *before, fifth = list(lines(E1))[:5]
    for line in before:
        book.act(*by_tricks(line))
    book.act(*by_tricks(fifth))
    ada, bo, cilla, disa = before[-1].balances
    assert book.balances == [ada - 10, bo, cilla + 50, disa], "only the stake and the table"
    assert [(leg.payer, leg.payee, leg.amount) for leg in book.due] == [
        ("p4", "p3", 50),
        ("p1", "p3", 50),
        ("p2", "p3", 50),
    ]
    for leg in book.due:
        book.settle(leg)
        assert is_balanced(book.session)
    assert standing_of(book) == (fifth.balances, fifth.pot, fifth.bets)


@pytest.mark.parametrize("record", [by_tricks, by_result])
@pytest.mark.parametrize("policy", CLOSED_E3)
def test_the_evening_of_five_is_closed_by_every_policy(record, policy):
    book = play_evening(E3, 5, record)
    bets = book.bets
    book.close(policy)
    assert book.balances == CLOSED_E3[policy]
    assert book.session.pot == 0
    assert book.bets == (bets if policy == "carry" else [])
    on_bets = sum(amount for _, amount in book.bets)
    assert sum(book.balances) == -on_bets == (-130 if policy == "carry" else 0)
