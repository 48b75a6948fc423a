"""Events that no ledger writes, in an export that its book has signed all the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.support.proofs.exported_files import Doc, SignedBook

Pair = tuple[Doc, Doc]
Forgery = Callable[[SignedBook, Random], Pair]


def with_event(kind: str, data: str = "", schema: int = 1, **fields: Any) -> Forgery:
    """Return a statement and an export with this event as the fourth."""

    def forge(book: SignedBook, random: Random) -> Pair:
        book.events[3] |= {"type": kind, "schema": schema, "data": data or json.dumps(fields)}
        book.hash_events(3)
        return book.statement(random, (5,)), book.export()

    return forge


def rescored(*facts: Doc) -> list[Doc]:
    return [{"deal": 1, "was": [], "facts": facts}]


COST = {"type": "cost_recorded", "payer": "p1", "shares": [{"player": "p2", "amount": 5}]}
SCORES = {"game": "spader", "currency": "SEK", "names": []}

MALFORMED: dict[str, tuple[str, Forgery]] = {
    "an event with one player for a list of them": (
        "export_wrong",
        with_event("bet_taken", deal=4, bet=4, by="p2", each=10, player="p1"),
    ),
    "an event with yes for an amount": (
        "export_wrong",
        with_event("pot_taken", deal=4, player="p1", amount=True),
    ),
    "an event with text for an amount": (
        "export_wrong",
        with_event("bet_taken", deal=4, bet=4, by=["p2"], each="10", player="p1"),
    ),
    "an event that takes less than nothing": (
        "export_wrong",
        with_event("pot_taken", deal=4, player="p1", amount=-5),
    ),
    "an event with nothing for what is paid": (
        "export_wrong",
        with_event("bet_laid", deal=4, bet=4, by=["p1"], each=10, paid=None),
    ),
    "an event of an unknown player": (
        "export_wrong",
        with_event("pot_taken", deal=4, player="p4", amount=10),
    ),
    "an event without a field, in a correction": (
        "export_wrong",
        with_event("deal_corrected", rescored=rescored({"type": "pot_taken", "amount": 5})),
    ),
    "an event that moves nothing and repeats a name": (
        "export_wrong",
        with_event("declared", data='{"players":[],"players":[]}'),
    ),
    "a cost voided that was never recorded": (
        "export_wrong",
        with_event("cost_voided", recorded_version=3, took_back=[COST]),
    ),
    "a second opening": ("export_wrong", with_event("session_opened", players=[], **SCORES)),
    "an event of tomorrow's schema": ("event_unknown", with_event("all_passed", schema=2)),
    "an event of tomorrow": ("event_unknown", with_event("deal_shared")),
    "a correction of tomorrow": (
        "event_unknown",
        with_event("deal_corrected", rescored=rescored({"type": "deal_shared"})),
    ),
    "a type that is no text": (
        "export_wrong",
        with_event("deal_corrected", rescored=rescored({"type": ["pot_taken"]})),
    ),
}
"""The statement and its export."""
