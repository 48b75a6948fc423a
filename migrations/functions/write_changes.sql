-- Writes an append in the caller's transaction: events, head, stored reply, payments, journal, names
-- and remarks. The rows come as one JSON document (ledger/store/append_sql.py): parsing it costs a
-- sixth of binding them one by one. Columns that the document's head leaves out stay as they are.
-- New rows are plain inserts: ON CONFLICT writes a record more of write-ahead log for each row.

CREATE OR REPLACE FUNCTION vola.write_changes(stream_id uuid, changes jsonb)
RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    head         vola.heads;
    stored_reply jsonb := changes -> 'stored_reply';
BEGIN
    INSERT INTO vola.events (session_id, version, type, schema, at, "by", data, hash)
    SELECT stream_id, e.* FROM jsonb_to_recordset(changes -> 'events') AS e(
        version integer, type text, schema smallint, at bigint, "by" text, data text, hash bytea);

    SELECT * INTO head FROM vola.heads WHERE session_id = stream_id;
    head := jsonb_populate_record(head, changes -> 'head');
    IF head.session_id IS NULL THEN
        head.session_id := stream_id;
        INSERT INTO vola.heads SELECT head.*;
    ELSE
        UPDATE vola.heads
           SET version = head.version, conflict_version = head.conflict_version, at = head.at,
               hash = head.hash, pot = head.pot, balances = head.balances, bets = head.bets,
               scores = head.scores
         WHERE session_id = stream_id;
    END IF;

    IF stored_reply IS NOT NULL THEN
        INSERT INTO vola.stored_replies (session_id, key, request, status, version, event_count)
        VALUES (stream_id, stored_reply ->> 'key', (stored_reply ->> 'request')::bytea,
                (stored_reply ->> 'status')::smallint, head.version,
                jsonb_array_length(changes -> 'events'));
    END IF;

    IF changes ? 'payments' THEN
        INSERT INTO projections.payments
               (session_id, payment_id, deal, payer, payee, amount, status, due_at, reverses)
        SELECT stream_id, t.* FROM jsonb_to_recordset(changes -> 'payments') AS t(
            payment_id text, deal integer, payer text, payee text, amount bigint, status text,
            due_at bigint, reverses text);
    END IF;
    IF changes ? 'payment_statuses' THEN
        UPDATE projections.payments p SET status = t.status
          FROM jsonb_to_recordset(changes -> 'payment_statuses') AS t(payment_id text, status text)
         WHERE p.session_id = stream_id AND p.payment_id = t.payment_id;
    END IF;
    IF changes ? 'journal' THEN
        INSERT INTO projections.journal
               (session_id, version, line, deal, kind, source, target, amount, undone_by)
        SELECT stream_id, t.* FROM jsonb_to_recordset(changes -> 'journal') AS t(
            version integer, line integer, deal integer, kind text, source text, target text,
            amount bigint, undone_by integer);
    END IF;
    IF changes ? 'undone_lines' THEN
        UPDATE projections.journal j SET undone_by = t.undone_by
          FROM jsonb_to_recordset(changes -> 'undone_lines') AS t(
               version integer, line integer, undone_by integer)
         WHERE j.session_id = stream_id AND j.version = t.version AND j.line = t.line;
    END IF;

    IF changes ? 'names' THEN
        INSERT INTO vola.players (session_id, player_id, name, matching_key, salt)
        SELECT stream_id, t.* FROM jsonb_to_recordset(changes -> 'names') AS t(
            player_id text, name text, matching_key text, salt bytea);
    END IF;
    IF changes ? 'remarks' THEN
        INSERT INTO vola.remarks (session_id, version, remark)
        SELECT stream_id, t.* FROM jsonb_to_recordset(changes -> 'remarks') AS t(
            version integer, remark text);
    END IF;
END $$;
