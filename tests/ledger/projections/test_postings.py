"""Every krona of docs/rules.md §1.6 and §1.7 goes from one account to another, with a reason."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine import events as e
from engine.games.polskt_pass import decider as polskt_pass
from ledger.events.event_types import PaymentSettled, SessionOpened, TransferRecorded
from ledger.projections.deals import newest_first
from ledger.projections.postings import Posting, correction_postings, postings_of
from ledger.reporting import posting_reasons
from ledger.reporting.deal_outcome import describe_outcome
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, EMIL
from tests.support.ledger.memory_store import Book, play_random_book
from tests.support.ledger.unpaged_statement import explain_recorded_event

random_evenings = settings(max_examples=40, deadline=None, derandomize=True, database=None)

opened = e.DealOpened(number=2, dealer=ADA, seats=(ADA, BO, CILLA), stake=10, played_for=30)
merged = {"deal": 1, "bet": 4, "added": 5, "by": (CILLA,), "each": 20}
parted = {"deal": 1, "bet": 4, "parted": 6, "by": (CILLA,), "each": 20}
bet_taken = {"deal": 2, "player": CILLA, "bet": 4, "each": 20, "laid_in": 1}
laid = {"deal": 2, "bet": 4, "each": 30, "played_for": 30, "multiplier": 1}
paid_leg = {"payment": "9-p1-p3", "deal": 2, "payer": ADA, "payee": CILLA, "amount": 30}

MOVES = [
    (opened, ["player:p1 > pot 10"]),
    (e.PotTaken(deal=2, player=BO, amount=10), ["pot > player:p2 10"]),
    (e.BetTaken(by=(BO,), **bet_taken), ["bet:4 > player:p3 20"]),
    (e.BetTaken(by=(BO, ADA), **bet_taken), ["bet:4 > player:p3 40"]),
    (e.BetTaken(by=(BO,), paid=False, **bet_taken), ["player:p2 > player:p3 20"]),
    (e.BetTaken(by=(CILLA, BO), paid=False, **bet_taken), ["player:p2 > player:p3 20"]),
    (e.BetTaken(by=(CILLA,), paid=False, **bet_taken), []),
    (e.BetLaid(by=(BO,), **laid), ["player:p2 > bet:4 30"]),
    (e.BetLaid(by=(BO, ADA), **laid), ["player:p2 > bet:4 30", "player:p1 > bet:4 30"]),
    (e.BetLaid(by=(BO, ADA), paid=False, **laid), []),
    (e.BetsMerged(**merged), ["bet:5 > bet:4 20"]),
    (e.BetsMerged(paid=False, **merged), []),
    (e.BetsParted(**parted), ["bet:4 > bet:6 20"]),
    (e.BetsParted(paid=False, **parted), []),
    (
        e.PotShared(shares=(e.Share(player=ADA, amount=3), e.Share(player=BO, amount=2))),
        ["pot > player:p1 3", "pot > player:p2 2"],
    ),
    (e.BetShared(bet=4, shares=(e.Share(player=EMIL, amount=20),)), ["bet:4 > player:p5 20"]),
    (e.BetCollected(bet=4, by=(BO,), each=20), ["player:p2 > bet:4 20"]),
    (e.BetWaived(bet=4), []),
    (e.LaVolaWon(deal=2, player=CILLA, amount=30, payers=(ADA, BO)), []),
    (PaymentSettled(**paid_leg), ["player:p1 > player:p3 30"]),
    (
        TransferRecorded(payer=ADA, payee=BO, amount=5),
        ["player:p2 > player:p1 5"],  # who paid owes less
    ),
    (e.DealClosed(deal=2, outcome="all_pass", next_dealer=BO), []),
    (e.EveningClosed(policy="carry"), []),
    (e.PenaltyPaid(deal=2, player=BO, amount=40), ["player:p2 > pot 40"]),
    (e.Scored(deal=2, to="p1+p3", points=52, rule="bid_made"), ["sheet > score:p1+p3 52"]),
    (e.Scored(deal=2, to="p2", points=-5, rule="bid_failed"), ["score:p2 > sheet 5"]),
    (e.Scored(deal=2, to="p2", points=0, rule="bags"), []),
    (e.PointsPaid(payer=BO, payee=ADA, points=12, value=50), ["player:p2 > player:p1 600"]),
]

RULES = polskt_pass.GAME.rule_references(polskt_pass.Options())


def format_postings(lines):
    return [f"{line.source} > {line.target} {line.amount}" for line in lines]


@pytest.mark.parametrize(("event", "moves"), MOVES, ids=[type(x).__name__ for x, _ in MOVES])
def test_the_postings_of_an_event(event, moves):
    assert format_postings(postings_of(event)) == moves


@pytest.mark.parametrize("kind", [e.ActionUndone, e.DealVoided])
def test_an_undo_reverses_the_postings_newest_first(kind):
    took_back = (opened, e.BetLaid(by=(BO, ADA), **laid), e.PotTaken(deal=2, player=BO, amount=10))
    fields = {"next_dealer": ADA} if kind is e.DealVoided else {}
    assert format_postings(postings_of(kind(deal=2, took_back=took_back, **fields))) == [
        "player:p2 > pot 10",
        "bet:4 > player:p1 30",
        "bet:4 > player:p2 30",
        "pot > player:p1 10",
    ]


def test_carried_amounts_go_to_players_by_number_then_pot_then_bets():
    """In text p10 comes before p2; a claim has moved nothing."""
    bets = (
        e.CarriedBet(bet=1, by=(ADA, BO), each=20, paid=True),
        e.CarriedBet(bet=2, by=(BO,), each=50, paid=False),
    )
    left = {"p10": -30, "p2": -40}
    brought_forward = e.BroughtForward(
        session="", version=9, hash="", pot=30, bets=bets, balances=left
    )
    assert format_postings(postings_of(brought_forward)) == [
        "player:p2 > brought 40",
        "player:p10 > brought 30",
        "brought > pot 30",
        "brought > bet:1 40",
    ]
    balances_only = msgspec.structs.replace(
        brought_forward, pot=0, bets=(), balances={"p3": -7, "p1": 7}
    )
    assert format_postings(postings_of(balances_only)) == [
        "brought > player:p1 7",
        "player:p3 > brought 7",
    ]


@pytest.mark.parametrize(
    ("seats", "start", "postings"),
    [
        (
            tuple(f"p{n}" for n in range(1, 11)),
            {"p10": 20, "p2": 20, "p1": 0},
            ["sheet > score:p2 20", "sheet > score:p10 20"],
        ),
        (
            (BO, CILLA, DISA, ADA),
            {"p1+p3": 5, "p2+p4": 7},
            ["sheet > score:p2+p4 7", "sheet > score:p1+p3 5"],
        ),
    ],
)
def test_starting_points_are_posted_in_seating_order(seats, start, postings):
    agreed = {"game": "knektpass", "options": {}, "currency": "SEK", "names": ()}
    opening = SessionOpened(players=seats, first_dealer=seats[0], start=start, **agreed)
    assert format_postings(postings_of(opening)) == postings


def test_a_correction_posts_money_before_points():
    scored = e.Scored(deal=1, to="p1", points=3, rule="bid_made")
    rescored = e.Rescored(deal=1, was=(), facts=(scored, e.PotTaken(deal=1, player=BO, amount=10)))
    lines = correction_postings(rescored)
    assert format_postings(lines) == ["pot > player:p2 10", "sheet > score:p1 3"]
    assert [line.unit for line in lines] == ["money", "points"]
    assert [line.reversed().unit for line in lines] == ["money", "points"]


def test_a_posting_of_zero_is_a_programming_error():
    with pytest.raises(AssertionError):
        postings_of(e.PotTaken(deal=2, player=BO, amount=0))
    with pytest.raises(AssertionError):
        postings_of(TransferRecorded(payer=ADA, payee=ADA, amount=5))


def test_a_reversed_posting_undoes_the_posting():
    line = Posting("pot", "player:p1", 10)
    assert line.reversed() == Posting("player:p1", "pot", 10)
    assert line.reversed().reversed() == line


# Reasons


def test_every_posting_of_a_deal_is_explained():
    """E1 deal 2 with its reasons: Ada takes the pot and Bo's bet, Disa fails."""
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    book.act(c.OpenDeal(), c.Declare(players=(DISA,)), c.Result(winner=ADA))
    deal = book.session.deals.last
    assert [
        (r.code, *format_postings([r.posting])) for r in posting_reasons.explain_deal(RULES, deal)
    ] == [
        ("ante", "player:p2 > pot 10"),
        ("pot_taken", "pot > player:p1 10"),
        ("bet_taken", "bet:1 > player:p1 10"),
        ("bet_laid", "player:p4 > bet:2 20"),
    ]
    outcome = describe_outcome(deal)
    assert (outcome.code, outcome.players["winner"], outcome.players["failed"]) == (
        "won_by_other",
        ADA,
        (DISA,),
    )


