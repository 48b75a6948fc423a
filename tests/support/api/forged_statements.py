"""A session with every kind of entry, and forged statements of it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import NamedTuple

from tests.support.api.session_client import SessionClient
from tests.support.proofs.statement_forgeries import FORGERIES, Doc, change_random_value

MUTATIONS = 300


class StatementAndExport(NamedTuple):
    """A statement and the export of its session."""

    statement: Doc
    export: bytes


def play_and_export(session: SessionClient) -> StatementAndExport:
    opened = {"type": "open_deal"}
    for declarer, winner in (("p2", "p3"), ("p3", "p1"), ("p1", "p1")):
        declared = {"type": "declare", "players": [declarer]}
        session.act(opened, declared, {"type": "result", "winner": winner})
    lost = [{"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p4"}]
    session.write("/deals/1", {"actions": lost}, method="PUT", match="*")
    session.act(opened, {"type": "undo"})
    declared = {"type": "declare", "players": ["p4"]}
    session.act(opened, declared, {"type": "result", "winner": "p2"})
    session.act(opened, {"type": "all_pass"})
    session.write("/transfers", {"from": "p2", "to": "p1", "amount": 5}, match="*")
    statement = session.get("/statement?player=p1&lang=en").json
    return StatementAndExport(statement, session.get("/export").data)


def forge_statements(
    original: StatementAndExport, random: Random, mutations: int
) -> Iterator[tuple[str, Doc]]:
    """Yield every kind of forgery, with and without its note, and then `mutations` changes of
    single values."""
    for kind, change in FORGERIES.items():
        doc = deepcopy(original.statement)
        change(doc)
        assert doc != original.statement, kind
        yield kind, doc
        doc.pop("signature")
        yield f"{kind}, without a note", doc
    for _ in range(mutations):
        place, doc = change_random_value(random, original.statement)
        while doc == original.statement:  # the new value is the old one
            place, doc = change_random_value(random, original.statement)
        yield place, doc
