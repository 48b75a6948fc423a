"""Queries for statements of a session: every language, player, unit and kind of period."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from uuid import UUID

from flask import Flask
from flask.testing import FlaskClient

from api.auth.tokens import session_tokens
from api.i18n.catalog import LANGUAGES
from ledger.events.timestamps import format_timestamp
from ledger.store.event_store import EventStore
from tests.support.api.session_client import SessionClient


def session_client_for(app: Flask, client: FlaskClient, session_id: UUID) -> SessionClient:
    metadata = app.extensions["session_metadata"]
    tokens = session_tokens(metadata.secret, session_id, metadata.load(session_id).generations)
    return SessionClient(client, str(session_id), {**tokens})


def statement_queries(session: SessionClient, store: EventStore, random: Random) -> Iterator[str]:
    """Yield queries for each language, each player or all, each unit, and every kind of period."""
    state = store.load(UUID(session.id))
    moments = sorted({event.at for event in store.load_events(state.id, 0, state.version)})
    units = ["", "&unit=money"] if state.sheet and state.is_for_money else [""]
    for language in LANGUAGES:
        for player in ("", *state.table.players):
            begins, ends = sorted(random.sample(moments, 2))
            period = random.choice(
                (
                    *("", f"&from={format_timestamp(begins)}", f"&to={format_timestamp(ends)}"),
                    *(
                        f"&from={format_timestamp(begins)}&to={format_timestamp(ends)}",
                        "&from=0001-01-01&to=1990-01-01",
                    ),
                    *("&from=9999-12-31", "&to=9999-12-31&tz=Asia/Kolkata", "&from=0001-01-01"),
                )
            )
            player_query = f"&player={player}" if player else ""
            yield f"?format=json&lang={language}{player_query}{random.choice(units)}{period}"
