-- Appends in one round trip if the session stands as expected: same head, an unused key, a token that
-- may still write, and a time that the server's clock agrees with. Returns the clock and the players'
-- names; nulls if anything is otherwise, and then nothing is written.
-- Each condition stands by itself: PostgreSQL then plans each once per connection.

CREATE OR REPLACE FUNCTION vola.append_if_unchanged(
    stream_id uuid, token text,
    expected_version integer, expected_hash bytea, changes jsonb,
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
    PERFORM FROM vola.stored_replies r
      WHERE r.session_id = stream_id AND r.key = changes -> 'stored_reply' ->> 'key';
    IF FOUND THEN
        RETURN;
    END IF;
    PERFORM vola.write_changes(stream_id, changes);
    now := clock;
    SELECT jsonb_object_agg(p.player_id, p.name) INTO names
      FROM vola.players p WHERE p.session_id = stream_id;
END $$;
