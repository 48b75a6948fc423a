"""Small deals with every hand written out, and the first ways to play them counted by hand.

The comments beside each hand say, card by card, what may be played from it.
"""

from dataclasses import dataclass, field, replace

from engine import commands as c
from engine.games.registry import GAMES


@dataclass(frozen=True)
class Perft:
    """A deal with all hands known. `by_hand`: the ways to play 1, 2, 3 … cards from `after` on."""

    game: str
    hands: dict[str, str]
    commands: tuple[c.Command, ...]  # after the opening, before the hands
    trump: str
    by_hand: tuple[int, ...]
    options: dict[str, object] = field(default_factory=dict)
    depth: int = 15  # cards
    after: int = 0  # cards played before, each the first that the hand, as written, may play

    @property
    def seats(self):
        return tuple(sorted(self.hands))

    @property
    def cards(self):
        return {player: cards.split() for player, cards in self.hands.items()}

    @property
    def agreed(self):
        options = GAMES[self.game].options_type(**self.options)
        return {name: getattr(options, name) for name in options.__struct_fields__}


BO_IN_HEARTS = Perft(
    game="polskt_pass",
    trump="H",
    hands={"p1": "QD AD KH 9S AC", "p2": "AH KD 9D QS 10C", "p3": "JS 10D AS KC 9H"},
    commands=(c.Declare(players=("p2",), trump="H"),),
    # Bo leads one of 5.
    # Cilla: on AH a trump (JS 9H); on KD, 9D 10D; on QS AS; on 10C KC: 2 + 1 + 1 + 1 + 1 = 6.
    # Ada: on a trump KH, on a diamond QD or AD, on the spade 9S, on the club AC:
    #   2·1 + 2·2 + 1 + 1 = 8. Whoever has taken it leads one of 4: 32.
    by_hand=(5, 6, 8, 32),
)

JACKS_OF_THEIR_OWN_SUIT = replace(
    BO_IN_HEARTS,
    options={"jack_suit": "natural"},
    # As above, but JS is a spade: on AH only 9H; on QS AS or JS: 1 + 1 + 1 + 2 + 1 = 6.
    # Ada: 1·1 + 2·2 + 2·1 + 1 = 8.
    by_hand=(5, 6, 8, 32),
)

BO_IN_SPADES = Perft(
    game="polskpas",
    trump="S",
    hands={"p1": "JH AH KC QH KD", "p2": "JC AS KS 10H QC", "p3": "JD QS AC KH 10C"},
    commands=(c.Declare(players=("p2",), trump="S"),),
    # Cilla: on JC, AS, KS a trump (JD QS), on 10H KH, on QC AC or 10C: 3·2 + 1 + 2 = 9.
    # Ada: on a trump JH, on hearts AH or QH, on clubs KC: 6·1 + 1·2 + 2·1 = 10.
    by_hand=(5, 9, 10, 40),
)

ALL_STAY_IN_DIAMONDS = Perft(
    game="knektpass",
    trump="D",
    hands={"p1": "QC 6S AS 9D JH", "p2": "AC 7C 9S 6D KH", "p3": "KC 10C JS QS 8H"},
    commands=(c.TurnUp(card="8D"), *(c.Stay(player=p) for p in ("p2", "p3", "p1"))),
    # Cilla: on AC, which she cannot head, KC or 10C; on 7C both head it; on 9S QS (JS is a trump);
    #   on 6D JS; on KH 8H: 2 + 2 + 1 + 1 + 1 = 7.
    # Ada: on the clubs QC (4 ways); on 9S QS she must head with AS; on 6D JS she cannot head, so 9D
    #   or JH; on KH 8H she has no heart and must trump: 9D or JH: 4 + 1 + 2 + 2 = 9.
    by_hand=(5, 7, 9, 36),
)

NOBODY_MUST_TRUMP = replace(
    ALL_STAY_IN_DIAMONDS,
    options={"must_trump_when_void": False},
    # As above, but on KH 8H Ada may play any of her 5: 4 + 1 + 2 + 5 = 12.
    by_hand=(5, 7, 12, 48),
)

BIDS = (c.SideBid(side="p2+p4", tricks=6), c.SideBid(side="p1+p3", nil="p1", tricks=4))


def spader(*hands: str, by_hand: tuple[int, ...], depth: int, after: int = 0) -> Perft:
    """Return a deal with these hands, in the order of the seats, and the same two bids."""
    return Perft(
        game="spader",
        trump="S",
        hands=dict(zip(("p1", "p2", "p3", "p4"), hands, strict=True)),
        commands=BIDS,
        by_hand=by_hand,
        depth=depth,
        after=after,
    )


THIRTEEN_SPADES = spader(
    "2C 4C 6C 8C 10C QC AC AH KH QH AD KD QD",
    "7H 6H 5H 4H 3H 2H 8D 7D 6D 5D 4D 3D 2D",
    "3C 5C 7C 9C JC KC JH 10H 9H 8H JD 10D 9D",
    "AS KS QS JS 10S 9S 8S 7S 6S 5S 4S 3S 2S",
    # Ada leads 2C and nothing else. Bo has no club: any of 13. Cilla her lowest: 3C. Disa has
    # nothing but spades, so any of 13, and takes nothing. Cilla leads any of 12: 13·13·12.
    by_hand=(1, 13, 13, 169, 2028),
    depth=5,
)

NO_SPADE_IN_THE_FIRST_TRICK = spader(
    "AC KC QC JC 10C 9C 8C 7C 6C 5C 4C 3C AS",
    "2C AH KH QH JH 10H 9H 8H 7H 6H 5H 4H 3H",
    "2H AD KD QD JD 10D KS QS JS 10S 9S 8S 7S",
    "9D 8D 7D 6D 5D 4D 3D 2D 6S 5S 4S 3S 2S",
    # Bo leads 2C. Cilla lays off one of 6 red cards, Disa one of 8, Ada must play 3C: 48 ways.
    # Ada took it and leads one of 11 clubs; spades are not broken, so not AS: 528.
    by_hand=(1, 6, 48, 48, 528),
    depth=5,
)

LAST_CARDS = spader(
    "2C 9C KC 4D JD 7H QH 8H 3H 6S 10S AD AS",
    "3C 10C QC 6D 9D 2H KH 10H 5H 4S JS 8D KS",
    "5C 7C AC 2D QD 4H AH 9H 5D 3S 8S 10D QS",
    "4C 6C 8C JC KD 3D 7D 6H JH 2S 5S 7S 9S",
    by_hand=(),
    depth=16,
    after=36,
)

FIVE_TRICKS = {
    "polskt pass": BO_IN_HEARTS,
    "jacks of their own suit": JACKS_OF_THEIR_OWN_SUIT,
    "polskpas": BO_IN_SPADES,
    "knektpass": ALL_STAY_IN_DIAMONDS,
    "nobody must trump": NOBODY_MUST_TRUMP,
}
SPADER = {
    "thirteen spades": THIRTEEN_SPADES,
    "no spade in the first trick": NO_SPADE_IN_THE_FIRST_TRICK,
    "last cards": LAST_CARDS,
}
DEALS = FIVE_TRICKS | SPADER
