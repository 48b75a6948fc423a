"""One key, sent by a hundred phones at once to a running server.

In a round, a hundred requests with one key are in flight together. Exactly one of them must have an
effect, of one event, and all must get the same bytes.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from random import Random
from typing import Any

from tests.support.player_names import FOUR_PLAYERS
from tests.verification.chaos.duplicates.simultaneous_requests import HundredClients
from tests.verification.chaos.duplicates.trial_result import TrialResult

ROUNDS_PER_EVENING = 20


def run_rounds(url: str, number: int, seed: str) -> TrialResult:
    """Run `number` rounds: evenings opened, players reseated, transfers recorded."""
    started_at, die, result = time.monotonic(), Random(f"{seed} rounds"), TrialResult("rounds")
    session_path, token, version = "", "", 0
    with HundredClients(url) as clients:
        for round_ in range(number):
            headers = {"Idempotency-Key": f"{seed}-{round_}-{die.getrandbits(64):022x}"}
            opens = round_ % ROUNDS_PER_EVENING == 0
            if opens:
                body: Any = {"game": "polskt_pass", "players": FOUR_PLAYERS}
                answers = clients.post("/v1/sessions", body, headers)
            else:
                headers |= {"Authorization": f"Bearer {token}", "If-Match": f'"{version}"'}
                path, body = _one_event_request(die, round_)
                answers = clients.post(session_path + path, body, headers)
            result.counted.update(rounds=1, requests=len(answers))
            bodies = Counter(answer.body for answer in answers)
            document = json.loads(answers[0].body)
            statuses = Counter(answer.status for answer in answers)
            fresh = sum(not answer.replayed for answer in answers)
            if len(bodies) != 1 or set(statuses) != {201} or fresh != 1:
                result.faults.append(
                    f"round {round_}: {len(bodies)} bodies, {dict(statuses)}, {fresh} effects"
                )
                continue
            result.counted.update(events=1, replayed=len(answers) - fresh)
            if opens:
                session_path, token = f"/v1/sessions/{document['id']}", document["tokens"]["host"]
                version = document["version"]
                continue
            versions = [event["version"] for event in document["events"]]
            version += 1
            events = clients.get(f"{session_path}/events?after={version - 1}", token)["events"]
            if versions != [version] or [event["version"] for event in events] != [version]:
                result.faults.append(
                    f"round {round_}: answered {versions}, stored {len(events)} events"
                )
    result.seconds = time.monotonic() - started_at
    return result


def _one_event_request(die: Random, round_: int) -> tuple[str, Any]:
    """Return the path and body of a request that leads to one event."""
    seats = die.sample(["p1", "p2", "p3", "p4"], 4)
    if round_ % 2:
        return "/transfers", {"from": seats[0], "to": seats[1], "amount": round_ + 1}
    return "/actions", {"actions": [{"type": "reseat", "players": seats}]}
