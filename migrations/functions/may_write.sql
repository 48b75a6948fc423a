-- Whether the token that a request came with, of a link or a device, may still write. The request
-- was allowed before it waited for the lock; this is asked again under it.

CREATE OR REPLACE FUNCTION vola.may_write(stream_id uuid, token text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    place integer := array_position('{host,scorer,viewer}'::text[], split_part(token, '.', 1));
BEGIN
    IF place IS NOT NULL THEN
        RETURN EXISTS (
            SELECT FROM vola.sessions s
             WHERE s.session_id = stream_id
               AND s.token_generations[place]::text = split_part(token, '.', 2));
    ELSIF token LIKE 'phone%' THEN
        RETURN EXISTS (
            SELECT FROM vola.devices d
             WHERE d.session_id = stream_id
               AND 'phone' || d.device_number = token AND d.ended_at IS NULL);
    END IF;
    RETURN true;  -- workers, groups and join requests write by no token that can end
END $$;
