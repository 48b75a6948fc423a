"""Nights of cards: any number of evenings of every game, at any options, and everything holds.

    python -m tests.verification.random_evenings.__main__ --evenings 100000 --seed 1 --workers 2

Two kinds of evenings take turns. In one, anyone does whatever may be done, with undo, misdeals,
newcomers and late payments; in the other a croupier deals real cards, and the same deals are kept
at three depths. It ends with a table of what was reached. When something does not hold, it prints
the seed of that evening and the fewest actions found that still show it, and exits with 1.
"""

from __future__ import annotations

import argparse
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
from tests.engine.games.test_recording_depths import plays
from tests.support.engine import invariants as holds
from tests.support.engine.every_option import drawn, positions
from tests.support.engine.random_player import RandomPlayer
from tests.support.ledger.memory_store import Book
from tests.verification.random_evenings.random_session import Night, Op, did, shortest

Seen = Counter[tuple[str, ...]]
MOST_STEPS = 40


def one_evening(seed: str) -> tuple[Night, Seen]:
    """Drawn, played and looked at. Raises what does not hold."""
    die = Random(seed)
    game = die.choice(list(GAMES.values()))
    seats = die.choice(game.player_counts)
    night = Night(
        game=game.key,
        seats=seats,
        dealer=f"p{die.randint(1, seats)}",
        away=0 if game.scoring else die.choice((0, 0, 1, 2)),
        agreed=drawn(game.options_type, die),
    )
    seen: Seen = Counter({("evenings", night.game): 1})
    seen.update(("option", night.game, name, str(value)) for name, value in night.agreed.items())
    try:
        walk(night, die, seen)
    except Exception as fault:
        raise Failed(seed, night, fault) from fault
    return night, seen


class Failed(Exception):
    def __init__(self, seed: str, night: Night, fault: Exception) -> None:
        super().__init__(seed, night, fault)
        self.seed, self.night, self.fault = seed, night, fault


def walk(night: Night, die: Random, seen: Seen) -> None:
    book, anyone = night.book(), RandomPlayer(die)
    tellings, told = {}, die.random() < 0.03
    opened = book.session
    for _ in range(die.randint(5, MOST_STEPS)):
        said = anyone.choose_command(book.legal)
        if said is None:
            break
        holds.play_can_go_on(book)
        if told:
            tellings[book.session.version] = holds.it_can_be_told(book.session)
        table = book.session.table
        if not table.deal_is_open:
            opened = book.session
        chance = die.random()
        if chance < 0.05:
            seen["checked", "listed"] += holds.what_is_listed_is_accepted(book, die)
        elif chance < 0.2:
            seen["checked", "refused"] += holds.what_is_accepted_is_listed(book, die, 8)
        elif chance < 0.3:
            holds.undo_takes_exactly_back(book, said)
            seen["checked", "undone"] += 1
        elif chance < 0.35 and table.deal_is_open and table.deal_number > opened.table.deal_number:
            holds.a_misdeal_returns_everything(book, opened)
            seen["checked", "misdeals"] += 1
        elif chance < 0.37:
            holds.it_closes_by_every_policy(book)
            seen["checked", "closings"] += 1
        do(night, book, {"type": said.__struct_config__.tag, **_plain(said)}, seen)
        if book.due and die.random() < 0.3:
            do(night, book, {"settle": die.randrange(len(book.due))}, seen)
        if book.session.table.deal_is_open and die.random() < 0.01:
            do(night, book, {"misdeal": 1}, seen)
    holds.it_closes_by_every_policy(book)
    holds.told_again_it_is_the_same(book)
    holds.read_in_pieces_it_is_the_same(book, die)
    if told:
        holds.it_reads_back(book, tellings)
        holds.undone_to_nothing(book)
        seen["checked", "read back and undone to nothing"] += 1
    seen["versions", night.game] += book.session.version
    depths(night.game, book, seen)


def _plain(said: Any) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(said)
    return {name: v for name, v in fields.items() if v is not None or name == "winner"}


def do(night: Night, book: Book, op: Op, seen: Seen) -> None:
    night.ops.append(op)
    did(book, op)
    seen["action", night.game, str(op.get("type") or next(iter(op)))] += 1


