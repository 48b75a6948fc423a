"""One evening of any legal actions, with undo, misdeals, newcomers and late payments, checked."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import msgspec

from engine import commands as c
from engine import events as e
from engine.games.registry import GAMES
from ledger.session.session_state import SessionState
from tests.support.engine import invariants
from tests.support.engine.every_option import draw_options
from tests.support.engine.random_player import RandomPlayer
from tests.support.ledger.memory_store import Book
from tests.verification.random_evenings.random_session import RandomSession, Step, take_step
from tests.verification.random_evenings.reached_counts import Counts

MAX_STEPS = 40
DEPTHS = {
    e.CardPlayed: "cards",
    e.TrickRecorded: "tricks",
    e.PlayFinished: "tricks",
    e.ResultRecorded: "result",
    e.TricksCounted: "result",
}
"""How deeply a deal was recorded, by the first event of its last step."""


class SessionFailed(Exception):
    def __init__(self, seed: str, session: RandomSession, fault: Exception) -> None:
        super().__init__(seed, session, fault)
        self.seed, self.session, self.fault = seed, session, fault


def play_one_session(seed: str) -> tuple[RandomSession, Counts]:
    """Draw an evening, play it and check it. Raise SessionFailed if an invariant does not hold."""
    die = Random(seed)
    game = die.choice(list(GAMES.values()))
    seats = die.choice(game.player_counts)
    session = RandomSession(
        game=game.key,
        seats=seats,
        dealer=f"p{die.randint(1, seats)}",
        joined=0 if game.scoring else die.choice((0, 0, 1, 2)),
        options=draw_options(game.options_type, die),
    )
    counts: Counts = Counter({("evenings", session.game): 1})
    counts.update(
        ("option", session.game, name, str(value)) for name, value in session.options.items()
    )
    try:
        take_walk(session, die, counts)
    except Exception as fault:
        raise SessionFailed(seed, session, fault) from fault
    return session, counts


def take_walk(session: RandomSession, die: Random, counts: Counts) -> None:
    """Choose, check and record one action after another, then check the whole evening."""
    book, player = session.book(), RandomPlayer(die)
    documents, is_read_back = {}, die.random() < 0.03
    before_deal = book.session
    for _ in range(die.randint(5, MAX_STEPS)):
        command = player.choose_command(book.legal)
        if command is None:
            break
        invariants.check_play_can_go_on(book)
        if is_read_back:
            documents[book.session.version] = invariants.session_document(book.session)
        if not book.session.table.deal_is_open:
            before_deal = book.session
        check_one_invariant(book, command, before_deal, die, counts)
        record_step(session, book, as_step(command), counts)
        if book.due and die.random() < 0.3:
            record_step(session, book, {"settle": die.randrange(len(book.due))}, counts)
        if book.session.table.deal_is_open and die.random() < 0.01:
            record_step(session, book, {"misdeal": 1}, counts)
    invariants.check_closing(book)
    invariants.check_repeated_commands(book)
    invariants.check_reading_in_two_parts(book, die)
    if is_read_back:
        invariants.check_reading_back(book, documents)
        invariants.check_undo_to_start(book)
        counts["checked", "read back and undone to nothing"] += 1
    counts["versions", session.game] += book.session.version
    count_depths(session.game, book, counts)


def check_one_invariant(
    book: Book, command: c.Command, before_deal: SessionState, die: Random, counts: Counts
) -> None:
    """Check an invariant drawn at random, or none: together they would take too long."""
    table, chance = book.session.table, die.random()
    if chance < 0.05:
        counts["checked", "listed"] += invariants.check_listed_are_accepted(book, die)
    elif chance < 0.2:
        counts["checked", "refused"] += invariants.check_accepted_are_listed(book, die, 8)
    elif chance < 0.3:
        invariants.check_undo(book, command)
        counts["checked", "undone"] += 1
    elif chance < 0.35 and table.deal_is_open and table.deal_number > before_deal.table.deal_number:
        invariants.check_misdeal(book, before_deal)
        counts["checked", "misdeals"] += 1
    elif chance < 0.37:
        invariants.check_closing(book)
        counts["checked", "closings"] += 1


def as_step(command: c.Command) -> Step:
    """Return the command as a client sends it: without empty fields, but for the winner of none."""
    fields: dict[str, Any] = msgspec.to_builtins(command)
    sent = {name: v for name, v in fields.items() if v is not None or name == "winner"}
    return {"type": command.__struct_config__.tag, **sent}


def record_step(session: RandomSession, book: Book, step: Step, counts: Counts) -> None:
    session.steps.append(step)
    take_step(book, step)
    counts["action", session.game, str(step.get("type") or next(iter(step)))] += 1


def count_depths(game: str, book: Book, counts: Counts) -> None:
    """Count at which depth each deal that still stands was recorded."""
    for step in invariants.undo_steps(book.session.table):
        closed = step.events[-1]
        if isinstance(closed, e.DealClosed):
            depth = DEPTHS.get(type(step.events[0]), "no tricks")
            counts["depth", game, depth] += 1
            counts["outcome", game, closed.outcome] += 1
