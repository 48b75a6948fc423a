-- CHECK of vola.heads: pot, balances and paid bets add up to zero, the scores as well, and every bet
-- is more than nothing. In PL/pgSQL, because a loop over a short array costs less than a query.

CREATE OR REPLACE FUNCTION vola.is_zero_sum(
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
    RETURN (money = 0 AND points = 0) IS TRUE;          -- null is refused as well
END $$;
