"""Every reason why the rules say no, with what it names."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from engine import commands as c
from engine import errors
from engine.commands import Vola
from engine.errors import RuleViolation
from engine.games.knektpass import decider as knektpass
from engine.session import session as table_session
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, EMIL, Given, each_refusal

four = Given(away=1)
opened = four.after(c.OpenDeal())
playing = opened.after(c.Declare(players=(BO,)))
hearts = opened.after(c.Declare(players=(BO,), trump="H"))
cut = opened.after(c.Cut(card="9C"))
jack_cut = opened.after(c.Cut(card="JC"))
bidding = cut.after(c.TurnUp(card="KH"))
second_round = bidding.after(*[c.Bid(player=p, call="pass") for p in (BO, CILLA, DISA, ADA)])
ada_took = cut.after(c.TurnUp(card="JH"))
both_took = jack_cut.after(c.TurnUp(card="AH"))
both_lost = opened.after(c.Declare(players=(DISA, ADA)), c.Result(winner=BO))
closed_evening = four.given(*four.when_closed().decide())
bo_shows = c.Hand(player=BO, cards=("AH", "9H", "AS", "KS", "QS"))
hand_shown = hearts.after(bo_shows)
heart_led = hearts.after(
    c.Hand(player=CILLA, cards=("KH", "JS", "KC", "QC", "AC")), c.Play(player=BO, card="AH")
)


def tricks(*winners):
    return tuple(c.Trick(winner=winner) for winner in winners)


def bid(player, call):
    return c.Bid(player=player, call=call)


REFUSED = [
    # between deals
    (four, c.Trick(winner=ADA), "NoOpenDeal", {}),
    (four, c.AllPass(), "NoOpenDeal", {}),
    (four, c.Undo(), "NothingToUndo", {}),
    (opened, c.OpenDeal(), "DealIsOpen", {"deal": 1}),
    (opened, c.OpenDeal(number=2), "DealIsOpen", {"deal": 1}),
    (opened, c.OpenDeal(number=1), "DealTaken", {"number": 1}),
    (both_lost, c.OpenDeal(number=1), "DealTaken", {"number": 1}),
    (four, c.OpenDeal(number=3), "DealNotNext", {"deal": 3, "next": 1}),
    (closed_evening, c.OpenDeal(), "SessionClosed", {}),
    (closed_evening, c.Undo(), "SessionClosed", {}),
    (opened, c.Reseat(players=(ADA, BO, CILLA)), "DealIsOpen", {"deal": 1}),
    (four, c.Reseat(players=(ADA, BO, "p9")), "NoSuchPlayer", {"player": "p9"}),
    (four, c.Reseat(players=(ADA, BO, ADA)), "SeatedTwice", {"player": ADA}),
    (
        four,
        c.Reseat(players=(ADA, BO)),
        "WrongNumberOfPlayers",
        {"count": 2, "least": 3, "most": 5},
    ),
    (four, c.Reseat(players=(ADA, BO, CILLA), dealer=DISA), "NotSeated", {"player": DISA}),
    (
        replace(Given(), funds={ADA: -16}).agreed(credit_limit=25),
        c.OpenDeal(),
        "CreditLimitReached",
        {"player": ADA, "stake": 10, "balance": -16, "limit": 25},
    ),
    # who declares
    (opened, c.Trick(winner=ADA), "NobodyHasDeclared", {}),
    (opened, c.Result(winner=ADA), "NobodyHasDeclared", {}),
    (opened, c.LaVola(player=ADA), "NobodyHasDeclared", {}),
    (opened, c.Finish(), "NobodyHasDeclared", {}),
    (bidding, c.Play(player=BO, card="AS"), "NobodyHasDeclared", {}),
    (playing, c.Declare(players=(ADA,)), "DeclarerAlreadyKnown", {}),
    (playing, c.AllPass(), "DeclarerAlreadyKnown", {}),
    (opened, c.Declare(players=(BO, CILLA)), "NotDeclarers", {"dealer": ADA, "cutter": DISA}),
    (opened, c.Declare(players=(EMIL,)), "NotSeated", {"player": EMIL}),
    # cutting and turning up
    (opened, c.Cut(card="8C"), "CardNotInPack", {"card": "8C"}),
    (opened, c.TurnUp(card="AC"), "NotNow", {"action": "turn_up", "phase": "opened"}),
    (opened, c.Take(), "NotNow", {"action": "take", "phase": "opened"}),
    (opened, c.Decline(), "NotNow", {"action": "decline", "phase": "opened"}),
    (opened, c.Discard(player=ADA), "NotNow", {"action": "discard", "phase": "opened"}),
    (opened, bo_shows, "NotNow", {"action": "hand", "phase": "opened"}),
    (cut, c.Cut(card="9C"), "NotNow", {"action": "cut", "phase": "cut"}),
    (cut, c.Declare(players=(BO,)), "NotNow", {"action": "declare", "phase": "cut"}),
    (cut, c.TurnUp(card="8C"), "CardNotInPack", {"card": "8C"}),
    (jack_cut, c.TurnUp(card="JC"), "CardAlreadyGone", {"card": "JC"}),
    (jack_cut, c.AllPass(), "MustTake", {}),
    (bidding, c.Take(), "NotNow", {"action": "take", "phase": "bidding"}),
    (ada_took, c.Take(), "NotNow", {"action": "take", "phase": "discarding"}),
    (playing, c.Cut(card="9C"), "NotNow", {"action": "cut", "phase": "playing"}),
    # bidding
    (bidding, bid(CILLA, "pass"), "NotYourTurn", {"turn": BO, "player": CILLA}),
    (bidding, bid(EMIL, "pass"), "NotSeated", {"player": EMIL}),
    (bidding, bid(BO, "H"), "AcceptOrPass", {}),
    (bidding, bid(BO, "wieder"), "AcceptOrPass", {}),
    (second_round, bid(CILLA, "pass"), "NotYourTurn", {"turn": BO, "player": CILLA}),
    (second_round, bid(BO, "accept"), "NameASuitOrPass", {}),
    (
        second_round.after(bid(BO, "pass")),
        bid(CILLA, "H"),
        "SuitIsForehands",
        {"forehand": BO, "suit": "H"},
    ),
    # the sixth card
    (ada_took, c.Discard(player=BO), "NothingToDiscard", {"player": BO}),
    (ada_took, c.Discard(player=EMIL), "NotSeated", {"player": EMIL}),
    (ada_took, c.Discard(player=ADA, card="8C"), "CardNotInPack", {"card": "8C"}),
    (both_took, c.Discard(player=ADA, card="JC"), "CardAlreadyGone", {"card": "JC"}),
    (
        ada_took.after(c.Hand(player=ADA, cards=("JH", "AS", "KS", "QS", "10S", "9S"))),
        c.Discard(player=ADA, card="AC"),
        "CardNotInHand",
        {"player": ADA, "card": "AC", "legal": ["JH", "AS", "KS", "QS", "10S", "9S"]},
    ),
    (ada_took, c.Play(player=BO, card="AS"), "DiscardFirst", {"players": [ADA]}),
    (both_took, c.Play(player=BO, card="AS"), "DiscardFirst", {"players": [DISA, ADA]}),
    # cards
    (playing, c.Play(player=BO, card="AS"), "TrumpUnknown", {}),
    (hearts, c.Play(player=CILLA, card="AS"), "NotOnLead", {"turn": BO, "player": CILLA}),
    (
        hearts.after(c.Play(player=BO, card="AS")),
        c.Play(player=DISA, card="KS"),
        "NotYourTurn",
        {"turn": CILLA, "player": DISA},
    ),
    (hearts, c.Play(player=EMIL, card="AS"), "NotSeated", {"player": EMIL}),
    (hearts, c.Play(player=BO, card="8S"), "CardNotInPack", {"card": "8S"}),
    (
        hearts.after(c.Play(player=BO, card="AS")),
        c.Play(player=CILLA, card="AS"),
        "CardAlreadyGone",
        {"card": "AS"},
    ),
    (
        hand_shown,
        c.Play(player=BO, card="AC"),
        "CardNotInHand",
        {"player": BO, "card": "AC", "legal": ["AH", "9H", "AS", "KS", "QS"]},
    ),
    (
        heart_led,
        c.Play(player=CILLA, card="AC"),
        "MustFollowSuit",
        {"player": CILLA, "legal": ["KH", "JS"]},
    ),
    (
        hearts,
        c.Hand(player=BO, cards=("AH", "9H")),
        "WrongHandSize",
        {"player": BO, "held": 5, "shown": 2},
    ),
    (
        hearts,
        c.Hand(player=BO, cards=(*bo_shows.cards, "QS")),
        "WrongHandSize",
        {"player": BO, "held": 5, "shown": 6},
    ),
    (hand_shown, bo_shows, "HandAlreadyKnown", {"player": BO}),
    (hearts, c.Hand(player=EMIL, cards=bo_shows.cards), "NotSeated", {"player": EMIL}),
    (
        hearts,
        c.Hand(player=BO, cards=("8H", *bo_shows.cards[1:])),
        "CardNotInPack",
        {"card": "8H"},
    ),
    (hand_shown, c.Hand(player=CILLA, cards=bo_shows.cards), "CardAlreadyGone", {"card": "AH"}),
    (
        ada_took,
        c.Hand(player=ADA, cards=("AC", "AS", "KS", "QS", "10S", "9S")),
        "HandDoesNotFit",
        {"player": ADA, "card": "JH"},
    ),
    # tricks
    (playing, c.Trick(winner=EMIL), "NotSeated", {"player": EMIL}),
    (hearts.after(c.Play(player=BO, card="AS")), c.Trick(winner=BO), "TrickHasCards", {}),
    (hearts.after(c.Play(player=BO, card="AS")), c.Finish(), "TrickHasCards", {}),
    (playing.after(*tricks(BO)), c.Result(winner=BO), "TricksAlreadyRecorded", {}),
    (
        hearts.after(c.Play(player=BO, card="AS")),
        c.Result(winner=BO),
        "TricksAlreadyRecorded",
        {},
    ),
    (playing, c.Result(winner=EMIL), "NotSeated", {"player": EMIL}),
    (playing, c.Result(winner=None), "NobodyWinsNeedsFive", {}),
    (playing, c.Result(la_vola=Vola(player=EMIL, won=True)), "NotSeated", {"player": EMIL}),
    (playing.after(*tricks(BO, ADA)), c.LaVola(player=BO), "LaVolaNeedsFirstTwoTricks", {}),
    (playing, c.LaVola(player=EMIL), "NotSeated", {"player": EMIL}),
    (
        playing.after(*tricks(BO, BO), c.LaVola(player=BO)),
        c.LaVola(player=BO),
        "LaVolaAlreadyAnnounced",
        {"player": BO},
    ),
    (playing.after(*tricks(BO, BO)), c.Finish(), "WinnerNotCertain", {}),
    (
        playing.after(*tricks(BO, BO), c.LaVola(player=BO), *tricks(BO)),
        c.Finish(),
        "WinnerNotCertain",
        {},
    ),
    (
        Given()
        .agreed(allow_early_end=False)
        .after(c.OpenDeal(), c.Declare(players=(BO,)), *tricks(BO, BO, BO)),
        c.Finish(),
        "EarlyEndNotAllowed",
        {},
    ),
    # merging
    (four, c.Merge(), "NothingToMerge", {}),
    (opened, c.Merge(), "NothingToMerge", {}),
    (playing.after(c.Result(winner=ADA)), c.Merge(), "NothingToMerge", {}),
    (both_lost.after(c.OpenDeal()), c.Merge(), "NothingToMerge", {}),
    (both_lost, c.Merge(together=False), "AlreadyApart", {}),
    (both_lost.after(c.Merge()), c.Merge(), "AlreadyTogether", {}),
]


@each_refusal(REFUSED)
def test_a_refusal_has_its_operands(setup, command, refusal, operands):
    setup.when(command).refused(getattr(errors, refusal), **operands)


def test_the_dealer_may_go_down_to_the_credit_limit_but_not_below():
    at = replace(Given(), funds={ADA: -15}).agreed(credit_limit=25)
    assert at.after(c.OpenDeal()).table_state.deal_is_open
    replace(at, funds={ADA: -16}).when(c.OpenDeal()).refused(
        errors.CreditLimitReached, player=ADA, stake=10, balance=-16, limit=25
    )


def test_a_misdeal_is_refused_unless_that_deal_is_open():
    four.when_misdealt(1).refused(errors.NoOpenDeal)
    opened.when_misdealt(2).refused(errors.DealNotOpen, deal=2)
    both_lost.when_misdealt(1).refused(errors.NoOpenDeal)
    closed_evening.when_misdealt(1).refused(errors.SessionClosed)


def test_an_evening_is_not_closed_in_the_middle_of_a_deal_or_twice():
    opened.when_closed().refused(errors.DealIsOpen, deal=1)
    closed_evening.when_closed().refused(errors.SessionClosed)


def test_a_closing_is_not_taken_back_before_there_is_one():
    four.when_reopened().refused(errors.SessionNotClosed)


def test_a_correction_is_refused_when_it_is_of_no_deal_or_leaves_it_open():
    four.when_corrected(1, c.AllPass()).refused(errors.NoSuchDeal, deal=1)
    opened.when_corrected(1, c.AllPass()).refused(errors.DealIsOpen, deal=1)
    both_lost.when_corrected(1, c.Declare(players=(BO,))).refused(errors.DealNotClosed, deal=1)
    both_lost.when_corrected(1, c.Undo()).refused(errors.NotNow, action=0, phase="correcting")
    closed_evening.when_corrected(1, c.AllPass()).refused(errors.SessionClosed)


def test_a_correction_that_later_deals_could_not_follow_names_them():
    """Cilla comes down to 0 in deal 2, so that deal 3 was never played."""
    first = Given(game=knektpass.GAME, options=knektpass.Options(start=5))
    at = first.after(*[c.OpenDeal(), c.AllPass()] * 3)
    alone = [c.Stay(player=CILLA), *(c.Pass(player=p) for p in (DISA, ADA, BO))]
    at.when_corrected(2, *alone).refused(errors.LaterDealsBreak, deals=[3])


def test_an_evening_that_plays_on_is_not_closed_over_a_pot_or_a_bet():
    both_lost.when_closed("play_on").refused(errors.LeftoversToPlayFor, pot=0, bets=20)
    opened.after(c.AllPass()).when_closed("play_on").refused(
        errors.LeftoversToPlayFor, pot=10, bets=0
    )


def test_an_evening_begins_with_the_games_count_and_a_seated_dealer():
    with pytest.raises(errors.WrongNumberOfPlayers):
        table_session.begin(four.game, four.options, (ADA, BO), ADA)
    with pytest.raises(errors.WrongNumberOfPlayers):
        table_session.begin(four.game, four.options, (ADA, BO, CILLA, DISA, EMIL, "p6"), ADA)
    with pytest.raises(errors.NoSuchPlayer):
        table_session.begin(four.game, four.options, (ADA, BO, CILLA), DISA)


def test_in_a_game_for_points_the_same_people_sit_to_the_end():
    points = Given(game=knektpass.GAME, options=knektpass.Options())
    points.when(c.Reseat(players=(BO, ADA, CILLA, DISA))).refused(errors.RosterIsFixed)
    assert "reseat" not in points.legal_types()


def test_a_game_refuses_what_it_does_not_know():
    game = replace(Given().game, commands=Given().game.commands - {c.Merge})
    replace(Given(), game=game).when(c.Merge()).refused(
        errors.NotNow, action="merge", phase="waiting"
    )


@pytest.mark.parametrize(("bet_multiplier", "passed"), [(1, 1000), (2, 500)])
def test_an_amount_too_large_to_keep_exactly_is_refused(bet_multiplier, passed):
    at = Given().agreed(stake=10**9, bet_multiplier=bet_multiplier)
    at = at.after(*[c.OpenDeal(), c.AllPass()] * passed)
    assert at.pot_and_bets == (passed * 10**9, "")
    penalty = bet_multiplier * (passed + 1) * 10**9
    at.when(c.OpenDeal()).refused(errors.AmountTooLarge, amount=penalty, limit=10**12)


CLASSES = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, RuleViolation) and kind is not RuleViolation
}


def refused_somewhere():
    """Yield every refusal that a test of the engine expects, by name, whichever game makes it."""
    for file in Path(__file__).parents[1].rglob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.Call(func=ast.Attribute(attr="refused"), args=[why, *_]):
                    yield from (n.id for n in ast.walk(why) if isinstance(n, ast.Name))
                    yield from (n.attr for n in ast.walk(why) if isinstance(n, ast.Attribute))
                case ast.Tuple(elts=[_, _, ast.Constant(value=str(name)), *_]):
                    yield name  # a line of a table like the one above


def test_every_refusal_has_an_example():
    assert set(CLASSES) - set(refused_somewhere()) <= IN_A_TABLE


IN_A_TABLE = {"MustHead"}
"""Expected by a table of hands in tests/engine/games/knektpass/test_card_by_card.py."""


@pytest.mark.parametrize("kind", CLASSES.values(), ids=CLASSES)
def test_a_refusal_is_a_sentence_with_a_stable_code(kind):
    assert kind.__doc__.endswith(".")
    assert kind.code.replace("_", "") == kind.__name__.lower()
