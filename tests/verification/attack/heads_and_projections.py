"""Attacks on heads and projections: figures that no event supports."""

from __future__ import annotations

from tests.verification.attack.attacks import Attacks
from tests.verification.attack.forger import Forger, NotApplicable

ATTACKS = Attacks()


def _statement(name: str, statement: str) -> None:
    """Register an attack of one SQL statement on one session."""
    ATTACKS.register(name)(lambda forger: forger.execute(statement, forger.session_id))


def _bet_statement(name: str, row: str) -> None:
    """Register an attack that changes every bet of a session to `row`."""
    bets = f"ARRAY(SELECT ROW({row})::vola.bet FROM unnest(bets))"
    _statement(
        name, f"UPDATE vola.heads SET bets = {bets} WHERE session_id = %s AND bets <> '{{}}'"
    )


def _score_statement(name: str, row: str) -> None:
    """Register an attack that changes every score of a session to `row`."""
    scores = f"ARRAY(SELECT ROW({row})::vola.score FROM unnest(scores))"
    condition = "session_id = %s AND scores <> '{}'"
    _statement(name, f"UPDATE vola.heads SET scores = {scores} WHERE {condition}")


_statement(
    "the head's version",
    "UPDATE vola.heads SET version = version + 1 WHERE session_id = %s",
)
_statement(
    "the head's hash",
    "UPDATE vola.heads SET hash = sha256(hash) WHERE session_id = %s",
)
_statement(
    "the head's time",
    "UPDATE vola.heads SET at = at + 1 WHERE session_id = %s",
)
_statement(
    "the head's conflict version",
    "UPDATE vola.heads SET conflict_version ="
    " CASE conflict_version WHEN 1 THEN 2 ELSE conflict_version - 1 END"
    " WHERE session_id = %s AND version > 1",
)
_statement(
    "the head is gone",
    "DELETE FROM vola.heads WHERE session_id = %s",
)
_statement(
    "the pot",
    "UPDATE vola.heads SET pot = pot + 10 WHERE session_id = %s",
)
_statement(
    "the pot is gone",
    "UPDATE vola.heads SET pot = 0 WHERE session_id = %s AND pot > 0",
)
_statement(
    "a balance is gone",
    "UPDATE vola.heads SET balances = balances[2:] WHERE session_id = %s",
)
_statement(
    "a balance of somebody who never came",
    "UPDATE vola.heads SET balances = balances || 0::bigint WHERE session_id = %s",
)
_statement(
    "a bet is gone",
    "UPDATE vola.heads SET bets = '{}' WHERE session_id = %s AND bets <> '{}'",
)
_statement(
    "a bet that nobody laid",
    "UPDATE vola.heads SET bets = bets || ROW(999, 1, '{p1}', 10, true)::vola.bet"
    " WHERE session_id = %s",
)
_bet_statement("whose bet it is", "bet, deal, by || 'p9'::text, amount, paid")
_bet_statement("a bet's amount", "bet, deal, by, amount * 2, paid")
_bet_statement("whether a bet is paid", "bet, deal, by, amount, NOT paid")
_bet_statement("which deal a bet is from", "bet, deal + 1, by, amount, paid")
_statement(
    "a payment that nobody owes",
    "INSERT INTO projections.payments VALUES (%s, '1-p1-p2', 1, 'p1', 'p2', 5, 'due', 0, NULL)",
)
_statement(
    "a payment said to be settled",
    "UPDATE projections.payments SET status = 'settled'"
    " WHERE session_id = %s AND status <> 'settled'",
)
_statement(
    "a settled payment due again",
    "UPDATE projections.payments SET status = 'due' WHERE session_id = %s AND status = 'settled'",
)
_statement(
    "a cancelled payment due again",
    "UPDATE projections.payments SET status = 'due' WHERE session_id = %s AND status = 'cancelled'",
)
_statement(
    "a payment cancelled",
    "UPDATE projections.payments SET status = 'cancelled'"
    " WHERE session_id = %s AND status <> 'cancelled'",
)
_statement(
    "a payment's amount",
    "UPDATE projections.payments SET amount = amount + 1 WHERE session_id = %s",
)
_statement(
    "a payment the other way",
    "UPDATE projections.payments SET payer = payee, payee = payer WHERE session_id = %s",
)
_statement(
    "a payment is gone",
    "DELETE FROM projections.payments WHERE session_id = %s",
)
_score_statement("a score", "keeper, points + 1, overtricks, won")
_score_statement("overtricks", "keeper, points, overtricks + 1, won")
_score_statement("who has won", "keeper, points, overtricks, NOT won")
_statement(
    "the scores are gone",
    "UPDATE vola.heads SET scores = '{}' WHERE session_id = %s AND scores <> '{}'",
)
_statement(
    "lines of the journal marked as undone",
    "UPDATE projections.journal SET undone_by = coalesce(undone_by + 1, 1) WHERE session_id = %s",
)
_statement(
    "the journal is gone",
    "DELETE FROM projections.journal WHERE session_id = %s",
)


