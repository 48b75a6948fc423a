-- Trigger at commit: the money and the points of a session each add up to zero.

CREATE OR REPLACE FUNCTION vola.check_zero_sum() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    money  bigint;
    points bigint;
BEGIN
    SELECT coalesce((SELECT sum(amount) FROM projections.balances WHERE session_id = NEW.session_id), 0)
         + coalesce((SELECT sum(amount) FROM projections.pot WHERE session_id = NEW.session_id), 0)
         + coalesce((SELECT sum(amount) FROM projections.bets WHERE session_id = NEW.session_id AND paid), 0)
      INTO money;
    SELECT coalesce(sum(s.points), 0) FROM projections.scores s WHERE s.session_id = NEW.session_id
      INTO points;
    IF money <> 0 OR points <> 0 THEN
        RAISE EXCEPTION 'session % does not add up: % in money, % in points',
            NEW.session_id, money, points
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;
