"""Exports whose book has signed events that no ledger writes, with a statement made of them.

The events are those of the frozen books, and every other event type after an opening.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.signing_key import SigningKey
from tests.support.proofs.exported_files import Doc, SignedBook, encode_document
from tests.support.proofs.tampered_exports import Vector
from tests.support.proofs.verifier import verify

GOLDEN = Path(__file__).parents[3] / "golden"
LINES = [json.loads(line) for line in (GOLDEN / "events.jsonl").read_text("utf-8").splitlines()]
VALUES: list[Any] = [
    *(None, True, False, 0, 1, 2, -1, 10**12, 2**53 - 1, "", "1", "p1", "p2", "p9", "p01", "p0x2"),
    *("p1+p3", "pot", "sheet", "score:p1", "true", "pot_taken", ["pot_taken"], [], [1], [None]),
    *(["p1"], ["p1", "p1"], [["p1"]], {}, {"p1": 1}, {"p1": True}, {"type": "pot_taken"}),
    *([{"type": "nothing"}], [{"type": "pot_taken", "deal": 1, "player": "p1", "amount": 5}]),
]
RAW = ("1.0", "2e0", "-0", "007", "NaN", "1e400", "9007199254740992", '{"a":1,"a":2}', '"\\ud800"')
NAMES = (
    *("deal", "paid", "type", "by", "each", "amount", "player", "stake", "start", "bet", "shares"),
    *("recorded_version", "took_back", "rescored", "was", "facts", "number", "p1", "p9", "p1+p3"),
)


def make_vectors(die: Random, count: int) -> Iterator[Vector]:
    """Yield statements with exports of which one or two events have another shape."""
    histories = [json.loads(f.read_bytes()) for f in sorted(GOLDEN.glob("book-*/*/export.json"))]
    signing_key = SigningKey(Ed25519PrivateKey.from_private_bytes(die.randbytes(32)))
    for _ in range(count):
        history = die.choice(histories)
        events: list[Doc] = deepcopy(history["events"][: die.randrange(2, 80)])
        if die.random() < 0.5:
            fields = ("type", "schema", "data")
            events[1:] = [
                {**events[0], **{name: line[name] for name in fields}}
                for line in die.choices(LINES, k=die.randrange(1, 5))
            ]
        way = change_events(die, events)
        for version, event in enumerate(events, 1):
            event["version"] = version
        book = SignedBook.from_events(UUID(history["session"]), events, signing_key)
        export = encode_document(book.export())
        yield Vector(way, encode_document(make_statement(book)), export=export)


def change_events(die: Random, events: list[Doc]) -> str:
    """Change one event in a random way, and sometimes another. Return what the event is now."""
    posting_events = [event for event in events if event["type"] not in verify.NON_POSTING]
    event = die.choice(die.choice((posting_events, posting_events, events)))
    data = json.loads(event["data"])
    container, name = die.choice(list_places(data) or [(data, "deal")])
    value = container[name] if data else None
    names = [name, die.choice(NAMES)] if isinstance(container, dict) else [name]
    match die.randrange(7):
        case 0:
            event["type"] = die.choice(LINES)["type"]
        case 1:
            event["schema"] = 2
        case 2 if data:
            del container[name]
        case 3:
            container[name] = "raw"
        case 4 if type(value) is int:
            container[name] = die.choice([value == 1, str(value), [value], -value, value + 1])
        case _:
            container[die.choice(names)] = deepcopy(die.choice([*VALUES, value]))
    event["data"] = json.dumps(data).replace('"raw"', die.choice(RAW))
    if die.random() < 0.1:
        events.insert(die.randrange(len(events)), deepcopy(die.choice(events)))
    return f"{event['type']} {event['data']}"


def list_places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container in a value with each of its names or places."""
    inner = [*(value.items() if isinstance(value, dict) else enumerate(value))]
    return [(value, name) for name, _ in inner] + [
        place for _, item in inner if isinstance(item, dict | list) for place in list_places(item)
    ]


def make_statement(book: SignedBook) -> Doc:
    """Return the statement that the program would make of these events, or an empty one."""
    try:
        opening = json.loads(book.events[0]["data"])
        movements = verify.standing_movements(book.events)
        players = [player for player, _ in verify.name_commitments(book.events)]
    except (verify.Refused, ValueError, LookupError):
        opening, movements, players = {}, [], []
    totals: Counter[str] = Counter()
    for line in movements:
        totals.subtract({line["from"]: line["amount"]})
        totals.update({line["to"]: line["amount"]})
    lines = [line for line in movements if not verify.counts_points(line["from"])]
    period = {"from": lines[0]["at"], "to": lines[-1]["at"]} if lines else {}
    return {
        "session": str(book.session),
        **{name: opening.get(name) for name in ("game", "currency")},
        **book.checkpoint_fields(len(book.events)),
        "key": book.key,
        "opening": 0,
        "lines": lines,
        "closing": 0,
        "period": period,
        "pot": totals["pot"],
        "balances": {player: totals[f"player:{player}"] for player in players},
        "bets": [
            {"id": f"b{account[4:]}", "amount": amount}
            for account, amount in totals.items()
            if account.startswith("bet:")
        ],
    }
