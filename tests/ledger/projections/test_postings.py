"""Every krona of rules.md §1.6 and §1.7 from one account to another, and why."""

from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine import events as e
from engine.games import polskt_pass
from ledger import why
from ledger.entries import PaymentSettled, SessionOpened, TransferRecorded
from ledger.postings import Posting, difference, postings
from ledger.projections.deals import newest_first
from tests.ledger.book import Book, Walk
from tests.spec import ADA, BO, CILLA, DISA, EMIL

random_evenings = settings(max_examples=40, deadline=None, derandomize=True, database=None)

opened = e.DealOpened(number=2, dealer=ADA, seats=(ADA, BO, CILLA), stake=10, played_for=30)
bos_bet = {"deal": 1, "bet": 4, "by": (BO,), "each": 20}
merged = {"deal": 1, "bet": 4, "added": 5, "by": (CILLA,), "each": 20}
parted = {"deal": 1, "bet": 4, "parted": 6, "by": (CILLA,), "each": 20}
taken = {"deal": 2, "player": CILLA, "bet": 4, "each": 20, "laid_in": 1}
laid = {"deal": 2, "bet": 4, "each": 30, "played_for": 30, "multiplier": 1}
paid_leg = {"payment": "9-p1-p3", "deal": 2, "payer": ADA, "payee": CILLA, "amount": 30}

MOVES = [
    (opened, ["player:p1 > pot 10"]),
    (e.PotTaken(deal=2, player=BO, amount=10), ["pot > player:p2 10"]),
    (e.BetTaken(by=(BO,), **taken), ["bet:4 > player:p3 20"]),
    (e.BetTaken(by=(BO, ADA), **taken), ["bet:4 > player:p3 40"]),
    (e.BetTaken(by=(BO,), paid=False, **taken), ["player:p2 > player:p3 20"]),
    (e.BetTaken(by=(CILLA, BO), paid=False, **taken), ["player:p2 > player:p3 20"]),
    (e.BetTaken(by=(CILLA,), paid=False, **taken), []),
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

RULES = polskt_pass.GAME.rules(polskt_pass.Options())


def written(lines):
    return [f"{line.source} > {line.target} {line.amount}" for line in lines]


@pytest.mark.parametrize(("event", "moves"), MOVES, ids=[type(x).__name__ for x, _ in MOVES])
def test_what_an_event_moves(event, moves):
    assert written(postings(event)) == moves


@pytest.mark.parametrize("kind", [e.ActionUndone, e.DealVoided])
def test_what_is_taken_back_moves_the_other_way_last_first(kind):
    took_back = (opened, e.BetLaid(by=(BO, ADA), **laid), e.PotTaken(deal=2, player=BO, amount=10))
    more = {"next_dealer": ADA} if kind is e.DealVoided else {}
    assert written(postings(kind(deal=2, took_back=took_back, **more))) == [
        "player:p2 > pot 10",
        "bet:4 > player:p1 30",
        "bet:4 > player:p2 30",
        "pot > player:p1 10",
    ]


def test_what_an_earlier_evening_left_goes_to_people_as_they_are_numbered_then_pot_then_bets():
    """In text p10 comes before p2; a claim has moved nothing."""
    bets = (
        e.Brought(bet=1, by=(ADA, BO), each=20, paid=True),
        e.Brought(bet=2, by=(BO,), each=50, paid=False),
    )
    left = {"p10": -30, "p2": -40}
    begun = e.BroughtForward(session="", version=9, hash="", pot=30, bets=bets, balances=left)
    assert written(postings(begun)) == [
        "player:p2 > brought 40",
        "player:p10 > brought 30",
        "brought > pot 30",
        "brought > bet:1 40",
    ]
    even = msgspec.structs.replace(begun, pot=0, bets=(), balances={"p3": -7, "p1": 7})
    assert written(postings(even)) == ["brought > player:p1 7", "player:p3 > brought 7"]


@pytest.mark.parametrize(
    ("seats", "start", "given"),
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
def test_points_to_begin_with_are_given_as_people_sit(seats, start, given):
    agreed = {"game": "knektpass", "options": {}, "currency": "SEK", "names": ()}
    opening = SessionOpened(players=seats, first_dealer=seats[0], start=start, **agreed)
    assert written(postings(opening)) == given


def test_a_difference_is_told_in_kronor_first_and_then_in_points():
    scored = e.Scored(deal=1, to="p1", points=3, rule="bid_made")
    again = e.Rescored(deal=1, was=(), facts=(scored, e.PotTaken(deal=1, player=BO, amount=10)))
    lines = difference(again)
    assert written(lines) == ["pot > player:p2 10", "sheet > score:p1 3"]
    assert [line.unit for line in lines] == ["money", "points"]
    assert [line.back().unit for line in lines] == ["money", "points"]


def test_a_posting_of_nothing_is_an_error_of_the_book():
    with pytest.raises(AssertionError):
        postings(e.PotTaken(deal=2, player=BO, amount=0))
    with pytest.raises(AssertionError):
        postings(TransferRecorded(payer=ADA, payee=ADA, amount=5))


def test_a_posting_back_is_its_own_undoing():
    line = Posting("pot", "player:p1", 10)
    assert line.back() == Posting("player:p1", "pot", 10)
    assert line.back().back() == line


# Why


def test_every_posting_of_a_deal_is_explained():
    """E1 deal 2, told with its reasons: Ada takes the pot and Bo's bet, Disa fails."""
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    book.act(c.OpenDeal(), c.Declare(players=(DISA,)), c.Result(winner=ADA))
    deal = book.session.deals.last
    assert [(r.code, *written([r.posting])) for r in why.of_deal(RULES, deal)] == [
        ("ante", "player:p2 > pot 10"),
        ("pot_taken", "pot > player:p1 10"),
        ("bet_taken", "bet:1 > player:p1 10"),
        ("bet_laid", "player:p4 > bet:2 20"),
    ]
    told = why.outcome(deal)
    assert (told.code, told.players["winner"], told.players["failed"]) == (
        "won_by_other",
        ADA,
        (DISA,),
    )


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ([c.AllPass()], "all_pass"),
        ([c.Declare(players=(BO,))], "open"),
        ([c.Declare(players=(BO,)), c.Result(winner=BO)], "won_by_declarer"),
        ([c.Declare(players=(BO,)), c.Result(winner=ADA)], "won_by_other"),
        ([c.Declare(players=(EMIL, ADA)), c.Result(winner=ADA)], "won_by_one_of_two"),
        ([c.Declare(players=(EMIL, ADA)), c.Result(winner=BO)], "won_by_other"),
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
def test_how_a_deal_ended_is_told_in_one_word(said, code):
    book = Book(5)
    book.act(c.OpenDeal(), *said)
    assert why.outcome(book.session.deals.last).code == code


@pytest.mark.parametrize(
    ("owed", "winner", "won"), [(True, BO, 10), (True, CILLA, 20), (False, BO, 20)]
)
def test_what_somebody_won_is_what_he_got(owed, winner, won):
    """Bo owes, or has laid, a bet of 10: of his own claim he gets nothing."""
    book = Book(bet_payment="on_collection" if owed else "immediate")
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=ADA))
    book.act(c.OpenDeal(), c.Declare(players=(winner,)), c.Result(winner=winner))
    told = why.outcome(book.session.deals.last)
    assert (told.code, told.amounts["won"], told.amounts["played_for"]) == (
        "won_by_declarer",
        won,
        20,
    )


