"""Play any number of random evenings of every game, at any options, and check the invariants.

    python -m tests.verification.random_evenings.__main__ --evenings 100000 --seed 1 --workers 2

There are two kinds of evenings. In two of three, any legal action may come next, with undo,
misdeals, newcomers and late payments. In the third, a croupier deals real cards, and the same deals
are recorded at three depths. The run ends with a table of what was reached. If an invariant does
not hold, it prints the seed of that evening and the fewest actions found that still show the fault,
and exits with 1.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from random import Random
from typing import Any

import msgspec

from engine import events as e
from engine.games.registry import GAMES
from tests.support.engine import invariants
from tests.support.engine.every_option import draw_options, positions
from tests.support.engine.random_player import RandomPlayer
from tests.support.engine.recording_depths import play_at_every_depth
from tests.support.ledger.memory_store import Book
from tests.verification.random_evenings.random_session import Op, RandomSession, shorten, take_step

Counts = Counter[tuple[str, ...]]
MAX_STEPS = 40


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


class SessionFailed(Exception):
    def __init__(self, seed: str, session: RandomSession, fault: Exception) -> None:
        super().__init__(seed, session, fault)
        self.seed, self.session, self.fault = seed, session, fault


def take_walk(session: RandomSession, die: Random, counts: Counts) -> None:
    book, player = session.book(), RandomPlayer(die)
    seen_sessions, is_read_back = {}, die.random() < 0.03
    opened = book.session
    for _ in range(die.randint(5, MAX_STEPS)):
        command = player.choose_command(book.legal)
        if command is None:
            break
        invariants.check_play_can_go_on(book)
        if is_read_back:
            seen_sessions[book.session.version] = invariants.session_document(book.session)
        table = book.session.table
        if not table.deal_is_open:
            opened = book.session
        chance = die.random()
        if chance < 0.05:
            counts["checked", "listed"] += invariants.check_listed_are_accepted(book, die)
        elif chance < 0.2:
            counts["checked", "refused"] += invariants.check_accepted_are_listed(book, die, 8)
        elif chance < 0.3:
            invariants.check_undo(book, command)
            counts["checked", "undone"] += 1
        elif chance < 0.35 and table.deal_is_open and table.deal_number > opened.table.deal_number:
            invariants.check_misdeal(book, opened)
            counts["checked", "misdeals"] += 1
        elif chance < 0.37:
            invariants.check_closing(book)
            counts["checked", "closings"] += 1
        record_step(
            session, book, {"type": command.__struct_config__.tag, **_plain(command)}, counts
        )
        if book.due and die.random() < 0.3:
            record_step(session, book, {"settle": die.randrange(len(book.due))}, counts)
        if book.session.table.deal_is_open and die.random() < 0.01:
            record_step(session, book, {"misdeal": 1}, counts)
    invariants.check_closing(book)
    invariants.check_repeated_commands(book)
    invariants.check_reading_in_two_parts(book, die)
    if is_read_back:
        invariants.check_reading_back(book, seen_sessions)
        invariants.check_undo_to_start(book)
        counts["checked", "read back and undone to nothing"] += 1
    counts["versions", session.game] += book.session.version
    play_depths(session.game, book, counts)


def _plain(command: Any) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(command)
    return {name: v for name, v in fields.items() if v is not None or name == "winner"}


def record_step(session: RandomSession, book: Book, op: Op, counts: Counts) -> None:
    session.ops.append(op)
    take_step(book, op)
    counts["action", session.game, str(op.get("type") or next(iter(op)))] += 1


def play_depths(game: str, book: Book, counts: Counts) -> None:
    """Count at which depth each deal that still stands was recorded."""
    for step in invariants.undo_steps(book.session.table):
        closed = step.events[-1]
        if isinstance(closed, e.DealClosed):
            spoken = step.events[0]
            by = {e.CardPlayed: "cards", e.TrickRecorded: "tricks", e.PlayFinished: "tricks"}
            by |= {e.ResultRecorded: "result", e.TricksCounted: "result"}
            counts["depth", game, by.get(type(spoken), "no tricks")] += 1
            counts["outcome", game, closed.outcome] += 1


# --- many of them --------------------------------------------------------------------------------


def play_share(seeds: list[str]) -> tuple[Counts, str | None]:
    """Play one worker's share. Return what was reached, and a report of the first fault."""
    counts: Counts = Counter()
    for seed in seeds:
        try:
            counts.update(play_and_count(seed))
        except SessionFailed as failed:
            return counts, describe_failure(failed)
        except Exception:
            return counts, f"seed {seed} (three depths)\n{traceback.format_exc()}"
    return counts, None


