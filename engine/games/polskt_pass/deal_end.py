"""Polskt pass: what the end of a deal pays, and to whom (docs/rules.md §1.6 and §1.7).

Who won the deal is decided in `engine/tricks/five_tricks.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from engine import events
from engine.events import Events
from engine.games.polskt_pass.state import State
from engine.scoring import bet_stack as stack
from engine.tricks.declarer_play import DeclarerPlay
from engine.values import Player, Seats


@dataclass(frozen=True, slots=True)
class DealEnd:
    """The events of each way in which a deal ends; `trick_winners` as far as recorded."""

    state: State
    at: DeclarerPlay

    def won(self, winner: Player | None, trick_winners: Seats) -> Events:
        """The winner takes what is played for, who declared and failed lays a bet."""
        failed = tuple(player for player in self.at.declarers if player != winner)
        both_pay = self.state.options.all_one_two_declarers == "both"
        if winner is None and len(failed) == 2 and not both_pay:
            failed = ()
        outcome: events.Outcome = "won" if winner else "nobody"
        return (
            *(self._sweep(winner) if winner else ()),
            *self._lay_bets(failed),
            self.at.close(outcome, winner=winner, tricks=trick_winners),
        )

    def la_vola_won(self, player: Player, trick_winners: Seats) -> Events:
        """The announcer takes what is played for, and is owed as much by every other player."""
        return (
            *self._sweep(player),
            self.at.win_la_vola(player, self.at.deal.played_for),
            self.at.close("la_vola_won", winner=player, la_vola=player, tricks=trick_winners),
        )

    def la_vola_lost(self, player: Player, winner: Player | None, trick_winners: Seats) -> Events:
        """As if everybody had passed; only A-PP-8 lets a declarer pay for it."""
        pays = player in self.at.declarers and self.state.options.failed_vola_declarer_bet == "bet"
        return (
            *self._lay_bets((player,) if pays else ()),
            self.at.close("la_vola_lost", la_vola=player, tricks=trick_winners),
        )

    def _sweep(self, winner: Player) -> Iterator[events.Event]:
        deal, ante_only = self.at.deal, self.state.options.amount_basis == "ante_only"
        pot = deal.stake if ante_only else self.state.pot
        yield events.PotTaken(deal=deal.number, player=winner, amount=pot)
        for bet in smallest_bet(self.state):
            yield events.BetTaken(
                deal=deal.number,
                player=winner,
                bet=bet.number,
                by=bet.by,
                each=bet.each,
                laid_in=bet.deal,
                paid=bet.paid,
            )

    def _lay_bets(self, failed: tuple[Player, ...]) -> Iterator[events.Event]:
        deal, multiplier = self.at.deal, self.state.options.bet_multiplier
        merged = len(failed) == 2 and self.state.options.merge_double_bets
        owners = (failed,) if merged else tuple((player,) for player in failed)
        for number, by in enumerate(owners, start=self.state.laid + 1):
            yield events.BetLaid(
                deal=deal.number,
                bet=number,
                by=by,
                each=multiplier * deal.played_for,
                played_for=deal.played_for,
                multiplier=multiplier,
                paid=self.state.options.bet_payment == "immediate",
            )


def smallest_bet(state: State) -> stack.Bets:
    """The one bet that is played for, if there is any."""
    return stack.in_playing_order(state.bets, state.options.bet_tie)[:1]
