"""Danish Polskpas, where one soloist plays for the pot: what is legal, and what an action makes.

There are no bets: a soloist who fails doubles the pot. Source: docs/rules.md §2.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from msgspec import UNSET

from engine import commands, errors, events
from engine.games.agreements import open_for_stake
from engine.games.game import Game
from engine.games.polskpas.options import Options
from engine.games.polskpas.state import State, evolve, soloist_of
from engine.scoring.leftovers import distribute_leftovers
from engine.scoring.rule_references import reference_rules
from engine.table_view import LegalAction, one_of
from engine.tricks import declarer_deal, declarer_play
from engine.tricks.bidding import Bidding, Opened, legal_bids, legal_declarations
from engine.tricks.deal import Waiting
from engine.tricks.declarer_play import DeclarerPlay
from engine.tricks.five_tricks import TRICKS
from engine.values import Amount, Player, Seats


def open_deal(state: State, opening: events.DealOpened, funds: Amount) -> events.Events:
    """Return the opening of a deal for the pot (docs/rules.md §2.1)."""
    options = state.options
    pot = state.pot + options.stake
    # a lost game doubles
    return open_for_stake(options, opening, funds, played_for=pot, highest=2 * pot)


def decide(state: State, command: commands.Command) -> events.Events:
    """Return the events of a legal command; raise a RuleViolation for any other. What Polskpas
    and Polskt pass have in common is in `declarer_deal`."""
    options = state.options
    match state.phase, command:
        case Opened(deal=deal), commands.Declare(players=players, trump=trump):
            for player in players:
                deal.check_seated(player)
            if len(players) != 1:
                raise errors.OneSoloist
            return (events.Declared(players=players, trump=trump),)
        case Opened(deal=deal), commands.TurnUp(card=card):
            deal.check_in_pack(card)
            return (events.CardTurnedUp(card=card),)
        case DeclarerPlay() as play, commands.Vole(player=player):
            return (_announce(play, player),)
        case DeclarerPlay() as play, commands.Result():
            return _result(PolskpasEnd(options, play), command)
    return declarer_deal.decide(
        options, state.phase, command, lambda play: PolskpasEnd(options, play)
    )


def _announce(play: DeclarerPlay, player: Player) -> events.VoleAnnounced:
    """Only the soloist, on lead to the third trick with both tricks taken (A-DK-6)."""
    soloist = soloist_of(play)
    play.deal.check_seated(player)
    if play.la_vola:
        raise errors.VoleAlreadyAnnounced(player=play.la_vola)
    if player != soloist:
        raise errors.VoleIsTheSoloists(soloist=soloist, player=player)
    if player != play.may_announce:
        raise errors.VoleNeedsFirstTwoTricks(soloist=soloist)
    return events.VoleAnnounced(player=player)


@dataclass(frozen=True, slots=True)
class PolskpasEnd:
    """What the end of a deal pays to whom (docs/rules.md §2.3); `trick_winners` as recorded."""

    options: Options
    play: DeclarerPlay

    def won(self, winner: Player | None, trick_winners: Seats) -> events.Events:
        """Without a vole: the soloist takes the pot, or pays as much into it."""
        assert winner is not None, "four players cannot take one trick each of five"
        won = winner == soloist_of(self.play)
        paid = (self._take_pot(winner),) if won else self._penalty(winner)
        outcome: events.Outcome = "won" if won else "lost"
        return (*paid, self.play.close(outcome, winner=winner, tricks=trick_winners))

    def la_vola_won(self, player: Player, trick_winners: Seats) -> events.Events:
        """Every opponent owes the soloist, who sweeps the pot as well (A-DK-2, A-DK-3)."""
        deal, options = self.play.deal, self.options
        amount = deal.played_for if options.vole_amount == "pot" else deal.stake
        return (
            *((self._take_pot(player),) if options.vole_sweeps_pot else ()),
            self.play.win_la_vola(player, amount),
            self.play.close("la_vola_won", winner=player, la_vola=player, tricks=trick_winners),
        )

    def la_vola_lost(
        self, player: Player, winner: Player | None, trick_winners: Seats
    ) -> events.Events:
        """A soloist who wins without every trick pays nothing; one who loses outright pays as in
        any lost game (A-DK-4, A-DK-5)."""
        options = self.options
        outcome: events.Outcome = "vole_not_all"
        penalty: events.Events = ()
        if options.vole_stop_at_loss:
            winner = None
        elif winner is not None and winner != player:
            outcome = "la_vola_lost"
            if options.vole_lost_outright == "double_pot":
                outcome, penalty = "lost", self._penalty(winner)
        closed = self.play.close(outcome, winner=winner, la_vola=player, tricks=trick_winners)
        return (*penalty, closed)

    def _take_pot(self, player: Player) -> events.PotTaken:
        deal = self.play.deal
        return events.PotTaken(deal=deal.number, player=player, amount=deal.played_for)

    def _penalty(self, winner: Player) -> events.Events:
        """Return the soloist's payment into the pot, as large as the pot. By A-DK-1 the winner can
        take what was in the pot first."""
        deal = self.play.deal
        paid = events.PenaltyPaid(
            deal=deal.number, player=soloist_of(self.play), amount=deal.played_for
        )
        if self.options.opponent_win == "pot_doubled":
            return (paid,)
        return (self._take_pot(winner), paid)


def _result(end: PolskpasEnd, result: commands.Result) -> events.Events:
    if result.la_vola is not UNSET:
        raise errors.NotInThisGame(field="la_vola")
    deal, soloist, winner, vole = end.play.deal, soloist_of(end.play), result.winner, result.vole
    assert winner is not UNSET, "the shape asks for it"
    if end.play.tricks.has_begun:
        raise errors.TricksAlreadyRecorded
    if winner is None:
        raise errors.NobodyWinsNeedsFive
    deal.check_seated(winner)
    recorded = events.ResultRecorded(winner=winner, vole=vole)
    if vole is UNSET:
        return (recorded, *end.won(winner, ()))
    deal.check_seated(vole.player)
    if vole.player != soloist:
        raise errors.VoleIsTheSoloists(soloist=soloist, player=vole.player)
    if not vole.won:
        return (recorded, *end.la_vola_lost(soloist, winner, ()))
    if winner != soloist:
        raise errors.VoleDoesNotFit(soloist=soloist, winner=winner)
    return (recorded, *end.la_vola_won(soloist, ()))


def legal_actions(state: State) -> Iterator[LegalAction]:
    """Yield the legal actions inside the deal; `engine.session.legal` adds those between deals."""
    match state.phase:
        case Waiting():
            return
        case Opened(deal=deal):
            yield from legal_declarations(*([p] for p in deal.order))
            yield LegalAction.of("turn_up", card=one_of(*deal.pack))
        case Bidding() as bidding:
            yield from legal_bids(bidding)
        case DeclarerPlay() as play:
            soloist = soloist_of(play)
            if play.may_announce == soloist:
                yield LegalAction.of("vole", player=one_of(soloist))
            if not play.tricks.has_begun:
                yield from _legal_results(play.deal.seats, soloist)
            yield from declarer_play.legal(state.options, play)
        case _:
            assert_never(state.phase)


def _legal_results(seats: Seats, soloist: Player) -> Iterator[LegalAction]:
    won, lost = ({"player": soloist, "won": is_won} for is_won in (True, False))
    opponents = (player for player in seats if player != soloist)
    yield LegalAction.of("result", winner=one_of(*seats))
    yield LegalAction.of("result", winner=one_of(soloist), vole=one_of(won, lost))
    yield LegalAction.of("result", winner=one_of(*opponents), vole=one_of(lost))


GAME = Game(
    key="polskpas",
    name="Polskpas",
    player_counts=range(3, 5),
    options_type=Options,
    commands=declarer_deal.COMMANDS | {commands.Vole},
    hand_size=TRICKS,
    rule_references=reference_rules(
        {
            "ante": "§2.1",
            "pot_taken": "§2.3 opponent_win",
            "penalty_paid": "§2.3 opponent_win",
            "vole_paid": "§2.3 vole_amount",
            "vole_paid_back": "§2.3 vole_amount",
            "vole_corrected": "§2.3 vole_amount",
        },
        {"opponent_win": "A-DK-1", "vole_amount": "A-DK-2"},
    ),
    initial_state=lambda options, seats: State(options=options),
    open_deal=open_deal,
    decide=decide,
    evolve=evolve,
    legal_actions=legal_actions,
    cards_in_play=lambda state: declarer_play.cards_in_play(state.options, state.phase),
    settle_up=lambda state, policy, last: distribute_leftovers(policy, state.pot, (), last),
    leftover_policy=lambda options: options.leftover_policy,
)
