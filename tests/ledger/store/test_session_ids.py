"""Ids of new sessions begin with the time, so that new rows go to the end of every index."""

import time

from ledger.store.session_ids import new_session_id


def test_an_id_is_a_uuid_of_version_7():
    session_id = new_session_id()
    assert (session_id.version, session_id.variant) == (7, "specified in RFC 4122")


def test_an_id_begins_with_the_milliseconds_since_1970():
    before = time.time_ns() // 1_000_000
    milliseconds = new_session_id().int >> 80
    assert before <= milliseconds <= time.time_ns() // 1_000_000


def test_ids_of_the_same_millisecond_differ():
    assert len({new_session_id() for _ in range(10_000)}) == 10_000
