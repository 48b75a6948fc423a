-- One CHECK replaces the five of vola.heads: every statement that writes a head parses all its CHECKs
-- again. vola.write_changes and vola.append_if_unchanged, which servers of 1.0 call, stay for them;
-- vola.append took their place.

CREATE FUNCTION vola.is_consistent(
    version integer, conflict_version integer, hash bytea,
    pot bigint, balances bigint[], bets vola.bet[], scores vola.score[]
) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$  -- the body for good is in functions/
    SELECT version >= 1 AND conflict_version BETWEEN 1 AND version AND octet_length(hash) = 32
       AND pot >= 0 AND vola.is_zero_sum(pot, balances, bets, scores)
$$;

ALTER TABLE vola.heads
    DROP CONSTRAINT heads_version_check, DROP CONSTRAINT heads_check, DROP CONSTRAINT heads_hash_check,
    DROP CONSTRAINT heads_pot_check, DROP CONSTRAINT heads_zero_sum,
    ADD CONSTRAINT heads_are_consistent CHECK (
        vola.is_consistent(version, conflict_version, hash, pot, balances, bets, scores));

DROP FUNCTION vola.is_zero_sum;
