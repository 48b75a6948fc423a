"""A token that was checked a moment ago is not looked up again before a write; one that no longer
grants access is refused like an unknown one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from api.app import create_app
from api.rate_limit.enforcement import RateLimits
from ledger.access.session_metadata import CACHE_LIFETIME_NS, SessionMetadataStore
from ledger.store import connection_pool as database
from tests.support.api.session_client import SessionClient, create_session
from tests.support.app import app_over
from tests.support.databases import DatabaseUrls
from tests.support.player_names import FOUR_PLAYERS, mentions

OPEN, PASS = {"type": "open_deal"}, {"type": "all_pass"}
NONSENSE = {"type": "sing"}


@pytest.fixture
def apps(urls: DatabaseUrls) -> Iterator[tuple[Any, Any]]:
    """Two processes over the same database."""
    with app_over(urls) as first, app_over(urls) as second:
        yield first, second


@pytest.fixture
def sessions(apps: tuple[Any, Any]) -> tuple[SessionClient, SessionClient]:
    """The same session at both processes; the first has recorded a deal. There is another session,
    whose links are the first ones."""
    first, second = (app.test_client() for app in apps)
    body = {"game": "polskt_pass", "players": FOUR_PLAYERS[:3]}
    create_session(first, body)
    opened = first.post(
        "/v1/sessions", json=body, headers={"Idempotency-Key": "an evening at two servers"}
    ).json
    local = SessionClient(first, opened["id"], opened["tokens"], role="scorer")
    assert record(local, OPEN, PASS).status_code == 201
    return local, SessionClient(second, opened["id"], dict(opened["tokens"]))


@pytest.fixture
def metadata_reads(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The arguments of every read of session metadata."""
    card = SessionMetadataStore.load
    reads: list[Any] = []

    def count_read(self: SessionMetadataStore, *arguments: Any) -> Any:
        reads.append(arguments)
        return card(self, *arguments)

    monkeypatch.setattr(SessionMetadataStore, "load", count_read)
    return reads


def record(session: SessionClient, *actions: Any, **more: Any) -> Any:
    """Send actions without reading the session first."""
    return session.write("/actions", {"actions": list(actions)}, match="*", **more)


def end_link(session: SessionClient, role: str) -> None:
    assert session.write(f"/links/{role}/rotation", {}).status_code == 201


def test_a_token_just_checked_is_not_looked_up_again(
    sessions: Any, metadata_reads: list[Any]
) -> None:
    local, _ = sessions
    assert record(local, OPEN).status_code == 201
    assert record(local, PASS).status_code == 201
    assert metadata_reads == []


def test_a_write_with_a_token_just_checked_locks_nothing_beforehand(
    sessions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    local, _ = sessions
    device = local.write("/devices", {"label": "Bos"}, role="host").json
    local.tokens["phone"] = device["token"]
    monkeypatch.delattr("ledger.store.event_store.lock_stream")
    assert record(local, OPEN).status_code == 201
    assert record(local, PASS, role="phone").status_code == 201


def test_a_token_is_looked_up_again_after_the_cache_lifetime(
    sessions: Any, metadata_reads: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    local, _ = sessions
    now = [0]
    monkeypatch.setattr("ledger.access.session_metadata.time.monotonic_ns", lambda: now[0])
    local.get()
    now[0] += CACHE_LIFETIME_NS
    metadata_reads.clear()
    assert record(local, OPEN).status_code == 201
    assert len(metadata_reads) == 1


@pytest.mark.parametrize("action", [OPEN, PASS, NONSENSE], ids=["allowed", "refused", "no action"])
def test_a_link_ended_at_another_server_writes_and_learns_nothing(
    sessions: Any, action: Any
) -> None:
    """Every action gets the same response; otherwise it would reveal the session's state."""
    local, remote = sessions
    end_link(remote, "scorer")
    refused = record(local, action)
    stranger = local.client.post(
        f"/v1/sessions/{'0' * 8}-0000-4000-8000-{'0' * 12}/actions",
        json={"actions": [action]},
        headers={"Idempotency-Key": "k", "Authorization": f"Bearer {local.tokens['scorer']}"},
    )
    assert refused.status_code == stranger.status_code == 404
    for name in ("code", "detail", "title"):
        assert refused.json[name] == stranger.json[name]
    assert remote.state["version"] == 4


def test_an_ended_link_loses_its_regular_rate_limit(sessions: Any, urls: DatabaseUrls) -> None:
    """Later requests with it count as those of a stranger."""
    _, remote = sessions
    rate_limits, pool = RateLimits(), database.open_pool(urls.app, size=2)
    local = SessionClient(
        create_app(pool, rate_limits=rate_limits).test_client(), remote.id, remote.tokens
    )
    assert record(local, OPEN, role="scorer").status_code == 201
    assert len(rate_limits.known_tokens) == 1
    end_link(remote, "scorer")
    assert record(local, PASS, role="scorer").status_code == 404
    assert len(rate_limits.known_tokens) == 0
    pool.close()


def test_an_ended_viewer_link_is_unknown(sessions: Any) -> None:
    local, remote = sessions
    end_link(remote, "viewer")
    refused = record(local, OPEN, role="viewer")
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_session")


def test_a_viewer_that_writes_has_too_low_a_role(sessions: Any) -> None:
    local, _ = sessions
    refused = record(local, OPEN, role="viewer")
    assert (refused.status_code, refused.json["code"]) == (403, "role_too_low")


def test_a_new_link_works_at_once_at_every_server(sessions: Any) -> None:
    local, remote = sessions
    links = remote.write("/links/scorer/rotation", {}).json["links"]
    new = next(link["path"] for link in links if link["role"] == "scorer").rpartition("/")[2]
    local.tokens["scorer"] = new
    assert record(local, OPEN).status_code == 201


def test_an_answer_uses_the_current_names(sessions: Any) -> None:
    local, remote = sessions
    assert remote.write("/players/p2/name", method="DELETE").status_code == 200
    answer = record(local, OPEN)
    assert answer.status_code == 201
    assert not mentions(answer.text, "Bo")


def test_a_write_sees_what_another_server_recorded(sessions: Any) -> None:
    local, remote = sessions
    assert record(remote, OPEN).status_code == 201
    assert record(local, PASS).status_code == 201
    refused = record(local, PASS)
    assert (refused.status_code, refused.json["code"]) == (409, "no_open_deal")


def test_a_device_token_is_looked_up_each_time(sessions: Any, metadata_reads: list[Any]) -> None:
    """A device token does not contain a role."""
    local, remote = sessions
    device = remote.write("/devices", {"label": "Bos"}).json
    local.tokens["phone"] = device["token"]
    metadata_reads.clear()
    assert record(local, OPEN, role="phone").status_code == 201
    assert len(metadata_reads) == 1
