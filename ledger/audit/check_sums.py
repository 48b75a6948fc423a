"""The sums of all accounts, computed a second time by PostgreSQL from the JSON of the events.

This shares no Python with the fold, the postings and the projections, so that a fault in them
cannot confirm itself. An event adds to accounts, an event that is undone subtracts from them, and
a correction does both; the balance of an account is one sum. What an earlier session left open
comes from an account of its own. Bets, bags, games won and la vola payments count as accounts as
well. A new event that moves one amount needs one line in `movements`, another one a SELECT there.
Source: docs/rules.md §1.6–1.8, §2.3, §3.3, §4.3, §5.
"""

from collections.abc import Iterator
from uuid import UUID

import psycopg

from ledger.audit.findings import Finding
from ledger.store.connection_pool import Connection

NO_COMPILATION = "SET LOCAL jit = off"
"""By default PostgreSQL first compiles a statement of such an estimated cost. Compiling this one
takes seconds for each session, running it takes milliseconds. The embedded server never compiles.
"""

DIFFERENCES = """
WITH stored_events AS MATERIALIZED (
  SELECT version, type, data::jsonb AS fields FROM vola.events WHERE session_id = %(session_id)s),
facts AS MATERIALIZED (
  SELECT version, 1 AS sign, type AS kind, fields AS fact,
         CASE type WHEN 'deal_opened' THEN fields ->> 'number' ELSE fields ->> 'deal' END AS deal
    FROM stored_events
   UNION ALL
  SELECT version, -1, fact ->> 'type', fact, fields ->> 'deal'
    FROM stored_events, jsonb_array_elements(fields -> 'took_back') AS fact
   UNION ALL
  SELECT version, version_of_deal.sign, fact ->> 'type', fact, deal_fields ->> 'deal'
    FROM stored_events, jsonb_array_elements(fields -> 'rescored') AS deal_fields,
         LATERAL (VALUES (-1, deal_fields -> 'was'), (1, deal_fields -> 'facts'))
              AS version_of_deal (sign, facts),
         jsonb_array_elements(version_of_deal.facts) AS fact),
parsed_facts AS MATERIALIZED (  -- the fields that most facts have
  SELECT version, deal, sign, kind, fact,
         'player:' || (fact ->> 'player') AS player, 'player:' || (fact ->> 'payer') AS payer,
         'player:' || (fact ->> 'payee') AS payee, (fact ->> 'amount')::numeric AS amount,
         'player:' || (fact ->> 'dealer') AS dealer, (fact ->> 'points')::numeric AS points,
         'bet:' || (fact ->> 'bet') AS bet, (fact ->> 'each')::numeric AS each,
         CASE WHEN kind LIKE 'bet%%' THEN jsonb_array_length(fact -> 'by') END AS owners,
         coalesce((fact ->> 'paid')::boolean, true) AS paid
    FROM facts),
movements AS MATERIALIZED (
  SELECT version, deal, account, sign * amount AS amount
    FROM (                      -- one amount from one account to another: a line for each event
      SELECT version, deal, sign, entry.account, entry.direction * moved.amount AS amount
        FROM parsed_facts, LATERAL (VALUES
               ('deal_opened', dealer, 'pot', (fact ->> 'stake')::numeric),
               ('penalty_paid', player, 'pot', amount),
               ('pot_taken', 'pot', player, amount),
               ('payment_settled', payer, payee, amount),
               ('transfer_recorded', payee, payer, amount),  -- paying raises one's balance
               ('points_paid', payer, payee, points * (fact ->> 'value')::numeric),
               ('scored', 'sheet', 'score:' || (fact ->> 'to'), points))
                  AS moved (event, source, target, amount),
             LATERAL (VALUES (moved.source, -1), (moved.target, 1)) AS entry (account, direction)
       WHERE moved.event = kind AND moved.amount IS NOT NULL
       UNION ALL                -- a cost is the payer's to get back, share by share
      SELECT version, deal, sign, entry.account, entry.direction * (share ->> 'amount')::numeric
        FROM parsed_facts, jsonb_array_elements(fact -> 'shares') AS share,
             LATERAL (VALUES ('player:' || (share ->> 'player'), -1), (payer, 1))
                  AS entry (account, direction)
       WHERE kind = 'cost_recorded'
       UNION ALL                -- a bet is paid when it is laid, or else when it is claimed
      SELECT version, deal, sign, 'player:' || owner, -each
        FROM parsed_facts, jsonb_array_elements_text(fact -> 'by') AS owner
       WHERE kind = 'bet_laid' AND paid OR kind = 'bet_taken' AND NOT paid OR kind = 'bet_collected'
       UNION ALL
      SELECT version, deal, sign, player, each * owners FROM parsed_facts WHERE kind = 'bet_taken'
       UNION ALL
      SELECT version, deal, sign, bet, CASE kind WHEN 'bet_laid' THEN 1 WHEN 'bet_collected' THEN 1
             WHEN 'bets_merged' THEN 1 ELSE -1 END * each * owners
        FROM parsed_facts WHERE paid
         AND kind IN ('bet_laid', 'bet_taken', 'bet_collected', 'bets_merged', 'bets_parted')
       UNION ALL                -- how large a bet is, paid or not
      SELECT version, deal, sign, 'size of ' || bet, CASE kind WHEN 'bet_laid' THEN 1
             WHEN 'bets_merged' THEN 1 ELSE -1 END * each * owners
        FROM parsed_facts WHERE kind IN ('bet_laid', 'bet_taken', 'bets_merged', 'bets_parted')
       UNION ALL                -- the other of two bets that are put together, or taken apart
      SELECT version, deal, sign, account_kind.prefix || other.bet, other.direction * each * owners
        FROM parsed_facts,
             LATERAL (VALUES ('added', -1), ('parted', 1)) AS field (name, direction),
             LATERAL (SELECT fact ->> field.name AS bet, field.direction) AS other,
             LATERAL (VALUES ('bet:', paid), ('size of bet:', true))
                  AS account_kind (prefix, applies)
       WHERE kind IN ('bets_merged', 'bets_parted') AND other.bet IS NOT NULL
         AND account_kind.applies
       UNION ALL                -- leftovers, from the pot or a bet to several players
      SELECT version, deal, sign, entry.account, entry.direction * (share ->> 'amount')::numeric
        FROM parsed_facts, jsonb_array_elements(fact -> 'shares') AS share,
             LATERAL (VALUES ('player:' || (share ->> 'player'), 1),
                             (coalesce(bet, 'pot'), -1), ('size of ' || bet, -1))
                  AS entry (account, direction)
       WHERE kind IN ('pot_shared', 'bet_shared') AND account IS NOT NULL
       UNION ALL                -- the points with which each player or side begins
      SELECT version, deal, sign, entry.account, entry.direction * starting_score.points::numeric
        FROM parsed_facts, jsonb_each_text(fact -> 'start') AS starting_score (keeper, points),
             LATERAL (VALUES ('score:' || keeper, 1), ('sheet', -1)) AS entry (account, direction)
       WHERE kind = 'session_opened'
       UNION ALL                -- counted only, and in no journal
      SELECT version, deal, sign, 'bags of ' || (fact ->> 'to'), (fact ->> 'overtricks')::numeric
        FROM parsed_facts WHERE kind = 'scored' AND fact ? 'overtricks'
       UNION ALL
      SELECT version, deal, sign, 'won by ' || winner, 1
        FROM parsed_facts, jsonb_array_elements_text(fact -> 'winners') AS winner
       WHERE kind = 'game_won'
       UNION ALL                -- from an earlier evening: pot, bets, and whose they are
      SELECT version, deal, sign, left_open.account, left_open.amount
        FROM parsed_facts, LATERAL (
               SELECT 'player:' || player AS account, balance::numeric AS amount
                 FROM jsonb_each_text(fact -> 'balances') AS balances (player, balance)
                UNION ALL SELECT 'brought', -balance::numeric
                 FROM jsonb_each_text(fact -> 'balances') AS balances (player, balance)
                UNION ALL SELECT * FROM (VALUES ('pot', (fact ->> 'pot')::numeric),
                                                ('brought', -(fact ->> 'pot')::numeric)) AS pot
                UNION ALL SELECT entry.account,
                                 entry.direction * (bet_fields ->> 'each')::numeric
                                           * jsonb_array_length(bet_fields -> 'by')
                 FROM jsonb_array_elements(fact -> 'bets') AS bet_fields,
                      LATERAL (VALUES ('size of bet:' || (bet_fields ->> 'bet'), 1, true),
                                      ('bet:' || (bet_fields ->> 'bet'), 1, false),
                                      ('brought', -1, false))
                           AS entry (account, direction, is_claim)
                WHERE entry.is_claim OR (bet_fields ->> 'paid')::boolean) AS left_open
       WHERE kind = 'brought_forward'
       UNION ALL                -- a payment one way counts as negative the other way
      SELECT version, deal, sign,
             'la vola of ' || deal || ': ' || least(leg, fact ->> 'player')
                           || ' to ' || greatest(leg, fact ->> 'player'),
             CASE WHEN leg = least(leg, fact ->> 'player') THEN amount ELSE -amount END
        FROM parsed_facts, jsonb_array_elements_text(fact -> 'payers') AS leg
       WHERE kind = 'la_vola_won'
    ) AS all_of_them),
journal_movements AS MATERIALIZED (  -- the others are counted, and not in the journal
  SELECT * FROM movements WHERE account ~ '^(player:|pot$|bet:|score:|sheet$|brought$)'),
stored_sums AS (
  SELECT 'player:' || player_id AS account, amount AS amount FROM projections.balances
   WHERE session_id = %(session_id)s
   UNION ALL
  SELECT 'pot', amount FROM projections.pot WHERE session_id = %(session_id)s
   UNION ALL
  SELECT 'bet:' || bet, amount FROM projections.bets WHERE session_id = %(session_id)s AND paid
   UNION ALL
  SELECT 'size of bet:' || bet, amount FROM projections.bets WHERE session_id = %(session_id)s
   UNION ALL
  SELECT CASE keeper WHEN 'sheet' THEN keeper ELSE 'score:' || keeper END, points
    FROM projections.scores WHERE session_id = %(session_id)s
   UNION ALL
  SELECT 'bags of ' || keeper, overtricks FROM projections.scores
   WHERE session_id = %(session_id)s
   UNION ALL
  SELECT 'won by ' || keeper, 1 FROM projections.scores WHERE session_id = %(session_id)s AND won
   UNION ALL
  SELECT 'la vola of ' || deal || ': ' || least(payer, payee) || ' to ' || greatest(payer, payee),
         CASE WHEN payer = least(payer, payee) THEN amount ELSE -amount END
    FROM projections.payments
   WHERE session_id = %(session_id)s AND status IN ('due', 'settled')),
journal AS (
  SELECT version, deal::text AS deal, entry.account, entry.direction * amount AS amount
    FROM projections.journal,
         LATERAL (VALUES (source, -1), (target, 1)) AS entry (account, direction)
   WHERE session_id = %(session_id)s),
waived_bets AS (SELECT 'size of ' || bet AS account FROM parsed_facts WHERE kind = 'bet_waived'
            GROUP BY bet HAVING sum(sign) > 0)
SELECT 'the journal', version, account, sum(from_events), sum(from_tables)
  FROM (SELECT version, deal, account, amount AS from_events, 0 AS from_tables
          FROM journal_movements
         UNION ALL SELECT version, deal, account, 0, amount FROM journal) AS both_sides
 GROUP BY version, deal, account HAVING sum(from_events) <> sum(from_tables)
 UNION ALL
SELECT 'the tables', NULL, account, sum(from_events), sum(from_tables)
  FROM (SELECT account, amount AS from_events, 0 AS from_tables FROM movements
         WHERE account NOT IN (SELECT account FROM waived_bets)
         UNION ALL SELECT account, 0, amount FROM stored_sums) AS both_sides
 GROUP BY account HAVING sum(from_events) <> sum(from_tables)
 UNION ALL
SELECT 'nothing', version, unit, sum(amount), 0
  FROM (SELECT version, amount, CASE WHEN account ~ '^s' THEN 'points' ELSE 'money' END AS unit
          FROM journal_movements) AS moves
 GROUP BY version, unit HAVING sum(amount) <> 0
 UNION ALL
SELECT 'at least nothing', version, account, level, 0
  FROM (SELECT version, account,
               sum(sum(amount)) OVER (PARTITION BY account ORDER BY version) AS level
          FROM journal_movements WHERE account ~ '^(pot|bet:)' GROUP BY version, account) AS levels
 WHERE level < 0
 ORDER BY 1, 2, 3
"""
DIFFERING_SETTLEMENTS = """
WITH settled AS (
  SELECT version, data::jsonb AS fields FROM vola.events
   WHERE session_id = %(session_id)s AND type = 'payment_settled'),
settlements AS (
  SELECT fields ->> 'payment' AS id, min(version) AS version, count(*) AS times,
         min((fields ->> 'deal') || ': ' || (fields ->> 'payer') || ' to ' || (fields ->> 'payee')
             || ' ' || (fields ->> 'amount')) AS payment
    FROM settled GROUP BY 1),
stored_payments AS (
  SELECT payment_id AS id, deal || ': ' || payer || ' to ' || payee || ' ' || amount AS payment
    FROM projections.payments WHERE session_id = %(session_id)s AND status = 'settled')
SELECT id, version, times FROM settlements FULL JOIN stored_payments USING (id)
 WHERE times <> 1 OR settlements.payment IS DISTINCT FROM stored_payments.payment
 ORDER BY 1
"""


def check_sums(db: Connection, session_id: UUID) -> Iterator[Finding]:
    """Yield findings about accounts whose sums differ from the journal or from the tables."""
    parameters = {"session_id": session_id}
    try:
        with db.transaction():  # a savepoint, so that malformed data does not end the audit
            db.execute(NO_COMPILATION)
            differences = db.execute(DIFFERENCES, parameters).fetchall()
            settled = db.execute(DIFFERING_SETTLEMENTS, parameters).fetchall()
    except psycopg.DataError as error:
        yield Finding("event_impossible", f"It cannot be added up: {error}")
        return
    for source, version, account, from_events, from_tables in differences:
        detail = f"{account}: the events come to {from_events}, "
        if source.startswith("the "):
            detail += f"{source} to {from_tables}."
        else:
            detail += f"but it should be {source}: {from_tables}."
        yield Finding("sum_wrong", detail, version)
    for payment, version, times in settled:
        detail = f"{payment}: settled {times or 0} times by the events, and otherwise in the table."
        yield Finding("payment_wrong", detail, version)
