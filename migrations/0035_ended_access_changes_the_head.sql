-- A head counts the tokens of its session that have ended. An append compares this number with the one
-- that its token was checked at, instead of looking the token up again.

ALTER TABLE vola.heads ADD COLUMN access_version integer;  -- null, as servers of 1.0 add it: none

CREATE FUNCTION vola.raise_access_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RETURN NULL;                                           -- the body for good is in functions/
END $$;

CREATE TRIGGER raise_access_version AFTER UPDATE OF token_generations ON vola.sessions
    FOR EACH ROW WHEN (OLD.token_generations IS DISTINCT FROM NEW.token_generations)
    EXECUTE FUNCTION vola.raise_access_version();
CREATE TRIGGER raise_access_version AFTER UPDATE OF ended_at ON vola.devices
    FOR EACH ROW WHEN (OLD.ended_at IS DISTINCT FROM NEW.ended_at)
    EXECUTE FUNCTION vola.raise_access_version();

DROP FUNCTION IF EXISTS vola.append;
