"""One key, sent by a hundred phones at once to a running server.

A round: a hundred requests with one key are in the air together; one of them has an effect, of one
event, and all get the same bytes.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from random import Random
from typing import Any

from tests.verification.chaos.simultaneous_requests import Hundred
from tests.verification.chaos.trial_result import Came

PEOPLE = [{"name": name} for name in ("Ada", "Bo", "Cilla", "Disa")]
A_NEW_EVENING_EVERY = 20


def rounds(url: str, number: int, seed: str) -> Came:
    """So many rounds against a running server: an evening opened, people reseated, paid."""
    begun, die, came = time.monotonic(), Random(f"{seed} rounds"), Came("rounds")
    here, right, version = "", "", 0
    with Hundred(url) as hundred:
        for round_ in range(number):
            headers = {"Idempotency-Key": f"{seed}-{round_}-{die.getrandbits(64):022x}"}
            opens = round_ % A_NEW_EVENING_EVERY == 0
            if opens:
                body: Any = {"game": "polskt_pass", "players": PEOPLE}
                answers = hundred.post("/v1/sessions", body, headers)
            else:
                headers |= {"Authorization": f"Bearer {right}", "If-Match": f'"{version}"'}
                path, body = _something(die, round_)
                answers = hundred.post(here + path, body, headers)
            came.counted.update(rounds=1, requests=len(answers))
            bodies = Counter(answer.body for answer in answers)
            document = json.loads(answers[0].body)
            statuses = Counter(answer.status for answer in answers)
            fresh = sum(not answer.replayed for answer in answers)
            if len(bodies) != 1 or set(statuses) != {201} or fresh != 1:
                came.faults.append(
                    f"round {round_}: {len(bodies)} bodies, {dict(statuses)}, {fresh} effects"
                )
                continue
            came.counted.update(events=1, given_again=len(answers) - fresh)
            if opens:
                here, right = f"/v1/sessions/{document['id']}", document["tokens"]["host"]
                version = document["version"]
                continue
            told = [event["version"] for event in document["events"]]
            version += 1
            events = hundred.get(f"{here}/events?after={version - 1}", right)["events"]
            if told != [version] or [event["version"] for event in events] != [version]:
                came.faults.append(f"round {round_}: told of {told}, and {len(events)} are there")
    came.seconds = time.monotonic() - begun
    return came


def _something(die: Random, round_: int) -> tuple[str, Any]:
    """A request that is one event."""
    seats = die.sample(["p1", "p2", "p3", "p4"], 4)
    if round_ % 2:
        return "/transfers", {"from": seats[0], "to": seats[1], "amount": round_ + 1}
    return "/actions", {"actions": [{"type": "reseat", "players": seats}]}
