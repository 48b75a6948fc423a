"""A group's statement is sent while it is read, a session and a page at a time: more sessions
take hardly more memory."""

from functools import partial
from uuid import UUID

import pytest

from ledger.store.append_request import AppendRequest
from tests.support.api.group_client import create_group
from tests.support.api.long_session import (
    LongSession,
    assert_memory_stays,
    measure_memory,
    play_deals,
)
from tests.support.api.session_client import keys
from tests.support.player_names import FOUR_PLAYERS

MEMBERS = {f"p{place}": f"m{place}" for place in range(1, 5)}
DEALS = 45
FEW_SESSIONS, MANY_SESSIONS = 2, 10


def create_group_with(app, client, evenings, book):
    """Return a group of `evenings` sessions, written straight into the store."""
    group = create_group(client, *(player["name"] for player in FOUR_PLAYERS))
    for _ in range(evenings):
        evening = LongSession(app, client, book).id
        request = AppendRequest(
            key=f"add-{next(keys)}", digest=b"", by="host.0", expected_version="any"
        )
        app.extensions["groups"].add_session(UUID(group.id), evening, request, MEMBERS)
    return group


@pytest.fixture(scope="module")
def book():
    return play_deals(DEALS)


def send(group, form):
    """Return the bytes of the statement in this format, sent piece by piece."""
    headers = {"Authorization": f"Bearer {group.tokens['viewer']}"}
    path = f"{group.path}/statement?format={form}"
    answer = group.client.get(path, headers=headers, buffered=False)
    return sum(len(piece) for piece in answer.iter_encoded())


def test_five_times_the_sessions_take_hardly_more_memory(app, client, book, capsys):
    small, large = (
        create_group_with(app, client, sessions, book) for sessions in (FEW_SESSIONS, MANY_SESSIONS)
    )
    send(large, "json")  # caches its sessions
    for form in ("json", "csv", "hledger", "html", "xlsx"):
        send(small, form)  # loads what the format needs, and caches its sessions
        measured = [measure_memory(partial(send, group, form)) for group in (small, large)]
        growth = None if form == "xlsx" else 4  # its bytes are compressed
        with capsys.disabled():
            assert_memory_stays(form, *measured, growth=growth, slack=150_000)