@pytest.mark.parametrize(("basis", "code"), [("pot", "pot_taken"), ("ante_only", "stake_taken")])
def test_who_takes_the_stake_alone_does_not_take_the_pot(basis, code):
    book = Book(amount_basis=basis)
    book.act(*[c.OpenDeal(), c.AllPass()] * 2)
    book.act(c.OpenDeal(), c.Declare(players=(CILLA,)), c.Result(winner=CILLA))
    session = book.session
    told = {
        reason.code: reason.posting for reason in why.of_deal(session.rules, session.deals.last)
    }
    assert told[code].amount == 30 - session.pot
    assert session.pot == (0 if basis == "pot" else 20)


def test_where_nobody_won_a_bet_is_told_only_if_one_was_laid():
    book = Book(5, all_one_two_declarers="none", failed_vola_declarer_bet="bet")
    book.act(c.OpenDeal(), c.Declare(players=(EMIL, ADA)), c.Result(winner=None))
    assert why.outcome(book.session.deals.last).code == "nobody"
    for announcer, code in ((BO, "la_vola_lost_bet"), (ADA, "la_vola_lost")):
        lost = c.Result(la_vola=c.Vola(player=announcer, won=False))
        book.act(c.OpenDeal(), c.Declare(players=(BO,)), lost)
        told = why.outcome(book.session.deals.last)
        assert (told.code, told.players["announcer"]) == (code, announcer)


def test_a_voided_deal_explains_nothing():
    book = Book()
    book.act(c.OpenDeal())
    book.misdeal()
    assert why.outcome(book.session.deals.last).code == "voided"
    assert why.of_deal(RULES, book.session.deals.last) == ()


@random_evenings
@given(st.integers(3, 5), st.booleans(), st.integers(0, 2**32))
def test_every_movement_of_every_evening_has_a_reason(players, claims, seed):
    book = Book(players, bet_payment="on_collection" if claims else "immediate")
    walk = Walk(book, Random(seed))
    for _ in range(60):
        walk.step()
    for recorded in book.history:
        moved = [reason.posting for reason in why.of_event(RULES, recorded)]
        assert moved == list(postings(recorded.event))
    for deal in newest_first(book.session.deals):
        told = [r.posting for r in why.of_deal(RULES, deal)]
        assert told == [p for r in deal.facts for p in postings(r.event) if not deal.voided]
