"""Attacks on heads and projections: figures that no event supports."""

from __future__ import annotations

from tests.verification.attack.corruption import other_attack
from tests.verification.attack.forger import Forger, NotApplicable


def _statement(name: str, statement: str) -> None:
    """Register an attack of one SQL statement on one session."""
    other_attack(name)(lambda f: f.run(statement, f.id))


_statement(
    "the head's version",
    "UPDATE vola.heads SET version = version + 1 WHERE session_id = %s",
)
_statement(
    "the head's seal",
    "UPDATE vola.heads SET hash = sha256(hash) WHERE session_id = %s",
)
_statement(
    "the head's time",
    "UPDATE vola.heads SET at = at + 1 WHERE session_id = %s",
)
_statement(
    "what the head was last acted on",
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
    "UPDATE projections.pot SET amount = amount + 10 WHERE session_id = %s",
)
_statement(
    "the pot is gone",
    "DELETE FROM projections.pot WHERE session_id = %s",
)
_statement(
    "a balance is gone",
    "DELETE FROM projections.balances WHERE session_id = %s AND player_id = 'p1'",
)
_statement(
    "a balance of somebody who never came",
    "INSERT INTO projections.balances VALUES (%s, 'p99', 0)",
)
_statement(
    "a bet is gone",
    "DELETE FROM projections.bets WHERE session_id = %s",
)
_statement(
    "a bet that nobody laid",
    "INSERT INTO projections.bets VALUES (%s, 999, 1, '{p1}', 10, true)",
)
_statement(
    "whose bet it is",
    'UPDATE projections.bets SET "by" = array_append("by", \'p9\') WHERE session_id = %s',
)
_statement(
    "a bet's amount",
    "UPDATE projections.bets SET amount = amount * 2 WHERE session_id = %s",
)
_statement(
    "whether a bet is paid",
    "UPDATE projections.bets SET paid = NOT paid WHERE session_id = %s",
)
_statement(
    "which deal a bet is from",
    "UPDATE projections.bets SET deal = deal + 1 WHERE session_id = %s",
)
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
# ids begin at p1, so `p0` changes the row whoever is in it
_statement(
    "a deal's dealer",
    "UPDATE projections.deals SET dealer = 'p0' WHERE session_id = %s",
)
_statement(
    "a deal's status",
    "UPDATE projections.deals SET status = CASE status WHEN 'open' THEN 'closed' ELSE 'open' END"
    " WHERE session_id = %s",
)
_statement(
    "a deal's winner",
    "UPDATE projections.deals SET winner = 'p0' WHERE session_id = %s",
)
_statement(
    "a deal is gone",
    "DELETE FROM projections.deals WHERE session_id = %s AND deal = 1",
)
_statement(
    "what was played for",
    "UPDATE projections.deals SET played_for = played_for + 1 WHERE session_id = %s",
)
_statement(
    "a score",
    "UPDATE projections.scores SET points = points + 1 WHERE session_id = %s",
)
_statement(
    "overtricks",
    "UPDATE projections.scores SET overtricks = overtricks + 1 WHERE session_id = %s",
)
_statement(
    "who has won",
    "UPDATE projections.scores SET won = NOT won WHERE session_id = %s",
)
_statement(
    "the scores are gone",
    "DELETE FROM projections.scores WHERE session_id = %s",
)
_statement(
    "lines of the journal marked as undone",
    "UPDATE projections.journal SET undone_by = coalesce(undone_by + 1, 1) WHERE session_id = %s",
)
_statement(
    "the journal is gone",
    "DELETE FROM projections.journal WHERE session_id = %s",
)


@other_attack("money moved from one balance to another")
def moved(f: Forger) -> None:
    """The sum stays zero."""
    amount = f.die.choice((1, 10, 1000))
    for player, add in (("p1", amount), ("p2", -amount)):
        f.run("UPDATE projections.balances SET amount = amount + %s"
              " WHERE session_id = %s AND player_id = %s", add, f.id, player)  # fmt: skip


@other_attack("money moved from the pot to a balance")
def out_of_the_pot(f: Forger) -> None:
    f.run("UPDATE projections.pot SET amount = amount - 1 WHERE session_id = %s AND amount > 0",
          f.id)  # fmt: skip
    f.run("UPDATE projections.balances SET amount = amount + 1"
          " WHERE session_id = %s AND player_id = 'p1'", f.id)  # fmt: skip


@other_attack("points moved from one score to another")
def points(f: Forger) -> None:
    keepers = f.db.execute(
        "SELECT keeper FROM projections.scores WHERE session_id = %s", (f.id,)
    ).fetchall()
    if not keepers:
        raise NotApplicable
    for (keeper,), add in zip(f.die.sample(keepers, 2), (5, -5), strict=True):
        f.run("UPDATE projections.scores SET points = points + %s"
              " WHERE session_id = %s AND keeper = %s", add, f.id, keeper)  # fmt: skip


def _line(f: Forger) -> tuple[int, int]:
    version, line = f.pick(
        "SELECT version, line FROM projections.journal WHERE session_id = %s", f.id
    )
    return version, line


def _journal_statement(name: str, statement: str) -> None:
    condition = " WHERE session_id = %s AND version = %s AND line = %s"
    other_attack(name)(lambda f: f.run(statement + condition, f.id, *_line(f)))


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


@other_attack("two lines of the journal that nobody made and that cancel each other")
def two_lines(f: Forger) -> None:
    version, _ = _line(f)
    for line, source, target in ((901, "pot", "player:p1"), (902, "player:p1", "pot")):
        f.run("INSERT INTO projections.journal VALUES (%s, %s, %s, 1, 'transfer', %s, %s, 7, NULL)",
              f.id, version, line, source, target)  # fmt: skip
