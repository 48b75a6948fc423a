"""Every statement that the book gives passes `verify.py`: 0 false alarms.

This holds for every game, language and query. With the export beside it, a statement has the same
figures when it is made anew from the export's events.
"""

from __future__ import annotations

import json
from random import Random

import pytest
from flask import Flask

from engine.games.registry import GAMES
from ledger.store.event_store import EventStore
from tests.support.api.statement_queries import session_client_for, statement_queries
from tests.support.proofs.verifier import verify
from tests.verification.attack.stored_sessions import play

EVENINGS = 3


@pytest.mark.parametrize("game", GAMES)
def test_whatever_the_book_gives_holds_and_is_what_the_export_comes_to(
    app: Flask, store: EventStore, game: str
) -> None:
    client, count = app.test_client(), 0
    for seed in range(EVENINGS):
        random = Random(f"{game}:{seed}")
        evening = session_client_for(app, client, play(store, f"signed:{seed}", game, 60))
        export = evening.get("/export").data
        for query in statement_queries(evening, store, random):
            statement = evening.get(f"/statement{query}")
            assert statement.status_code == 200, statement.text
            assert verify.verify_document(statement.data)[:2] == (0, "statement"), query
            verdict = verify.verify_document(statement.data, export=export)
            assert verdict[:2] == (0, "remade"), (query, verdict)
            respelled = json.dumps(json.loads(statement.data), indent=3, sort_keys=True).encode()
            assert verify.verify_document(respelled, export=export) == verdict, (
                "written in another way"
            )
            count += 1
    print(f"{count} statements of {game}, 0 false alarms")
