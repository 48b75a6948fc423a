"""Clients over a fresh session or group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from ledger.store import connection_pool
from tests.support.api.group_client import GroupClient, create_group
from tests.support.api.session_client import SessionClient, create_session
from tests.support.app import limited_app
from tests.support.player_names import FIVE_NAMES, FOUR_PLAYERS


@pytest.fixture
def client(app) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def own_app(urls) -> Iterator[Flask]:
    """An app of its own, so that its whole database can be searched."""
    pool = connection_pool.open_pool(urls.app, size=4)
    yield limited_app(pool)
    pool.close()


@pytest.fixture
def open_session(client):
    def open_with(**more: Any) -> SessionClient:
        body = {"game": "polskt_pass", "players": FOUR_PLAYERS, "options": {"stake": 10}, **more}
        return create_session(client, body)

    return open_with


@pytest.fixture
def session(open_session) -> SessionClient:
    return open_session()


@pytest.fixture
def group(app: Flask) -> GroupClient:
    return create_group(app.test_client(), *FIVE_NAMES)
