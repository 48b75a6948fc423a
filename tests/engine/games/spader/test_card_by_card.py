"""Spader card by card: the clubs of the first trick, following suit, breaking spades (§3.2)."""

import pytest

from engine import commands as c
from engine import events as e
from engine.errors import (
    CardAlreadyGone,
    CardNotInHand,
    LowestClub,
    MustFollowSuit,
    NoSpadeInFirstTrick,
    NotOnLead,
    NotYourTurn,
    SpadesNotBroken,
    TrickHasCards,
    TwoOfClubsLeads,
    WrongHandSize,
)
from engine.games.spader import decider as spader
from engine.games.spader.state import PACK
from engine.games.spader.trick_rules import lowest_card, winner_of
from engine.tricks.trick_state import TrickState
from engine.values import clockwise_from
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA
from tests.support.engine.spader_deals import (
    BOTH_HAVE_BID,
    N_BIDS_FIRST,
    SEATS,
    E,
    N,
    bid,
    hand_commands,
    playable_cards,
    spader_with,
)

HANDS = {  # Disa holds the two of clubs; Bo and Cilla have no club, Cilla nothing but spades
    ADA: "AC 9C 3C KH QH JH 10H 9H KD QD JD 10D 9D",
    BO: "8H 7H 6H 5H 4H 3H 2H AH AD 8D 7D 6D 5D",
    CILLA: "AS KS QS JS 10S 9S 8S 7S 6S 5S 4S 3S 2S",
    DISA: "KC QC JC 10C 8C 7C 6C 5C 4C 2C 4D 3D 2D",
}


def play(leader, cards):
    around = clockwise_from(leader, SEATS)
    command = zip(around, cards.split(), strict=False)
    return [c.Play(player=seated_player, card=card) for seated_player, card in command]


known = BOTH_HAVE_BID.after(*hand_commands(HANDS))


# Who takes a trick


@pytest.mark.parametrize(
    ("cards", "highest"),
    [
        ("2H 10H 9H 8H", "10H"),
        ("2H AD AC 3H", "3H"),
        ("AH 2S KH QH", "2S"),
        ("AH 2S 3S KH", "3S"),
        ("JS QS KS AS", "AS"),
        ("JC QC 10C 9C", "QC"),  # jacks are ordinary cards
        ("JC JS JH JD", "JS"),
        ("10D JD 9D 8D", "JD"),
    ],
)
def test_the_highest_spade_or_else_the_highest_of_the_suit_led_wins(cards, highest):
    at = TrickState(seats=SEATS, leader=ADA, pack=PACK, hand_size=13, winners=(ADA,))
    for card, player in zip(cards.split(), SEATS, strict=True):
        at = at.play_card(player, card)
    assert dict(at.on_table)[winner_of(at)] == highest


def test_the_first_trick_goes_to_the_highest_club_whatever_else_is_played():
    for cards, winner in (("2C AH AS KD", DISA), ("2C 3C 4C KC", CILLA), ("2C 10C JC 9C", BO)):
        assert BOTH_HAVE_BID.after(*play(DISA, cards)).history[-1] == e.TrickWon(winner=winner)


def test_a_card_is_lower_than_another_by_its_rank():
    assert lowest_card(("10C", "9C", "JC")) == "9C"
    assert lowest_card(("10C", "AC", "KC")) == "10C"


# The first trick


def test_the_two_of_clubs_leads_whoever_holds_it():
    for seated_player in SEATS:
        at = BOTH_HAVE_BID.when(c.Play(player=seated_player, card="2C")).then(
            e.CardPlayed(player=seated_player, card="2C")
        )
        assert at.table_state.game_state.phase.tricks.leader == seated_player
        BOTH_HAVE_BID.when(c.Play(player=seated_player, card="3C")).refused(
            TwoOfClubsLeads, player=seated_player, legal=[]
        )
    assert playable_cards(BOTH_HAVE_BID) == {seated_player: ["2C"] for seated_player in SEATS}


def test_who_is_known_to_hold_the_two_of_clubs_must_lead_it():
    at = BOTH_HAVE_BID.after(*hand_commands({DISA: HANDS[DISA]}))
    at.when(c.Play(player=DISA, card="3D")).refused(TwoOfClubsLeads, player=DISA, legal=["2C"])
    at.when(c.Play(player=ADA, card="2C")).refused(CardAlreadyGone, card="2C")
    assert playable_cards(at) == {DISA: ["2C"]}
    second = BOTH_HAVE_BID.after(*hand_commands({ADA: HANDS[ADA]}))
    second.when(c.Play(player=ADA, card="3C")).refused(TwoOfClubsLeads, player=ADA, legal=[])
    second.when(c.Play(player=ADA, card="2C")).refused(
        CardNotInHand, card="2C", player=ADA, legal=[]
    )
    assert playable_cards(second) == {seated_player: ["2C"] for seated_player in (BO, CILLA, DISA)}


