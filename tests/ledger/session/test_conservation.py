"""No krona appears or is lost: whatever is legal, at every version, in whatever order."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine.errors import RuleViolation
from ledger import codec, handling
from ledger.envelope import record
from ledger.projections.deals import newest_first
from ledger.session import Session, fold
from tests.engine.walk import next_action, universe
from tests.ledger.book import ID, Book, Walk

random_evenings = settings(max_examples=50, deadline=None, derandomize=True, database=None)

options = st.fixed_dictionaries(
    {
        "stake": st.integers(1, 1000),
        "bet_multiplier": st.sampled_from([1, 2]),
        "merge_double_bets": st.booleans(),
        "amount_basis": st.sampled_from(["pot", "ante_only"]),
        "all_one_two_declarers": st.sampled_from(["both", "none"]),
        "bet_payment": st.sampled_from(["immediate", "on_collection"]),
        "bet_tie": st.sampled_from(["oldest", "newest"]),
        "allow_early_end": st.booleans(),
        "failed_vola_declarer_bet": st.sampled_from(["none", "bet"]),
        "jack_suit": st.sampled_from(["trump", "natural"]),
        "credit_limit": st.none() | st.integers(0, 20_000),
        "misdeal_policy": st.sampled_from(["same_dealer", "next_dealer"]),
    }
)
policies = st.sampled_from(["carry", "refund_bets", "split_equal", "play_on"])
seeds = st.integers(0, 2**32)


def accounts(lines):
    """What every account holds after these journal lines."""
    held = Counter()
    for line in lines:
        assert line.amount > 0
        held[line.source] -= line.amount
        held[line.target] += line.amount
    return {account: amount for account, amount in held.items() if amount}


def expected_accounts(session):
    """The same, as the projections tell it."""
    told = {f"player:{player}": amount for player, amount in session.balances.items()}
    told["pot"] = session.pot
    told.update({f"bet:{bet.number}": bet.amount for bet in session.bets if bet.paid})
    return {account: amount for account, amount in told.items() if amount}


def adds_up(book):
    """What is true at every version."""
    session = book.session
    paid_bets = sum(bet.each * len(bet.by) for bet in session.bets if bet.paid)
    assert sum(session.balances.values()) + session.pot + paid_bets == 0

    table = session.table.table
    assert session.pot == table.pot
    told = [(b.number, b.deal, b.by, b.each, b.paid) for b in session.bets]
    assert told == [(b.number, b.deal, b.by, b.each, b.paid) for b in table.bets]


def journal_adds_up(book):
    """The lines that stand, and all the lines with what was taken back, come to the same."""
    lines = book.lines.values()
    standing = [line for line in lines if line.undone_by is None]
    assert accounts(standing) == accounts(lines) == expected_accounts(book.session)


def deals_agree(book):
    """What is told of the deals is what the table knows of them."""
    session, evening = book.session, book.session.table
    told = [deal for deal in newest_first(session.deals) if not deal.voided]
    numbers = [deal.number for deal in newest_first(session.deals)]
    assert numbers == sorted(set(numbers), reverse=True), "a number is never used again"
    assert [deal.number for deal in told if deal.status == "open"] == (
        [evening.number] if evening.open else []
    )
    assert evening.number == (told[0].number if told else 0)


@random_evenings
@given(options, st.integers(3, 5), seeds)
def test_every_version_of_every_evening_adds_up(agreed, players, seed):
    book = Book(players, **agreed)
    book.watch = lambda: adds_up(book)
    walk = Walk(book, Random(seed))
    for _ in range(120):
        walk.step()
        journal_adds_up(book)


@random_evenings
@given(options, st.integers(3, 5), seeds)
def test_the_deals_as_told_are_the_deals_on_the_table(agreed, players, seed):
    book = Book(players, **agreed)
    walk = Walk(book, Random(seed))
    for _ in range(120):
        walk.step()
        deals_agree(book)


@random_evenings
@given(options, st.integers(3, 5), seeds, policies)
def test_an_evening_closed_by_any_policy_adds_up_and_stays_closed(agreed, players, seed, policy):
    book = Book(players, **agreed)
    walk = Walk(book, Random(seed))
    for _ in range(40):
        walk.step()
    while book.session.table.open:
        book.undo()
    left_over = book.session.pot + sum(bet.amount for bet in book.session.bets)
    book.watch = lambda: adds_up(book)
    if policy == "play_on" and left_over:
        with pytest.raises(RuleViolation):
            book.close(policy)
        return
    book.close(policy)
    journal_adds_up(book)
    if policy in ("refund_bets", "split_equal"):
        assert (book.session.pot, book.session.bets) == (0, ())
    assert book.session.status == "closed"
    assert book.legal == ()
    with pytest.raises(RuleViolation):
        book.undo()
    book.settle()
    book.transfer("p1", "p2", 5)
    journal_adds_up(book)


@random_evenings
@given(options, st.integers(3, 5), seeds)
def test_an_illegal_action_is_refused_and_changes_nothing(agreed, players, seed):
    book, die = Book(players, **agreed), Random(seed)
    walk = Walk(book, die)
    for _ in range(die.randint(0, 60)):
        walk.step()
    session = book.session
    before = as_told(session)
    refused = 0
    for said in universe(session.table):
        try:
            handling.actions(session, (said,))
        except RuleViolation:
            refused += 1
    assert refused, "most of it is nonsense"
    assert as_told(session) == before
    assert book.session is session


@random_evenings
@given(options, st.integers(3, 5), seeds)
def test_a_batch_is_written_whole_or_not_at_all(agreed, players, seed):
    """All that one evening said, sent at once, makes the same facts; with nonsense last, none."""
    book, die = Book(players, **agreed), Random(seed)
    opened, said = book.session, []
    while book.legal and len(said) < 40:
        said.append(next_action(book.legal, die))
        book.act(said[-1])
    assert list(handling.actions(opened, said)) == [r.event for r in book.history[1:]]
    with pytest.raises(RuleViolation) as refusal:
        handling.actions(opened, (*said, c.OpenDeal(number=0)))
    assert refusal.value.operands["action"] == len(said)


def as_told(session):
    """Everything that a session says, written out; what undo walks is left out."""
    evening = session.table
    deals = [
        (deal.voided, [recorded.version for recorded in deal.facts])
        for deal in newest_first(session.deals)
    ]
    return (
        (session.version, session.acted, session.hash, session.at, session.opened, session.options),
        (session.pot, session.bets, dict(session.balances), dict(session.payments), deals),
        (evening.players, evening.seats, evening.dealer, evening.table, evening.number),
        (evening.voided, evening.open, evening.last, evening.closed),
    )


@random_evenings
@given(options, st.integers(3, 5), seeds, policies)
def test_the_session_read_back_from_its_bytes_is_the_same(agreed, players, seed, policy):
    book = Book(players, **agreed)
    walk = Walk(book, Random(seed))
    for _ in range(40):
        walk.step()
    read = [codec.decode(r.type, r.schema, r.data) for r in book.history]
    assert read == [recorded.event for recorded in book.history]

    again, session = [], Session(id=ID)
    for event, was in zip(read, book.history, strict=True):
        again += record(
            ID, (event,), version=session.version, before=session.hash, at=was.at, by=was.by
        )
        session = fold(session, again[-1:])
    assert again == book.history
    assert as_told(session) == as_told(book.session)
