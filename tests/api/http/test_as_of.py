"""Every reading as it stood: at a version, or at a moment."""

from itertools import pairwise
from random import Random

import pytest

from engine.game import Legal
from engine.games import GAMES
from tests.engine.anyone import Anyone
from tests.evenings import E1, lines
from tests.phone import Phone

READINGS = ("", "/pot", "/bets", "/balances", "/payments", "/deals", "/settlement")


@pytest.fixture
def evening(server_url):
    """E1, with everything that was read after each deal."""
    phone, seen = Phone(server_url).open(), []
    for line in lines(E1):
        phone.act(*line.actions())
        version = phone.settled()["version"]
        seen.append((version, {path: phone.get(path).json for path in READINGS}))
    return phone, seen


def test_a_version_is_read_as_it_was_read_then(evening):
    phone, seen = evening
    for version, then in seen:
        for path, answer in then.items():
            assert phone.get(f"{path}?at={version}").json == answer, (version, path)


def test_a_moment_is_the_version_that_stood_at_it(evening):
    phone, _ = evening
    events = phone.get("/events?limit=1000").json["events"]
    for one, following in pairwise(events):
        if one["at"] < following["at"]:
            told = phone.get(f"?at={one['at']}").json
            assert told["version"] == one["version"]
    eastern = events[-1]["at"].replace("Z", "%2B00:00")
    assert phone.get(f"?at={eastern}").json["version"] == events[-1]["version"]


@pytest.mark.parametrize(
    ("at", "status", "code"),
    [
        ("0", 422, "wrong_shape"),
        ("-1", 422, "wrong_shape"),
        ("yesterday", 422, "wrong_shape"),
        ("2026-11-21T21:30:00", 422, "wrong_shape"),  # without its zone it could be anywhere
        ("9999", 404, "unknown_version"),
        ("1999-12-31T23:00:00Z", 404, "unknown_version"),
    ],
)
def test_a_time_that_never_was_is_refused(evening, at, status, code):
    phone, _ = evening
    for path in ("", "/balances"):
        refused = phone.get(f"{path}?at={at}")
        assert (refused.status, refused.json["code"]) == (status, code)


BY_CARDS = ("turn_up", "cut", "play", "take", "bid", "side_bid", "stay", "discard", "open_deal")
"""What is said where a deal is told by its cards, the first of these that may be said first."""


@pytest.mark.parametrize("game", GAMES)
def test_every_version_can_be_read_also_one_within_an_action(game, open_table):
    """The last card of a trick and who took it are two events, and between them a version."""
    table = open_table(game=game, options={})
    anyone = Anyone(Random(1))
    while not any(event["type"] == "trick_won" for event in table.get("/events").json["events"]):
        allowed = {action["type"]: Legal(**action) for action in table.state["legal_actions"]}
        action = next(allowed[kind] for kind in BY_CARDS if kind in allowed)
        said = table.act({"type": action.type, **anyone.fields(action)})
        assert said.status_code == 201, said.json
    for version in range(1, table.version + 1):
        told = table.get(f"?at={version}")
        assert (told.status_code, told.json["version"]) == (200, version)
