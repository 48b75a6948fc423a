-- Points are booked as money is: they are taken from the sheet and given to a player or a side, so
-- that scores add up to zero as money does. The row of keeper `sheet` is the account on the other
-- side.

CREATE TABLE projections.scores (
    session_id uuid    NOT NULL,
    keeper     text    NOT NULL,                       -- `p1`, a side `p1+p3`, or `sheet`
    points     bigint  NOT NULL,
    overtricks integer NOT NULL,
    won        boolean NOT NULL,
    PRIMARY KEY (session_id, keeper)
) WITH (fillfactor = 50);

CREATE OR REPLACE FUNCTION vola.conserve() RETURNS trigger LANGUAGE plpgsql AS $$
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
