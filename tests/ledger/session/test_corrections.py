"""A correction appends, and everything stands as if it had been recorded right the first time."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine import errors
from engine.errors import RuleViolation
from engine.games import GAMES
from ledger.postings import postings
from ledger.projections.deals import newest_first
from ledger.statement import statement
from tests.engine.anyone import Anyone
from tests.engine.test_evenings import by_tricks
from tests.evenings import E1, lines, player
from tests.ledger.book import Book
from tests.spec import ADA, BO, CILLA, DISA

histories = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def tricks(letters):
    return [c.Trick(winner=player(letter)) for letter in letters]


def e1():
    book = Book()
    for line in lines(E1):
        book.act(*by_tricks(line))
        book.settle()
    return book


def stands(book):
    """Everything that a table would ask for; what is owed counted as paid."""
    session = book.session
    return {
        "funds": [session.funds(p) for p in session.table.players],
        "pot": session.pot,
        "bets": book.bets,
        "sheet": session.sheet,
        "dealer": session.table.dealer,
        "next": session.table.next_number,
        "open": session.table.open,
        "deals": [
            (d.number, d.status, [r.event for r in d.facts]) for d in newest_first(session.deals)
        ],
        "legal": book.legal,
    }


# --- by hand -------------------------------------------------------------------------------------


def test_e1_with_deal_2_corrected_after_deal_7():
    """In deal 2 (Bo dealt, Disa declared) the tricks were really B A B D D: Bo was first to two.

    Bo takes 20 instead of Ada: after it -10 0 10 -20, and everything later is worth the same, for
    the bet that Disa laid is the same: 20. Ada ends 20 lower and Bo 20 higher.
    """
    book = e1()
    assert book.balances == [-50, -40, 150, -60]
    (corrected,) = book.correct(2, c.Declare(players=(DISA,)), *tricks("BABDD"))
    book.settle()
    assert book.balances == [-70, -20, 150, -60]
    assert (book.session.pot, book.bets) == (0, [])
    assert [again.deal for again in corrected.event.rescored] == [2]
    moved = [(p.source, p.target, p.amount) for p in postings(corrected.event)]
    assert moved == [("player:p1", "player:p2", 20)]


def test_e1_with_deal_2_passed_out_after_deal_7():
    """Nobody declared in deal 2: the pot stays, and Bo's bet of 10 lies on.

    deal 2: -10 -20  10   0 | 10 | B10, deal 3, all pass: -10 -20   0   0 | 20 | B10
    deal 4: -10  20 -40 -50 |  0 | C40 D40: the pot of 30 and Bo's own bet, 40 to play for
    deal 5: -70 -30 160 -100 | 0 | D40: Cilla's la vola for 50, as before
    deal 6: -70 -40 160 -100 | 10 | D40, deal 7: -70 -40 150 -40 | 0 |
    """
    book = e1()
    (corrected,) = book.correct(2, c.AllPass())
    book.settle()
    assert book.balances == [-70, -40, 150, -40]
    assert (book.session.pot, book.bets) == (0, [])
    # what the pot and the bets hand on differs until deal 4, and nothing after it
    assert [again.deal for again in corrected.event.rescored] == [2, 4, 5, 7]


def test_a_settled_la_vola_is_settled_by_the_difference():
    """Deal 1: Bo declared and won his own deal, so there was no bet to play for in deal 2."""
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    vola = c.Vola(player=CILLA, won=True)
    book.act(c.OpenDeal(), c.Declare(players=(CILLA,)), c.Result(la_vola=vola))
    book.settle()
    assert book.balances == [-30, -40, 90, -20]
    book.correct(1, c.Declare(players=(BO,)), c.Result(winner=BO))
    legs = [(leg.payer, leg.payee, leg.amount, bool(leg.reverses)) for leg in book.due]
    assert legs == [(CILLA, DISA, 10, True), (CILLA, ADA, 10, True), (CILLA, BO, 10, True)]
    book.settle()
    assert book.balances == [-20, -10, 40, -10]
    book.correct(1, c.Declare(players=(BO,)), c.Result(winner=CILLA))
    book.settle()
    assert book.balances == [-30, -40, 90, -20]


def test_a_deal_that_never_counted_gives_its_stake_back_and_the_rest_rolls_on():
    book = Book()
    book.act(c.OpenDeal(), c.AllPass())
    book.act(c.OpenDeal(), c.AllPass())
    book.never(1)
    assert book.balances == [0, -10, 0, 0]
    assert book.session.pot == 10
    first, second = list(newest_first(book.session.deals))[::-1]
    assert (first.status, second.status) == ("voided", "closed")
    assert second.opening.played_for == 10
    assert book.session.table.dealer == CILLA
    assert book.session.table.next_number == 3


def test_after_the_last_deal_was_voided_the_same_one_deals_again():
    book = Book()
    book.act(c.OpenDeal(), c.AllPass())
    book.act(c.OpenDeal(), c.AllPass())
    book.never(2)
    assert (book.session.table.dealer, book.session.table.next_number) == (BO, 3)
    book = Book(misdeal_policy="next_dealer")
    book.act(c.OpenDeal(), c.AllPass())
    book.never(1)
    assert book.session.table.dealer == BO


def test_the_deal_shows_what_it_was_before():
    book = e1()
    book.correct(2, c.AllPass())
    deal = next(d for d in newest_first(book.session.deals) if d.number == 2)
    (before,) = deal.before
    assert (before.deal, before.version) == (2, book.session.version)
    assert before.facts[-1].event.winner == ADA
    assert deal.closing.outcome == "all_pass"
    fourth = next(d for d in newest_first(book.session.deals) if d.number == 4)
    assert fourth.before[0].deal == 2, "scored again because of deal 2"


def test_a_correction_of_a_correction_goes_back():
    book = e1()
    was = stands(book)
    book.correct(2, c.AllPass())
    book.settle()
    book.correct(2, c.Declare(players=(DISA,)), *tricks("AABDD"))
    book.settle()
    now = stands(book)
    assert {**now, "deals": 0} == {**was, "deals": 0}
    assert now["deals"] == was["deals"]


def test_an_open_deal_goes_on_with_what_is_played_for_now():
    book = e1()
    book.act(c.OpenDeal(), c.Declare(players=(ADA,)), *tricks("AB"))
    book.correct(7, c.AllPass())
    assert book.session.table.open
    assert book.session.table.table.phase.deal.played_for == 20 + 10 + 40
    book.act(*tricks("AAA"))
    assert book.session.pot == 0


def test_undo_after_a_correction_takes_back_the_last_action_as_it_stands_now():
    book = e1()
    book.correct(2, c.AllPass())
    book.settle()
    book.undo()
    assert book.session.table.open
    assert book.session.table.number == 7
    book.act(c.Trick(winner=CILLA))
    book.settle()
    assert book.balances == [-70, -40, 150, -40]
    for who in (ADA, BO, CILLA, DISA):
        made = statement(book.session, book.history, who)
        assert made.closing == book.session.balances[who]


# --- what is refused -----------------------------------------------------------------------------


def test_what_does_not_bring_the_deal_to_its_end_is_refused():
    book = e1()
    with pytest.raises(errors.DealNotClosed):
        book.correct(2, c.Declare(players=(DISA,)), *tricks("BA"))


@pytest.mark.parametrize("said", [c.OpenDeal(), c.Undo(), c.Reseat(players=(ADA, BO, CILLA))])
def test_a_correction_is_of_one_deal_alone(said):
    with pytest.raises(errors.NotNow):
        e1().correct(2, said)


def test_a_deal_that_is_not_there_or_still_open_cannot_be_corrected():
    book = e1()
    with pytest.raises(errors.NoSuchDeal):
        book.correct(8, c.AllPass())
    book.never(3)
    with pytest.raises(errors.NoSuchDeal):
        book.correct(3, c.AllPass())
    book.act(c.OpenDeal())
    with pytest.raises(errors.DealIsOpen):
        book.correct(8, c.AllPass())
    book.misdeal()
    book.close()
    with pytest.raises(errors.SessionClosed):
        book.correct(2, c.AllPass())


def test_later_deals_that_could_not_have_been_played_are_named_or_voided():
    """Cilla had won the game in deal 2, so that deal 3 was never played."""
    book = Book(game=GAMES["knektpass"], start=5)
    alone = [c.Stay(player=CILLA), c.Pass(player=DISA), c.Pass(player=ADA)]
    book.act(c.OpenDeal(), c.AllPass())
    book.act(c.OpenDeal(), c.AllPass())
    book.act(c.OpenDeal(), c.AllPass())
    with pytest.raises(errors.LaterDealsBreak) as broken:
        book.correct(2, *alone, c.Pass(player=BO))
    assert broken.value.operands == {"deals": [3]}
    version = book.session.version
    book.correct(2, *alone, c.Pass(player=BO), later="void")
    assert book.session.version == version + 1
    assert book.session.sheet.winners == (CILLA,)
    assert book.session.sheet.scores[CILLA] == 0
    assert newest_first(book.session.deals).__next__().status == "voided"


# --- by chance -----------------------------------------------------------------------------------


class Deals:
    """Deals of a game at random, and the same evening with mistakes in it."""

    def __init__(self, key, die, options):
        self.game = GAMES[key]
        self.die = die
        self.players = die.choice(self.game.seats[:4])
        self.options = options

    def book(self):
        return Book(self.players, game=self.game, **self.options)

    def deal(self, book):
        """One more deal, from its opening to its end."""
        said = [c.OpenDeal()]
        book.act(*said)
        anyone = Anyone(self.die, but=("undo", "reseat", "redeal"))
        while book.session.table.open:
            said.append(anyone.next(book.legal))
            book.act(said[-1])
        if self.die.random() < 0.5:
            book.settle()
        return said[1:]


@pytest.mark.parametrize("key", GAMES)
@histories
@given(seed=st.integers(0, 2**32))
def test_a_history_with_corrections_equals_the_one_recorded_right_the_first_time(key, seed):
    die = Random(seed)
    bank = die.random() < 0.3
    options = {"point_value": 10} if GAMES[key].scoring and bank else {}
    deals = Deals(key, die, options)
    right, said = deals.book(), []
    for _ in range(die.randint(2, 6)):
        if not any(action.type == "open_deal" for action in right.legal):
            break
        said.append(deals.deal(right))
    wrong, mistaken = deals.book(), []
    try:
        for number, actions in enumerate(said, start=1):
            if die.random() < 0.5:
                deals.deal(wrong)
                mistaken.append(number)
            else:
                wrong.act(c.OpenDeal(), *actions)
            if die.random() < 0.3:
                wrong.settle()
        die.shuffle(mistaken)
        for number in mistaken:
            wrong.correct(number, *said[number - 1])
            if die.random() < 0.5:
                wrong.settle()
    except RuleViolation:
        return  # the mistakes made an evening that could not have been; said elsewhere
    for book in (right, wrong):
        book.settle()
    assert stands(wrong) == stands(right)
    assert wrong.balances == right.balances
    for who in wrong.session.table.players:
        made = statement(wrong.session, wrong.history, who)
        assert made.opening + sum(line.change for line in made.lines) == made.closing


def test_what_a_correction_leaves_as_it_was_keeps_its_version_and_time():
    book = Book()
    was = book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    (corrected,) = book.correct(1, c.Declare(players=(BO,)), c.Result(winner=BO))
    deal = book.session.deals.last
    assert deal.facts[:2] == tuple(was[:2])  # opened and declared
    assert [one.type for one in deal.facts] == [
        "deal_opened",
        "declared",
        "result_recorded",
        "pot_taken",
        "deal_closed",
    ]
    changed = deal.facts[2:]
    assert {(one.version, one.at) for one in changed} == {(corrected.version, corrected.at)}
    (before,) = deal.before
    assert (before.version, before.at, before.deal) == (corrected.version, corrected.at, 1)
    assert before.facts == tuple(was)


def test_of_a_deal_that_never_counted_only_its_opening_is_left():
    book = Book()
    was = book.act(c.OpenDeal(), c.AllPass())
    book.never(1)
    deal = book.session.deals.last
    assert (deal.status, deal.closing, deal.facts) == ("voided", None, (was[0],))
