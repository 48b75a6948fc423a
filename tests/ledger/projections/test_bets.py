"""The bet stack folded from events: each event adds or removes bets, and undo restores them."""

import pytest

from engine import commands as c
from engine import events as e
from engine.scoring.bet_stack import Bet
from ledger.events.recorded_event import record_events
from ledger.projections.bets import apply
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA
from tests.support.ledger.memory_store import ID, Book

both_fail = (c.OpenDeal(), c.Declare(players=(ADA, DISA)), c.Result(winner=BO))


def apply_events(bets, *facts):
    """Return the stack after these events."""
    for recorded in record_events(ID, facts, version=1, previous_hash=b"", at=0, by="host.0"):
        bets = apply(bets, recorded)
    return bets


def bet(number, *by, deal=1, stake=10, paid=True):
    return Bet(number=number, deal=deal, by=by, each=stake, paid=paid)


def laid(number, *by, **more):
    named = {"deal": 1, "each": 10, "played_for": 10, "multiplier": 1, **more}
    return e.BetLaid(bet=number, by=by, **named)


STACK = (bet(1, ADA), bet(2, DISA, stake=20), bet(3, BO, paid=False))
bet_taken = e.BetTaken(deal=2, bet=2, player=CILLA, by=(DISA,), each=20, laid_in=1)
merged = e.BetsMerged(deal=1, bet=1, added=2, by=(DISA,), each=10)
parted = e.BetsParted(deal=1, bet=1, parted=3, by=(DISA,), each=10)
TWO_BETS = (bet(1, ADA), bet(2, DISA))
MERGED_BET = (bet(1, ADA, DISA),)
BOS = bet(4, BO)

FACTS = [
    ((), laid(1, ADA), (bet(1, ADA),)),
    (TWO_BETS[1:], laid(1, ADA, paid=False), (bet(1, ADA, paid=False), TWO_BETS[1])),
    (STACK, bet_taken, (STACK[0], STACK[2])),
    (TWO_BETS, merged, MERGED_BET),
    (MERGED_BET, parted, (bet(1, ADA), bet(3, DISA))),
    ((*TWO_BETS, BOS), merged, (*MERGED_BET, BOS)),
    ((*MERGED_BET, BOS), parted, (bet(1, ADA), bet(3, DISA), BOS)),
]
ENDINGS = [
    (e.BetWaived(bet=3), STACK[:2]),
    (e.BetShared(bet=1, shares=(e.Share(player=ADA, amount=10),)), STACK[1:]),
    (e.BetCollected(bet=3, by=(BO,), each=10), (*STACK[:2], bet(3, BO))),
]


@pytest.mark.parametrize(
    ("before", "fact", "after"), FACTS, ids=[type(f).__name__ for _, f, _ in FACTS]
)
def test_an_event_changes_the_stack_and_its_undo_restores_it(before, fact, after):
    assert apply_events(before, fact) == after
    assert apply_events(after, e.ActionUndone(deal=fact.deal, took_back=(fact,))) == before
    assert apply_events(after, e.DealVoided(deal=1, took_back=(fact,), next_dealer=ADA)) == before


@pytest.mark.parametrize(("fact", "after"), ENDINGS, ids=lambda x: type(x).__name__)
def test_an_event_that_ends_a_bet_removes_it(fact, after):
    assert apply_events(STACK, fact) == after


def test_events_are_undone_in_reverse_order():
    facts = (laid(1, ADA), laid(2, DISA), merged)
    assert apply_events((), *facts) == MERGED_BET
    assert apply_events(MERGED_BET, e.ActionUndone(deal=1, took_back=facts)) == ()


def test_other_events_leave_the_stack_unchanged():
    assert apply_events(STACK, e.PotTaken(deal=2, player=BO, amount=10), e.AllPassed()) == STACK


def test_carried_bets_belong_to_no_deal_of_this_session():
    left = (e.CarriedBet(bet=1, by=(ADA, BO), each=20, paid=False),)
    brought_forward = e.BroughtForward(
        session="", version=1, hash="", pot=0, bets=left, balances={}
    )
    assert apply_events((), brought_forward) == (bet(1, ADA, BO, deal=0, stake=20, paid=False),)


@pytest.mark.parametrize("merges", [True, False])
def test_the_session_and_its_table_have_the_same_stack(merges):
    book = Book(4, first_dealer=ADA, merge_double_bets=not merges)
    book.act(*both_fail)
    book.act(c.Merge(together=merges))
    assert book.session.bets == book.session.table.game_state.bets
    assert [bet.by for bet in book.session.bets] == ([(DISA, ADA)] if merges else [(DISA,), (ADA,)])
    book.undo()
    assert book.session.bets == book.session.table.game_state.bets


@pytest.mark.parametrize("merges", [True, False])
def test_merging_or_splitting_unpaid_bets_moves_no_money(merges):
    """Money that has not been paid in cannot move from one bet to another."""
    book = Book(4, merge_double_bets=not merges, bet_payment="on_collection")
    book.act(*both_fail)
    (written,) = [recorded.event for recorded in book.act(c.Merge(together=merges))]
    assert written.paid is False
    assert [bet.paid for bet in book.session.bets] == [False] * (1 if merges else 2)
    assert not any("bet:" in line.source for line in book.lines.values())
