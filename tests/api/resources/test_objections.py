"""A player can object to the sums of a version, and the others see it."""

from __future__ import annotations

import pytest
from werkzeug.test import TestResponse

from tests.support.api.cosigning import cosignature_body, put_cosignature
from tests.support.api.session_client import SessionClient

PASSED = ({"type": "open_deal"}, {"type": "all_pass"})


def put_objection(session: SessionClient, player: str, version: object) -> TestResponse:
    return session.write(f"/objections/{player}", {"version": version}, method="PUT", role="viewer")


def objections(session: SessionClient) -> list[tuple[str, int]]:
    listed = session.get("/objections", role="viewer").json["objections"]
    return [(objection["player"], objection["version"]) for objection in listed]


def test_each_player_has_one_objection_about_the_latest_version(session: SessionClient) -> None:
    early = session.version
    for player in ("p2", "p1", "p2"):
        assert put_objection(session, player, early).status_code == 200
    session.act(*PASSED)
    assert objections(session) == [("p2", early), ("p1", early)]
    later = session.version
    assert put_objection(session, "p2", later).json["version"] == later
    assert put_objection(session, "p2", early).json["version"] == later
    assert objections(session) == [("p1", early), ("p2", later)]
    assert session.version == later, "no event is appended"


def test_confirming_the_sums_withdraws_the_players_own_objection(session: SessionClient) -> None:
    for player in ("p1", "p2"):
        put_objection(session, player, session.version)
    body = cosignature_body(session, "p1", session.version)
    assert put_cosignature(session, body).status_code == 200
    assert objections(session) == [("p2", session.version)]


def test_a_confirmation_of_an_earlier_version_withdraws_no_objection(
    session: SessionClient,
) -> None:
    early = cosignature_body(session, "p1", session.version)
    put_cosignature(session, early)
    session.act(*PASSED)
    put_objection(session, "p1", session.version)
    assert put_cosignature(session, early).status_code == 200, "anybody can send it again"
    assert objections(session) == [("p1", session.version)]


@pytest.mark.parametrize(
    ("player", "version", "status", "code"),
    [
        ("p9", 1, 404, "unknown_player"),
        ("Ada", 1, 404, "unknown_player"),
        ("p1", 99, 404, "unknown_version"),
        ("p1", 0, 422, "wrong_shape"),
        ("p1", "1", 422, "wrong_shape"),
    ],
)
def test_an_objection_to_what_is_not_there_is_refused(
    session: SessionClient, player: str, version: object, status: int, code: str
) -> None:
    answer = put_objection(session, player, version)
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert objections(session) == []
