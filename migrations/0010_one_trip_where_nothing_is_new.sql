-- Whoever remembers the evening as it stands decides before he asks, and an append is one question:
-- everything that was believed is looked at under the lock, and if one thing of it is otherwise,
-- nothing is written. Then the evening is taken and put as before (0008).

CREATE FUNCTION vola.append(
    evening uuid, asked_by text,
    version_then integer, hash_then bytea, names_then jsonb,  -- as believed; no names: none matter
    told jsonb, answer bytea
) RETURNS bigint LANGUAGE plpgsql AS $$                       -- microseconds; null: it is otherwise
DECLARE
    now bigint;
BEGIN
    PERFORM FROM vola.heads h
      WHERE h.session_id = evening AND h.version = version_then AND h.hash = hash_then FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    now := extract(epoch FROM clock_timestamp()) * 1000000;
    IF abs(now - (told -> 'head' ->> 'at')::bigint) > 1000000  -- there is one clock, and it is here
       OR (asked_by LIKE 'phone%' AND NOT EXISTS (
           SELECT FROM vola.phones p
            WHERE p.session_id = evening AND 'phone' || p.phone = asked_by AND p.ended_at IS NULL))
       OR EXISTS (
           SELECT FROM vola.replies r
            WHERE r.session_id = evening AND r.key = told -> 'kept' ->> 'key')
       OR names_then <> (
           SELECT coalesce(jsonb_object_agg(p.player_id, p.name), '{}')
             FROM vola.players p WHERE p.session_id = evening)
    THEN
        RETURN NULL;
    END IF;
    PERFORM vola.put(evening, told, answer);
    RETURN now;
END $$;
