"""Every resource can be read as of a version or a moment."""

from itertools import pairwise
from random import Random

import pytest

from engine.games.registry import GAMES
from engine.table_view import LegalAction
from tests.support.api.http_client import RemoteSession
from tests.support.engine.random_player import RandomPlayer
from tests.support.worked_evenings import E1, lines

PATHS = ("", "/pot", "/bets", "/balances", "/payments", "/deals", "/settlement")


@pytest.fixture
def recorded_session(server_url):
    """E1, with every resource as it was read after each deal."""
    phone, answers = RemoteSession(server_url).open(), []
    for line in lines(E1):
        phone.act(*line.actions())
        version = phone.settled()["version"]
        answers.append((version, {path: phone.get(path).json for path in PATHS}))
    return phone, answers


def test_a_version_reads_as_it_did_then(recorded_session):
    phone, versions = recorded_session
    for version, answers in versions:
        for path, answer in answers.items():
            assert phone.get(f"{path}?at={version}").json == answer, (version, path)


def test_a_moment_reads_the_version_current_at_it(recorded_session):
    phone, _ = recorded_session
    events = phone.get("/events?limit=1000").json["events"]
    for event, following in pairwise(events):
        if event["at"] < following["at"]:
            state = phone.get(f"?at={event['at']}").json
            assert state["version"] == event["version"]
    eastern = events[-1]["at"].replace("Z", "%2B00:00")
    assert phone.get(f"?at={eastern}").json["version"] == events[-1]["version"]


@pytest.mark.parametrize(
    ("at", "status", "code"),
    [
        ("0", 422, "wrong_shape"),
        ("-1", 422, "wrong_shape"),
        ("yesterday", 422, "wrong_shape"),
        ("2026-11-21T21:30:00", 422, "wrong_shape"),  # ambiguous without a zone
        ("2026-W47-6T10:00Z", 422, "wrong_shape"),  # as `?from=`
        ("9999", 404, "unknown_version"),
        ("1999-12-31T23:00:00Z", 404, "unknown_version"),
    ],
)
def test_a_moment_before_the_session_is_refused(recorded_session, at, status, code):
    phone, _ = recorded_session
    for path in ("", "/balances"):
        refused = phone.get(f"{path}?at={at}")
        assert (refused.status, refused.json["code"]) == (status, code)


BY_CARDS = ("turn_up", "cut", "play", "take", "bid", "side_bid", "stay", "discard", "open_deal")
"""Actions that record a deal by its cards, in order of preference."""


@pytest.mark.parametrize("game", GAMES)
def test_every_version_can_be_read_even_within_an_action(game, open_session):
    """The last card of a trick and the winner of the trick are two events with a version between
    them."""
    session = open_session(game=game, options={})
    player = RandomPlayer(Random(1))
    while not any(event["type"] == "trick_won" for event in session.get("/events").json["events"]):
        legal_actions = {
            action["type"]: LegalAction(undo_target=action.pop("takes_back", None), **action)
            for action in session.state["legal_actions"]
        }
        action = next(legal_actions[kind] for kind in BY_CARDS if kind in legal_actions)
        answer = session.act({"type": action.type, **player.fields(action)})
        assert answer.status_code == 201, answer.json
    for version in range(1, session.version + 1):
        answer_at = session.get(f"?at={version}")
        assert (answer_at.status_code, answer_at.json["version"]) == (200, version)
