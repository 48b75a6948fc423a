-- Appends in one round trip if the session stands as expected: same head, a token that may still
-- write, and a time that the server's clock agrees with. Returns the clock and, where asked for, the
-- players' names; nulls if anything is otherwise, and then nothing is written. A key that was used
-- before is a unique violation: no look-up for all the keys that were not.
-- Each condition stands by itself: PostgreSQL then plans each once per connection.

CREATE OR REPLACE FUNCTION vola.append_at_version(
    stream_id uuid, token text,
    expected_version integer, expected_hash bytea, changes jsonb, with_names boolean,
    OUT now bigint,                                           -- microseconds since 1970
    OUT names jsonb                                           -- player_id: name
) LANGUAGE plpgsql AS $$
DECLARE
    clock  bigint;
    latest bigint;                                            -- of the last event
BEGIN
    SELECT h.at INTO latest FROM vola.heads h
     WHERE h.session_id = stream_id AND h.version = expected_version AND h.hash = expected_hash
       FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    clock := extract(epoch FROM clock_timestamp()) * 1000000;
    IF abs(greatest(clock, latest) - (changes -> 'head' ->> 'at')::bigint) > 1000000 THEN
        RETURN;                                          -- there is one clock: here
    END IF;
    IF NOT vola.may_write(stream_id, token) THEN
        RETURN;
    END IF;
    PERFORM vola.write_rows(stream_id, changes);
    now := clock;
    IF with_names THEN
        SELECT jsonb_object_agg(p.player_id, p.name) INTO names
          FROM vola.players p WHERE p.session_id = stream_id;
    END IF;
END $$;
