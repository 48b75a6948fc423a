"""A correction appends, and the state is as if the deal had been recorded right at first."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import commands as c
from engine import errors
from engine.errors import RuleViolation
from engine.games.registry import GAMES
from engine.session import undo
from ledger.audit.check_rules import decide_again, most_consequences
from ledger.projections.deals import newest_first
from ledger.projections.postings import postings_of
from ledger.session.session_state import SessionState, apply_event
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA
from tests.support.engine.random_player import RandomPlayer
from tests.support.ledger.memory_store import ID, Book, play_e1_book
from tests.support.ledger.unpaged_statement import build_statement
from tests.support.worked_evenings import player

histories = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def tricks(letters):
    return [c.Trick(winner=player(letter)) for letter in letters]


def visible_state(book):
    """Return everything that the table shows, with debts counted as paid."""
    session = book.session
    return {
        "funds": [session.funds(p) for p in session.table.players],
        "pot": session.pot,
        "bets": book.bets,
        "sheet": session.sheet,
        "dealer": session.table.dealer,
        "next": session.table.next_number,
        "open": session.table.deal_is_open,
        "deals": [
            (d.number, d.status, [r.event for r in d.facts]) for d in newest_first(session.deals)
        ],
        "legal": [replace(action, undo_target=None) for action in book.legal],
    }


# --- by hand -------------------------------------------------------------------------------------


def test_e1_with_deal_2_corrected_after_deal_7():
    """In deal 2 (Bo dealt, Disa declared) the tricks were really B A B D D: Bo was first to two.

    Bo takes 20 instead of Ada: after it -10 0 10 -20, and everything later is worth the same, for
    the bet that Disa laid is the same: 20. Ada ends 20 lower and Bo 20 higher.
    """
    book = play_e1_book()
    assert book.balances == [-50, -40, 150, -60]
    (corrected,) = book.correct(2, c.Declare(players=(DISA,)), *tricks("BABDD"))
    book.settle()
    assert book.balances == [-70, -20, 150, -60]
    assert (book.session.pot, book.bets) == (0, [])
    assert [rescored.deal for rescored in corrected.event.rescored] == [2]
    moved = [(p.source, p.target, p.amount) for p in postings_of(corrected.event)]
    assert moved == [("player:p1", "player:p2", 20)]


def test_e1_with_deal_2_passed_out_after_deal_7():
    """Nobody declared in deal 2: the pot and Bo's bet of 10 stay on the table.

    deal 2: -10 -20  10   0 | 10 | B10, deal 3, all pass: -10 -20   0   0 | 20 | B10
    deal 4: -10  20 -40 -50 |  0 | C40 D40: the pot of 30 and Bo's own bet, 40 to play for
    deal 5: -70 -30 160 -100 | 0 | D40: Cilla's la vola for 50, as before
    deal 6: -70 -40 160 -100 | 10 | D40, deal 7: -70 -40 150 -40 | 0 |
    """
    book = play_e1_book()
    (corrected,) = book.correct(2, c.AllPass())
    book.settle()
    assert book.balances == [-70, -40, 150, -40]
    assert (book.session.pot, book.bets) == (0, [])
    # amounts differ in deals 2 and 4; in 5 and 7 only the numbers of the bets do
    assert [rescored.deal for rescored in corrected.event.rescored] == [2, 4, 5, 7]


def test_a_correction_of_a_settled_la_vola_settles_the_difference():
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


def test_a_voided_deal_returns_its_stake_and_later_deals_adapt():
    book = Book()
    book.act(c.OpenDeal(), c.AllPass())
    book.act(c.OpenDeal(), c.AllPass())
    book.void_deal(1)
    assert book.balances == [0, -10, 0, 0]
    assert book.session.pot == 10
    first, second = list(newest_first(book.session.deals))[::-1]
    assert (first.status, second.status) == ("voided", "closed")
    assert second.opening.played_for == 10
    assert book.session.table.dealer == CILLA
    assert book.session.table.next_number == 3


def test_after_the_last_deal_is_voided_its_dealer_deals_again():
    book = Book()
    book.act(c.OpenDeal(), c.AllPass())
    book.act(c.OpenDeal(), c.AllPass())
    book.void_deal(2)
    assert (book.session.table.dealer, book.session.table.next_number) == (BO, 3)
    book = Book(misdeal_policy="next_dealer")
    book.act(c.OpenDeal(), c.AllPass())
    book.void_deal(1)
    assert book.session.table.dealer == BO


def test_the_deal_shows_what_it_was_before():
    book = play_e1_book()
    book.correct(2, c.AllPass())
    deal = next(d for d in newest_first(book.session.deals) if d.number == 2)
    (before,) = deal.superseded
    assert (before.corrected_deal, before.version) == (2, book.session.version)
    assert before.facts[-1].event.winner == ADA
    assert deal.closing.outcome == "all_pass"
    fourth = next(d for d in newest_first(book.session.deals) if d.number == 4)
    assert fourth.superseded[0].corrected_deal == 2, "scored again because of deal 2"


def test_a_correction_of_a_correction_restores_the_deal():
    book = play_e1_book()
    was = visible_state(book)
    book.correct(2, c.AllPass())
    book.settle()
    book.correct(2, c.Declare(players=(DISA,)), *tricks("AABDD"))
    book.settle()
    now = visible_state(book)
    assert {**now, "deals": 0} == {**was, "deals": 0}
    assert now["deals"] == was["deals"]


def test_an_open_deal_continues_with_the_corrected_amount():
    book = play_e1_book()
    book.act(c.OpenDeal(), c.Declare(players=(ADA,)), *tricks("AB"))
    book.correct(7, c.AllPass())
    assert book.session.table.deal_is_open
    assert book.session.table.game_state.phase.deal.played_for == 20 + 10 + 40
    book.act(*tricks("AAA"))
    assert book.session.pot == 0


# --- undone --------------------------------------------------------------------------------------

CORRECTIONS = {
    "it was played otherwise": lambda book: book.correct(2, c.AllPass()),
    "it never counted": lambda book: book.void_deal(2),
    "the last deal never counted": lambda book: book.void_deal(7),
}
corrections = pytest.mark.parametrize("correct", CORRECTIONS.values(), ids=CORRECTIONS)


@corrections
def test_undo_after_a_correction_reverts_the_whole_correction(correct):
    book = play_e1_book()
    was = visible_state(book)
    correct(book)
    book.settle()
    undone = book.undo()[0]
    book.settle()
    assert undone.type == "correction_undone"
    assert {**visible_state(book), "next": 0} == {**was, "next": 0}
    assert book.balances == [-50, -40, 150, -60]
    for player_id in (ADA, BO, CILLA, DISA):
        player_statement = build_statement(book.session, book.history, player_id)
        assert player_statement.closing == book.session.balances[player_id]
    book.undo()
    assert (book.session.table.deal_is_open, book.session.table.deal_number) == (True, 7)


@corrections
def test_undoing_a_correction_restores_the_recorded_deal(correct):
    book = play_e1_book()
    was = list(newest_first(book.session.deals))
    correct(book)
    book.undo()
    assert list(newest_first(book.session.deals)) == was


@corrections
def test_an_undone_correction_can_be_repeated(correct):
    book = play_e1_book()
    correct(book)
    book.settle()
    now = visible_state(book)
    book.undo()
    book.settle()
    correct(book)
    book.settle()
    assert {**visible_state(book), "deals": 0} == {**now, "deals": 0}


def test_later_actions_are_undone_before_a_correction():
    book = play_e1_book()
    book.correct(2, c.AllPass())
    book.act(c.OpenDeal(), c.AllPass())
    kinds = [book.undo()[0].type for _ in range(4)]
    assert kinds == ["action_undone", "action_undone", "correction_undone", "action_undone"]


def test_corrections_are_undone_in_reverse_order():
    book = play_e1_book()
    was = visible_state(book)
    book.correct(2, c.AllPass())
    between = visible_state(book)
    book.correct(5, c.Declare(players=(DISA,)), *tricks("BABDD"))
    book.settle()
    book.undo()
    book.settle()
    assert {**visible_state(book), "deals": 0} == {**between, "deals": 0}
    book.undo()
    book.settle()
    assert visible_state(book) == was


def test_undo_past_a_correction_reverts_a_merge_before_a_reseating():
    book = Book(merge_double_bets=False)
    book.act(c.OpenDeal(), c.AllPass())
    book.act(c.OpenDeal(), c.Declare(players=(ADA, BO)), c.Result(winner=CILLA))
    book.act(c.Reseat(players=(DISA, ADA, BO, CILLA)))
    book.act(c.Merge(together=True))
    book.correct(1, c.Declare(players=(BO,)), c.Result(winner=CILLA))
    undone = [book.undo()[0] for _ in range(3)]
    assert undone[0].type == "correction_undone"
    assert [recorded.event.took_back[0].__class__.__name__ for recorded in undone[1:]] == [
        "BetsMerged",
        "Reseated",
    ]


def test_an_undo_of_an_older_version_keeps_its_meaning():
    """The undo reverses the last action as of its own version, and keeps the correction."""
    book = play_e1_book()
    book.correct(2, c.AllPass())
    book.settle()
    book.write(undo.undo_last_action(book.session.table))
    assert book.session.table.deal_is_open
    assert book.session.table.deal_number == 7
    book.act(c.Trick(winner=CILLA))
    book.settle()
    assert book.balances == [-70, -40, 150, -40]
    for player_id in (ADA, BO, CILLA, DISA):
        player_statement = build_statement(book.session, book.history, player_id)
        assert player_statement.closing == book.session.balances[player_id]
    decide_by_event(book)


def test_the_audit_accepts_an_old_undo_past_a_misdeal():
    book = Book(misdeal_policy="next_dealer")
    book.act(c.OpenDeal(), c.AllPass(), c.OpenDeal())
    book.misdeal()
    undone = undo.undo_last_action(book.session.table)
    assert undone.past_misdeals
    book.write(replace(undone, past_misdeals=False))
    book.act(c.AllPass())
    assert book.session.table.dealer == BO
    decide_by_event(book)


def test_undoing_a_correction_leaves_the_open_deal_open():
    book = play_e1_book()
    book.act(c.OpenDeal(), c.Declare(players=(ADA,)), *tricks("AB"))
    was = visible_state(book)
    book.correct(7, c.AllPass())
    book.undo()
    book.settle()
    assert visible_state(book) == was
    book.undo()
    assert book.session.table.game_state.phase.tricks.winners == (ADA,)


def test_undoing_a_correction_leaves_out_a_later_misdeal():
    book = play_e1_book()
    was = visible_state(book)
    book.act(c.OpenDeal(), c.Declare(players=(ADA,)))
    book.correct(7, c.AllPass())
    book.act(c.Trick(winner=ADA))
    book.misdeal()
    book.undo()
    book.settle()
    now = visible_state(book)
    assert [deal[:2] for deal in now["deals"][:2]] == [(8, "voided"), (7, "closed")]
    assert {**now, "deals": now["deals"][1:], "next": 8, "legal": was["legal"]} == was
    assert book.session.table.next_number == 9


def test_a_thousand_corrections_are_undone_one_by_one():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA), c.OpenDeal())
    for time in range(1_100):
        book.correct(1, c.Declare(players=(BO,)), c.Result(winner=(BO, CILLA)[time % 2]))
    book.misdeal()
    for _ in range(1_100):
        book.undo()
    assert book.balances == [-10, -10, 10, 0]
    assert book.undo()[0].type == "action_undone"


# --- refusals ------------------------------------------------------------------------------------


def test_a_correction_that_does_not_end_the_deal_is_refused():
    book = play_e1_book()
    with pytest.raises(errors.DealNotClosed):
        book.correct(2, c.Declare(players=(DISA,)), *tricks("BA"))


@pytest.mark.parametrize("action", [c.OpenDeal(), c.Undo(), c.Reseat(players=(ADA, BO, CILLA))])
def test_a_correction_is_of_one_deal_alone(action):
    with pytest.raises(errors.NotNow):
        play_e1_book().correct(2, action)


def test_a_missing_or_open_deal_cannot_be_corrected():
    book = play_e1_book()
    with pytest.raises(errors.NoSuchDeal):
        book.correct(8, c.AllPass())
    book.void_deal(3)
    with pytest.raises(errors.NoSuchDeal):
        book.correct(3, c.AllPass())
    book.act(c.OpenDeal())
    with pytest.raises(errors.DealIsOpen):
        book.correct(8, c.AllPass())
    book.misdeal()
    book.close()
    with pytest.raises(errors.SessionClosed):
        book.correct(2, c.AllPass())


def test_deals_made_impossible_by_a_correction_are_named_or_voided():
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
    book.correct(2, *alone, c.Pass(player=BO), later_deals="void")
    assert book.session.version == version + 1
    assert book.session.sheet.winners == (CILLA,)
    assert book.session.sheet.scores[CILLA] == 0
    assert newest_first(book.session.deals).__next__().status == "voided"


def test_a_later_deal_that_could_not_have_been_opened_counts_no_more():
    """Bo loses deal 1 after all: the pot, doubled by each later loss, is too large for the last."""
    book = Book(game=GAMES["polskpas"], stake=10**9)
    declared, lost = c.Declare(players=(BO,)), c.Result(winner=CILLA)
    book.act(c.OpenDeal(), declared, c.Result(winner=BO))
    while "open_deal" in {action.type for action in book.legal}:
        book.act(c.OpenDeal(), declared, lost)
    last = book.session.table.deal_number
    with pytest.raises(errors.LaterDealsBreak) as broken:
        book.correct(1, declared, lost)
    assert broken.value.operands == {"deals": [last]}
    book.correct(1, declared, lost, later_deals="void")
    with pytest.raises(errors.NoSuchDeal):
        book.correct(last, declared, lost)


# --- at random -----------------------------------------------------------------------------------


class RandomDeals:
    """Random deals of a game, for books with and without mistakes."""

    def __init__(self, key, die, options):
        self.game = GAMES[key]
        self.die = die
        self.players = die.choice(self.game.player_counts[:4])
        self.options = options

    def book(self):
        return Book(self.players, game=self.game, **self.options)

    def deal(self, book):
        """Play one more deal to its end and return its actions without the opening."""
        actions = [c.OpenDeal()]
        book.act(*actions)
        chooser = RandomPlayer(self.die, but=("undo", "reseat", "redeal"))
        while book.session.table.deal_is_open:
            actions.append(chooser.choose_command(book.legal))
            book.act(actions[-1])
        if self.die.random() < 0.5:
            book.settle()
        return actions[1:]


@pytest.mark.parametrize("key", GAMES)
@histories
@given(seed=st.integers(0, 2**32))
def test_a_corrected_history_equals_one_recorded_right_at_first(key, seed):
    die = Random(seed)
    bank = die.random() < 0.3
    options = {"point_value": 10} if GAMES[key].scoring and bank else {}
    deals = RandomDeals(key, die, options)
    credentials, actions_by_deal = deals.book(), []
    for _ in range(die.randint(2, 6)):
        if not any(action.type == "open_deal" for action in credentials.legal):
            break
        actions_by_deal.append(deals.deal(credentials))
    wrong, mistaken = deals.book(), []
    try:
        for number, actions in enumerate(actions_by_deal, start=1):
            if die.random() < 0.5:
                deals.deal(wrong)
                mistaken.append(number)
            else:
                wrong.act(c.OpenDeal(), *actions)
            if die.random() < 0.3:
                wrong.settle()
        die.shuffle(mistaken)
        for number in mistaken:
            wrong.correct(number, *actions_by_deal[number - 1])
            if die.random() < 0.5:
                wrong.settle()
    except RuleViolation:
        return  # the mistakes made a deal impossible, which another test covers
    for book in (credentials, wrong):
        book.settle()
    assert visible_state(wrong) == visible_state(credentials)
    assert wrong.balances == credentials.balances
    for player_id in wrong.session.table.players:
        player_statement = build_statement(wrong.session, wrong.history, player_id)
        assert (
            player_statement.opening + sum(line.change for line in player_statement.lines)
            == player_statement.closing
        )


def money_and_table(session):
    """Return everything that undo restores, with debts counted as paid."""
    state = session.table
    funds = {p: session.funds(p) for p in state.players if session.funds(p)}
    deals = [(d.number, d.facts, d.superseded) for d in newest_first(session.deals) if not d.voided]
    table = (
        state.game_state,
        state.seats,
        state.dealer,
        state.deal_number,
        state.deal_is_open,
        state.deals_counted,
    )
    return table, session.pot, session.bets, session.sheet, funds, deals


def decide_by_event(book):
    """Return the session as an audit decides it, event by event."""
    session, place = SessionState(id=ID), 0
    while place < len(book.history):
        end = place + most_consequences(session)
        events = [recorded.event for recorded in book.history[place:end]]
        for fact, recorded in zip(
            decide_again(session, events), book.history[place:], strict=False
        ):
            assert recorded.event == fact
            session, _ = apply_event(session, recorded)
            place += 1
    return session


@pytest.mark.parametrize("key", GAMES)
@histories
@given(seed=st.integers(0, 2**32))
def test_actions_corrections_and_misdeals_are_undone_in_reverse_order(key, seed):
    """An audit, which decides each event again, has no findings."""
    die = Random(seed)
    turns = {"misdeal_policy": die.choice(("same_dealer", "next_dealer"))}
    options = turns if hasattr(GAMES[key].options_type(), "misdeal_policy") else {}
    deals = RandomDeals(key, die, options)
    book, past = deals.book(), []  # the states before each change in force
    chooser = RandomPlayer(die, but=("undo", "redeal"))
    for _ in range(die.randint(5, 60)):
        was, chance = money_and_table(book.session), die.random()
        closed = [d.number for d in newest_first(book.session.deals) if d.status == "closed"]
        if chance < 0.15 and closed:
            try:
                actions = () if die.random() < 0.5 else (c.AllPass(),)
                number = die.choice(closed)
                if actions:
                    book.correct(number, *actions, later_deals="void")
                else:
                    book.void_deal(number, later_deals="void")
            except RuleViolation:
                continue
            past.append(was)
        elif chance < 0.4 and past:
            book.undo()
            assert money_and_table(book.session) == past.pop()
        elif chance < 0.45 and book.session.table.deal_is_open:
            book.misdeal()
            past.clear()  # earlier corrections stay, without the misdeal
        else:
            action = chooser.choose_command(book.legal)
            if action is None:
                break
            book.act(action)
            past.append(was)
        if die.random() < 0.3:
            book.settle()
    while past:
        book.undo()
        assert money_and_table(book.session) == past.pop()
    assert money_and_table(decide_by_event(book)) == money_and_table(book.session)


def test_unchanged_events_of_a_corrected_deal_keep_version_and_time():
    book = Book()
    was = book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    (corrected,) = book.correct(1, c.Declare(players=(BO,)), c.Result(winner=BO))
    deal = book.session.deals.last
    assert deal.facts[:2] == tuple(was[:2])  # opened and declared
    assert [recorded.type for recorded in deal.facts] == [
        "deal_opened",
        "declared",
        "result_recorded",
        "pot_taken",
        "deal_closed",
    ]
    changed = deal.facts[2:]
    assert {(recorded.version, recorded.at) for recorded in changed} == {
        (corrected.version, corrected.at)
    }
    (before,) = deal.superseded
    origin = (before.version, before.at, before.corrected_deal)
    assert origin == (corrected.version, corrected.at, 1)
    assert before.facts == tuple(was)


def test_only_the_opening_of_a_voided_deal_is_left():
    book = Book()
    was = book.act(c.OpenDeal(), c.AllPass())
    book.void_deal(1)
    deal = book.session.deals.last
    assert (deal.status, deal.closing, deal.facts) == ("voided", None, (was[0],))
