"""Polskt pass, from the cut to the last trick: which actions are legal in each phase, which events
an action makes, and what the end of a deal pays to whom.

Which card may be played is decided in `engine/tricks/declarer_play.py`, who won the deal in
`engine/tricks/five_tricks.py`. Source: docs/rules.md §1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from msgspec import UNSET

from engine import commands, errors, events
from engine.cards import Card, rank
from engine.games.agreements import open_for_stake
from engine.games.game import Game
from engine.games.polskt_pass.options import Options
from engine.games.polskt_pass.state import Choosing, Cut, State, evolve
from engine.scoring import bet_stack as stack
from engine.scoring.leftovers import distribute_leftovers
from engine.scoring.rule_references import reference_rules
from engine.table_view import LegalAction, one_of
from engine.tricks import declarer_deal, declarer_play
from engine.tricks.bidding import Bidding, Opened, legal_bids, legal_declarations
from engine.tricks.deal import Deal, Waiting
from engine.tricks.declarer_play import DeclarerPlay
from engine.tricks.five_tricks import TRICKS
from engine.values import Amount, Player, Seats


def open_deal(state: State, opening: events.DealOpened, funds: Amount) -> events.Events:
    """Return the opening of a deal for the pot and the smallest bet (docs/rules.md §1.6)."""
    options, stake = state.options, state.options.stake
    pot = stake if options.amount_basis == "ante_only" else state.pot + stake
    played_for = pot + sum(bet.amount for bet in smallest_bet(state))
    penalty = options.bet_multiplier * played_for
    return open_for_stake(options, opening, funds, played_for=played_for, highest=penalty)


def decide(state: State, command: commands.Command) -> events.Events:
    """Return the events of a legal command; raise a RuleViolation for any other. What Polskt
    pass and Polskpas have in common is in `declarer_deal`."""
    match state.phase, command:
        case Waiting(), commands.Merge(together=together):
            bets = tuple(bet for bet in state.bets if bet.number in state.just_laid)
            return (stack.decide_merge(bets, together, state.bets_laid + 1),)
        case _, commands.Merge():
            raise errors.NothingToMerge
        case Opened(deal=deal), commands.Declare(players=players, trump=trump):
            return (events.Declared(players=_declarers(deal, players), trump=trump),)
        case Opened(deal=deal), commands.Cut(card=card):
            deal.check_in_pack(card)
            took = (events.CutterTook(player=deal.cutter, card=card),) if rank(card) == "J" else ()
            return (events.CutShown(card=card), *took)
        case Cut(deal=deal, jack=jack), commands.AllPass():
            if jack is not None:
                raise errors.MustTake
            return (events.AllPassed(), deal.close("all_pass"))
        case Cut(deal=deal, jack=jack), commands.TurnUp(card=card):
            return _turned_up(deal, jack, card)
        case Choosing(), commands.Take():
            return (events.TurnUpTaken(),)
        case Choosing(), commands.Decline():
            return (events.TurnUpDeclined(),)
        case DeclarerPlay() as play, commands.LaVola(player=player):
            return (_announce(play, player),)
        case DeclarerPlay() as play, commands.Result():
            return _result(PolsktPassEnd(state, play), command)
    return declarer_deal.decide(
        state.options, state.phase, command, lambda play: PolsktPassEnd(state, play)
    )


def _declarers(deal: Deal, players: tuple[Player, ...]) -> tuple[Player, ...]:
    """Return them in seating order from the forehand: the cutter before the dealer."""
    for player in players:
        deal.check_seated(player)
    if len(players) == 1 or (len(players) == 2 and set(players) == {deal.dealer, deal.cutter}):
        return tuple(player for player in deal.order if player in players)
    raise errors.NotDeclarers(dealer=deal.dealer, cutter=deal.cutter)


def _turned_up(deal: Deal, jack: Card | None, card: Card) -> events.Events:
    deal.check_in_pack(card)
    if card == jack:
        raise errors.CardAlreadyGone(card=card)
    forced = jack is not None or rank(card) == "J"
    took = (events.DealerTook(player=deal.dealer, card=card),) if forced else ()
    return (events.CardTurnedUp(card=card), *took)


def _announce(play: DeclarerPlay, player: Player) -> events.LaVolaAnnounced:
    play.deal.check_seated(player)
    if play.la_vola:
        raise errors.LaVolaAlreadyAnnounced(player=play.la_vola)
    if player != play.may_announce:
        raise errors.LaVolaNeedsFirstTwoTricks
    return events.LaVolaAnnounced(player=player)


@dataclass(frozen=True, slots=True)
class PolsktPassEnd:
    """What the end of a deal pays, and to whom (docs/rules.md §1.6 and §1.7). `trick_winners` has
    only the tricks that were recorded."""

    state: State
    play: DeclarerPlay

    def won(self, winner: Player | None, trick_winners: Seats) -> events.Events:
        """The winner takes what is played for; a declarer who failed lays a bet. If nobody won,
        every declarer lays one, or with two declarers none (A-PP-4)."""
        failed = tuple(player for player in self.play.declarers if player != winner)
        both_pay = self.state.options.all_one_two_declarers == "both"
        if winner is None and len(failed) == 2 and not both_pay:
            failed = ()
        outcome: events.Outcome = "won" if winner else "nobody"
        return (
            *(self._sweep(winner) if winner else ()),
            *self._lay_bets(failed),
            self.play.close(outcome, winner=winner, tricks=trick_winners),
        )

    def la_vola_won(self, player: Player, trick_winners: Seats) -> events.Events:
        """The announcer takes what is played for, and is owed as much by every other player."""
        return (
            *self._sweep(player),
            self.play.win_la_vola(player, self.play.deal.played_for),
            self.play.close("la_vola_won", winner=player, la_vola=player, tricks=trick_winners),
        )

    def la_vola_lost(
        self, player: Player, winner: Player | None, trick_winners: Seats
    ) -> events.Events:
        """The deal ends as if everybody had passed; only by A-PP-8 a declarer lays a bet."""
        pays = (
            player in self.play.declarers and self.state.options.failed_vola_declarer_bet == "bet"
        )
        return (
            *self._lay_bets((player,) if pays else ()),
            self.play.close("la_vola_lost", la_vola=player, tricks=trick_winners),
        )

    def _sweep(self, winner: Player) -> Iterator[events.Event]:
        deal, ante_only = self.play.deal, self.state.options.amount_basis == "ante_only"
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
        deal, multiplier = self.play.deal, self.state.options.bet_multiplier
        merged = len(failed) == 2 and self.state.options.merge_double_bets
        owners = (failed,) if merged else tuple((player,) for player in failed)
        for number, by in enumerate(owners, start=self.state.bets_laid + 1):
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


def _result(end: PolsktPassEnd, result: commands.Result) -> events.Events:
    if result.vole is not UNSET:
        raise errors.NotInThisGame(field="vole")
    deal, winner, la_vola = end.play.deal, result.winner, result.la_vola
    if end.play.tricks.has_begun:
        raise errors.TricksAlreadyRecorded
    recorded = events.ResultRecorded(winner=winner, la_vola=la_vola)
    if la_vola is not UNSET:
        deal.check_seated(la_vola.player)
        if la_vola.won:
            return (recorded, *end.la_vola_won(la_vola.player, ()))
        return (recorded, *end.la_vola_lost(la_vola.player, None, ()))
    assert winner is not UNSET, "the shape asks for one of the two"
    if winner is not None:
        deal.check_seated(winner)
    elif len(deal.seats) != TRICKS:
        raise errors.NobodyWinsNeedsFive
    return (recorded, *end.won(winner, ()))


def legal_actions(state: State) -> Iterator[LegalAction]:
    """Yield the legal actions inside the deal and with the bets just laid; `engine.session.legal`
    adds the others between deals."""
    match state.phase:
        case Waiting():
            if len(state.just_laid) == 2:
                yield LegalAction.of("merge", optional=("together",), together=one_of(True))
            elif state.just_laid:
                yield LegalAction.of("merge", together=one_of(False))
        case Opened(deal=deal):
            players = [[p] for p in deal.order] + [[deal.cutter, deal.dealer]]
            yield from legal_declarations(*players)
            yield LegalAction.of("cut", card=one_of(*deal.pack))
        case Cut(deal=deal, jack=jack):
            cards = (card for card in deal.pack if card != jack)
            yield LegalAction.of("turn_up", card=one_of(*cards))
            if jack is None:
                yield LegalAction.of("all_pass")
        case Choosing():
            yield LegalAction.of("take")
            yield LegalAction.of("decline")
        case Bidding() as bidding:
            yield from legal_bids(bidding)
        case DeclarerPlay() as play:
            if play.may_announce:
                yield LegalAction.of("la_vola", player=one_of(play.may_announce))
            if not play.tricks.has_begun:
                yield from _legal_results(play.deal.seats)
            yield from declarer_play.legal(state.options, play)
        case _:
            assert_never(state.phase)


def _legal_results(seats: Seats) -> Iterator[LegalAction]:
    no_winner = (None,) if len(seats) == TRICKS else ()
    yield LegalAction.of("result", winner=one_of(*seats, *no_winner))
    volas = [{"player": p, "won": won} for p in seats for won in (True, False)]
    yield LegalAction.of("result", la_vola=one_of(*volas))


GAME = Game(
    key="polskt_pass",
    name="Polskt pass",
    player_counts=range(3, 6),
    options_type=Options,
    commands=declarer_deal.COMMANDS
    | {commands.Cut, commands.Take, commands.Decline, commands.LaVola, commands.Merge},
    hand_size=TRICKS,
    rule_references=reference_rules(
        {
            "ante": "§1.1",
            "pot_taken": "§1.6",
            "stake_taken": "§1.6 amount_basis",
            "bet_taken": "§1.6 bet_tie",
            "claim_taken": "§1.6 bet_payment",
            "bet_taken_from_before": "§1.6 bet_tie",
            "claim_taken_from_before": "§1.6 bet_payment",
            "bet_laid": "§1.6 amount_basis failed_vola_declarer_bet",
            "bet_laid_double": "§1.6 bet_multiplier amount_basis failed_vola_declarer_bet",
            "bets_merged": "A-PP-2",
            "bets_parted": "A-PP-2",
            "la_vola_paid": "§1.7 amount_basis",
            "la_vola_paid_back": "§1.7 amount_basis",
            "la_vola_corrected": "§1.7 amount_basis",
        },
        {
            "bet_multiplier": "A-PP-1",
            "amount_basis": "A-PP-3",
            "bet_payment": "A-PP-5",
            "bet_tie": "A-PP-6",
            "failed_vola_declarer_bet": "A-PP-8",
        },
        requires={"stake_taken": "amount_basis"},
    ),
    initial_state=lambda options, seats: State(options=options),
    open_deal=open_deal,
    decide=decide,
    evolve=evolve,
    legal_actions=legal_actions,
    cards_in_play=lambda state: declarer_play.cards_in_play(state.options, state.phase),
    bets=lambda state: stack.in_playing_order(state.bets, state.options.bet_tie),
    settle_up=lambda state, policy, last: distribute_leftovers(policy, state.pot, state.bets, last),
    leftover_policy=lambda options: options.leftover_policy,
)
