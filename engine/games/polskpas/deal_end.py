"""Polskpas: what the end of a deal pays, and to whom (docs/rules.md §2.3)."""

from dataclasses import dataclass

from engine import events
from engine.events import Events
from engine.games.polskpas.options import Options
from engine.games.polskpas.state import soloist_of
from engine.tricks.declarer_play import DeclarerPlay
from engine.values import Player, Seats


@dataclass(frozen=True, slots=True)
class DealEnd:
    """The events of each way in which a deal ends; `trick_winners` as far as recorded."""

    options: Options
    at: DeclarerPlay

    def won(self, winner: Player | None, trick_winners: Seats) -> Events:
        """Without a vole: the soloist takes the pot, or pays as much into it."""
        assert winner is not None, "four players cannot take one trick each of five"
        if winner == soloist_of(self.at):
            return (
                self._take_pot(winner),
                self.at.close("won", winner=winner, tricks=trick_winners),
            )
        closed = self.at.close("lost", winner=winner, tricks=trick_winners)
        return (*self._penalty(winner), closed)

    def la_vola_won(self, player: Player, trick_winners: Seats) -> Events:
        """Every opponent owes the soloist, who sweeps the pot as well (A-DK-2, A-DK-3)."""
        deal, options = self.at.deal, self.options
        amount = deal.played_for if options.vole_amount == "pot" else deal.stake
        return (
            *((self._take_pot(player),) if options.vole_sweeps_pot else ()),
            self.at.win_la_vola(player, amount),
            self.at.close("la_vola_won", winner=player, la_vola=player, tricks=trick_winners),
        )

    def la_vola_lost(self, player: Player, winner: Player | None, trick_winners: Seats) -> Events:
        """Not every trick won: nothing is paid. Lost outright: as any lost game (A-DK-4, -5)."""
        options = self.options
        outcome: events.Outcome = "vole_not_all"
        penalty: Events = ()
        if options.vole_stop_at_loss:
            winner = None
        elif winner is not None and winner != player:
            outcome = "la_vola_lost"
            if options.vole_lost_outright == "double_pot":
                outcome, penalty = "lost", self._penalty(winner)
        closed = self.at.close(outcome, winner=winner, la_vola=player, tricks=trick_winners)
        return (*penalty, closed)

    def _take_pot(self, player: Player) -> events.PotTaken:
        deal = self.at.deal
        return events.PotTaken(deal=deal.number, player=player, amount=deal.played_for)

    def _penalty(self, winner: Player) -> Events:
        """The soloist pays as much into the pot; A-DK-1 gives what was in it away first."""
        deal = self.at.deal
        paid = events.PenaltyPaid(
            deal=deal.number, player=soloist_of(self.at), amount=deal.played_for
        )
        if self.options.opponent_win == "pot_doubled":
            return (paid,)
        return (self._take_pot(winner), paid)
