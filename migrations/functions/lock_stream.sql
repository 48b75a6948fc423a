-- Locks a session for the rest of the transaction, and returns all that a write needs to know of it:
-- its head, the clock, whether the token may still write, the reply stored for the key, and names
-- where asked for.

CREATE OR REPLACE FUNCTION vola.lock_stream(
    stream_id uuid, token text, idempotency_key text, with_names boolean,
    OUT version integer, OUT hash bytea,               -- null: there is no such session
    OUT now bigint,                                    -- microseconds since 1970, once locked
    OUT may_write boolean,                             -- false: the link or device was revoked
    OUT names jsonb,                                   -- player_id: name
    OUT request bytea, OUT status smallint, OUT reply_version integer, OUT event_count integer,
    OUT operands jsonb
) LANGUAGE plpgsql AS $$
BEGIN
    SELECT h.version, h.hash INTO version, hash FROM vola.heads h
     WHERE h.session_id = stream_id FOR UPDATE;
    now := extract(epoch FROM clock_timestamp()) * 1000000;
    may_write := vola.may_write(stream_id, token);
    IF with_names THEN
        SELECT jsonb_object_agg(p.player_id, p.name) INTO names
          FROM vola.players p WHERE p.session_id = stream_id;
    END IF;
    IF idempotency_key IS NOT NULL THEN
        SELECT r.request, r.status, r.version, r.event_count, r.operands
          INTO request, status, reply_version, event_count, operands
          FROM vola.stored_replies r WHERE r.session_id = stream_id AND r.key = idempotency_key;
    END IF;
END $$;
