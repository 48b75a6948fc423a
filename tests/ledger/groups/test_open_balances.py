"""Open balances add up to zero in every currency, and each contains its reasons."""

from random import Random
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import commands as c
from engine.games.registry import GAMES
from ledger.groups import group_events as g
from ledger.groups import open_balances
from ledger.groups.groups import GroupSession
from ledger.groups.open_balances import PlanHasChanged, fold_open_balances, limit_to_open_balance
from tests.support.ledger import random_group_events as scenes
from tests.support.ledger.carried_sessions import carry_forward
from tests.support.ledger.cost_walk import CostWalk, book_for_money
from tests.support.ledger.memory_store import Book
from tests.support.ledger.random_group_events import MEMBERS, import_two_results, record_events

random_groups = settings(max_examples=60, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32)


def group_session(number, members):
    return GroupSession(
        number=number,
        session_id=UUID(int=number),
        title=None,
        generations=(0, 0, 0),
        members=members,
    )


def balances(sessions, *events):
    """Return the amounts of each currency, those of players by the number of their session."""
    return {
        folded.currency: {
            row.owner.member or (row.owner.session, row.owner.player): row.amount
            for row in folded.balances
        }
        for folded in fold_open_balances(sessions, record_events(*events))
    }


def assert_adds_up(sessions, events):
    for folded in fold_open_balances(sessions, events):
        assert sum(row.amount for row in folded.balances) + folded.on_table == 0
        for row in folded.balances:
            assert row.amount == sum(part.amount for part in row.parts)
            assert row.amount == (
                folded.of_member(row.owner.member) if row.owner.member else row.amount
            )


@random_groups
@given(seed=seeds)
def test_rows_add_up_to_zero_at_every_version(seed):
    die, sessions = Random(seed), []
    for number in range(1, die.randint(1, 3) + 1):
        book = book_for_money(die.choice(["polskt_pass", "polskpas", "spader"]), "SEK")
        known = die.randint(2, 4)
        members = dict(zip(("p1", "p2", "p3", "p4"), die.sample(MEMBERS, known), strict=False))
        place = len(sessions)
        sessions.append((group_session(number, members), book.session))

        def check_version(book=book, place=place, members=members, number=number):
            sessions[place] = (group_session(number, members), book.session)
            assert_adds_up(sessions, ())

        book.watch = check_version
        walk = CostWalk(book, die)
        for _ in range(25):
            walk.step()
    events = record_events(*scenes.random_history(die, 15))
    for number in range(len(events) + 1):
        assert_adds_up(sessions, events[:number])


def test_a_payment_settles_what_two_evenings_left():
    first, second = Book(), Book()
    first.transfer("p1", "p2", 300)
    second.transfer("p2", "p1", 100)
    members = {f"p{n}": f"m{n}" for n in range(1, 5)}
    sessions = [
        (group_session(1, members), first.session),
        (group_session(2, members), second.session),
    ]
    assert balances(sessions) == {"SEK": {"m1": 200, "m2": -200}}
    paid = g.GroupTransferRecorded(payer="m2", payee="m1", amount=200, currency="SEK")
    assert balances(sessions, paid) == {"SEK": {"m1": 0, "m2": 0}}


def test_a_player_who_is_no_member_has_a_row():
    book = Book()
    book.transfer("p1", "p2", 300)
    sessions = [(group_session(3, {"p1": "m4"}), book.session)]
    assert balances(sessions) == {"SEK": {"m4": 300, (3, "p2"): -300}}


def test_a_game_for_points_does_not_count():
    points = Book(game=GAMES["spader"])
    assert balances([(group_session(1, {}), points.session)]) == {}


def test_a_session_carried_forward_counts_only_where_it_is_carried_to():
    earlier = Book()
    earlier.transfer("p1", "p2", 300)
    later = carry_forward(earlier)
    members = {"p1": "m1", "p2": "m2"}
    sessions = [(group_session(n, members), b.session) for n, b in ((1, earlier), (2, later))]
    [folded] = fold_open_balances(sessions, ())
    assert [[part.number for part in row.parts] for row in folded.balances] == [[2], [2]]
    assert folded.of_member("m1") == 300


def test_an_import_counts_unless_it_is_settled_or_voided():
    assert balances([], import_two_results(70, settled=True)) == {}
    assert balances([], import_two_results(70)) == {"SEK": {"m1": 70, "m2": -70}}
    assert balances([], import_two_results(70), g.ImportVoided(number=1)) == {}


def test_a_balance_handed_over_or_written_off_goes_to_others():
    owed = g.GroupTransferRecorded(payer="m1", payee="m2", amount=100, currency="SEK")
    handed_over = g.BalanceHandedOver(member="m1", recipient="m3", amount=100, currency="SEK")
    assert balances([], owed, handed_over) == {"SEK": {"m1": 0, "m2": -100, "m3": 100}}
    off = scenes.write_off("m2", -100, "SEK", number=1)
    assert balances([], owed, off) == {"SEK": {"m1": 66, "m2": 0, "m3": -33, "m4": -33}}