@pytest.mark.parametrize(
    ("actions", "code"),
    [
        ([c.AllPass()], "all_pass"),
        ([c.Declare(players=(BO,))], "open"),
        ([c.Declare(players=(BO,)), c.Result(winner=BO)], "won_by_declarer"),
        ([c.Declare(players=(BO,)), c.Result(winner=ADA)], "won_by_other"),
        ([c.Declare(players=(EMIL, ADA)), c.Result(winner=ADA)], "won_by_one_of_two"),
        ([c.Declare(players=(EMIL, ADA)), c.Result(winner=BO)], "won_by_third"),
        ([c.Declare(players=(BO,)), c.Result(winner=None)], "nobody_bet"),
        (
            [c.Declare(players=(BO,)), c.Result(la_vola=c.Vola(player=ADA, won=True))],
            "la_vola_won",
        ),
        (
            [c.Declare(players=(BO,)), c.Result(la_vola=c.Vola(player=BO, won=False))],
            "la_vola_lost",
        ),
    ],
)
def test_each_outcome_of_a_deal_has_a_code(actions, code):
    book = Book(5)
    book.act(c.OpenDeal(), *actions)
    assert describe_outcome(book.session.deals.last).code == code


@pytest.mark.parametrize(
    ("owed", "winner", "won"), [(True, BO, 10), (True, CILLA, 20), (False, BO, 20)]
)
def test_the_amount_won_excludes_unpaid_bets_of_the_winner(owed, winner, won):
    """Bo owes a bet of 10 or has laid it: an unpaid bet of his own brings him nothing."""
    book = Book(bet_payment="on_collection" if owed else "immediate")
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=ADA))
    book.act(c.OpenDeal(), c.Declare(players=(winner,)), c.Result(winner=winner))
    outcome = describe_outcome(book.session.deals.last)
    assert (outcome.code, outcome.amounts["won"], outcome.amounts["played_for"]) == (
        "won_by_declarer",
        won,
        20,
    )