def test_the_others_play_their_lowest_club():
    at = known.after(*play(DISA, "2C"))
    at.when(c.Play(player=BO, card="2H")).refused(NotYourTurn, turn=ADA, player=BO)
    for card in ("9C", "AC", "KH"):
        at.when(c.Play(player=ADA, card=card)).refused(LowestClub, player=ADA, legal=["3C"])
    assert playable_cards(at) == {ADA: ["3C"]}


def test_who_has_no_club_throws_away_a_diamond_or_a_heart():
    dealt = HANDS | {BO: HANDS[BO].replace("2H", "2S"), CILLA: HANDS[CILLA].replace("2S", "2H")}
    at = BOTH_HAVE_BID.after(*hand_commands(dealt), *play(DISA, "2C 3C"))
    plain = [card for card in dealt[BO].split() if card != "2S"]
    spade = c.Play(player=BO, card="2S")
    at.when(spade).refused(NoSpadeInFirstTrick, player=BO, legal=plain)
    assert playable_cards(at) == {BO: plain}
    at = at.after(c.Play(player=BO, card="AH"))
    assert playable_cards(at) == {CILLA: ["2H"]}


def test_who_has_only_spades_throws_one_away_which_neither_wins_nor_breaks():
    at = known.after(*play(DISA, "2C 3C 8H"))
    assert playable_cards(at) == {CILLA: HANDS[CILLA].split()}
    at = at.after(c.Play(player=CILLA, card="AS"))
    assert at.history[-1] == e.TrickWon(winner=ADA)
    assert at.table_state.game_state.phase.broken is False


def test_after_a_first_trick_without_cards_ordinary_tricks_follow():
    at = BOTH_HAVE_BID.after(c.Trick(winner=BO))
    at.when(c.Play(player=ADA, card="2C")).refused(NotOnLead, turn=BO, player=ADA)
    at = at.after(*play(BO, "AC 5C 4C 2C"))
    assert at.history[-1] == e.TrickWon(winner=BO)


# The other tricks


def spades_are_broken(at):
    return at.table_state.game_state.phase.broken


SECOND = {  # after the first trick Ada leads; Disa is void in hearts, Bo has spades, too
    ADA: "AC 3C AS KH QH JH 10H 9H KD QD JD 10D 9D",
    BO: "8H 7H 6H 5H 4H 3H 2H AH AD 8D 7D 6D 5S",
    CILLA: "9C KS QS JS 10S 9S 8S 7S 6S 5D 4S 3S 2S",
    DISA: "KC QC JC 10C 8C 7C 6C 5C 4C 2C 4D 3D 2D",
}


def after_first_trick():
    """Cilla took the first trick with the nine of clubs."""
    return BOTH_HAVE_BID.after(*hand_commands(SECOND), *play(DISA, "2C 3C 8H 9C"))


def test_one_follows_suit():
    at = after_first_trick().after(*play(CILLA, "5D"))
    at.when(c.Play(player=DISA, card="KC")).refused(
        MustFollowSuit, player=DISA, legal=["4D", "3D", "2D"]
    )
    assert playable_cards(at) == {DISA: ["4D", "3D", "2D"]}


def test_jacks_follow_the_suit_printed_on_them():
    at = after_first_trick().after(*play(CILLA, "5D 4D"))
    assert playable_cards(at) == {ADA: ["KD", "QD", "JD", "10D", "9D"]}


def test_who_cannot_follow_plays_anything():
    at = after_first_trick().after(*play(CILLA, "5D 4D 9D 6D"), *play(ADA, "9H 7H"))
    assert playable_cards(at) == {
        CILLA: SECOND[CILLA].replace("9C ", "").replace("5D ", "").split()
    }


def test_spades_are_not_led_before_a_trick_has_been_ruffed():
    at = after_first_trick()
    legal = ["5D"]
    for card in ("KS", "2S"):
        at.when(c.Play(player=CILLA, card=card)).refused(SpadesNotBroken, player=CILLA, legal=legal)
    assert playable_cards(at) == {CILLA: legal}
    assert spades_are_broken(at) is False


