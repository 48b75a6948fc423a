"""Garbage collection pauses while a session is folded, and is then restored."""

import gc

import pytest

from ledger.session.gc_pause import pause_gc
from ledger.session.session_state import SessionState, fold
from tests.support.ledger.memory_store import ID, Book


@pytest.fixture(autouse=True)
def as_it_was():
    yield
    gc.enable()


def test_collection_is_enabled_again_after_an_error():
    with pytest.raises(ZeroDivisionError), pause_gc():
        1 // gc.isenabled()
    assert gc.isenabled()


def test_disabled_collection_stays_disabled():
    gc.disable()
    with pause_gc():
        pass
    assert not gc.isenabled()


def test_a_nested_fold_does_not_enable_collection():
    with pause_gc():
        with pause_gc():
            pass
        assert not gc.isenabled()


def test_collection_is_disabled_while_a_session_is_folded():
    history, looked = Book().history, []

    def recorded_events():
        for recorded in history:
            looked.append(gc.isenabled())
            yield recorded

    assert fold(SessionState(id=ID), recorded_events()).version == 1
    assert looked == [False]
    assert gc.isenabled()
