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
OPEN_DEAL = c.OpenDeal()


def spader_with(dealer=ADA, **options):
    return Given(game=spader.GAME, options=spader.Options(**options), dealer=dealer)


def bid(side, text):
    """Return the bid of `5`, `nil A 4`, `blind B 2`, or `nil` for both partners together."""
    match text.split():
        case ["nil"]:
            return c.SideBid(side=side, joint_nil=True)
        case [tricks]:
            return c.SideBid(side=side, tricks=int(tricks))
        case ["nil", letter, tricks]:
            return c.SideBid(side=side, tricks=int(tricks), nil=player(letter))
        case ["blind", letter, tricks]:
            return c.SideBid(side=side, tricks=int(tricks), blind_nil=player(letter))
    raise AssertionError(text)


def blind_bid(side, player_id):
    return c.SideBid(side=side, tricks=1, blind_nil=player_id)


def count_command(tricks):
    """Return `AAB` as two tricks of Ada's and one of Bo's, without the players who took none."""
    return c.Tricks(taken=dict(Counter(map(player, tricks))))


def trick_commands(tricks):
    return [c.Trick(winner=player(letter)) for letter in tricks]


def both_bids(at, n, e_):
    """Return both bids, the forehand's side first."""
    n_bid, e_bid = bid(N, n), bid(E, e_)
    return [n_bid, e_bid] if at.table_state.dealer in (BO, DISA) else [e_bid, n_bid]


def record_deal(at, n, e_, tricks):
    """Record a whole deal, with the tricks counted at its end."""
    return at.after(OPEN_DEAL, *both_bids(at, n, e_), count_command(tricks))


def sheet(at):
    return at.table_state.game_state.sheet


def scores(at):
    return list(sheet(at).scores.values())


def overtricks(at):
    return list(sheet(at).overtricks.values())


def last_scores(at):
    """Return what the last deal scored: side, rule and points."""
    last = max(i for i, fact in enumerate(at.history) if isinstance(fact, e.DealOpened))
    lines = [fact for fact in at.history[last:] if isinstance(fact, e.Scored)]
    return [("NE"[line.to == E], line.rule, line.points) for line in lines]


def last_scores_of_n(at):
    return [(rule, points) for side, rule, points in last_scores(at) if side == "N"]


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


def parse_e7():
    """Yield each deal of E7: both bids, the tricks, points and overtricks of both sides."""
    for line in E7.strip().splitlines():
        side_bids, points, overtrick_counts = line.split("|")
        n, e_ = side_bids.removeprefix("N").split(" E ")
        *of_e, tricks = e_.split()
        yield (
            n.strip(),
            " ".join(of_e),
            tricks,
            *([int(x) for x in p.split()] for p in (points, overtrick_counts)),
        )


def second_deal_with_scores(n, e_, over_n=0, over_e=0, **options):
    """Return the second deal of a game with these scores: Ada has dealt, Bo deals next, so N bids
    first."""
    at = spader_with(**options).after(OPEN_DEAL)
    lines = [
        e.Scored(deal=1, to=N, points=n, rule="bid_made", overtricks=over_n),
        e.Scored(deal=1, to=E, points=e_, rule="bid_made", overtricks=over_e),
    ]
    return at.given(*lines, e.DealClosed(deal=1, outcome="scored", next_dealer=BO))


N_BIDS_FIRST = second_deal_with_scores(0, 100).after(OPEN_DEAL)
BOTH_HAVE_BID = N_BIDS_FIRST.after(bid(N, "5"), bid(E, "5"))


def hand_commands(dealt):
    return [
        c.Hand(player=seated_player, cards=tuple(cards.split()))
        for seated_player, cards in dealt.items()
    ]


def playable_cards(at):
    """Return the cards that the legal actions list for each player."""
    listed = [a.fields for a in at.legal if a.type == "play"]
    return {f["player"]["values"][0]: f["card"]["values"] for f in listed}
