-- Writes an append in the caller's transaction: events, head, stored reply, payments, journal, names
-- and remarks. A key that was used before is a unique violation: no look-up for all the keys that
-- were not.
--
-- With an expected version it needs no lock beforehand: one UPDATE locks the head and compares. The
-- session must have the same head, no token of it may have ended since the request's token was
-- checked at `expected_access`, and the new time must agree with the clock here. If any of this is
-- otherwise, nothing is written and nulls are returned; if not, the clock is.
--
-- All changes are one JSON document (ledger/store/append_sql.py): parsing it costs a sixth of binding
-- its values one by one. A row is an array in the order of its columns, which costs less than an
-- object with their names. The head is an object, and the columns that it leaves out stay. New rows
-- are plain inserts: ON CONFLICT writes a record more of write-ahead log for each row.

CREATE OR REPLACE FUNCTION vola.append(
    stream_id uuid, changes jsonb,
    expected_version integer = NULL, expected_hash bytea = NULL, expected_access integer = NULL,
    with_names boolean = false,
    OUT now bigint,                                           -- microseconds since 1970
    OUT names jsonb                                           -- player_id: name
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    new          vola.heads := jsonb_populate_record(NULL::vola.heads, changes -> 'head');
    stored_reply jsonb      := changes -> 'stored_reply';
BEGIN
    UPDATE vola.heads h
       SET version = coalesce(new.version, h.version),
           conflict_version = coalesce(new.conflict_version, h.conflict_version),
           at = coalesce(new.at, h.at), hash = coalesce(new.hash, h.hash),
           pot = coalesce(new.pot, h.pot), balances = coalesce(new.balances, h.balances),
           bets = coalesce(new.bets, h.bets), scores = coalesce(new.scores, h.scores)
     WHERE session_id = stream_id
       AND (expected_version IS NULL
            OR (h.version = expected_version AND h.hash = expected_hash
                AND coalesce(h.access_version, 0) = expected_access
                -- There is one clock: here.
                AND abs(greatest(extract(epoch FROM clock_timestamp()) * 1000000, h.at) - new.at)
                    <= 1000000));
    IF expected_version IS NOT NULL THEN
        IF NOT FOUND THEN
            RETURN;
        END IF;
        now := extract(epoch FROM clock_timestamp()) * 1000000;
    ELSIF NOT FOUND THEN
        new.session_id := stream_id;
        INSERT INTO vola.heads SELECT new.*;
    END IF;

    INSERT INTO vola.events (session_id, version, type, schema, at, "by", data, hash)
    SELECT stream_id, (e ->> 0)::integer, e ->> 1, (e ->> 2)::smallint, (e ->> 3)::bigint,
           e ->> 4, e ->> 5, (e ->> 6)::bytea
      FROM jsonb_array_elements(changes -> 'events') AS e;

    IF stored_reply IS NOT NULL THEN
        INSERT INTO vola.stored_replies (session_id, key, request, status, version, event_count)
        VALUES (stream_id, stored_reply ->> 0, (stored_reply ->> 1)::bytea,
                (stored_reply ->> 2)::smallint, new.version,
                jsonb_array_length(changes -> 'events'));
    END IF;

    IF changes ? 'payments' THEN
        INSERT INTO projections.payments
               (session_id, payment_id, deal, payer, payee, amount, status, due_at, reverses)
        SELECT stream_id, p ->> 0, (p ->> 1)::integer, p ->> 2, p ->> 3, (p ->> 4)::bigint,
               p ->> 5, (p ->> 6)::bigint, p ->> 7
          FROM jsonb_array_elements(changes -> 'payments') AS p;
    END IF;
    IF changes ? 'payment_statuses' THEN
        UPDATE projections.payments p SET status = n ->> 1
          FROM jsonb_array_elements(changes -> 'payment_statuses') AS n
         WHERE p.session_id = stream_id AND p.payment_id = n ->> 0;
    END IF;
    IF changes ? 'journal' THEN
        INSERT INTO projections.journal
               (session_id, version, line, deal, kind, source, target, amount, undone_by)
        SELECT stream_id, (j ->> 0)::integer, (j ->> 1)::integer, (j ->> 2)::integer, j ->> 3,
               j ->> 4, j ->> 5, (j ->> 6)::bigint, (j ->> 7)::integer
          FROM jsonb_array_elements(changes -> 'journal') AS j;
    END IF;
    IF changes ? 'undone_lines' THEN
        UPDATE projections.journal j SET undone_by = (n ->> 2)::integer
          FROM jsonb_array_elements(changes -> 'undone_lines') AS n
         WHERE j.session_id = stream_id
           AND j.version = (n ->> 0)::integer AND j.line = (n ->> 1)::integer;
    END IF;

    IF changes ? 'names' THEN
        INSERT INTO vola.players (session_id, player_id, name, matching_key, salt)
        SELECT stream_id, n ->> 0, n ->> 1, n ->> 2, (n ->> 3)::bytea
          FROM jsonb_array_elements(changes -> 'names') AS n;
    END IF;
    IF changes ? 'remarks' THEN
        INSERT INTO vola.remarks (session_id, version, remark)
        SELECT stream_id, (r ->> 0)::integer, r ->> 1
          FROM jsonb_array_elements(changes -> 'remarks') AS r;
    END IF;

    IF with_names THEN
        SELECT jsonb_object_agg(p.player_id, p.name) INTO names
          FROM vola.players p WHERE p.session_id = stream_id;
    END IF;
END $$;
