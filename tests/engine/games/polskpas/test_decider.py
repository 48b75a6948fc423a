"""Danish Polskpas: one soloist, one pot, and a vole that only the soloist can say (docs/rules.md
§2)."""

import pytest

from engine import commands as c
from engine import errors
from engine import events as e
from engine.games.polskpas import decider as polskpas
from engine.games.polskpas.state import pack_for
from engine.values import MAX_AMOUNT
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, Given, each_refusal
from tests.support.engine.option_cases import parametrize_option
from tests.support.engine.random_walk import command
from tests.support.ledger.memory_store import Book
from tests.support.worked_evenings import E5, player, polskpas_lines

four = Given(game=polskpas.GAME, options=polskpas.Options())
three = Given(game=polskpas.GAME, options=polskpas.Options(), players=3)
opened = four.after(c.OpenDeal())
bo_plays = opened.after(c.Declare(players=(BO,)))
bo_leads_twice = bo_plays.after(c.Trick(winner=BO), c.Trick(winner=BO))
bidding = opened.after(c.TurnUp(card="KH"))


def tricks(*winners):
    return tuple(c.Trick(winner=winner) for winner in winners)


def vole(player, won):
    return c.Vola(player=player, won=won)


def money_events(at):
    """What the last deal moved beside the stake: facts of money in order."""
    kinds = e.PotTaken | e.PenaltyPaid | e.LaVolaWon
    return [
        (type(fact).__name__, fact.player, fact.amount)
        for fact in at.history
        if isinstance(fact, kinds)
    ]


def by_tricks(line):
    return [command(spoken_action.pop("type"), spoken_action) for spoken_action in line.actions()]


def by_result(line):
    return [command(spoken_action.pop("type"), spoken_action) for spoken_action in line.result()]


@pytest.mark.parametrize("record", [by_tricks, by_result])
def test_the_worked_evening(record):
    book = Book(game=polskpas.GAME, stake=5)
    for line in polskpas_lines(E5):
        book.act(*record(line))
        book.settle()
        assert (book.balances, book.session.pot) == (line.balances, line.pot), line
        assert book.session.bets == ()


# --- the pack and the deal -----------------------------------------------------------------------


def test_four_play_with_24_cards_and_three_with_19():
    removed_ten = polskpas.Options().removed_ten
    assert len(pack_for(4, removed_ten)) == 24
    nineteen = pack_for(3, removed_ten)
    assert len(nineteen) == 19
    assert not [card for card in nineteen if card.startswith("9")]


@parametrize_option(removed_ten={"D": "10D", "C": "10C", "S": "10S", "H": "10H"})
def test_the_ten_that_goes_out(agreed, expected):
    at = three.agreed(**agreed).after(c.OpenDeal())
    at.when(c.TurnUp(card=expected)).refused(errors.CardNotInPack, card=expected)
    at.after(c.TurnUp(card="10S" if expected != "10S" else "10H"))


def test_five_cannot_play():
    with pytest.raises(errors.WrongNumberOfPlayers):
        Given(game=polskpas.GAME, options=polskpas.Options(), players=5).after(c.OpenDeal())


# --- who is soloist ------------------------------------------------------------------------------


def test_who_accepts_takes_the_turn_up_and_lays_another_card_away():
    at = bidding.after(c.Bid(player=BO, call="pass"), c.Bid(player=CILLA, call="accept"))
    assert at.table_state.game_state.phase.declarers == (CILLA,)
    assert at.table_state.game_state.phase.trump == "H"
    assert at.table_state.game_state.phase.must_discard == (CILLA,)
    at.when(c.Play(player=BO, card="AS")).refused(errors.DiscardFirst, players=[CILLA])
    at = at.after(c.Discard(player=CILLA, card="9C"))
    at.when(c.Play(player=BO, card="KH")).refused(errors.CardAlreadyGone, card="KH")


def test_the_card_taken_is_never_the_one_laid_away():
    at = bidding.after(c.Bid(player=BO, call="accept"))
    at.when(c.Discard(player=BO, card="KH")).refused(errors.TakenCardStays, card="KH")
    (discard,) = [action for action in at.legal if action.type == "discard"]
    assert "KH" not in discard.fields["card"]["values"]
    unseen = at.after(c.Discard(player=BO))
    without_vole = c.Hand(player=BO, cards=("9C", "9S", "9D", "10C", "10S"))
    unseen.when(without_vole).refused(errors.HandDoesNotFit, card="KH", player=BO)
    unseen.after(c.Play(player=BO, card="9C")).when(c.Play(player=CILLA, card="KH")).refused(
        errors.CardAlreadyGone, card="KH"
    )