@pytest.mark.parametrize(("basis", "code"), [("pot", "pot_taken"), ("ante_only", "stake_taken")])
def test_a_winner_of_the_stake_alone_does_not_take_the_pot(basis, code):
    book = Book(amount_basis=basis)
    book.act(*[c.OpenDeal(), c.AllPass()] * 2)
    book.act(c.OpenDeal(), c.Declare(players=(CILLA,)), c.Result(winner=CILLA))
    session = book.session
    postings_by_code = {
        reason.code: reason.posting
        for reason in posting_reasons.explain_deal(session.rule_references, session.deals.last)
    }
    assert postings_by_code[code].amount == 30 - session.pot
    assert session.pot == (0 if basis == "pot" else 20)


def test_an_outcome_without_winner_names_only_bets_that_were_laid():
    book = Book(5, all_one_two_declarers="none", failed_vola_declarer_bet="bet")
    book.act(c.OpenDeal(), c.Declare(players=(EMIL, ADA)), c.Result(winner=None))
    assert describe_outcome(book.session.deals.last).code == "nobody"
    for announcer, code in ((BO, "la_vola_lost_bet"), (ADA, "la_vola_lost")):
        lost = c.Result(la_vola=c.Vola(player=announcer, won=False))
        book.act(c.OpenDeal(), c.Declare(players=(BO,)), lost)
        outcome = describe_outcome(book.session.deals.last)
        assert (outcome.code, outcome.players["announcer"]) == (code, announcer)


def test_a_voided_deal_has_no_explanation():
    book = Book()
    book.act(c.OpenDeal())
    book.misdeal()
    assert describe_outcome(book.session.deals.last).code == "voided"
    assert posting_reasons.explain_deal(RULES, book.session.deals.last) == ()


@random_evenings
@given(st.integers(3, 5), st.booleans(), st.integers(0, 2**32))
def test_every_posting_of_a_random_session_has_a_reason(players, claims, seed):
    bet_payment = "on_collection" if claims else "immediate"
    book = play_random_book(60, seed, players, bet_payment=bet_payment)
    for recorded in book.history:
        moved = [reason.posting for reason in explain_recorded_event(RULES, recorded)]
        assert moved == list(postings_of(recorded.event))
    for deal in newest_first(book.session.deals):
        postings = [r.posting for r in posting_reasons.explain_deal(RULES, deal)]
        assert postings == [p for r in deal.facts for p in postings_of(r.event) if not deal.voided]
