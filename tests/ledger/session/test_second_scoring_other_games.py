"""Two independent scorings of Polskpas, Spader and Knektpass agree to the last point.

Random deals at every option, recorded by tricks or by result. `VOLA_DEALS=1000000` plays that many
deals of each game.
"""

import os
from functools import partial
from random import Random

import pytest

from engine import commands as c
from engine.errors import RuleViolation
from engine.games.registry import GAMES
from tests.support.engine.every_option import draw_options
from tests.support.ledger import reference_other_games as reference_games
from tests.support.ledger.memory_store import Book
from tests.support.ledger.reference_polskt_pass import find_winner

DEALS = int(os.environ.get("VOLA_DEALS", "4000"))
CHUNKS = 4
MAX_AT_STAKE = 10**11


class TwoScorings:
    """The same session in both scorings."""

    def __init__(self, key, die):
        self.die, self.game = die, GAMES[key]
        self.agreed = draw_options(self.game.options_type, die)
        self.first = Book(die.choice(self.game.player_counts), "p1", self.game, **self.agreed)
        self.seats = self.first.session.table.seats
        self.second = getattr(reference_games, f"new_{key}_book")(self.agreed, self.seats)
        self.dealer = "p1"
        self.score = getattr(reference_games, f"score_{key}")

    def play(self, deal, actions):
        self.first.act(*actions)
        assert self.first.session.table.deal_is_open is False, actions
        self.dealer = self.score(self.second, deal | {"dealer": self.dealer})
        assert self.dealer == self.first.session.table.dealer, deal
        self.agree(deal)

    def agree(self, deal):
        if self.die.random() < 0.3:
            self.first.settle()
        first_state, second_state = self.visible_state(), self.second
        if self.game.scoring is None:
            assert first_state == (second_state["has"], second_state["pot"]), (self.agreed, deal)
        else:
            bags = second_state.get("bags", {})
            assert first_state == (second_state["points"], bags, set(second_state["won"])), (
                self.agreed,
                deal,
            )

    def visible_state(self):
        at = self.first.session
        if at.sheet is None:
            return {p: at.funds(p) for p in self.seats}, at.pot
        return dict(at.sheet.scores), dict(at.sheet.overtricks), set(at.sheet.winners)

    def misdeal(self):
        self.first.act(c.OpenDeal())
        self.first.misdeal()
        if self.agreed["misdeal_policy"] == "next_dealer":
            self.dealer = reference_games.next_player(self.dealer, self.seats)

    def refused(self, *actions):
        with pytest.raises(RuleViolation):
            self.first.act(*actions)

    @property
    def order(self):
        at = self.seats.index(self.dealer) + 1
        return self.seats[at:] + self.seats[:at]


# --- Polskpas ------------------------------------------------------------------------------------


def deal_of_polskpas(scorings):
    die, seats = scorings.die, scorings.seats
    if die.random() < 0.1:
        return {"all_pass": True}, [c.OpenDeal(), c.AllPass()]
    soloist = die.choice(seats)
    actions = [c.OpenDeal(), c.Declare(players=(soloist,))]
    tricks = [die.choice((soloist, *seats)) for _ in range(5)]
    announces = die.random() < 0.4
    if announces:
        tricks[:2] = [soloist] * 2
        if die.random() < 0.4:
            tricks = [soloist] * 5
        elif die.random() < 0.4:
            tricks[2:] = [die.choice(seats)] * 3
    deal = {"soloist": soloist, "winner": find_winner(tricks), "vole": None}
    if announces:
        deal["vole"] = "won" if set(tricks) == {soloist} else "lost"
    if die.random() < 0.5:
        vole = c.Vola(player=soloist, won=deal["vole"] == "won")
        extra = {"vole": vole} if announces else {}
        return deal, [*actions, c.Result(winner=deal["winner"], **extra)]
    if announces and scorings.agreed["vole_stop_at_loss"]:
        lost = [place for place, taker in enumerate(tricks) if taker != soloist]
        tricks = tricks[: lost[0] + 1] if lost else tricks
    by_tricks = [c.Trick(winner=taker) for taker in tricks]
    if announces:
        by_tricks.insert(2, c.Vole(player=soloist))
    return deal, actions + by_tricks


def session_of_polskpas(die):
    scorings, deals, last = TwoScorings("polskpas", die), 0, None
    for _ in range(die.randint(1, 25)):
        if not reference_games.polskpas_has_credit(scorings.second, scorings.dealer):
            scorings.refused(c.OpenDeal())
            break
        if die.random() < 0.05:
            scorings.misdeal()
            continue
        last = scorings.dealer
        scorings.play(*deal_of_polskpas(scorings))
        deals += 1
        if scorings.second["pot"] > MAX_AT_STAKE:
            break
    scorings.first.settle()
    policy = die.choice(("carry", "refund_bets", "split_equal"))
    scorings.first.close(policy)
    if policy != "carry" and scorings.second["pot"]:
        scorings.second["has"] = reference_games.share_polskpas(scorings.second, last)
        scorings.second["pot"] = 0
    scorings.agree(policy)
    return deals


# --- Spader --------------------------------------------------------------------------------------


