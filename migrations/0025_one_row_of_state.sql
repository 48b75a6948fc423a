-- What the events add up to (pot, balances, bets, scores) moves into the session's head, one row.
-- Its CHECK requires that money and points add up to zero. SQL readers get views under the names of
-- the dropped tables. Deals are read from the events; no table repeats them. A session whose rows
-- did not add up starts empty here: `vola audit` finds it, and `vola rebuild` fills it.

DROP FUNCTION IF EXISTS vola.lock_stream, vola.append_if_unchanged;
DROP TRIGGER money_is_conserved ON vola.heads;
DROP FUNCTION vola.check_zero_sum;

CREATE TYPE vola.bet AS (bet integer, deal integer, "by" text[], amount bigint, paid boolean);
CREATE TYPE vola.score AS (keeper text, points bigint, overtricks integer, won boolean);

CREATE FUNCTION vola.is_zero_sum(
    pot bigint, balances bigint[], bets vola.bet[], scores vola.score[]
) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$  -- the body for good is in functions/
    SELECT pot + coalesce((SELECT sum(b) FROM unnest(balances) AS b), 0)
               + coalesce((SELECT sum(amount) FROM unnest(bets) WHERE paid), 0) = 0
       AND coalesce((SELECT sum(points) FROM unnest(scores)), 0) = 0
$$;

ALTER TABLE vola.heads
    ADD COLUMN pot      bigint       NOT NULL DEFAULT 0 CHECK (pot >= 0),
    ADD COLUMN balances bigint[]     NOT NULL DEFAULT '{}',  -- of p1, p2 …
    ADD COLUMN bets     vola.bet[]   NOT NULL DEFAULT '{}',  -- in the order of their numbers
    ADD COLUMN scores   vola.score[] NOT NULL DEFAULT '{}';  -- in the order of the keepers

WITH state AS (
    SELECT session_id,
           coalesce((SELECT amount FROM projections.pot p WHERE p.session_id = h.session_id), 0) AS pot,
           ARRAY(SELECT amount FROM projections.balances b WHERE b.session_id = h.session_id
                  ORDER BY substring(player_id FROM 2)::integer) AS balances,
           ARRAY(SELECT ROW(bet, deal, "by", amount, paid)::vola.bet FROM projections.bets b
                  WHERE b.session_id = h.session_id ORDER BY bet) AS bets,
           ARRAY(SELECT ROW(keeper, points, overtricks, won)::vola.score FROM projections.scores s
                  WHERE s.session_id = h.session_id ORDER BY keeper COLLATE "C") AS scores
      FROM vola.heads h)
UPDATE vola.heads h
   SET pot = state.pot, balances = state.balances, bets = state.bets, scores = state.scores
  FROM state
 WHERE state.session_id = h.session_id
   AND vola.is_zero_sum(state.pot, state.balances, state.bets, state.scores);

ALTER TABLE vola.heads
    ADD CONSTRAINT heads_zero_sum CHECK (vola.is_zero_sum(pot, balances, bets, scores));

DROP TABLE projections.pot, projections.balances, projections.bets, projections.scores,
           projections.deals;
DROP SCHEMA IF EXISTS projections_shadow, projections_old CASCADE;

CREATE VIEW projections.pot AS SELECT session_id, pot AS amount FROM vola.heads;
CREATE VIEW projections.balances AS
    SELECT session_id, 'p' || number AS player_id, amount
      FROM vola.heads, unnest(balances) WITH ORDINALITY AS balance (amount, number);
CREATE VIEW projections.bets AS SELECT h.session_id, b.* FROM vola.heads h, unnest(h.bets) AS b;
CREATE VIEW projections.scores AS SELECT h.session_id, s.* FROM vola.heads h, unnest(h.scores) AS s;
