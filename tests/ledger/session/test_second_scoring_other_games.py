"""Polskpas, Spader and Knektpass in two books, kept by two hands, agree to the last point.

Random deals at every option, told by their tricks or by their result. `VOLA_DEALS=1000000` keeps
the books for as many deals of each game.
"""

import os
from random import Random

import pytest

from engine import commands as c
from engine.errors import RuleViolation
from engine.games import GAMES
from tests.engine.agreed import drawn
from tests.ledger import reference_games as second
from tests.ledger.book import Book
from tests.ledger.reference import winner_of

DEALS = int(os.environ.get("VOLA_DEALS", "4000"))
CHUNKS = 4
MOST = 10**11


class Kept:
    """The same evening in both books."""

    def __init__(self, key, die):
        self.die, self.game = die, GAMES[key]
        self.agreed = drawn(self.game.options, die)
        self.first = Book(die.choice(self.game.seats), "p1", self.game, **self.agreed)
        self.seats = self.first.session.table.seats
        self.second = getattr(second, f"{key}_begun")(self.agreed, self.seats)
        self.dealer = "p1"
        self.score = getattr(second, key)

    def play(self, told, said):
        self.first.act(*said)
        assert self.first.session.table.open is False, said
        self.dealer = self.score(self.second, told | {"dealer": self.dealer})
        assert self.dealer == self.first.session.table.dealer, told
        self.agree(told)

    def agree(self, told):
        if self.die.random() < 0.3:
            self.first.settle()
        one, other = self.stands(), self.second
        if self.game.scoring is None:
            assert one == (other["has"], other["pot"]), (self.agreed, told)
        else:
            bags = other.get("bags", {})
            assert one == (other["points"], bags, set(other["won"])), (self.agreed, told)

    def stands(self):
        at = self.first.session
        if at.sheet is None:
            return {p: at.funds(p) for p in self.seats}, at.pot
        return dict(at.sheet.scores), dict(at.sheet.overtricks), set(at.sheet.winners)

    def misdeal(self):
        self.first.act(c.OpenDeal())
        self.first.misdeal()
        if self.agreed["misdeal_policy"] == "next_dealer":
            self.dealer = second.left_of(self.dealer, self.seats)

    def refused(self, *said):
        with pytest.raises(RuleViolation):
            self.first.act(*said)

    @property
    def order(self):
        at = self.seats.index(self.dealer) + 1
        return self.seats[at:] + self.seats[:at]


# --- Polskpas ------------------------------------------------------------------------------------


def deal_of_polskpas(kept):
    die, seats = kept.die, kept.seats
    if die.random() < 0.1:
        return {"all_pass": True}, [c.OpenDeal(), c.AllPass()]
    soloist = die.choice(seats)
    said = [c.OpenDeal(), c.Declare(players=(soloist,))]
    tricks = [die.choice((soloist, *seats)) for _ in range(5)]
    announces = die.random() < 0.4
    if announces:
        tricks[:2] = [soloist] * 2
        if die.random() < 0.4:
            tricks = [soloist] * 5
        elif die.random() < 0.4:
            tricks[2:] = [die.choice(seats)] * 3
    told = {"soloist": soloist, "winner": winner_of(tricks), "vole": None}
    if announces:
        told["vole"] = "won" if set(tricks) == {soloist} else "lost"
    if die.random() < 0.5:
        vole = c.Vola(player=soloist, won=told["vole"] == "won")
        extra = {"vole": vole} if announces else {}
        return told, [*said, c.Result(winner=told["winner"], **extra)]
    if announces and kept.agreed["vole_stop_at_loss"]:
        lost = [place for place, taker in enumerate(tricks) if taker != soloist]
        tricks = tricks[: lost[0] + 1] if lost else tricks
    by_tricks = [c.Trick(winner=taker) for taker in tricks]
    if announces:
        by_tricks.insert(2, c.Vole(player=soloist))
    return told, said + by_tricks


def evening_of_polskpas(die):
    kept, deals, last = Kept("polskpas", die), 0, None
    for _ in range(die.randint(1, 25)):
        if not second.polskpas_has_credit(kept.second, kept.dealer):
            kept.refused(c.OpenDeal())
            break
        if die.random() < 0.05:
            kept.misdeal()
            continue
        last = kept.dealer
        kept.play(*deal_of_polskpas(kept))
        deals += 1
        if kept.second["pot"] > MOST:
            break
    kept.first.settle()
    policy = die.choice(("carry", "refund_bets", "split_equal"))
    kept.first.close(policy)
    if policy != "carry" and kept.second["pot"]:
        kept.second["has"] = second.polskpas_shared(kept.second, last)
        kept.second["pot"] = 0
    kept.agree(policy)
    return deals


# --- Spader --------------------------------------------------------------------------------------


