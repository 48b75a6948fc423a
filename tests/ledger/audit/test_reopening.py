"""A reopened session in the ledger: projections, audit and rebuild agree; a forgery is found."""

from random import Random

import psycopg
import pytest

from engine import events as e
from ledger.audit.run import audit_session
from ledger.events import codec
from ledger.rebuild.rebuild import rebuild
from ledger.session import command_handlers
from ledger.store.append_request import Decision
from ledger.store.database_snapshot import database_snapshot
from tests.support.ledger.projection_tables import read_projections
from tests.support.ledger.store_session import act, make_request, open_session, play_e1
from tests.verification.attack.forger import Forger

LOST = [{"type": "open_deal"}, {"type": "declare", "players": ["p2"]},
        {"type": "result", "winner": "p3"}]  # fmt: skip
PASSED = [{"type": "open_deal"}, {"type": "all_pass"}]


def write(store, session_id, decide):
    work = lambda session: Decision(events=decide(session))  # noqa: E731
    store.append(session_id, make_request(), work)


def close(store, session_id, policy):
    write(store, session_id, lambda session: command_handlers.close_session(session, policy))


def finding_codes(urls, session_id):
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        return [finding.code for finding in audit_session(db, session_id)]


@pytest.mark.parametrize("policy", ["carry", "refund_bets", "split_equal"])
@pytest.mark.parametrize("bet_payment", ["immediate", "on_collection"])
def test_reopening_restores_the_tables_and_the_audit_is_clean(store, urls, policy, bet_payment):
    session_id = open_session(store, bet_payment=bet_payment)
    act(store, session_id, LOST)
    act(store, session_id, PASSED)
    before = read_projections(urls)
    close(store, session_id, policy)
    write(store, session_id, command_handlers.reopen_session)
    after = read_projections(urls)
    assert {t: rows for t, rows in after.items() if t != "journal"} == {
        t: rows for t, rows in before.items() if t != "journal"
    }
    assert finding_codes(urls, session_id) == []
    assert rebuild(urls.owner).differed == 0
    act(store, session_id, PASSED)
    close(store, session_id, "split_equal")
    assert finding_codes(urls, session_id) == []
    assert rebuild(urls.owner).differed == 0


def test_the_audit_reads_a_closing_of_many_bets_to_its_end(store, urls):
    """Two declarers lose each deal and owe their bets: 240 events close the session."""
    session_id = open_session(store, players=5, stake=1, bet_payment="on_collection")
    lost = [{"type": "open_deal"}, {"type": "declare"}, {"type": "result", "winner": None}]
    for number in range(60):
        dealer, cutter = f"p{number % 5 + 1}", f"p{(number - 1) % 5 + 1}"
        lost[1]["players"] = [cutter, dealer]
        act(store, session_id, lost)
    close(store, session_id, "split_equal")
    assert finding_codes(urls, session_id) == []


@pytest.mark.parametrize("paid", [True, False])
def test_a_forged_reopening_of_a_final_closing_is_found(store, urls, paid):
    """Its hashes and postings are right, but a player had paid, or the leftovers differ."""
    session_id = play_e1(store)
    close(store, session_id, "split_equal")
    if paid:
        write(
            store, session_id, lambda s: command_handlers.record_transfer(s, "p1", "p3", 10, None)
        )
    closing = store.load(session_id).table.closing
    took_back = closing.closing_events if paid else (e.EveningClosed(policy="carry"),)
    forged = e.SessionReopened(took_back=took_back)
    with psycopg.connect(urls.super) as db:
        forger = Forger(db, session_id, Random(1), [])
        history = forger.history()
        last = history[-1]
        new = type(last)(last.version + 1, codec.event_type(forged), 1, last.at + 1, "host.0",
                         codec.encode(forged), b"")  # fmt: skip
        forger.rewrite([*history, new], keep_replies=True)
        db.commit()
    assert "decision_differs" in finding_codes(urls, session_id)
