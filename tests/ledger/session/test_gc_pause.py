"""While an evening is folded nobody looks for garbage; before and after it is as it was."""

import gc

import pytest

from ledger.garbage import let_lie
from ledger.session import Session, fold
from tests.ledger.book import ID, Book


@pytest.fixture(autouse=True)
def as_it_was():
    yield
    gc.enable()


def test_it_is_turned_on_again_whatever_happens():
    with pytest.raises(ZeroDivisionError), let_lie():
        1 // gc.isenabled()
    assert gc.isenabled()


def test_who_had_it_off_keeps_it_off():
    gc.disable()
    with let_lie():
        pass
    assert not gc.isenabled()


def test_one_fold_within_another_does_not_turn_it_on():
    with let_lie():
        with let_lie():
            pass
        assert not gc.isenabled()


def test_nobody_looks_while_an_evening_is_folded():
    history, looked = Book().history, []

    def told():
        for recorded in history:
            looked.append(gc.isenabled())
            yield recorded

    assert fold(Session(id=ID), told()).version == 1
    assert looked == [False]
    assert gc.isenabled()
