"""All cores find what one finds, at the moment that the audit began."""

import psycopg
import pytest

from ledger.audit import snapshot
from ledger.auditing import kept, together
from tests.ledger import helping
from tests.ledger.evening import act, play_e1

UNLOCKED = "ALTER TABLE vola.events DISABLE TRIGGER USER"
FORGED = "UPDATE vola.events SET at = at + 1 WHERE version = 3 AND session_id = ANY(%s)"


@pytest.fixture
def evenings(store):
    return [play_e1(store, deals=1) for _ in range(5)]


@pytest.fixture
def helper(monkeypatch, tmp_path):
    """What a helper does with the first evenings, which are a part each."""
    monkeypatch.setattr(together, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(together, "EVENINGS_AT_ONCE", 1)
    return lambda does: helping.instead(monkeypatch, tmp_path, together, "_audit", does)


def found(urls, wanted, receipts=None, meanwhile=lambda: None, processes=2):
    with psycopg.connect(urls.audit) as db, snapshot(db):
        db.execute("SELECT count(*) FROM vola.heads")  # the moment is this one
        meanwhile()
        told = together.audited(db, urls.audit, wanted, receipts or {}, processes)
        return [(one, [finding.code for finding in findings]) for one, findings in told]


@pytest.mark.parametrize("does", ["return work(part)", "os._exit(1)", "work(part); os._exit(1)"])
def test_two_find_what_one_finds_in_the_order_in_which_it_was_asked(evenings, urls, helper, does):
    """A helper that dies keeps nothing to itself."""
    with psycopg.connect(urls.super) as db:
        db.execute(UNLOCKED)
        assert db.execute(FORGED, [[evenings[0], evenings[3]]]).rowcount == 2
    alone = found(urls, evenings, processes=1)
    assert [one for one, _ in alone] == evenings
    assert [codes[:1] for _, codes in alone] == [["seal_broken"], [], [], ["seal_broken"], []]
    helper(does)
    assert found(urls, evenings) == alone


def test_receipts_go_where_their_evening_goes(evenings, store, urls, helper):
    last = store.read(evenings[2])
    wrong = kept.Kept(version=last.version, hash=bytes(32), at=last.at)
    late = kept.Kept(version=last.version + 1, hash=bytes(32), at=last.at)
    receipts = {evenings[2]: [wrong], evenings[4]: [late]}
    helper("return work(part)")
    codes = [codes for _, codes in found(urls, evenings, receipts)]
    assert codes == [[], [], ["rewritten"], [], ["tail_missing"]]


def test_what_is_written_meanwhile_is_another_moment(evenings, store, urls, helper):
    """A helper looks at what we look at, though it comes later."""

    def goes_on():
        for one in evenings:
            act(store, one, [{"type": "open_deal"}, {"type": "all_pass"}])

    last = store.read(evenings[4])
    late = {one: [kept.Kept(version=last.version + 1, hash=b"", at=0)] for one in evenings}
    helper("return work(part)")
    assert [codes for _, codes in found(urls, evenings, late, goes_on)] == [["tail_missing"]] * 5
