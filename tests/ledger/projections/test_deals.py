"""The deals in force, including after an undo that reopens a deal before a voided one."""

from ledger.projections.deals import newest_first
from ledger.session import command_handlers
from ledger.store.append_request import Decision
from tests.support.ledger.store_session import act, make_request, open_session


def deals(store, session_id):
    newest_deals = newest_first(store.load(session_id).deals)
    return [(deal.number, deal.status, len(deal.facts)) for deal in newest_deals]


def void(store, session_id, number):
    store.append(
        session_id,
        make_request(),
        lambda session: Decision(events=command_handlers.void_open_deal(session, number)),
    )


def test_an_undo_past_a_voided_deal_reopens_the_one_before_it(store):
    session_id = open_session(store)
    passed = [{"type": "open_deal"}, {"type": "all_pass"}]
    act(store, session_id, passed)
    act(store, session_id, passed[:1])
    void(store, session_id, 2)
    assert deals(store, session_id) == [(2, "voided", 1), (1, "closed", 3)]
    act(store, session_id, [{"type": "undo"}])
    act(store, session_id, [{"type": "declare", "players": ["p2"]}])
    assert deals(store, session_id) == [(2, "voided", 1), (1, "open", 2)]
    void(store, session_id, 1)
    assert deals(store, session_id) == [(2, "voided", 1), (1, "voided", 1)]
    act(store, session_id, passed)
    assert deals(store, session_id)[0] == (3, "closed", 3)
    assert store.load(session_id).balances == {"p1": -10, "p2": 0, "p3": 0, "p4": 0}
