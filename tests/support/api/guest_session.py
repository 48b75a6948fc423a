"""A session of two members of a group and two guests, one of whom is owed money at its end."""

from tests.support.api.group_client import GroupClient
from tests.support.api.session_client import SessionClient, create_session
from tests.support.player_names import FOUR_PLAYERS


def play_with_guests(group: GroupClient) -> SessionClient:
    """Play outside the group, with the members m1 and m2 as p1 and p2, and add the session: Ada
    owes Disa, a guest, 10."""
    body = {"game": "polskt_pass", "players": FOUR_PLAYERS, "options": {"stake": 10}}
    session = create_session(group.client, body)
    session.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]})
    session.act({"type": "result", "winner": "p4"})
    members = {"token": session.tokens["host"], "members": {"p1": "m1", "p2": "m2"}}
    added = group.write(f"/sessions/{session.id}", members, method="PUT")
    assert added.status_code == 200, added.text
    assert session.write("/closure", {}, match="*").status_code == 201
    return session
