-- Trigger: a link or a device of the session has ended. An append that waits for the head then finds
-- it changed, and asks whether its own token may still write.

CREATE OR REPLACE FUNCTION vola.raise_access_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE vola.heads SET access_version = coalesce(access_version, 0) + 1
     WHERE session_id = NEW.session_id;
    RETURN NULL;
END $$;
