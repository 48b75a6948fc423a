"""Two independent scorings of the same sessions agree to the last unit.

`VOLA_DEALS=1000000` plays that many deals.
"""

import os
from random import Random

import msgspec
import pytest

from engine import commands as c
from engine.games.polskt_pass.options import Options
from tests.support.engine.every_option import draw_options
from tests.support.ledger import reference_polskt_pass as reference
from tests.support.ledger.memory_store import Book
from tests.support.worked_evenings import CLOSED_E3, E1, E3, lines

DEALS = int(os.environ.get("VOLA_DEALS", "5000"))
CHUNKS = 8
MAX_AT_STAKE = 10**11
"""Bets can double in each deal; the ledger refuses a deal for more than it can store exactly."""


def random_deal(die, seats, dealer):
    """Return a random deal for the second scoring, and its actions for the first."""
    opened = c.OpenDeal()
    if die.random() < 0.15:
        return {"all_pass": True}, [opened, c.AllPass()]
    cutter = seats[seats.index(dealer) - 1]
    declarers = (cutter, dealer) if die.random() < 0.3 else (die.choice(seats),)
    actions = [opened, c.Declare(players=declarers)]
    if die.random() < 0.2:
        return with_la_vola(die, seats, declarers, actions)
    tricks = [die.choice(seats) for _ in range(5)]
    if len(seats) == 5 and die.random() < 0.2:
        tricks = die.sample(seats, 5)
    winner = reference.find_winner(tricks)
    if die.random() < 0.5:
        actions += [c.Result(winner=winner)]
    else:
        actions += [c.Trick(winner=taker) for taker in tricks]
    return {"declarers": declarers, "winner": winner}, actions


def with_la_vola(die, seats, declarers, actions):
    announcer, won = die.choice(seats), die.random() < 0.5
    deal = {"declarers": declarers, "vola": announcer, "won": won}
    if die.random() < 0.5:
        return deal, [*actions, c.Result(la_vola=c.Vola(player=announcer, won=won))]
    winners = [announcer] * 5
    if not won:
        lost_at = die.randint(2, 4)
        winners = [announcer] * lost_at + [die.choice([p for p in seats if p != announcer])]
    tricks = [c.Trick(winner=taker) for taker in winners]
    return deal, [*actions, *tricks[:2], c.LaVola(player=announcer), *tricks[2:]]


def choose_merge(die, book, deal):
    """Let the table merge or split the bets of two failed declarers, against its option."""
    for action in book.legal:
        if action.type == "merge" and die.random() < 0.5:
            merges = action.fields["together"]["values"][0]
            deal["merge"] = merges
            book.act(c.Merge(together=merges))


def first_book(book):
    return dict(book.session.balances), book.session.pot, book.bets


def random_session(die):
    """Return a book, and its deals for the second scoring."""
    agreed = draw_options(Options, die, credit_limit=None)  # the deals are drawn without a limit
    players = die.randint(3, 5)
    book, deals = Book(players, **agreed), []
    for _ in range(die.randint(1, 40)):
        table = book.session.table
        if die.random() < 0.05:
            if len(table.players) < 7:
                book.join()
            count = die.randint(3, min(5, len(table.players) + 1))
            players = book.session.table.players
            book.act(c.Reseat(players=tuple(die.sample(players, min(count, len(players))))))
            table = book.session.table
        deal, actions = random_deal(die, table.seats, table.dealer)
        deal |= {"seats": table.seats, "dealer": table.dealer}
        book.act(*actions)
        choose_merge(die, book, deal)
        deals.append(deal)
        if sum(amount for _, amount in book.bets) + book.session.pot > MAX_AT_STAKE:
            break
        if die.random() < 0.3:
            book.settle()
    book.settle()
    return agreed, book, deals


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_two_scorings_agree(chunk):
    die, n_deals = Random(chunk), 0
    while n_deals < DEALS // CHUNKS:
        agreed, book, deals = random_session(die)
        n_deals += len(deals)
        people = book.session.table.players
        assert first_book(book) == reference.score_session(agreed, people, deals), (agreed, deals)
        policy = die.choice(("carry", "refund_bets", "split_equal"))
        book.close(policy)
        assert first_book(book) == reference.score_session(agreed, people, deals, policy), (
            agreed,
            deals,
        )


@pytest.mark.parametrize(("players", "evening"), [(4, E1), (5, E3)], ids=["E1", "E3"])
def test_the_second_scoring_gets_the_worked_evenings_right(players, evening):
    options = msgspec.to_builtins(Options())
    seats = tuple(f"p{number}" for number in range(1, players + 1))
    deals = []
    for line in lines(evening):
        dealer = seats[(line.number - 1) % players]
        deal = {"seats": seats, "dealer": dealer, "declarers": line.declarers}
        if not line.tricks:
            deal["all_pass"] = True
        elif line.la_vola:
            deal |= {"vola": line.la_vola, "won": set(line.tricks) == {line.la_vola}}
        else:
            deal["winner"] = reference.find_winner(line.tricks)
        deals.append(deal)
        has, pot, bets = reference.score_session(options, seats, deals)
        assert (list(has.values()), pot) == (line.balances, line.pot)
        assert [(by[0], amount) for by, amount in bets] == line.bets
    for policy, balances in CLOSED_E3.items() if evening is E3 else ():
        assert list(reference.score_session(options, seats, deals, policy)[0].values()) == balances