def test_spades_are_broken_by_a_ruff():
    at = after_first_trick().after(*play(CILLA, "5D 4D 9D 6D"))
    assert spades_are_broken(at) is False
    at = at.after(*play(ADA, "9H 7H 2S"))
    assert spades_are_broken(at) is True
    at = at.after(c.Play(player=DISA, card="KC"))
    assert at.history[-1] == e.TrickWon(winner=CILLA)
    assert playable_cards(at) == {
        CILLA: ["KS", "QS", "JS", "10S", "9S", "8S", "7S", "6S", "4S", "3S"]
    }


def test_who_has_only_spades_may_lead_one_which_breaks_nothing():
    """Broken is what a ruff does (docs/rules.md §3.2): a spade led, and spades that follow, are
    none."""
    dealt = SECOND | {CILLA: SECOND[CILLA].replace("5D", "5S"), BO: SECOND[BO].replace("5S", "5D")}
    at = BOTH_HAVE_BID.after(*hand_commands(dealt), *play(DISA, "2C 3C 8H 9C"))
    spades = [card for card in dealt[CILLA].split() if card != "9C"]
    assert playable_cards(at) == {CILLA: spades}
    at = at.after(*play(CILLA, "2S 2D AS 5D"))
    assert at.history[-1] == e.TrickWon(winner=ADA)
    assert spades_are_broken(at) is False
    assert "AS" not in playable_cards(at)[ADA]


def test_an_unknown_hand_may_have_held_any_unseen_card():
    at = BOTH_HAVE_BID.after(*play(DISA, "2C KS 3C 4C"))
    assert at.history[-1] == e.TrickWon(winner=CILLA)
    assert set(playable_cards(at)[CILLA]) == set(PACK) - {"2C", "KS", "3C", "4C"}
    at.after(*play(CILLA, "AS 2H 2S 3D"))


def test_after_tricks_without_cards_nobody_knows_whether_spades_are_broken():
    at = BOTH_HAVE_BID.after(c.Trick(winner=ADA))
    assert spades_are_broken(at) is False, "the first trick never breaks them"
    at = at.after(c.Trick(winner=ADA))
    assert spades_are_broken(at) is None
    eleven = SECOND[ADA].split()[2:]
    at = at.after(*hand_commands({ADA: " ".join(eleven)}))
    assert playable_cards(at) == {ADA: eleven}
    assert spades_are_broken(at.after(*play(ADA, "9H 7H 2S"))) is True


def test_once_broken_spades_stay_broken():
    at = after_first_trick().after(*play(CILLA, "5D 4D 9D 6D"), *play(ADA, "9H 7H 2S KC"))
    assert spades_are_broken(at.after(c.Trick(winner=BO))) is True


def test_a_trick_with_cards_is_played_to_its_end_by_cards():
    known.after(*play(DISA, "2C")).when(c.Trick(winner=ADA)).refused(TrickHasCards)


def test_thirteen_cards_are_shown():
    short = HANDS[ADA].split()[:12]
    BOTH_HAVE_BID.when(c.Hand(player=ADA, cards=tuple(short))).refused(
        WrongHandSize, player=ADA, held=13, shown=12
    )


def test_hands_may_be_shown_at_any_point_of_a_deal():
    at = N_BIDS_FIRST.after(
        *hand_commands({ADA: HANDS[ADA]}), bid(N, "5"), *hand_commands({BO: HANDS[BO]}), bid(E, "5")
    )
    at = at.after(*hand_commands({CILLA: HANDS[CILLA], DISA: HANDS[DISA]}), *play(DISA, "2C"))
    assert playable_cards(at) == {ADA: ["3C"]}


def test_the_rule_for_the_next_card_is_told_while_cards_can_be_played():
    def cards_in_play(at):
        return spader.GAME.cards_in_play(at.table_state.game_state)

    for at in (spader_with(), N_BIDS_FIRST, N_BIDS_FIRST.after(bid(N, "5"))):
        assert cards_in_play(at) is None
    at = after_first_trick()
    hand = tuple(SECOND[CILLA].split())
    assert cards_in_play(at).rule(cards_in_play(at).tricks, hand)[1] is SpadesNotBroken
    blind = N_BIDS_FIRST.after(bid(N, "blind A 4"), bid(E, "5"))
    assert cards_in_play(blind) is None
    assert cards_in_play(blind.after(c.NoSwap())).tricks.leader is None
