"""A link is replaced as often as an import can follow; then replacing it is refused."""

from __future__ import annotations

import pytest
from flask import Flask
from msgspec import convert

from ledger.access.session_metadata import MAX_ROTATIONS
from ledger.transfer.export_format import Export
from ledger.transfer.import_check import check_export
from tests.support.api.group_client import GroupClient, create_group
from tests.support.api.session_client import create_session
from tests.support.player_names import FOUR_PLAYERS


def replace_links(app: Flask, table: str, column: str, target_id: str, count: int) -> None:
    """Have the scorer's link as if it had been replaced this often."""
    with app.extensions["store"].pool.connection() as db:
        db.execute(
            f"UPDATE vola.{table} SET token_generations[2] = %s WHERE {column} = %s",
            (count, target_id),
        )


@pytest.fixture
def group(app: Flask) -> GroupClient:
    return create_group(app.test_client(), "Ada", "Bo", "Cilla")


@pytest.mark.parametrize("count", [MAX_ROTATIONS, 2**15 - 2])
def test_the_link_of_a_session_is_replaced_no_more(app: Flask, count: int) -> None:
    body = {"game": "polskt_pass", "players": FOUR_PLAYERS}
    session = create_session(app.test_client(), body)
    replace_links(app, "sessions", "session_id", session.id, count)
    refused = session.write("/links/scorer/rotation", {})
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_rotations")
    assert refused.json["most"] == MAX_ROTATIONS
    replace_links(app, "sessions", "session_id", session.id, MAX_ROTATIONS - 1)
    assert session.write("/links/scorer/rotation", {}).status_code == 201


def test_what_the_last_link_recorded_can_be_imported(app: Flask) -> None:
    body = {"game": "polskt_pass", "players": FOUR_PLAYERS}
    session = create_session(app.test_client(), body)
    replace_links(app, "sessions", "session_id", session.id, MAX_ROTATIONS - 1)
    links = session.write("/links/scorer/rotation", {}).json["links"]
    session.tokens["scorer"] = links[1]["path"].rpartition("/")[2]
    assert (
        session.act({"type": "open_deal"}, {"type": "all_pass"}, role="scorer").status_code == 201
    )
    checked = check_export(convert(session.get("/export").json, Export))
    assert checked.recorded[-1].by == f"scorer.{MAX_ROTATIONS}"


def test_the_link_of_a_group_is_replaced_no_more(app: Flask, group: GroupClient) -> None:
    replace_links(app, "groups", "group_id", group.id, MAX_ROTATIONS)
    refused = group.write("/links/scorer/rotation", {})
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_rotations")


def test_a_link_beyond_the_limit_leaves_the_others_replaceable(
    app: Flask, group: GroupClient
) -> None:
    """Earlier versions had no limit."""
    replace_links(app, "groups", "group_id", group.id, MAX_ROTATIONS + 5)
    assert group.write("/links/viewer/rotation", {}).status_code == 201


def test_one_session_at_the_limit_leaves_all_links_in_place(app: Flask, group: GroupClient) -> None:
    session = group.open_session()
    group.open_session()
    replace_links(app, "sessions", "session_id", session.id, MAX_ROTATIONS)
    before = group.get("/links", role="host").json
    refused = group.write("/links/scorer/rotation", {"sessions": True})
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_rotations")
    assert group.get("/links", role="host").json == before
    assert session.get(role="scorer").status_code == 404, "the link of before the replacing"