def test_every_part_of_a_balance_says_what_it_comes_from():
    book = Book()
    book.transfer("p1", "p2", 300)
    session = group_session(1, {"p1": "m1", "p2": "m2"}), book.session
    events = record_events(
        import_two_results(70),
        g.GroupTransferRecorded(payer="m2", payee="m1", amount=100, currency="SEK"),
        g.BalanceHandedOver(member="m1", recipient="m3", amount=270, currency="SEK"),
        scenes.write_off("m2", -270, "SEK", number=1),
    )
    [folded] = fold_open_balances([session], events)
    assert {row.owner.id: [part.source for part in row.parts] for row in folded.balances} == {
        "m1": ["evening", "import", "transfer", "handed_over", "borne"],
        "m2": ["evening", "import", "transfer", "written_off"],
        "m3": ["taken_over", "borne"],
        "m4": ["borne"],
    }


def test_members_come_before_players_who_are_none():
    book = Book()
    book.transfer("p1", "p2", 300)
    [folded] = fold_open_balances([(group_session(1, {"p1": "m4"}), book.session)], ())
    assert [row.owner.id for row in folded.balances] == ["m4", "e1.p2"]


def test_a_dealt_stake_is_on_the_table():
    book = Book(stake=10)
    book.act(c.OpenDeal())
    [folded] = fold_open_balances([(group_session(1, {"p1": "m1"}), book.session)], ())
    assert (folded.on_table, folded.of_member("m1")) == (10, -10)


def test_a_bet_that_nobody_has_paid_is_not_on_the_table():
    book = Book(stake=10, bet_payment="on_collection")
    book.act(c.OpenDeal(), c.Declare(players=("p2",)), c.Result(winner="p3"))
    assert [bet.paid for bet in book.session.bets] == [False]
    assert_adds_up([(group_session(1, {}), book.session)], ())


def test_a_la_vola_that_is_due_counts_as_paid():
    book = Book(3, stake=10)
    vola = c.Vola(player="p2", won=True)
    book.act(c.OpenDeal(), c.Declare(players=("p2",)), c.Result(la_vola=vola))
    sessions = [(group_session(1, {"p1": "m1", "p2": "m2", "p3": "m3"}), book.session)]
    assert balances(sessions) == {"SEK": {"m1": -20, "m2": 30, "m3": -10}}


def test_a_payment_is_cancelled_by_one_of_its_amount_and_currency():
    """Bo has paid Ada three times; each payment is the latest one of its kind."""
    payments = [
        g.GroupTransferRecorded(payer="m2", payee="m1", amount=amount, currency=currency)
        for amount, currency in ((300, "SEK"), (300, "DKK"), (200, "SEK"))
    ]
    for number, paid in enumerate(payments, start=1):
        reversal = replace(paid, payer="m1", payee="m2")
        open_balances.check_uncancelled(reversal, number, record_events(*payments))
        with pytest.raises(PlanHasChanged):
            open_balances.check_uncancelled(reversal, number, record_events(*payments, reversal))


LEFT_OPEN = [  # an evening left, the balance over all, what is still open of the evening
    (500, 800, 500),
    (500, 200, 200),
    (500, 0, None),
    (500, -100, None),
    (1, 0, None),
    (1, 800, 1),
    (-500, -800, -500),
    (-500, -200, -200),
    (-500, 0, None),
    (-500, 100, None),
    (-1, 0, None),
    (-1, -800, -1),
]


def one_balance(amount):
    part = open_balances.BalancePart(source="evening", number=1, amount=amount)
    owner = open_balances.BalanceOwner(member="m1")
    row = open_balances.OpenBalance(owner=owner, parts=(part,))
    return [open_balances.CurrencyBalances(currency="SEK", balances=(row,), on_table=0)]


@pytest.mark.parametrize(("left", "balance", "still_open"), LEFT_OPEN)
def test_after_a_payment_of_the_group_no_more_is_open_than_the_balance(left, balance, still_open):
    paid = g.GroupTransferRecorded(payer="m2", payee="m1", amount=100, currency="SEK")
    expected = {} if still_open is None else {"SEK": still_open}
    limited = limit_to_open_balance("m1", {"SEK": left}, one_balance(balance), record_events(paid))
    assert limited == expected


def test_without_a_payment_of_the_group_all_that_evenings_left_is_open():
    amounts = {"SEK": 500, "EUR": -1}
    others = g.GroupTransferRecorded(payer="m2", payee="m3", amount=100, currency="SEK")
    elsewhere = g.GroupTransferRecorded(payer="m2", payee="m1", amount=100, currency="DKK")
    borne_by_others = scenes.write_off("m2", -1, "SEK", number=2)
    events = record_events(others, elsewhere, borne_by_others)
    assert limit_to_open_balance("m1", amounts, one_balance(0), events) == amounts
