-- Appends in one round trip if the session stands as expected: same head, same names, an unused key,
-- a token that may still write, and a time that the server's clock agrees with. Returns the clock in
-- microseconds since 1970; null if anything is otherwise, and then nothing is written.
-- Each condition stands by itself, the most expensive one last: PostgreSQL then plans each once per
-- connection.

CREATE OR REPLACE FUNCTION vola.append_if_unchanged(
    stream_id uuid, token text,
    expected_version integer, expected_hash bytea, expected_names jsonb,  -- null: any
    changes jsonb, reply_body bytea
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    now    bigint;
    latest bigint;                                            -- of the last event
BEGIN
    SELECT h.at INTO latest FROM vola.heads h
     WHERE h.session_id = stream_id AND h.version = expected_version AND h.hash = expected_hash
       FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    now := extract(epoch FROM clock_timestamp()) * 1000000;
    IF abs(greatest(now, latest) - (changes -> 'head' ->> 'at')::bigint) > 1000000 THEN
        RETURN NULL;                                          -- there is one clock: here
    END IF;
    IF NOT vola.may_write(stream_id, token) THEN
        RETURN NULL;
    END IF;
    PERFORM FROM vola.stored_replies r
      WHERE r.session_id = stream_id AND r.key = changes -> 'stored_reply' ->> 'key';
    IF FOUND THEN
        RETURN NULL;
    END IF;
    IF expected_names IS NOT NULL THEN
        IF expected_names <> (
            SELECT coalesce(jsonb_object_agg(p.player_id, p.name), '{}')
              FROM vola.players p WHERE p.session_id = stream_id)
        THEN
            RETURN NULL;
        END IF;
    END IF;
    PERFORM vola.write_changes(stream_id, changes, reply_body);
    RETURN now;
END $$;
