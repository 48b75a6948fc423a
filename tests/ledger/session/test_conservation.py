"""Money is conserved: at every version of every legal sequence of actions."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine.errors import RuleViolation
from ledger.events import codec
from ledger.events.recorded_event import record_events
from ledger.projections.deals import newest_first
from ledger.session import command_handlers
from ledger.session.session_state import SessionState, fold
from tests.support.engine.random_walk import every_possible_command, next_action
from tests.support.ledger.carried_sessions import GAME_OPTIONS
from tests.support.ledger.memory_store import ID, Book, Walk, play_random_book

random_evenings = settings(max_examples=50, deadline=None, derandomize=True, database=None)

options = st.fixed_dictionaries(
    {
        **GAME_OPTIONS,
        "stake": st.integers(1, 1000),
        "credit_limit": st.none() | st.integers(0, 20_000),
    }
)
policies = st.sampled_from(["carry", "refund_bets", "split_equal", "play_on"])
seeds = st.integers(0, 2**32)


def accounts(lines):
    """Return the balance of each account after these journal lines."""
    balances = Counter()
    for line in lines:
        assert line.amount > 0
        balances[line.source] -= line.amount
        balances[line.target] += line.amount
    return {account: amount for account, amount in balances.items() if amount}


def expected_accounts(session):
    """Return the balance of each account by the projections."""
    balances = {f"player:{player}": amount for player, amount in session.balances.items()}
    balances["pot"] = session.pot
    balances.update({f"bet:{bet.number}": bet.amount for bet in session.bets if bet.paid})
    return {account: amount for account, amount in balances.items() if amount}


def assert_balanced(book):
    """Assert what holds at every version."""
    session = book.session
    paid_bets = sum(bet.each * len(bet.by) for bet in session.bets if bet.paid)
    assert sum(session.balances.values()) + session.pot + paid_bets == 0

    table = session.table.game_state
    assert session.pot == table.pot
    bets = [(b.number, b.deal, b.by, b.each, b.paid) for b in session.bets]
    assert bets == [(b.number, b.deal, b.by, b.each, b.paid) for b in table.bets]


def assert_journal_balanced(book):
    """Assert that the lines in force and all lines, undone ones included, have the same sums."""
    lines = book.lines.values()
    effective_lines = [line for line in lines if line.undone_by is None]
    assert accounts(effective_lines) == accounts(lines) == expected_accounts(book.session)


def assert_deals_agree(book):
    """Assert that the projected deals are those of the table."""
    session, evening = book.session, book.session.table
    projected = [deal for deal in newest_first(session.deals) if not deal.voided]
    numbers = [deal.number for deal in newest_first(session.deals)]
    assert numbers == sorted(set(numbers), reverse=True), "a number is never used again"
    assert [deal.number for deal in projected if deal.status == "open"] == (
        [evening.deal_number] if evening.deal_is_open else []
    )
    assert evening.deal_number == (projected[0].number if projected else 0)


@random_evenings
@given(options, st.integers(3, 5), seeds)
def test_every_version_of_a_random_session_is_balanced(agreed, players, seed):
    book = Book(players, **agreed)
    book.watch = lambda: assert_balanced(book)
    walk = Walk(book, Random(seed))
    for _ in range(120):
        walk.step()
        assert_journal_balanced(book)


@random_evenings
@given(options, st.integers(3, 5), seeds)
def test_the_projected_deals_are_those_of_the_table(agreed, players, seed):
    book = Book(players, **agreed)
    walk = Walk(book, Random(seed))
    for _ in range(120):
        walk.step()
        assert_deals_agree(book)


@random_evenings
@given(options, st.integers(3, 5), seeds, policies)
def test_a_session_closed_by_any_policy_is_balanced_and_stays_closed(agreed, players, seed, policy):
    book = play_random_book(40, seed, players, **agreed)
    while book.session.table.deal_is_open:
        book.undo()
    leftovers = book.session.pot + sum(bet.amount for bet in book.session.bets)
    book.watch = lambda: assert_balanced(book)
    if policy == "play_on" and leftovers:
        with pytest.raises(RuleViolation):
            book.close(policy)
        return
    book.close(policy)
    assert_journal_balanced(book)
    if policy in ("refund_bets", "split_equal"):
        assert (book.session.pot, book.session.bets) == (0, ())
    assert book.session.status == "closed"
    assert book.legal == ()
    with pytest.raises(RuleViolation):
        book.undo()
    book.settle()
    book.transfer("p1", "p2", 5)
    assert_journal_balanced(book)


@random_evenings
@given(options, st.integers(3, 5), seeds)
def test_an_illegal_action_is_refused_and_changes_nothing(agreed, players, seed):
    book, die = Book(players, **agreed), Random(seed)
    walk = Walk(book, die)
    for _ in range(die.randint(0, 60)):
        walk.step()
    session = book.session
    before = visible_state(session)
    refused = 0
    for action in every_possible_command(session.table):
        try:
            command_handlers.record_actions(session, (action,))
        except RuleViolation:
            refused += 1
    assert refused, "most of it is nonsense"
    assert visible_state(session) == before
    assert book.session is session


@random_evenings
@given(options, st.integers(3, 5), seeds)
def test_a_batch_is_written_whole_or_not_at_all(agreed, players, seed):
    """All actions of a session in one batch make the same events; with an illegal one, none."""
    book, die = Book(players, **agreed), Random(seed)
    opened, actions = book.session, []
    while book.legal and len(actions) < 40:
        actions.append(next_action(book.legal, die))
        book.act(actions[-1])
    assert list(command_handlers.record_actions(opened, actions)) == [
        r.event for r in book.history[1:]
    ]
    with pytest.raises(RuleViolation) as refusal:
        command_handlers.record_actions(opened, (*actions, c.OpenDeal(number=0)))
    assert refusal.value.operands["action"] == len(actions)


def visible_state(session):
    """Return everything that a session shows, without its undo history."""
    evening = session.table
    deals = [
        (deal.voided, [recorded.version for recorded in deal.facts])
        for deal in newest_first(session.deals)
    ]
    return (
        (
            session.version,
            session.conflict_version,
            session.hash,
            session.at,
            session.opened,
            session.options,
        ),
        (session.pot, session.bets, dict(session.balances), dict(session.payments), deals),
        (evening.players, evening.seats, evening.dealer, evening.game_state, evening.deal_number),
        (evening.highest_voided, evening.deal_is_open, evening.last_deal, evening.closed),
    )


@random_evenings
@given(options, st.integers(3, 5), seeds, policies)
def test_a_session_read_from_its_stored_bytes_is_the_same(agreed, players, seed, policy):
    book = play_random_book(40, seed, players, **agreed)
    read = [codec.decode(r.type, r.schema, r.data) for r in book.history]
    assert read == [recorded.event for recorded in book.history]

    recorded_events, session = [], SessionState(id=ID)
    for event, was in zip(read, book.history, strict=True):
        recorded_events += record_events(
            ID, (event,), version=session.version, previous_hash=session.hash, at=was.at, by=was.by
        )
        session = fold(session, recorded_events[-1:])
    assert recorded_events == book.history
    assert visible_state(session) == visible_state(book.session)