def test_who_names_a_suit_leaves_the_turn_up_where_it_lies():
    passed = [c.Bid(player=p, call="pass") for p in (BO, CILLA, DISA, ADA)]
    at = bidding.after(*passed, c.Bid(player=BO, call="S"))
    assert at.table_state.game_state.phase.must_discard == ()
    at.when(c.Play(player=BO, card="KH")).refused(errors.CardAlreadyGone, card="KH")


def test_only_eldest_hand_may_name_the_preferred_suit_in_the_second_round():
    passed = [c.Bid(player=p, call="pass") for p in (BO, CILLA, DISA, ADA)]
    second = bidding.after(*passed)
    assert second.after(c.Bid(player=BO, call="H")).table_state.game_state.phase.trump == "H"
    second.after(c.Bid(player=BO, call="pass")).when(c.Bid(player=CILLA, call="H")).refused(
        errors.SuitIsForehands, forehand=BO, suit="H"
    )


def test_everybody_passing_twice_leaves_the_pot_for_the_next_dealer():
    doubled = [c.Bid(player=p, call="pass") for p in (BO, CILLA, DISA, ADA) * 2]
    at = bidding.after(*doubled)
    assert at.pot_and_bets == (10, "")
    assert at.table_state.dealer == BO
    assert at.after(c.OpenDeal()).pot_and_bets == (20, "")


@pytest.mark.parametrize("players", [(), (DISA, ADA)])
def test_there_is_exactly_one_soloist(players):
    opened.when(c.Declare(players=players)).refused(errors.OneSoloist)


# --- what it pays --------------------------------------------------------------------------------


def test_a_soloist_who_wins_takes_the_pot():
    assert money_events(bo_plays.after(*tricks(BO, ADA, BO, ADA, CILLA))) == [("PotTaken", BO, 10)]


@parametrize_option(
    opponent_win={
        "pot_doubled": ([("PenaltyPaid", BO, 10)], 20),
        "winner_takes": ([("PotTaken", CILLA, 10), ("PenaltyPaid", BO, 10)], 10),
    }
)
def test_a_soloist_who_loses_pays_what_was_played_for(agreed, expected):
    at = four.agreed(**agreed).after(c.OpenDeal(), c.Declare(players=(BO,)))
    by_trick = at.after(*tricks(CILLA, CILLA, BO, BO, CILLA))
    assert (money_events(by_trick), by_trick.pot_and_bets[0]) == expected
    by_outcome = at.after(c.Result(winner=CILLA))
    assert (money_events(by_outcome), by_outcome.pot_and_bets[0]) == expected


@parametrize_option(
    vole_sweeps_pot={
        True: ([("PotTaken", BO, 10), ("LaVolaWon", BO, 10)], 0),
        False: ([("LaVolaWon", BO, 10)], 10),
    }
)
def test_a_vole_that_takes_all_five_is_paid_by_every_opponent(agreed, expected):
    at = four.agreed(**agreed).after(c.OpenDeal(), c.Declare(players=(BO,)))
    by_trick = at.after(*tricks(BO, BO), c.Vole(player=BO), *tricks(BO, BO, BO))
    assert (money_events(by_trick), by_trick.pot_and_bets[0]) == expected
    assert by_trick.history[-2].payers == (CILLA, DISA, ADA)
    by_outcome = at.after(c.Result(winner=BO, vole=vole(BO, won=True)))
    assert (money_events(by_outcome), by_outcome.pot_and_bets[0]) == expected


@parametrize_option(vole_amount={"pot": 30, "stake": 10})
def test_each_opponent_pays_the_pot_or_one_stake(agreed, expected):
    at = four.agreed(**agreed).after(*[c.OpenDeal(), c.AllPass()] * 2, c.OpenDeal())
    at = at.after(c.Declare(players=(BO,)), c.Result(winner=BO, vole=vole(BO, won=True)))
    assert money_events(at) == [("PotTaken", BO, 30), ("LaVolaWon", BO, expected)]


