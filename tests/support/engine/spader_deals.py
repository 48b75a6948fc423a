"""Deals of Spader in short form: what each side bids, and the letters of who takes each trick.

Ada and Cilla (N) play against Bo and Disa (E).
"""

from collections import Counter

from engine import commands as c
from engine import events as e
from engine.games.spader import decider as spader
from tests.support.engine.given_when_then import ADA, BO, DISA, FIVE_PLAYERS, Given
from tests.support.worked_evenings import player

N, E = "p1+p3", "p2+p4"
SEATS = FIVE_PLAYERS[:4]
open_deal = c.OpenDeal()


def spader_with(dealer=ADA, **options):
    return Given(game=spader.GAME, options=spader.Options(**options), dealer=dealer)


def bid(side, said):
    """Return the bid of `5`, `nil A 4`, `blind B 2`, or `nil` for both partners together."""
    match said.split():
        case ["nil"]:
            return c.SideBid(side=side, joint_nil=True)
        case [tricks]:
            return c.SideBid(side=side, tricks=int(tricks))
        case ["nil", who, tricks]:
            return c.SideBid(side=side, tricks=int(tricks), nil=player(who))
        case ["blind", who, tricks]:
            return c.SideBid(side=side, tricks=int(tricks), blind_nil=player(who))
    raise AssertionError(said)


def blind(side, who):
    return c.SideBid(side=side, tricks=1, blind_nil=who)


def counted(tricks):
    """Return `AAB` as two tricks of Ada's and one of Bo's, without the players who took none."""
    return c.Tricks(taken=dict(Counter(map(player, tricks))))


def one_by_one(tricks):
    return [c.Trick(winner=player(letter)) for letter in tricks]


def bids(at, n, e_):
    """Return both bids, the forehand's side first."""
    said = {N: bid(N, n), E: bid(E, e_)}
    return [said[N], said[E]] if at.evening.dealer in (BO, DISA) else [said[E], said[N]]


def deal(at, n, e_, tricks):
    """Record a whole deal, with the tricks counted at its end."""
    return at.after(open_deal, *bids(at, n, e_), counted(tricks))


def sheet(at):
    return at.evening.game_state.sheet


def scores(at):
    return list(sheet(at).scores.values())


def overtricks(at):
    return list(sheet(at).overtricks.values())


def rows(at):
    """Return what the last deal scored: side, rule and points."""
    last = max(i for i, fact in enumerate(at.history) if isinstance(fact, e.DealOpened))
    lines = [fact for fact in at.history[last:] if isinstance(fact, e.Scored)]
    return [("NE"[line.to == E], line.rule, line.points) for line in lines]


def n_rows(at):
    return [(rule, points) for side, rule, points in rows(at) if side == "N"]


# E7 (docs/rules.md §8): points and overtricks since the start of the game

E7 = """
N 5           E 7           AAAAABBBCCCDD |  53 -20 |  3  0
N nil A 4     E 8           BDBDCCCBDBDCC | 144  60 |  4  0
N 7           E 6           ACACACACABDDD | 216  40 |  6  0
N 8           E blind B 2   ADACACACACDDD | 297 162 |  7  2
N nil         E 6           BDBDBDABDBDBB | 247 228 |  7  8
N 2           E nil         ACACACACACACA | 178 278 | 18  8
N blind A 3   E nil D 5     ABABCBCBDBBBB | 109 182 | 19 12
"""


def e7():
    for line in E7.strip().splitlines():
        said, points, over = line.split("|")
        n, e_ = said.removeprefix("N").split(" E ")
        *of_e, tricks = e_.split()
        yield (
            n.strip(),
            " ".join(of_e),
            tricks,
            *([int(x) for x in p.split()] for p in (points, over)),
        )


def with_scores(n, e_, over_n=0, over_e=0, **options):
    """Return the second deal of a game with these scores: Ada has dealt, Bo deals next, so N bids
    first."""
    at = spader_with(**options).after(open_deal)
    lines = [
        e.Scored(deal=1, to=N, points=n, rule="bid_made", overtricks=over_n),
        e.Scored(deal=1, to=E, points=e_, rule="bid_made", overtricks=over_e),
    ]
    return at.given(*lines, e.DealClosed(deal=1, outcome="scored", next_dealer=BO))


n_bids = with_scores(0, 100).after(open_deal)
both_bid = n_bids.after(bid(N, "5"), bid(E, "5"))


def hands(dealt):
    return [
        c.Hand(player=seated_player, cards=tuple(cards.split()))
        for seated_player, cards in dealt.items()
    ]


def playable(at):
    """Return the cards that the legal actions list for each player."""
    listed = [a.fields for a in at.legal if a.type == "play"]
    return {f["player"]["values"][0]: f["card"]["values"] for f in listed}