@ATTACKS.register("money moved from one balance to another")
def move_money_between_balances(forger: Forger) -> None:
    """Move money so that the sum of the balances stays zero."""
    amount = forger.die.choice((1, 10, 1000))
    forger.execute(
        "UPDATE vola.heads SET balances[1] = balances[1] + %s, balances[2] = balances[2] - %s"
        " WHERE session_id = %s",
        amount,
        amount,
        forger.session_id,
    )


@ATTACKS.register("money moved from the pot to a balance")
def move_money_from_pot(forger: Forger) -> None:
    forger.execute(
        "UPDATE vola.heads SET pot = pot - 1, balances[1] = balances[1] + 1"
        " WHERE session_id = %s AND pot > 0",
        forger.session_id,
    )


@ATTACKS.register("points moved from one score to another")
def move_points(forger: Forger) -> None:
    (count,) = forger.pick_row(
        "SELECT cardinality(scores) FROM vola.heads WHERE session_id = %s", forger.session_id
    )
    if not count:
        raise NotApplicable
    for number, add in zip(forger.die.sample(range(1, count + 1), 2), (5, -5), strict=True):
        forger.execute(
            "UPDATE vola.heads SET scores[%s].points = scores[%s].points + %s"
            " WHERE session_id = %s",
            number,
            number,
            add,
            forger.session_id,
        )


def _line(forger: Forger) -> tuple[int, int]:
    version, line = forger.pick_row(
        "SELECT version, line FROM projections.journal WHERE session_id = %s", forger.session_id
    )
    return version, line


def _journal_statement(name: str, statement: str) -> None:
    condition = " WHERE session_id = %s AND version = %s AND line = %s"
    ATTACKS.register(name)(
        lambda forger: forger.execute(statement + condition, forger.session_id, *_line(forger))
    )


_journal_statement("a line of the journal is gone", "DELETE FROM projections.journal")
_journal_statement("a line's amount", "UPDATE projections.journal SET amount = amount + 1")
_journal_statement(
    "a line the other way", "UPDATE projections.journal SET source = target, target = source"
)
_journal_statement(
    "a line of another deal", "UPDATE projections.journal SET deal = coalesce(deal, 0) + 1"
)
_journal_statement(
    "a line called something else", "UPDATE projections.journal SET kind = 'bet_found'"
)
_journal_statement(
    "a line at another version", "UPDATE projections.journal SET version = version + 1000"
)


@ATTACKS.register("two lines of the journal that cancel each other")
def add_two_lines(forger: Forger) -> None:
    version, _ = _line(forger)
    for line, source, target in ((901, "pot", "player:p1"), (902, "player:p1", "pot")):
        forger.execute(
            "INSERT INTO projections.journal VALUES (%s, %s, %s, 1, 'transfer', %s, %s, 7, NULL)",
            forger.session_id,
            version,
            line,
            source,
            target,
        )
