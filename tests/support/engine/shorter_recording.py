"""The same deal recorded in less detail: from all its cards to its tricks, and to its result.

The commands are made from the recorded facts, by what belongs to each depth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from engine import commands as c
from engine import events as e
from engine.session.event_to_command import command_of
from ledger.session.session_state import SessionState
from tests.support.ledger.memory_store import Book

SAME_AT_EVERY_DEPTH = (
    *(e.DealOpened, e.SideBidMade, e.RedealClaimed, e.Stayed, e.Passed, e.AllPassed),
    *(e.TurnUpExchanged, e.CardsExchanged),
)
"""Events that are recorded at every depth; bids for trumps become one `declare`."""


def deals_of(book: Book) -> Iterator[list[e.Event]]:
    """Yield the facts of every closed deal, in order. The book must have no undo."""
    facts: list[Any] = []
    for recorded in book.history:
        if isinstance(recorded.event, e.DealOpened):
            facts = []
        facts.append(recorded.event)
        if isinstance(recorded.event, e.DealClosed):
            yield facts


def beginning_of(facts: Sequence[e.Event], die: Random) -> Iterator[c.Command]:
    closed = facts[-1]
    assert isinstance(closed, e.DealClosed)
    told_swaps = die.random() < 0.5  # swaps are optional
    for fact in facts:
        swap = isinstance(fact, e.CardsSwapped | e.SwapDeclined)
        if isinstance(fact, SAME_AT_EVERY_DEPTH) or (swap and told_swaps):
            assert isinstance(fact, e.InputEvent)
            yield command_of(fact)
        elif (
            isinstance(fact, e.BidMade)
            and closed.outcome == "all_pass"
            and is_last_bid(facts, fact)
        ):
            yield c.AllPass()
    if closed.declarers:
        yield c.Declare(players=closed.declarers)


def is_last_bid(facts: Sequence[e.Event], fact: e.Event) -> bool:
    return fact is [bid for bid in facts if isinstance(bid, e.BidMade)][-1] and not any(
        isinstance(bid, e.AllPassed) for bid in facts
    )


def by_tricks(facts: Sequence[e.Event], die: Random) -> list[c.Command]:
    commands = list(beginning_of(facts, die))
    for fact in facts:
        match fact:
            case e.TrickWon(winner=winner):
                commands.append(c.Trick(winner=winner))
            case e.LaVolaAnnounced() | e.VoleAnnounced() | e.PlayFinished():
                commands.append(command_of(fact))
    return commands


def by_result(facts: Sequence[e.Event], die: Random) -> list[c.Command]:
    commands, closed = list(beginning_of(facts, die)), facts[-1]
    assert isinstance(closed, e.DealClosed)
    if closed.taken:
        named = die.random() < 0.5
        tricks_taken = {player: count for player, count in closed.taken.items() if count or named}
        return [*commands, c.Tricks(taken=tricks_taken)]
    if not closed.declarers:
        return commands
    announced = next((fact for fact in facts if isinstance(fact, e.VoleAnnounced)), None)
    if closed.la_vola is None:
        return [*commands, c.Result(winner=closed.winner)]
    vola = c.Vola(player=closed.la_vola, won=closed.outcome == "la_vola_won")
    if announced is None:
        return [*commands, c.Result(la_vola=vola)]
    return [*commands, c.Result(winner=closed.winner or announced.player, vole=vola)]


DEPTHS = {"tricks": by_tricks, "result": by_result}


def summarize(session: SessionState) -> dict[str, Any]:
    """Return all scores, balances and the next dealer; what is due counts as paid."""
    sheet, at = session.sheet, session.table
    return {
        "money": {player: session.funds(player) for player in at.players},
        "pot": session.pot,
        "bets": [(b.number, b.deal, b.by, b.each, b.paid) for b in session.bets],
        "scores": dict(sheet.scores) if sheet else {},
        "overtricks": dict(sheet.overtricks) if sheet else {},
        "winners": sheet.winners if sheet else (),
        "dealer": at.dealer,
    }
