"""Attacks on heads and projections: figures that no event supports."""

from __future__ import annotations

from uuid import UUID

from tests.verification.attack.attacks import Attacks
from tests.verification.attack.forger import Forger, NotApplicable

ATTACKS = Attacks()

OF_SESSION = " WHERE session_id = %s"
JOURNAL_LINES = "SELECT version, line FROM projections.journal WHERE session_id = %s"
OF_LINE = " WHERE session_id = %s AND version = %s AND line = %s"
INSERT_LINE = """
INSERT INTO projections.journal VALUES (%s, %s, %s, 1, 'transfer', %s, %s, 7, NULL)
"""


def _update_heads(assignment: str, condition: str = "true") -> str:
    return f"UPDATE vola.heads SET {assignment}{OF_SESSION} AND {condition}"


def _update_payments(assignment: str, condition: str = "true") -> str:
    return f"UPDATE projections.payments SET {assignment}{OF_SESSION} AND {condition}"


def _change_bets(row: str) -> str:
    """Return a statement that changes every bet of a session to `row`."""
    bets = f"ARRAY(SELECT ROW({row})::vola.bet FROM unnest(bets))"
    return _update_heads(f"bets = {bets}", "bets <> '{}'")


def _change_scores(row: str) -> str:
    """Return a statement that changes every score of a session to `row`."""
    scores = f"ARRAY(SELECT ROW({row})::vola.score FROM unnest(scores))"
    return _update_heads(f"scores = {scores}", "scores <> '{}'")


EARLIER_CONFLICT_VERSION = "CASE conflict_version WHEN 1 THEN 2 ELSE conflict_version - 1 END"
UNOWED_PAYMENT = "(%s, '1-p1-p2', 1, 'p1', 'p2', 5, 'due', 0, NULL)"

ATTACKS.register_statements(
    {
        "the head's version": _update_heads("version = version + 1"),
        "the head's hash": _update_heads("hash = sha256(hash)"),
        "the head's time": _update_heads("at = at + 1"),
        "the head's conflict version": _update_heads(
            f"conflict_version = {EARLIER_CONFLICT_VERSION}", "version > 1"
        ),
        "the head is gone": "DELETE FROM vola.heads" + OF_SESSION,
        "the pot": _update_heads("pot = pot + 10"),
        "the pot is gone": _update_heads("pot = 0", "pot > 0"),
        "a balance is gone": _update_heads("balances = balances[2:]"),
        "a balance of somebody who never came": _update_heads("balances = balances || 0::bigint"),
        "a bet is gone": _update_heads("bets = '{}'", "bets <> '{}'"),
        "a bet that nobody laid": _update_heads(
            "bets = bets || ROW(999, 1, '{p1}', 10, true)::vola.bet"
        ),
        "whose bet it is": _change_bets("bet, deal, by || 'p9'::text, amount, paid"),
        "a bet's amount": _change_bets("bet, deal, by, amount * 2, paid"),
        "whether a bet is paid": _change_bets("bet, deal, by, amount, NOT paid"),
        "which deal a bet is from": _change_bets("bet, deal + 1, by, amount, paid"),
        "a payment that nobody owes": "INSERT INTO projections.payments VALUES " + UNOWED_PAYMENT,
        "a payment said to be settled": _update_payments(
            "status = 'settled'", "status <> 'settled'"
        ),
        "a settled payment due again": _update_payments("status = 'due'", "status = 'settled'"),
        "a cancelled payment due again": _update_payments("status = 'due'", "status = 'cancelled'"),
        "a payment cancelled": _update_payments("status = 'cancelled'", "status <> 'cancelled'"),
        "a payment's amount": _update_payments("amount = amount + 1"),
        "a payment the other way": _update_payments("payer = payee, payee = payer"),
        "a payment is gone": "DELETE FROM projections.payments" + OF_SESSION,
        "a score": _change_scores("keeper, points + 1, overtricks, won"),
        "overtricks": _change_scores("keeper, points, overtricks + 1, won"),
        "who has won": _change_scores("keeper, points, overtricks, NOT won"),
        "the scores are gone": _update_heads("scores = '{}'", "scores <> '{}'"),
        "lines of the journal marked as undone": (
            "UPDATE projections.journal SET undone_by = coalesce(undone_by + 1, 1)" + OF_SESSION
        ),
        "the journal is gone": "DELETE FROM projections.journal" + OF_SESSION,
    }
)


@ATTACKS.register("money moved from one balance to another")
def move_money_between_balances(forger: Forger) -> None:
    """Move money so that the sum of the balances stays zero."""
    amount = forger.die.choice((1, 10, 1000))
    move = _update_heads("balances[1] = balances[1] + %s, balances[2] = balances[2] - %s")
    forger.execute(move, amount, amount, forger.session_id)


@ATTACKS.register("money moved from the pot to a balance")
def move_money_from_pot(forger: Forger) -> None:
    move = _update_heads("pot = pot - 1, balances[1] = balances[1] + 1", "pot > 0")
    forger.execute(move, forger.session_id)


@ATTACKS.register("points moved from one score to another")
def move_points(forger: Forger) -> None:
    (count,) = forger.pick_row(
        "SELECT cardinality(scores) FROM vola.heads" + OF_SESSION, forger.session_id
    )
    if not count:
        raise NotApplicable
    add_points = _update_heads("scores[%s].points = scores[%s].points + %s")
    for number, points in zip(forger.die.sample(range(1, count + 1), 2), (5, -5), strict=True):
        forger.execute(add_points, number, number, points, forger.session_id)


def _pick_line(forger: Forger) -> tuple[UUID, int, int]:
    version, line = forger.pick_row(JOURNAL_LINES, forger.session_id)
    return forger.session_id, version, line


ATTACKS.register_statements(
    {
        "a line of the journal is gone": "DELETE FROM projections.journal",
        "a line's amount": "UPDATE projections.journal SET amount = amount + 1",
        "a line the other way": "UPDATE projections.journal SET source = target, target = source",
        "a line of another deal": "UPDATE projections.journal SET deal = coalesce(deal, 0) + 1",
        "a line called something else": "UPDATE projections.journal SET kind = 'bet_found'",
        "a line at another version": "UPDATE projections.journal SET version = version + 1000",
    },
    OF_LINE,
    _pick_line,
)


@ATTACKS.register("two lines of the journal that cancel each other")
def add_two_lines(forger: Forger) -> None:
    _, version, _ = _pick_line(forger)
    for line, source, target in ((901, "pot", "player:p1"), (902, "player:p1", "pot")):
        forger.execute(INSERT_LINE, forger.session_id, version, line, source, target)
