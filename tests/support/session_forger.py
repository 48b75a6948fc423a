"""A session rewritten in a database, as somebody with the whole database could: without a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from uuid import UUID

import psycopg
import pytest

from tests.support.databases import DatabaseUrls
from tests.verification.attack import forger
from tests.verification.attack.forger import Event, Forger

Change = Callable[[list[Event]], list[Event]]


@contextmanager
def open_forger(urls: DatabaseUrls, session_id: str) -> Iterator[Forger]:
    """Yield a forger of a session, in a database that a server goes on using."""
    with pytest.MonkeyPatch.context() as patch, psycopg.connect(urls.super) as db:
        # the other statement drops a constraint, which the server still needs
        patch.setattr(forger, "DISABLE_GUARDS", forger.DISABLE_GUARDS[:1])
        yield Forger(db, UUID(session_id), Random(1), [])


def rewrite_session(urls: DatabaseUrls, session_id: str, change: Change) -> None:
    with open_forger(urls, session_id) as attack:
        attack.rewrite(change(attack.history()))


def move_back(events: list[Event]) -> list[Event]:
    """Move the session one microsecond back, which changes every hash."""
    for event in events:
        event.at -= 1
    return events