def test_a_vole_won_without_every_trick_leaves_the_pot():
    announced = bo_leads_twice.after(c.Vole(player=BO))
    assert announced.after(*tricks(ADA)).table_state.deal_is_open, (
        "played on, for the game can still be lost"
    )
    at = announced.after(*tricks(ADA, BO, CILLA))
    assert (money_events(at), at.pot_and_bets[0]) == ([], 10)
    assert at.history[-1].winner == BO
    at = bo_plays.after(c.Result(winner=BO, vole=vole(BO, won=False)))
    assert (money_events(at), at.pot_and_bets[0]) == ([], 10)


@parametrize_option(
    vole_lost_outright={
        "double_pot": ("lost", [("PenaltyPaid", BO, 10)], 20),
        "void": ("la_vola_lost", [], 10),
    }
)
def test_a_vole_lost_outright(agreed, expected):
    at = four.agreed(**agreed).after(c.OpenDeal(), c.Declare(players=(BO,)))
    by_trick = at.after(*tricks(BO, BO), c.Vole(player=BO), *tricks(ADA, ADA, ADA))
    by_outcome = at.after(c.Result(winner=ADA, vole=vole(BO, won=False)))
    for after in (by_trick, by_outcome):
        outcome = after.history[-1].outcome
        assert (outcome, money_events(after), after.pot_and_bets[0]) == expected


def test_a_vole_lost_outright_gives_the_pot_where_the_winner_takes():
    at = four.agreed(opponent_win="winner_takes").after(c.OpenDeal(), c.Declare(players=(BO,)))
    at = at.after(c.Result(winner=ADA, vole=vole(BO, won=False)))
    assert money_events(at) == [("PotTaken", ADA, 10), ("PenaltyPaid", BO, 10)]


@parametrize_option(vole_stop_at_loss={False: True, True: False})
def test_play_goes_on_after_a_lost_trick_or_stops_there(agreed, expected):
    at = four.agreed(**agreed).after(c.OpenDeal(), c.Declare(players=(BO,)), *tricks(BO, BO))
    at = at.after(c.Vole(player=BO), c.Trick(winner=ADA))
    assert at.table_state.deal_is_open == expected
    assert (money_events(at), at.pot_and_bets[0]) == ([], 10)
    lost = four.agreed(**agreed).after(c.OpenDeal(), c.Declare(players=(BO,)))
    lost = lost.after(c.Result(winner=ADA, vole=vole(BO, won=False)))
    assert lost.pot_and_bets[0] == (20 if expected else 10)


@parametrize_option(allow_early_end={True: True, False: False})
def test_the_cards_may_be_thrown_in_when_the_winner_is_certain(agreed, expected):
    at = four.agreed(**agreed).after(c.OpenDeal(), c.Declare(players=(BO,)), *tricks(BO, BO, BO))
    assert ("finish" in at.legal_types()) == expected
    if expected:
        assert money_events(at.after(c.Finish())) == [("PotTaken", BO, 10)]
    else:
        at.when(c.Finish()).refused(errors.EarlyEndNotAllowed)


THROWN_IN = {"B": False, "A": False, "AB": True, "BA": True, "AC": True, "AA": False, "BB": False}
"""The tricks after Bo's first two, and whether the rest can change how the deal ends."""


@pytest.mark.parametrize(("letters", "expected"), THROWN_IN.items())
def test_after_a_vole_a_won_game_may_be_thrown_in_after_a_lost_trick(letters, expected):
    at = bo_leads_twice.after(
        c.Vole(player=BO), *tricks(*(player(first_item) for first_item in letters))
    )
    assert ("finish" in at.legal_types()) == expected
    if not expected:
        at.when(c.Finish()).refused(errors.WinnerNotCertain)
        return
    ended = at.after(c.Finish())
    assert (money_events(ended), ended.pot_and_bets[0]) == ([], 10)
    closed = ended.history[-1]
    assert (closed.outcome, closed.winner, closed.la_vola) == ("vole_not_all", BO, BO)
    assert len(closed.tricks) == 2 + len(letters)


@parametrize_option(stake={1: 1, 10: 10, 500: 500})
def test_the_dealer_antes_every_deal(agreed, expected):
    at = four.agreed(**agreed).after(c.OpenDeal(), c.AllPass(), c.OpenDeal())
    assert at.pot_and_bets == (2 * expected, "")


