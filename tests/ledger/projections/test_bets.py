"""The stack of bets as the events tell it: every fact adds to it or takes from it, and back."""

import pytest

from engine import commands as c
from engine import events as e
from engine.bets import Bet
from ledger.envelope import record
from ledger.projections.bets import NONE, apply
from tests.ledger.book import ID, Book
from tests.spec import ADA, BO, CILLA, DISA

both_fail = (c.OpenDeal(), c.Declare(players=(ADA, DISA)), c.Result(winner=BO))


def told(bets, *facts):
    """The stack after these facts."""
    for one in record(ID, facts, version=1, before=b"", at=0, by="host.0"):
        bets = apply(bets, one)
    return bets


def bet(number, *by, deal=1, each=10, paid=True):
    return Bet(number=number, deal=deal, by=by, each=each, paid=paid)


def laid(number, *by, **more):
    named = {"deal": 1, "each": 10, "played_for": 10, "multiplier": 1, **more}
    return e.BetLaid(bet=number, by=by, **named)


STACK = (bet(1, ADA), bet(2, DISA, each=20), bet(3, BO, paid=False))
taken = e.BetTaken(deal=2, bet=2, player=CILLA, by=(DISA,), each=20, laid_in=1)
merged = e.BetsMerged(deal=1, bet=1, added=2, by=(DISA,), each=10)
parted = e.BetsParted(deal=1, bet=1, parted=3, by=(DISA,), each=10)
BOTH = (bet(1, ADA), bet(2, DISA))
WHOLE = (bet(1, ADA, DISA),)
BOS = bet(4, BO)

FACTS = [
    (NONE, laid(1, ADA), (bet(1, ADA),)),
    (BOTH[1:], laid(1, ADA, paid=False), (bet(1, ADA, paid=False), BOTH[1])),
    (STACK, taken, (STACK[0], STACK[2])),
    (BOTH, merged, WHOLE),
    (WHOLE, parted, (bet(1, ADA), bet(3, DISA))),
    ((*BOTH, BOS), merged, (*WHOLE, BOS)),
    ((*WHOLE, BOS), parted, (bet(1, ADA), bet(3, DISA), BOS)),
]
ENDINGS = [
    (e.BetWaived(bet=3), STACK[:2]),
    (e.BetShared(bet=1, shares=(e.Share(player=ADA, amount=10),)), STACK[1:]),
    (e.BetCollected(bet=3, by=(BO,), each=10), (*STACK[:2], bet(3, BO))),
]


@pytest.mark.parametrize(
    ("before", "fact", "after"), FACTS, ids=[type(f).__name__ for _, f, _ in FACTS]
)
def test_a_fact_changes_the_stack_and_taken_back_changes_it_back(before, fact, after):
    assert told(before, fact) == after
    assert told(after, e.ActionUndone(deal=fact.deal, took_back=(fact,))) == before
    assert told(after, e.DealVoided(deal=1, took_back=(fact,), next_dealer=ADA)) == before


@pytest.mark.parametrize(("fact", "after"), ENDINGS, ids=lambda x: type(x).__name__)
def test_what_ends_a_bet_takes_it_away(fact, after):
    assert told(STACK, fact) == after


def test_facts_are_taken_back_the_last_one_first():
    facts = (laid(1, ADA), laid(2, DISA), merged)
    assert told(NONE, *facts) == WHOLE
    assert told(WHOLE, e.ActionUndone(deal=1, took_back=facts)) == NONE


def test_what_is_no_bet_leaves_the_stack_as_it_is():
    assert told(STACK, e.PotTaken(deal=2, player=BO, amount=10), e.AllPassed()) == STACK


def test_bets_that_were_brought_are_of_no_deal_of_this_evening():
    left = (e.Brought(bet=1, by=(ADA, BO), each=20, paid=False),)
    begun = e.BroughtForward(session="", version=1, hash="", pot=0, bets=left, balances={})
    assert told(NONE, begun) == (bet(1, ADA, BO, deal=0, each=20, paid=False),)


@pytest.mark.parametrize("together", [True, False])
def test_an_evening_tells_the_same_stack_as_its_table(together):
    book = Book(4, first_dealer=ADA, merge_double_bets=not together)
    book.act(*both_fail)
    book.act(c.Merge(together=together))
    assert book.session.bets == book.session.table.table.bets
    assert [one.by for one in book.session.bets] == (
        [(DISA, ADA)] if together else [(DISA,), (ADA,)]
    )
    book.undo()
    assert book.session.bets == book.session.table.table.bets


@pytest.mark.parametrize("together", [True, False])
def test_claims_put_together_or_taken_apart_move_nothing(together):
    """What nobody has paid in cannot go from one bet to another."""
    book = Book(4, merge_double_bets=not together, bet_payment="on_collection")
    book.act(*both_fail)
    (written,) = [one.event for one in book.act(c.Merge(together=together))]
    assert written.paid is False
    assert [bet.paid for bet in book.session.bets] == [False] * (1 if together else 2)
    assert not any("bet:" in line.source for line in book.lines.values())
