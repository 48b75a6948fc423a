"""Two books of the same evenings, kept by two hands, agree to the last unit.

`VOLA_DEALS=1000000` keeps them for as many deals.
"""

import os
from random import Random

import pytest

from engine import commands as c
from tests.evenings import CLOSED_E3, E1, E3, lines
from tests.ledger import reference
from tests.ledger.book import Book

DEALS = int(os.environ.get("VOLA_DEALS", "5000"))
CHUNKS = 8
OPTIONS = {
    "stake": (1, 7, 10, 2500),
    "bet_multiplier": (1, 2),
    "merge_double_bets": (False, True),
    "amount_basis": ("pot", "ante_only"),
    "all_one_two_declarers": ("both", "none"),
    "bet_payment": ("immediate", "on_collection"),
    "bet_tie": ("oldest", "newest"),
    "failed_vola_declarer_bet": ("none", "bet"),
}
MOST = 10**11
"""Bets can double in every deal; the book refuses a deal for more than it can keep exactly."""


def random_deal(die, seats, dealer):
    """What the second book is told of a deal, and the actions that say it to the first."""
    opened = c.OpenDeal()
    if die.random() < 0.15:
        return {"all_pass": True}, [opened, c.AllPass()]
    cutter = seats[seats.index(dealer) - 1]
    declarers = (cutter, dealer) if die.random() < 0.3 else (die.choice(seats),)
    said = [opened, c.Declare(players=declarers)]
    if die.random() < 0.2:
        return with_la_vola(die, seats, declarers, said)
    tricks = [die.choice(seats) for _ in range(5)]
    if len(seats) == 5 and die.random() < 0.2:
        tricks = die.sample(seats, 5)
    winner = reference.winner_of(tricks)
    if die.random() < 0.5:
        said += [c.Result(winner=winner)]
    else:
        said += [c.Trick(winner=taker) for taker in tricks]
    return {"declarers": declarers, "winner": winner}, said


def with_la_vola(die, seats, declarers, said):
    who, won = die.choice(seats), die.random() < 0.5
    told = {"declarers": declarers, "vola": who, "won": won}
    if die.random() < 0.5:
        return told, [*said, c.Result(la_vola=c.Vola(player=who, won=won))]
    taken = [who] * 5
    if not won:
        lost_at = die.randint(2, 4)
        taken = [who] * lost_at + [die.choice([p for p in seats if p != who])]
    tricks = [c.Trick(winner=taker) for taker in taken]
    return told, [*said, *tricks[:2], c.LaVola(player=who), *tricks[2:]]


def merged(die, book, told):
    """After two have just failed the table may do otherwise than agreed, in that one deal."""
    for action in book.legal:
        if action.type == "merge" and die.random() < 0.5:
            together = action.fields["together"]["values"][0]
            told["merge"] = together
            book.act(c.Merge(together=together))


def first_book(book):
    return dict(book.session.balances), book.session.pot, book.bets


def an_evening(die):
    """A book, and what the other one is told of it."""
    agreed = {name: die.choice(values) for name, values in OPTIONS.items()}
    players = die.randint(3, 5)
    book, deals = Book(players, **agreed), []
    for _ in range(die.randint(1, 40)):
        table = book.session.table
        if die.random() < 0.05:
            if len(table.players) < 7:
                book.join()
            count = die.randint(3, min(5, len(table.players) + 1))
            known = book.session.table.players
            book.act(c.Reseat(players=tuple(die.sample(known, min(count, len(known))))))
            table = book.session.table
        told, said = random_deal(die, table.seats, table.dealer)
        told |= {"seats": table.seats, "dealer": table.dealer}
        book.act(*said)
        merged(die, book, told)
        deals.append(told)
        if sum(amount for _, amount in book.bets) + book.session.pot > MOST:
            break
        if die.random() < 0.3:
            book.settle()
    book.settle()
    return agreed, book, deals


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_two_books_agree(chunk):
    die, kept = Random(chunk), 0
    while kept < DEALS // CHUNKS:
        agreed, book, deals = an_evening(die)
        kept += len(deals)
        people = book.session.table.players
        assert first_book(book) == reference.keep(agreed, people, deals), (agreed, deals)
        policy = die.choice(("carry", "refund_bets", "split_equal"))
        book.close(policy)
        assert first_book(book) == reference.keep(agreed, people, deals, policy), (agreed, deals)


@pytest.mark.parametrize(("players", "evening"), [(4, E1), (5, E3)], ids=["E1", "E3"])
def test_the_second_book_keeps_the_worked_evenings_right(players, evening):
    options = {name: values[0] for name, values in OPTIONS.items()} | {"stake": 10}
    seats = tuple(f"p{number}" for number in range(1, players + 1))
    deals = []
    for line in lines(evening):
        dealer = seats[(line.number - 1) % players]
        told = {"seats": seats, "dealer": dealer, "declarers": line.declarers}
        if not line.tricks:
            told["all_pass"] = True
        elif line.la_vola:
            told |= {"vola": line.la_vola, "won": set(line.tricks) == {line.la_vola}}
        else:
            told["winner"] = reference.winner_of(line.tricks)
        deals.append(told)
        has, pot, bets = reference.keep(options, seats, deals)
        assert (list(has.values()), pot) == (line.balances, line.pot)
        assert [(by[0], amount) for by, amount in bets] == line.bets
    for policy, balances in CLOSED_E3.items() if evening is E3 else ():
        assert list(reference.keep(options, seats, deals, policy)[0].values()) == balances
