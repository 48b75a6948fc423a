"""Play many evenings in several processes, each process its share, up to the first fault."""

from __future__ import annotations

import json
import time
import traceback
from collections import Counter
from multiprocessing import get_context
from random import Random

from engine.games.registry import GAMES
from tests.support.engine.recording_depths import play_at_every_depth
from tests.verification.random_evenings.random_session import shorten
from tests.verification.random_evenings.reached_counts import Counts, count_evenings
from tests.verification.random_evenings.session_walk import SessionFailed, play_one_session

SHARE_SIZE = 40


def run_sessions(evenings: int, seed: int, workers: int) -> tuple[Counts, str | None]:
    """Play all evenings in `workers` processes; stop at the first fault."""
    counts: Counts = Counter()
    started_at, reported = time.monotonic(), 0
    seeds = [f"{seed}:{number}" for number in range(evenings)]
    shares = [seeds[start : start + SHARE_SIZE] for start in range(0, evenings, SHARE_SIZE)]
    with get_context("spawn").Pool(workers) as pool:
        for share_counts, fault in pool.imap_unordered(play_share, shares):
            counts.update(share_counts)
            if fault:
                pool.terminate()
                return counts, fault
            played_count = count_evenings(counts)
            if played_count * 10 // evenings > reported:
                reported = played_count * 10 // evenings
                rate = round(played_count / (time.monotonic() - started_at))
                print(f"{played_count} evenings, {rate} a second", flush=True)
    return counts, None


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
    session.steps = shorten(session, type(fault))
    trace = "".join(traceback.format_exception(fault))
    return f"seed {failed.seed}\n{trace}\n{json.dumps(session.as_document())}\n"
