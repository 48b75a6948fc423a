-- CHECK of vola.heads. Pot, balances and paid bets add up to zero, and so do the scores; the pot is
-- never negative, and every bet is more than nothing. All conditions are in one CHECK, because each
-- statement that writes to a table parses all its CHECKs again; in PL/pgSQL, because a loop over a
-- short array costs less than a query.

CREATE OR REPLACE FUNCTION vola.is_consistent(
    version integer, conflict_version integer, hash bytea,
    pot bigint, balances bigint[], bets vola.bet[], scores vola.score[]
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    money   bigint := pot;
    points  bigint := 0;
    balance bigint;
    bet     vola.bet;
    score   vola.score;
BEGIN
    FOREACH balance IN ARRAY balances LOOP
        money := money + balance;
    END LOOP;
    FOREACH bet IN ARRAY bets LOOP
        IF (bet.amount > 0) IS NOT TRUE THEN
            RETURN false;
        ELSIF bet.paid THEN
            money := money + bet.amount;
        END IF;
    END LOOP;
    FOREACH score IN ARRAY scores LOOP
        points := points + score.points;
    END LOOP;
    RETURN (
        money = 0 AND points = 0 AND pot >= 0
        AND conflict_version BETWEEN 1 AND version
        AND octet_length(hash) = 32
    ) IS TRUE;                                            -- null is refused as well
END $$;