def depths(game: str, book: Book, seen: Seen) -> None:
    """How deep every deal that still stands was told."""
    for trail in holds.trails(book.session.table):
        closed = trail.events[-1]
        if isinstance(closed, e.DealClosed):
            spoken = trail.events[0]
            by = {e.CardPlayed: "cards", e.TrickRecorded: "tricks", e.PlayFinished: "tricks"}
            by |= {e.ResultRecorded: "result", e.TricksCounted: "result"}
            seen["depth", game, by.get(type(spoken), "no tricks")] += 1
            seen["outcome", game, closed.outcome] += 1


# --- many of them --------------------------------------------------------------------------------


def some(seeds: list[str]) -> tuple[Seen, str | None]:
    """One worker's share: what was seen, and the story of the first fault."""
    seen: Seen = Counter()
    for seed in seeds:
        try:
            seen.update(played(seed))
        except Failed as failed:
            return seen, story(failed)
        except Exception:
            return seen, f"seed {seed} (three depths)\n{traceback.format_exc()}"
    return seen, None


def played(seed: str) -> Seen:
    """Every third evening is the croupier's."""
    if int(seed.rpartition(":")[2]) % 3:
        return one_evening(seed)[1]
    game = Random(seed).choice(list(GAMES.values()))
    dealt, croupier = plays(game, seed)
    seen: Seen = Counter({("evenings at three depths", game.key): 1})
    for depth in ("cards", "tricks", "result"):
        seen["same score at", game.key, depth] += dealt
    seen["checked", "lists of playable cards"] += croupier.checked
    said = Counter(str(action.__struct_config__.tag) for action in croupier.said)
    for kind, count in said.items():
        seen["action with real cards", game.key, kind] += count
    return seen


def story(failed: Failed) -> str:
    night, fault = failed.night, failed.fault
    night.ops = shortest(night, type(fault))
    trace = "".join(traceback.format_exception(fault))
    return f"seed {failed.seed}\n{trace}\n{json.dumps(night.told())}\n"


def chunks(evenings: int, seed: int, first: int = 0, size: int = 40) -> Iterator[list[str]]:
    for start in range(first, first + evenings, size):
        yield [f"{seed}:{n}" for n in range(start, min(start + size, first + evenings))]


def run(evenings: int, seed: int, workers: int, say: Any = print) -> tuple[Seen, str | None]:
    """All of them, on so many processors; stops at the first fault."""
    seen: Seen = Counter()
    begun, done, said = time.monotonic(), 0, 0
    with get_context("spawn").Pool(workers) as pool:
        shares = chunks(evenings, seed)
        for more, fault in pool.imap_unordered(some, shares):
            seen.update(more)
            if fault:
                pool.terminate()
                return seen, fault
            done = _evenings(seen)
            if done * 10 // evenings > said:
                said = done * 10 // evenings
                rate = round(done / (time.monotonic() - begun))
                say(f"{done} evenings, {rate} a second", flush=True)
    return seen, None


def _evenings(seen: Seen) -> int:
    return sum(count for key, count in seen.items() if key[0].startswith("evenings"))


def missing(seen: Seen) -> list[str]:
    """Actions and positions of options that were never reached."""
    gaps = []
    for game in GAMES.values():
        kinds = {kind.__struct_config__.tag for kind in game.commands} | {"open_deal", "undo"}
        ways = ("action", "action with real cards")
        done = {key[2] for key in seen if key[0] in ways and key[1] == game.key}
        gaps += [f"{game.key}: {kind}" for kind in kinds - done]
        for name, values in positions(game.options_type).items():
            for value in values:
                if not seen["option", game.key, name, str(value)]:
                    gaps.append(f"{game.key}: {name} = {value}")
    return sorted(gaps)


def table(seen: Seen) -> str:
    rows: dict[tuple[str, ...], list[str]] = {}
    for key, count in sorted(seen.items()):
        rows.setdefault(key[:-1], []).append(f"{key[-1]} {count}")
    lines = (f"{' '.join(head):42} {', '.join(cells)}" for head, cells in rows.items())
    return "\n".join(lines)


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    ask.add_argument("--evenings", type=int, default=100_000)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--workers", type=int, default=2)
    args = ask.parse_args()
    begun = time.monotonic()
    seen, fault = run(args.evenings, args.seed, args.workers)
    took = time.monotonic() - begun
    print(table(seen))
    print(f"{_evenings(seen)} evenings in {took:.0f} s, {_evenings(seen) / took:.0f} a second")
    print("never reached:", ", ".join(missing(seen)) or "nothing")
    if fault:
        print(fault)
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