def bid_of(kept, side):
    """A bid as both books are told it; one that the rules forbid is tried first."""
    die, agreed = kept.die, kept.agreed
    one, other = die.sample(side.split("+"), 2)
    tricks = die.randint(1, die.choice((4, 8, 13)))
    forms = [
        ({"tricks": tricks}, {"tricks": tricks}, True),
        ({"tricks": tricks, "nils": [one]}, {"tricks": tricks, "nil": one}, True),
        ({"joint": True}, {"joint_nil": True}, True),
    ]
    behind = second.may_bid_blind(kept.second, side)
    blind = {"tricks": tricks, "blind": [one]}
    both = tuple(side.split("+"))
    forms += [(blind, {"tricks": tricks, "blind_nil": one}, behind)] * 2
    zero = behind and agreed["blind_nil_partner_zero"]
    forms.append(({"blind": [one], "nils": [other]}, {"blind_nil": one, "nil": other}, zero))
    double = behind and agreed["double_blind_nil"]
    forms.append(({"blind": both}, {"blind_nil": both}, double))
    while True:
        told, fields, allowed = die.choice(forms)
        said = c.SideBid(side=side, **fields)
        if allowed:
            return told, said
        kept.refused(said)


def deal_of_spader(kept):
    """The bids are said on the way, for what is forbidden is tried."""
    die, seats = kept.die, kept.seats
    kept.first.act(c.OpenDeal())
    while die.random() < 0.05:
        kept.first.act(c.Redeal(player=die.choice(seats), reason="no_spade"))
        if kept.agreed["redeal_dealer"] == "next":
            return {"redealt": True}, []
    forehand = kept.order[0]
    sides = sorted(kept.second["points"], key=lambda side: forehand not in side.split("+"))
    bids = {}
    for side in sides:
        bids[side], said = bid_of(kept, side)
        kept.first.act(said)
    # somebody in the lead, somebody without a trick
    weights = [die.choice((0, 0, 1, 3)) for _ in seats]
    takers = die.choices(seats, weights if any(weights) else None, k=13)
    taken = {player: takers.count(player) for player in seats}
    told = {"bids": {side: bids[side] for side in kept.second["points"]}, "taken": taken}
    if die.random() < 0.7:
        return told, [c.Tricks(taken={p: n for p, n in taken.items() if n or die.random() < 0.5})]
    return told, [c.Trick(winner=taker) for taker in takers]


def evening_of_spader(die):
    kept, deals = Kept("spader", die), 0
    while not kept.second["won"] and deals < 25:
        if die.random() < 0.05:
            kept.misdeal()
            continue
        kept.play(*deal_of_spader(kept))
        deals += 1
    if kept.second["won"]:
        kept.refused(c.OpenDeal())
    kept.first.close()
    assert dict(kept.first.session.balances) == second.spader_paid(kept.second)
    return deals


# --- Knektpass -----------------------------------------------------------------------------------


def deal_of_knektpass(kept):
    die, agreed, order = kept.die, kept.agreed, kept.order
    said, swapped = [c.OpenDeal()], die.random() < 0.3
    if swapped:
        said.append(c.Exchange(player=kept.dealer, turn_up=True))
    share = die.choice((0.1, 0.5, 0.9))
    stay = [p for p in order if die.random() < share]
    if swapped and agreed["turn_up_commits"] and kept.dealer not in stay:
        stay.append(kept.dealer)
    if not stay and die.random() < 0.5:
        return {"all_pass": True}, [*said, c.AllPass()]
    said += [c.Stay(player=p) if p in stay else c.Pass(player=p) for p in order]
    if len(stay) < 2:
        return ({"alone": stay[0]} if stay else {"all_pass": True}), said
    talon = (36 if len(order) <= 3 else 52) - 5 * len(order) - 1
    exchanged = {p: (swapped and p == kept.dealer, []) for p in stay}
    spoken = []
    for player in die.choice((stay * 3, die.choices(stay, k=die.randint(0, 9)))):
        count = die.choice((0, 0, 1, 1, 2, 5))
        if not count:
            continue
        exchange = c.Exchange(player=player, cards=count)
        if count > talon or second.rounds(stay, [*spoken, player]) > 3:
            kept.refused(*said, exchange)
            continue
        exchanged[player][1].append(count)
        said.append(exchange)
        spoken.append(player)
        if not agreed["reshuffle_discards"]:
            talon -= count
    takers = [die.choice(stay[: die.randint(1, len(stay))]) for _ in range(5)]
    taken = {player: takers.count(player) for player in stay}
    told = {"exchanged": exchanged, "taken": taken, "order": None}
    if die.random() < 0.5:
        return told, [*said, c.Tricks(taken={p: n for p, n in taken.items() if n})]
    return told | {"order": takers}, [*said, *(c.Trick(winner=taker) for taker in takers)]


def evening_of_knektpass(die):
    kept, deals = Kept("knektpass", die), 0
    while not kept.second["won"] and deals < 40:
        if die.random() < 0.05:
            kept.misdeal()
            continue
        kept.play(*deal_of_knektpass(kept))
        deals += 1
    if kept.second["won"]:
        kept.refused(c.OpenDeal())
    kept.first.close()
    assert dict(kept.first.session.balances) == second.knektpass_paid(kept.second)
    return deals


EVENINGS = {
    "polskpas": evening_of_polskpas,
    "spader": evening_of_spader,
    "knektpass": evening_of_knektpass,
}


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("game", EVENINGS)
def test_two_books_agree(game, chunk):
    die, kept = Random(f"{game} {chunk}"), 0
    while kept < DEALS // CHUNKS:
        kept += EVENINGS[game](die) or 1
