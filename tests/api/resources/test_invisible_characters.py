"""No name can be told from another only by what nobody sees."""

import re

import pytest

from api.schemas import fields
from api.schemas.export import parse_export
from tests.support.api.session_client import SessionClient, create_session

BODY = {"game": "polskt_pass", "players": [{"name": name} for name in ("Ada", "Bo", "Cilla")]}


@pytest.fixture
def session(own_app) -> SessionClient:
    return create_session(own_app.test_client(), BODY)


def rename(session, name):
    answer = session.write("/players/p3/name", {"name": name}, method="PUT")
    assert answer.status_code == 200, answer.text
    return answer.json["name"]


@pytest.mark.parametrize(
    "name",
    [
        *("A\u034fda", "Ada\ufe0f", "Ada\ufe0f\ufe0f", "Ada\u200d\ufe0f", "Ada\u2800\ufe0f"),
        *("\u3164Ada", "Ada\u115f", "Ada\u1160", "Ada \uffa0", "Ada\u17b5", "Ada\u180b"),
        *("Ada\ufe00", "Ada\U000e0100", "Ada\ufe0e", "A\ufe0fda"),
    ],
)
def test_a_name_that_looks_like_another_is_refused(session, name):
    rename_request = session.write("/players/p3/name", {"name": name}, method="PUT")
    for answer in (rename_request, session.write("/players", {"name": name}, match="*")):
        assert answer.status_code == 422
        assert answer.json["errors"][0]["pointer"] == "/name"


@pytest.mark.parametrize("name", ["❤\ufe0f", "1\ufe0f\u20e3", "ℹ\ufe0f Emil", "🏳\ufe0f\u200d🌈"])
def test_an_emoji_in_a_name_stays_as_it_is(session, name):
    assert rename(session, name) == name


def test_a_name_from_an_earlier_version_can_be_imported(session, own_app, monkeypatch):
    """It is hashed as it stands."""
    with monkeypatch.context() as earlier_version:
        earlier_version.setattr(fields, "INVISIBLE", re.compile("(?!)"))
        assert rename(session, "Cilla\u3164") == "Cilla\u3164"
    export = parse_export(session.get("/export?names=true").json)
    assert [player.name for player in export.names] == ["Ada", "Bo", "Cilla\u3164"]
