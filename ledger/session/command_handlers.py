"""From what somebody asks for to the facts that are written: the only road into history.

Pure: it takes a folded session and returns entries. The store does the rest.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from engine import commands as c
from engine import correcting
from engine import evening as evenings
from engine import events as e
from engine.errors import (
    DealIsOpen,
    DealNotNext,
    DealTaken,
    RosterIsFixed,
    RuleViolation,
    SessionClosed,
    UnknownPlayer,
    WrongNumberOfPlayers,
)
from engine.evening import Evening
from engine.game import Facts, Game
from engine.values import Amount, Player, Seats
from ledger.entries import Entry, Method, PlayerJoined, SessionOpened, TransferRecorded
from ledger.postings import postings
from ledger.projections.deals import newest_first
from ledger.session import Session

MOST_PLAYERS = 16
"""Known to one evening. Up to here the fewest transfers are found exactly."""


class SamePlayer(RuleViolation):
    """Nobody pays himself."""


class PlayedForPoints(RuleViolation):
    """This evening is played for points alone; no money is paid in it."""


class AlreadyCarriedForward(RuleViolation):
    """What this evening left open has been carried forward, and is settled there ({to})."""


def opening(
    game: Game[Any, Any],
    options: Any,
    *,
    currency: str,
    players: Seats,
    names: tuple[str, ...],
    first_dealer: Player,
) -> SessionOpened:
    """How an evening begins. `names` are commitments."""
    sheet = game.scoring.begin(options, players) if game.scoring else None
    return SessionOpened(
        game=game.key,
        options=msgspec.to_builtins(options),
        currency=currency,
        players=players,
        names=names,
        first_dealer=first_dealer,
        start=dict(sheet.scores) if sheet else {},
    )


def actions(session: Session, commands: Sequence[c.Command]) -> tuple[Entry, ...]:
    """Decide one after the other, all or nothing; a refusal knows which action it was."""
    game, options, evening = session.game, session.options, session.table
    moved: Counter[Player] = Counter()

    def funds(player: Player) -> Amount:
        return session.funds(player) + moved[player]

    facts: list[Entry] = []
    decided: Facts = ()  # by the action before
    for place, command in enumerate(commands):
        evening = evenings.after(game, evening, decided)
        for fact in decided:
            _count(moved, fact)
        try:
            decided = evenings.decide(game, options, evening, command, funds)
        except RuleViolation as refused:
            told = _without_a_deal(session, evening, refused)
            told.operands["action"] = place
            raise told from None
        facts += decided
    return tuple(facts)


def _without_a_deal(
    session: Session, evening: Evening[Any], refused: RuleViolation
) -> RuleViolation:
    """Who is told that a number is taken is shown the deal that has it (contract.md §3). One that
    was undone below a misdeal, or opened by this very batch, is not there to be shown."""
    if not isinstance(refused, DealTaken):
        return refused
    number = refused.operands["deal"]
    if any(deal.number == number for deal in newest_first(session.deals)):
        return refused
    if evening.open and evening.number == number:
        return DealIsOpen(deal=number)
    return DealNotNext(deal=number, next=evening.next_number)


def _count(moved: Counter[Player], fact: e.Event) -> None:
    """What a fact does to the players, a la vola counted as paid."""
    for line in postings(fact):
        for account, amount in ((line.source, -line.amount), (line.target, line.amount)):
            kind, _, player = account.partition(":")
            if kind == "player":
                moved[player] += amount
    match fact:
        case e.ActionUndone(took_back=facts):
            won = [(f, -1) for f in facts if isinstance(f, e.LaVolaWon)]
        case e.LaVolaWon():
            won = [(fact, 1)]
        case _:
            won = []
    for vola, sign in won:
        moved[vola.player] += sign * vola.amount * len(vola.payers)
        for payer in vola.payers:
            moved[payer] -= sign * vola.amount


def misdeal(session: Session, number: int) -> tuple[Entry, ...]:
    """The open deal never counted."""
    return (evenings.void_open_deal(session.game, session.options, session.table, number),)


def correction(
    session: Session, deal: int, actions: Sequence[c.Command] | None, later: correcting.Later
) -> tuple[Entry, ...]:
    """A closed deal was played otherwise, or (no actions) never counted."""
    game, options, evening = session.game, session.options, session.table
    return (correcting.correct(game, options, evening, deal, actions, later),)


def closure(session: Session, policy: e.Policy | None) -> tuple[Entry, ...]:
    """The evening ends."""
    return evenings.close(session.game, session.options, session.table, policy)


def next_player(session: Session) -> Player:
    """The id that somebody new gets."""
    if session.table.closed:
        raise SessionClosed
    if session.game.scoring:
        raise RosterIsFixed
    if len(session.table.players) >= MOST_PLAYERS:
        raise WrongNumberOfPlayers(
            count=len(session.table.players) + 1, least=session.game.seats[0], most=MOST_PLAYERS
        )
    return f"p{len(session.table.players) + 1}"


def joined(player: Player, commitment: str) -> tuple[Entry, ...]:
    return (PlayerJoined(player=player, name=commitment),)


def transfer(
    session: Session, payer: Player, payee: Player, amount: Amount, method: Method | None
) -> tuple[Entry, ...]:
    """Somebody paid somebody; allowed after the evening, too: that is when people settle up."""
    if not session.for_money:
        raise PlayedForPoints
    if session.carried_to:
        raise AlreadyCarriedForward(to=session.carried_to)
    for player in (payer, payee):
        if player not in session.table.players:
            raise UnknownPlayer(player=player)
    if payer == payee:
        raise SamePlayer
    return (TransferRecorded(payer=payer, payee=payee, amount=amount, method=method),)
