"""The keys of an earlier version's book replay after the upgrade, rendered anew."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import msgspec
import psycopg
import pytest

import migrations
from api.representations.session import event_view, session_view
from ledger.access.session_metadata import SessionMetadataStore
from ledger.groups.groups import GroupStore
from ledger.groups.past_group import group_at
from ledger.groups.stored_replies import read_reply
from ledger.store import connection_pool
from ledger.store.append_request import AppendRequest, Refusal
from ledger.store.event_store import EventStore
from tests.support.earlier_books import RENAMED_DUMPS, restore_book
from tests.support.postgresql.cluster import Postgres
from tests.support.renamed_fields import RENAMED_FIELDS

REPLIES = "SELECT session_id, key, request, status, version, body FROM vola.replies"
GROUP_REPLIES = "SELECT circle_id, key, request, status, body FROM vola.circle_replies"
GROWING = {"legal_actions"}
"""Members of a session to which a version can add."""


@dataclass
class UpgradedReplies:
    """A book of an earlier version after the upgrade, and the answers that it had stored."""

    pool: connection_pool.Pool
    answers: list[tuple[Any, ...]] = field(default_factory=list)
    group_answers: list[tuple[Any, ...]] = field(default_factory=list)


@pytest.fixture(scope="module", params=RENAMED_DUMPS, ids=lambda path: path.parent.name)
def upgraded(request: pytest.FixtureRequest, cluster: Postgres) -> Iterator[UpgradedReplies]:
    urls = restore_book(cluster, request.param, "replies")
    with psycopg.connect(urls.super) as db:
        answers = db.execute(REPLIES).fetchall()
        group_answers = db.execute(GROUP_REPLIES).fetchall()
    migrations.apply(urls.owner, app_url=urls.app, audit_url=urls.audit)
    pool = connection_pool.open_pool(urls.app, size=2)
    yield UpgradedReplies(pool, answers, group_answers)
    pool.close()


def replay(store: EventStore, row: tuple[Any, ...]) -> Any:
    session_id, key, digest, *_ = row
    request = AppendRequest(
        key=key, digest=bytes(digest), by="", expected_version="any", with_names=True
    )

    def refuse(session: Any) -> Any:
        raise Refusal(f"{key} is no replay")

    return store.append(session_id, request, refuse)


def is_same(stored: dict[str, Any], rendered: dict[str, Any]) -> bool:
    """Whether every member of a session that was stored is rendered alike."""
    now = msgspec.json.decode(msgspec.json.encode(rendered))
    return all(
        now.get(RENAMED_FIELDS.get(key, key)) == stored[key] for key in stored.keys() - GROWING
    )


def test_every_key_replays_its_events_and_the_session_as_it_stood(
    upgraded: UpgradedReplies,
) -> None:
    store, metadata_store = EventStore(upgraded.pool), SessionMetadataStore(upgraded.pool)
    for row in upgraded.answers:
        status, version, answer = row[3], row[4], msgspec.json.decode(row[5])
        result, metadata = replay(store, row), metadata_store.load(row[0])
        reply = result.reply
        assert (reply.status, reply.version, reply.replayed) == (status, version, True)
        view = session_view(result.session, metadata.title, result.names)
        if answer == {} or isinstance(answer, int):  # it was written without HTTP
            assert {event.at for event in result.recorded} == {result.session.at}
        elif "events" in answer:
            events = msgspec.json.decode(msgspec.json.encode([*map(event_view, result.recorded)]))
            assert events == answer["events"]
            assert result.session.hash.hex() == answer["receipt"]["hash"]
            assert is_same(answer["session"], view)
        elif "legal_actions" in answer:
            assert reply.event_count == version
            assert is_same(answer, view)
        else:
            assert reply.event_count == 0
            assert reply.operands.get("phone") == (
                answer.get("id") if "made_at" in answer else None
            )


def test_every_key_of_a_group_replays_the_group_as_it_was(upgraded: UpgradedReplies) -> None:
    groups = GroupStore(upgraded.pool)
    for group_id, key, digest, status, body in upgraded.group_answers:
        answer = msgspec.json.decode(body)
        request = AppendRequest(key=key, digest=bytes(digest), by="", expected_version="any")
        with upgraded.pool.connection() as db:
            reply = read_reply(db, UUID(str(group_id)), request)
        assert reply is not None
        assert reply.status == status
        group = groups.load(reply.group_id)
        then = group_at(group, reply.moment)
        assert list(then.members) == [member["id"] for member in answer["members"]]
        sessions = [(str(s.session_id), s.members) for s in then.sessions]
        assert sessions == [(e["session"], e["members"]) for e in answer["evenings"]]