def bid_of(scorings, side):
    """Return a bid for both scorings, after trying one that the rules forbid."""
    die, agreed = scorings.die, scorings.agreed
    first_bidder, second_bidder = die.sample(side.split("+"), 2)
    tricks = die.randint(1, die.choice((4, 8, 13)))
    forms = [
        ({"tricks": tricks}, {"tricks": tricks}, True),
        ({"tricks": tricks, "nils": [first_bidder]}, {"tricks": tricks, "nil": first_bidder}, True),
        ({"joint": True}, {"joint_nil": True}, True),
    ]
    may_bid_blind = reference_games.may_bid_blind(scorings.second, side)
    blind = {"tricks": tricks, "blind": [first_bidder]}
    bidders = tuple(side.split("+"))
    forms += [(blind, {"tricks": tricks, "blind_nil": first_bidder}, may_bid_blind)] * 2
    zero = may_bid_blind and agreed["blind_nil_partner_zero"]
    forms.append(
        (
            {"blind": [first_bidder], "nils": [second_bidder]},
            {"blind_nil": first_bidder, "nil": second_bidder},
            zero,
        )
    )
    double = may_bid_blind and agreed["double_blind_nil"]
    forms.append(({"blind": bidders}, {"blind_nil": bidders}, double))
    while True:
        bid, fields, allowed = die.choice(forms)
        command = c.SideBid(side=side, **fields)
        if allowed:
            return bid, command
        scorings.refused(command)


def deal_of_spader(scorings):
    """Return a deal; its bids are recorded here, since forbidden ones are tried."""
    die, seats = scorings.die, scorings.seats
    scorings.first.act(c.OpenDeal())
    while die.random() < 0.05:
        scorings.first.act(c.Redeal(player=die.choice(seats), reason="no_spade"))
        if scorings.agreed["redeal_dealer"] == "next":
            return {"redealt": True}, []
    forehand = scorings.order[0]
    sides = sorted(scorings.second["points"], key=lambda side: forehand not in side.split("+"))
    bids = {}
    for side in sides:
        bids[side], command = bid_of(scorings, side)
        scorings.first.act(command)
    # makes a leader and a player without a trick likely
    weights = [die.choice((0, 0, 1, 3)) for _ in seats]
    takers = die.choices(seats, weights if any(weights) else None, k=13)
    tricks_by_player = {player: takers.count(player) for player in seats}
    deal = {
        "bids": {side: bids[side] for side in scorings.second["points"]},
        "tricks_taken": tricks_by_player,
    }
    if die.random() < 0.7:
        return deal, [
            c.Tricks(taken={p: n for p, n in tricks_by_player.items() if n or die.random() < 0.5})
        ]
    return deal, [c.Trick(winner=taker) for taker in takers]


def session_for_points(game, deal_of, most_deals, paid, die):
    """Play a session until a player or side has won, and compare what it pays."""
    scorings, deals = TwoScorings(game, die), 0
    while not scorings.second["won"] and deals < most_deals:
        if die.random() < 0.05:
            scorings.misdeal()
            continue
        scorings.play(*deal_of(scorings))
        deals += 1
    if scorings.second["won"]:
        scorings.refused(c.OpenDeal())
    scorings.first.close()
    assert dict(scorings.first.session.balances) == paid(scorings.second)
    return deals


# --- Knektpass -----------------------------------------------------------------------------------


def deal_of_knektpass(scorings):
    die, agreed, order = scorings.die, scorings.agreed, scorings.order
    actions, swapped = [c.OpenDeal()], die.random() < 0.3
    if swapped:
        actions.append(c.Exchange(player=scorings.dealer, turn_up=True))
    share = die.choice((0.1, 0.5, 0.9))
    stay = [p for p in order if die.random() < share]
    if swapped and agreed["turn_up_commits"] and scorings.dealer not in stay:
        stay.append(scorings.dealer)
    if not stay and die.random() < 0.5:
        return {"all_pass": True}, [*actions, c.AllPass()]
    actions += [c.Stay(player=p) if p in stay else c.Pass(player=p) for p in order]
    if len(stay) < 2:
        return ({"alone": stay[0]} if stay else {"all_pass": True}), actions
    talon = (36 if len(order) <= 3 else 52) - 5 * len(order) - 1
    exchanged = {p: (swapped and p == scorings.dealer, []) for p in stay}
    spoken = []
    for player in die.choice((stay * 3, die.choices(stay, k=die.randint(0, 9)))):
        count = die.choice((0, 0, 1, 1, 2, 5))
        if not count:
            continue
        exchange = c.Exchange(player=player, cards=count)
        if count > talon or reference_games.count_rounds(stay, [*spoken, player]) > 3:
            scorings.refused(*actions, exchange)
            continue
        exchanged[player][1].append(count)
        actions.append(exchange)
        spoken.append(player)
        if not agreed["reshuffle_discards"]:
            talon -= count
    takers = [die.choice(stay[: die.randint(1, len(stay))]) for _ in range(5)]
    tricks_by_player = {player: takers.count(player) for player in stay}
    deal = {"exchanged": exchanged, "tricks_taken": tricks_by_player, "order": None}
    if die.random() < 0.5:
        return deal, [*actions, c.Tricks(taken={p: n for p, n in tricks_by_player.items() if n})]
    return deal | {"order": takers}, [*actions, *(c.Trick(winner=taker) for taker in takers)]


SESSION_PLAYERS = {
    "polskpas": session_of_polskpas,
    "spader": partial(
        session_for_points, "spader", deal_of_spader, 25, reference_games.spader_payments
    ),
    "knektpass": partial(
        session_for_points, "knektpass", deal_of_knektpass, 40, reference_games.knektpass_payments
    ),
}


def test_every_game_is_scored_twice():
    assert SESSION_PLAYERS.keys() | {"polskt_pass"} == GAMES.keys(), (
        "score the new game in tests/support/ledger/reference_other_games.py, and play it here"
    )


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("game", SESSION_PLAYERS)
def test_two_scorings_agree(game, chunk):
    die, scorings = Random(f"{game} {chunk}"), 0
    while scorings < DEALS // CHUNKS:
        scorings += SESSION_PLAYERS[game](die) or 1
