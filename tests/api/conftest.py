"""Clients over a fresh session or group."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.api.group_client import FIVE, GroupClient, founded
from tests.support.api.session_client import FOUR, SessionClient, keys


@pytest.fixture
def client(app) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def open_session(client):
    def opened(**more: Any) -> SessionClient:
        body = {"game": "polskt_pass", "players": FOUR, "options": {"stake": 10}, **more}
        headers = {"Idempotency-Key": f"an evening of its own {next(keys)}"}
        made = client.post("/v1/sessions", json=body, headers=headers)
        assert made.status_code == 201, made.json
        return SessionClient(client, made.json["id"], made.json["tokens"])

    return opened


@pytest.fixture
def session(open_session) -> SessionClient:
    return open_session()


@pytest.fixture
def group(app: Flask) -> GroupClient:
    return founded(app.test_client(), *FIVE)
