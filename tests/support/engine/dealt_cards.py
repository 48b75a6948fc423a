"""Deals with every card, made by hand: the leader, then the cards clockwise."""

from dataclasses import dataclass

from engine import commands as c
from engine.values import clockwise_from
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, FIVE_PLAYERS
from tests.support.worked_evenings import player


@dataclass(frozen=True)
class Dealt:
    cut: str
    turn_up: str
    bids: tuple[tuple[str, str], ...]
    tricks: str  # one trick a line

    @property
    def played(self):
        """Yield five tricks: the player and the card of each play, in order."""
        for line in self.tricks.strip().splitlines():
            leader, cards = line.split(":")
            around = clockwise_from(player(leader.strip()), FIVE_PLAYERS[: len(cards.split())])
            yield list(zip(around, cards.split(), strict=True))

    @property
    def hands(self):
        """Return the hand that each player was dealt."""
        seats = FIVE_PLAYERS[: len(next(self.played))]
        return {p: tuple(dict(trick)[p] for trick in self.played) for p in seats}

    def actions(self, *, hands=True):
        """Yield opening, cutting, bidding and play, with the hands recorded or not."""
        yield c.OpenDeal()
        yield c.Cut(card=self.cut)
        yield c.TurnUp(card=self.turn_up)
        for seat, call in self.bids:
            yield c.Bid(player=seat, call=call)
        if hands:
            for seat, cards in self.hands.items():
                yield c.Hand(player=seat, cards=cards)
        for trick in self.played:
            for seat, card in trick:
                yield c.Play(player=seat, card=card)


E1_DEAL_1 = Dealt(  # Ada deals, Bo declares hearts: C C D C B
    cut="KH",
    turn_up="9H",
    bids=((BO, "accept"),),
    tricks="""
        B: 10H JC 9C AH
        C: AS 10S KS QS
        C: KD AD 10D 9D
        D: KC QC 10C AC
        C: QD 9S QH JS
    """,
)

E1_DEAL_2 = Dealt(  # Bo deals, Disa declares spades: A A B D D
    cut="AS",
    turn_up="KS",
    bids=((CILLA, "pass"), (DISA, "accept")),
    tricks="""
        C: 9D 10D AD QD
        A: AC 9C 10C QC
        A: 9H AH 10H QH
        B: KC KD JS KH
        D: JC QS 10S 9S
    """,
)

E1_DEAL_3 = Dealt(  # Cilla deals, everybody passes twice
    cut="9C",
    turn_up="10D",
    bids=tuple((player, "pass") for player in (DISA, ADA, BO, CILLA) * 2),
    tricks="",
)