def play_and_count(seed: str) -> Counts:
    """Play one evening; in every third one, the croupier deals."""
    if int(seed.rpartition(":")[2]) % 3:
        return play_one_session(seed)[1]
    game = Random(seed).choice(list(GAMES.values()))
    deal_count, croupier = play_at_every_depth(game, seed)
    counts: Counts = Counter({("evenings at three depths", game.key): 1})
    for depth in ("cards", "tricks", "result"):
        counts["same score at", game.key, depth] += deal_count
    counts["checked", "lists of playable cards"] += croupier.checked
    kinds = Counter(str(action.__struct_config__.tag) for action in croupier.commands)
    for kind, count in kinds.items():
        counts["action with real cards", game.key, kind] += count
    return counts


def describe_failure(failed: SessionFailed) -> str:
    session, fault = failed.session, failed.fault
    session.ops = shorten(session, type(fault))
    trace = "".join(traceback.format_exception(fault))
    return f"seed {failed.seed}\n{trace}\n{json.dumps(session.as_document())}\n"


def split_seeds(evenings: int, seed: int, first: int = 0, size: int = 40) -> Iterator[list[str]]:
    for start in range(first, first + evenings, size):
        yield [f"{seed}:{n}" for n in range(start, min(start + size, first + evenings))]


def run_sessions(
    evenings: int, seed: int, workers: int, say: Any = print
) -> tuple[Counts, str | None]:
    """Play all evenings in `workers` processes; stop at the first fault."""
    counts: Counts = Counter()
    started_at, played_count, reported = time.monotonic(), 0, 0
    # a spawned process does not import the `__main__` of its parent
    importable = importlib.import_module("tests.verification.random_evenings.__main__")
    with get_context("spawn").Pool(workers) as pool:
        shares = split_seeds(evenings, seed)
        for share_counts, fault in pool.imap_unordered(importable.play_share, shares):
            counts.update(share_counts)
            if fault:
                pool.terminate()
                return counts, fault
            played_count = _evenings(counts)
            if played_count * 10 // evenings > reported:
                reported = played_count * 10 // evenings
                rate = round(played_count / (time.monotonic() - started_at))
                say(f"{played_count} evenings, {rate} a second", flush=True)
    return counts, None


def _evenings(counts: Counts) -> int:
    return sum(count for key, count in counts.items() if key[0].startswith("evenings"))


def list_missing(counts: Counts) -> list[str]:
    """Return the actions and positions of options that were never reached."""
    gaps = []
    for game in GAMES.values():
        kinds = {kind.__struct_config__.tag for kind in game.commands} | {"open_deal", "undo"}
        ways = ("action", "action with real cards")
        reached = {key[2] for key in counts if key[0] in ways and key[1] == game.key}
        gaps += [f"{game.key}: {kind}" for kind in kinds - reached]
        for name, values in positions(game.options_type).items():
            for value in values:
                if not counts["option", game.key, name, str(value)]:
                    gaps.append(f"{game.key}: {name} = {value}")
    return sorted(gaps)


def format_table(counts: Counts) -> str:
    rows: dict[tuple[str, ...], list[str]] = {}
    for key, count in sorted(counts.items()):
        rows.setdefault(key[:-1], []).append(f"{key[-1]} {count}")
    lines = (f"{' '.join(head):42} {', '.join(cells)}" for head, cells in rows.items())
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--evenings", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    started_at = time.monotonic()
    counts, fault = run_sessions(args.evenings, args.seed, args.workers)
    took = time.monotonic() - started_at
    print(format_table(counts))
    print(f"{_evenings(counts)} evenings in {took:.0f} s, {_evenings(counts) / took:.0f} a second")
    print("never reached:", ", ".join(list_missing(counts)) or "nothing")
    if fault:
        print(fault)
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
