-- A stored reply no longer contains the response, but what it is rendered from again: how many
-- events the request appended, and operands that neither the request nor the session's events have.
-- Both are read from the responses stored so far; each table is rewritten once, so its space is
-- free at once.

DROP FUNCTION IF EXISTS vola.lock_stream, vola.write_changes, vola.append_if_unchanged;

CREATE FUNCTION pg_temp.event_count(answer jsonb, stream_id uuid, upto integer) RETURNS integer
LANGUAGE sql AS $$
    SELECT CASE WHEN answer ? 'events' THEN jsonb_array_length(answer -> 'events')
                WHEN answer ? 'legal_actions' THEN upto          -- a session opened or imported
                WHEN answer ?| '{id,role,player,knock,code}' THEN 0
                ELSE (SELECT count(*)                            -- appended without HTTP
                        FROM vola.events e JOIN vola.events last USING (session_id, at, "by")
                       WHERE session_id = stream_id AND last.version = upto AND e.version <= upto)
                END
$$;
CREATE FUNCTION pg_temp.operands(answer jsonb) RETURNS jsonb LANGUAGE sql AS $$
    SELECT CASE WHEN answer ? 'made_at' THEN jsonb_build_object('phone', answer -> 'id')
                WHEN answer ->> 'code' IS NOT NULL THEN answer
                WHEN answer ? 'knock' THEN jsonb_strip_nulls(answer - 'status') END
$$;
CREATE FUNCTION pg_temp.group_operands(answer jsonb) RETURNS jsonb LANGUAGE sql AS $$
    SELECT CASE WHEN answer ? 'generation' THEN answer - 'id'    -- a link rotated
                WHEN answer ? 'evenings' THEN jsonb_build_object(
                     'members', jsonb_array_length(answer -> 'members'),
                     'sessions', (
                         SELECT coalesce(jsonb_agg(jsonb_build_object(
                                'session', e -> 'session', 'version', e -> 'version',
                                'members', e -> 'members') ORDER BY e -> 'number'), '[]')
                           FROM jsonb_array_elements(answer -> 'evenings') AS e))
                ELSE jsonb_build_object(                         -- a member added or erased
                     'members', substring(answer ->> 'id' FROM '[0-9]+')::integer) END
$$;

ALTER TABLE vola.stored_replies ADD COLUMN event_count bigint;
ALTER TABLE vola.stored_replies
    ALTER COLUMN event_count TYPE integer
          USING pg_temp.event_count(convert_from(body, 'UTF8')::jsonb, session_id, version),
    ALTER COLUMN event_count SET NOT NULL,
    ALTER COLUMN body DROP NOT NULL,
    ALTER COLUMN body TYPE jsonb USING pg_temp.operands(convert_from(body, 'UTF8')::jsonb);
ALTER TABLE vola.stored_replies RENAME COLUMN body TO operands;

ALTER TABLE vola.group_stored_replies
    ALTER COLUMN body DROP NOT NULL,
    ALTER COLUMN body TYPE jsonb USING pg_temp.group_operands(convert_from(body, 'UTF8')::jsonb);
ALTER TABLE vola.group_stored_replies RENAME COLUMN body TO operands;

DROP FUNCTION pg_temp.event_count, pg_temp.operands, pg_temp.group_operands;
