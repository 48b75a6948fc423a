-- Who asks was let in before he waited for the evening. Whether he still is, is looked at again under
-- its lock: links as well as phones.

CREATE FUNCTION vola.lets_in(evening uuid, asked_by text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    place integer := array_position('{host,scorer,viewer}'::text[], split_part(asked_by, '.', 1));
BEGIN
    IF place IS NOT NULL THEN
        RETURN EXISTS (
            SELECT FROM vola.sessions s
             WHERE s.session_id = evening AND s.tokens[place]::text = split_part(asked_by, '.', 2));
    ELSIF asked_by LIKE 'phone%' THEN
        RETURN EXISTS (
            SELECT FROM vola.phones p
             WHERE p.session_id = evening AND 'phone' || p.phone = asked_by AND p.ended_at IS NULL);
    END IF;
    RETURN true;  -- a worker, a circle, somebody at the door: none of them asks by a right that ends
END $$;

CREATE OR REPLACE FUNCTION vola.take(
    evening uuid, asked_by text, a_key text, with_names boolean,
    OUT version integer, OUT hash bytea,               -- none: there is no such evening
    OUT now bigint,                                    -- microseconds, once the lock is held
    OUT let_in boolean,                                -- false: this phone or link was shut out
    OUT request bytea, OUT status smallint, OUT answered integer, OUT body bytea,  -- to this key
    OUT names jsonb
) LANGUAGE plpgsql AS $$
BEGIN
    SELECT h.version, h.hash INTO version, hash FROM vola.heads h
     WHERE h.session_id = evening FOR UPDATE;
    now := extract(epoch FROM clock_timestamp()) * 1000000;
    let_in := vola.lets_in(evening, asked_by);
    IF a_key IS NOT NULL THEN
        SELECT r.request, r.status, r.version, r.body INTO request, status, answered, body
          FROM vola.replies r WHERE r.session_id = evening AND r.key = a_key;
    END IF;
    IF with_names THEN
        SELECT jsonb_object_agg(p.player_id, p.name) INTO names
          FROM vola.players p WHERE p.session_id = evening;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION vola.append(
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
       OR NOT vola.lets_in(evening, asked_by)
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
