-- Tables, columns, triggers and functions get the words that the code and the documentation use. No
-- row changes. Grants, indexes, triggers and partitions follow their table. A server of 0.2 fails
-- on the new names, and writes nothing: stop it before this migration runs.

DROP FUNCTION IF EXISTS vola.append, vola.take, vola.put, vola.lets_in;
ALTER FUNCTION vola.conserve RENAME TO check_zero_sum;
ALTER FUNCTION vola.refuse_change RENAME TO refuse_event_change;
ALTER FUNCTION vola.refuse_another_key RENAME TO refuse_key_change;

ALTER TRIGGER events_are_for_ever ON vola.events RENAME TO events_are_append_only;
ALTER TRIGGER events_are_never_emptied ON vola.events RENAME TO events_are_never_truncated;
ALTER TRIGGER key_is_for_ever ON vola.keys RENAME TO signing_key_is_permanent;

ALTER TABLE vola.keys RENAME TO signing_key;
ALTER TABLE vola.replies RENAME TO stored_replies;
ALTER TABLE vola.creations RENAME TO creation_keys;
ALTER TABLE vola.stuck RENAME TO settlement_failures;
ALTER TABLE vola.tallies RENAME TO counters;
ALTER TABLE vola.phones RENAME TO devices;
ALTER TABLE vola.codes RENAME TO join_codes;
ALTER TABLE vola.knocks RENAME TO join_requests;
ALTER TABLE vola.recording RENAME TO presence;
ALTER TABLE vola.circles RENAME TO groups;
ALTER TABLE vola.members RENAME TO group_members;
ALTER TABLE vola.evenings RENAME TO group_sessions;
ALTER TABLE vola.circle_replies RENAME TO group_stored_replies;
ALTER TABLE vola.circle_creations RENAME TO group_creation_keys;

ALTER TABLE vola.heads RENAME COLUMN acted TO conflict_version;
ALTER TABLE vola.sessions RENAME COLUMN tokens TO token_generations;
ALTER TABLE vola.players RENAME COLUMN sounds TO matching_key;
ALTER TABLE vola.spellings RENAME COLUMN sounds TO matching_key;
ALTER TABLE vola.spellings RENAME COLUMN until TO replaced_at;
ALTER TABLE vola.spellings RENAME COLUMN "by" TO replaced_by;
ALTER TABLE vola.settlement_failures RENAME COLUMN tries TO attempts;
ALTER TABLE vola.settlement_failures RENAME COLUMN since TO first_failed_at;
ALTER TABLE vola.settlement_failures RENAME COLUMN again TO retry_at;
ALTER TABLE vola.pins RENAME COLUMN misses TO failed_attempts;
ALTER TABLE vola.pins RENAME COLUMN again TO retry_at;
ALTER TABLE vola.devices RENAME COLUMN phone TO device_number;
ALTER TABLE vola.join_codes RENAME COLUMN until TO expires_at;
ALTER TABLE vola.join_requests RENAME COLUMN knock TO request_number;
ALTER TABLE vola.join_requests RENAME COLUMN phone TO device_number;
ALTER TABLE vola.presence RENAME COLUMN since TO started_at;
ALTER TABLE vola.presence RENAME COLUMN heard TO last_seen_at;
ALTER TABLE vola.groups RENAME COLUMN circle_id TO group_id;
ALTER TABLE vola.groups RENAME COLUMN tokens TO token_generations;
ALTER TABLE vola.group_members RENAME COLUMN circle_id TO group_id;
ALTER TABLE vola.group_members RENAME COLUMN sounds TO matching_key;
ALTER TABLE vola.group_sessions RENAME COLUMN circle_id TO group_id;
ALTER TABLE vola.group_stored_replies RENAME COLUMN circle_id TO group_id;
ALTER TABLE vola.group_creation_keys RENAME COLUMN circle_id TO group_id;

ALTER TABLE vola.group_members RENAME CONSTRAINT members_differ TO group_member_names_differ;
ALTER INDEX IF EXISTS vola.creations_of_evenings RENAME TO creation_keys_of_sessions;

-- The constraints that PostgreSQL itself named, after their table and columns.
DO $$
DECLARE
    renamed record;
BEGIN
    FOR renamed IN
        SELECT c.conrelid::regclass AS relation, c.conname AS old_name,
               r.relname || CASE
                   WHEN c.contype = 'p' THEN '_pkey'
                   WHEN c.contype = 'u' THEN columns.names || '_key'
                   WHEN c.contype = 'n' THEN columns.names || '_not_null'
                   WHEN cardinality(c.conkey) = 1 THEN columns.names || '_check'
                   ELSE substring(c.conname FROM '_check[0-9]*$')
               END AS new_name
          FROM pg_constraint c
          JOIN pg_class r ON r.oid = c.conrelid
          CROSS JOIN LATERAL (
               SELECT string_agg('_' || a.attname, '' ORDER BY k.place) AS names
                 FROM unnest(c.conkey) WITH ORDINALITY AS k(attnum, place)
                 JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum) AS columns
         WHERE c.connamespace = 'vola'::regnamespace AND c.conparentid = 0 AND c.coninhcount = 0
           AND c.contype IN ('p', 'u', 'n', 'c') AND c.conname ~ '_(pkey|key|not_null|check[0-9]*)$'
    LOOP
        IF renamed.new_name <> renamed.old_name THEN
            EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I',
                           renamed.relation, renamed.old_name, renamed.new_name);
        END IF;
    END LOOP;
END $$;
