"""What an action leads to in a deal with declarers, from the bids to the end of the play.

Shared by the games that play five tricks for a pot. Each game decides who is paid at the end.
Source: docs/rules.md §1.4 and §2.2.
"""

from collections.abc import Callable
from typing import Protocol

from engine import commands, errors, events
from engine.events import Events
from engine.tricks import declarer_play
from engine.tricks.bidding import Bidding, Opened, decide_bid
from engine.tricks.deal import Phase, Waiting
from engine.tricks.declarer_play import DeclarerPlay, PlayOptions
from engine.tricks.five_tricks import TRICKS, winner_of_five
from engine.values import Player, Seats

COMMANDS: frozenset[type[commands.Command]] = frozenset(
    {
        *(commands.Declare, commands.AllPass, commands.TurnUp, commands.Bid, commands.Discard),
        *(commands.Hand, commands.Play, commands.Trick, commands.Finish, commands.Result),
    }
)

PlayCommand = (
    commands.Trick | commands.Result | commands.LaVola | commands.Vole | commands.Finish
    | commands.Play
)  # fmt: skip
"""What can be recorded only once the declarers are known."""


class DealEnd(Protocol):
    """The events of each way in which a deal ends; `trick_winners` as far as recorded."""

    def won(self, winner: Player | None, trick_winners: Seats) -> Events: ...
    def la_vola_won(self, player: Player, trick_winners: Seats) -> Events: ...
    def la_vola_lost(
        self, player: Player, winner: Player | None, trick_winners: Seats
    ) -> Events: ...


def decide(
    options: PlayOptions,
    phase: Phase,
    command: commands.Command,
    end: Callable[[DeclarerPlay], DealEnd],
) -> Events:
    """Return the events of a command that both games decide alike; raise a RuleViolation for any
    other. `end` makes the events of the end of the deal."""
    match phase, command:
        case Waiting(), _:
            raise errors.NoOpenDeal
        case Opened(deal=deal) | Bidding(deal=deal), commands.AllPass():
            return (events.AllPassed(), deal.close("all_pass"))
        case Bidding() as bidding, commands.Bid():
            return decide_bid(bidding, command)
        case DeclarerPlay(), commands.Declare() | commands.AllPass():
            raise errors.DeclarerAlreadyKnown
        case DeclarerPlay() as play, commands.Finish():
            winner = declarer_play.finish(play, allowed=options.allow_early_end)
            return (events.PlayFinished(), *_close(play, winner, play.tricks.winners, end(play)))
        case (
            DeclarerPlay() as play,
            commands.Trick() | commands.Discard() | commands.Hand() | commands.Play(),
        ):
            facts, trick_winners = declarer_play.decide(play, command, options.jack_suit)
            if trick_winners is None:
                return facts
            return (*facts, *_after_trick(options, play, trick_winners, end(play)))
    if isinstance(command, PlayCommand):
        raise errors.NobodyHasDeclared
    raise errors.NotNow(action=command.__struct_config__.tag, phase=phase.name)


def _after_trick(
    options: PlayOptions, play: DeclarerPlay, trick_winners: Seats, end: DealEnd
) -> Events:
    """Return what follows from a trick: nothing yet, or the end of the deal."""
    if play.la_vola and trick_winners[-1] != play.la_vola and options.vole_stop_at_loss:
        return end.la_vola_lost(play.la_vola, None, trick_winners)
    if len(trick_winners) < TRICKS:
        return ()
    return _close(play, winner_of_five(trick_winners), trick_winners, end)


def _close(play: DeclarerPlay, winner: Player | None, trick_winners: Seats, end: DealEnd) -> Events:
    if not play.la_vola:
        return end.won(winner, trick_winners)
    if trick_winners == (play.la_vola,) * TRICKS:
        return end.la_vola_won(play.la_vola, trick_winners)
    return end.la_vola_lost(play.la_vola, winner, trick_winners)