@parametrize_option(
    leftover_policy={
        "carry": [],
        "refund_bets": [3, 3, 2, 2],
        "split_equal": [3, 3, 2, 2],
        "play_on": None,
    }
)
def test_what_is_left_in_the_pot_goes_by_the_policy(agreed, expected):
    at = four.agreed(**agreed).after(c.OpenDeal(), c.AllPass())
    if expected is None:
        at.when_closed().refused(errors.LeftoversToPlayFor, pot=10, bets=0)
        return
    shares = [
        s.amount for f in at.when_closed().decide() if isinstance(f, e.PotShared) for s in f.shares
    ]
    assert shares == expected


@parametrize_option(credit_limit={None: True, 9: False})
def test_a_dealer_without_credit_cannot_open(agreed, expected):
    assert ("open_deal" in four.agreed(**agreed).legal_types()) == expected


@parametrize_option(misdeal_policy={"same_dealer": ADA, "next_dealer": BO})
def test_who_deals_after_a_misdeal(agreed, expected):
    (voided,) = four.agreed(**agreed).after(c.OpenDeal()).when_misdealt(1).decide()
    assert voided.next_dealer == expected


def test_a_pot_that_could_grow_too_large_refuses_the_next_deal():
    at = four.agreed(stake=10**9)
    doubled = [c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA)]
    while "open_deal" in at.legal_types():
        at = at.after(*doubled)
    assert at.table_state.game_state.pot <= MAX_AMOUNT
    with pytest.raises(errors.AmountTooLarge):
        at.after(c.OpenDeal())


# --- what is refused -----------------------------------------------------------------------------

REFUSED = [
    (four, c.Trick(winner=ADA), "NoOpenDeal", {}),
    (opened, c.Trick(winner=ADA), "NobodyHasDeclared", {}),
    (opened, c.Vole(player=ADA), "NobodyHasDeclared", {}),
    (opened, c.Bid(player=BO, call="pass"), "NotNow", {"action": "bid", "phase": "opened"}),
    (bo_plays, c.Declare(players=(ADA,)), "DeclarerAlreadyKnown", {}),
    (bo_plays, c.TurnUp(card="AS"), "NotNow", {"action": "turn_up", "phase": "playing"}),
    (bo_plays, c.Vole(player=BO), "VoleNeedsFirstTwoTricks", {"soloist": BO}),
    (
        bo_plays.after(*tricks(ADA, ADA)),
        c.Vole(player=ADA),
        "VoleIsTheSoloists",
        {"soloist": BO, "player": ADA},
    ),
    (
        bo_leads_twice.after(c.Vole(player=BO)),
        c.Vole(player=BO),
        "VoleAlreadyAnnounced",
        {"player": BO},
    ),
    (bo_leads_twice.after(c.Vole(player=BO)), c.Finish(), "WinnerNotCertain", {}),
    (bo_leads_twice, c.Finish(), "WinnerNotCertain", {}),
    (bo_leads_twice, c.Result(winner=BO), "TricksAlreadyRecorded", {}),
    (bo_plays, c.Result(winner=None), "NobodyWinsNeedsFive", {}),
    (
        bo_plays,
        c.Result(winner=ADA, vole=vole(BO, won=True)),
        "VoleDoesNotFit",
        {"soloist": BO, "winner": ADA},
    ),
    (
        bo_plays,
        c.Result(winner=BO, vole=vole(ADA, won=True)),
        "VoleIsTheSoloists",
        {"soloist": BO, "player": ADA},
    ),
    (bo_plays, c.Result(la_vola=vole(BO, won=True)), "NotInThisGame", {"field": "la_vola"}),
    (opened, c.Merge(), "NotNow", {"action": "merge", "phase": "playing"}),
    (four, c.LaVola(player=BO), "NotNow", {"action": "la_vola", "phase": "waiting"}),
]


@each_refusal(REFUSED)
def test_a_refusal_has_its_operands(setup, command, refusal, operands):
    setup.when(command).refused(getattr(errors, refusal), **operands)


def test_polskt_pass_knows_no_vole():
    at = Given().after(c.OpenDeal(), c.Declare(players=(BO,)))
    at.when(c.Result(winner=BO, vole=vole(BO, won=True))).refused(
        errors.NotInThisGame, field="vole"
    )
