-- Writes an append in the caller's transaction: events, head, stored reply, projections, names and
-- remarks. The rows come as one JSON document (ledger/store/append_sql.py): parsing it costs a sixth
-- of binding them one by one.

CREATE OR REPLACE FUNCTION vola.write_changes(stream_id uuid, changes jsonb)
RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    head         jsonb := changes -> 'head';
    stored_reply jsonb := changes -> 'stored_reply';
BEGIN
    INSERT INTO vola.events (session_id, version, type, schema, at, "by", data, hash)
    SELECT stream_id, e.* FROM jsonb_to_recordset(changes -> 'events') AS e(
        version integer, type text, schema smallint, at bigint, "by" text, data text, hash bytea);

    IF changes ? 'new_stream' THEN
        INSERT INTO vola.heads (session_id, version, conflict_version, at, hash)
        VALUES (stream_id, (head ->> 'version')::integer, (head ->> 'conflict_version')::integer,
                (head ->> 'at')::bigint, (head ->> 'hash')::bytea);
    ELSE
        UPDATE vola.heads
           SET version = (head ->> 'version')::integer,
               conflict_version = (head ->> 'conflict_version')::integer,
               at = (head ->> 'at')::bigint, hash = (head ->> 'hash')::bytea
         WHERE session_id = stream_id;
    END IF;

    IF stored_reply IS NOT NULL THEN
        INSERT INTO vola.stored_replies (session_id, key, request, status, version, event_count)
        VALUES (stream_id, stored_reply ->> 'key', (stored_reply ->> 'request')::bytea,
                (stored_reply ->> 'status')::smallint, (head ->> 'version')::integer,
                jsonb_array_length(changes -> 'events'));
    END IF;

    IF changes ? 'bets_deleted' THEN
        DELETE FROM projections.bets WHERE session_id = stream_id AND bet IN (
            SELECT jsonb_array_elements_text(changes -> 'bets_deleted')::integer);
    END IF;
    IF changes ? 'deals_deleted' THEN
        DELETE FROM projections.deals WHERE session_id = stream_id AND deal IN (
            SELECT jsonb_array_elements_text(changes -> 'deals_deleted')::integer);
    END IF;

    IF changes ? 'pot' THEN
        INSERT INTO projections.pot (session_id, amount)
        SELECT stream_id, t.* FROM jsonb_to_recordset(changes -> 'pot') AS t(amount bigint)
        ON CONFLICT (session_id) DO UPDATE SET amount = excluded.amount;
    END IF;
    IF changes ? 'bets' THEN
        INSERT INTO projections.bets (session_id, bet, deal, "by", amount, paid)
        SELECT stream_id, t.* FROM jsonb_to_recordset(changes -> 'bets') AS t(
            bet integer, deal integer, "by" text[], amount bigint, paid boolean)
        ON CONFLICT (session_id, bet) DO UPDATE
           SET deal = excluded.deal, "by" = excluded."by", amount = excluded.amount,
               paid = excluded.paid;
    END IF;
    IF changes ? 'balances' THEN
        INSERT INTO projections.balances (session_id, player_id, amount)
        SELECT stream_id, t.* FROM jsonb_to_recordset(changes -> 'balances') AS t(
            player_id text, amount bigint)
        ON CONFLICT (session_id, player_id) DO UPDATE SET amount = excluded.amount;
    END IF;
    IF changes ? 'payments' THEN
        INSERT INTO projections.payments
               (session_id, payment_id, deal, payer, payee, amount, status, due_at, reverses)
        SELECT stream_id, t.* FROM jsonb_to_recordset(changes -> 'payments') AS t(
            payment_id text, deal integer, payer text, payee text, amount bigint, status text,
            due_at bigint, reverses text)
        ON CONFLICT (session_id, payment_id) DO UPDATE SET status = excluded.status;
    END IF;
    IF changes ? 'scores' THEN
        INSERT INTO projections.scores (session_id, keeper, points, overtricks, won)
        SELECT stream_id, t.* FROM jsonb_to_recordset(changes -> 'scores') AS t(
            keeper text, points bigint, overtricks integer, won boolean)
        ON CONFLICT (session_id, keeper) DO UPDATE
           SET points = excluded.points, overtricks = excluded.overtricks, won = excluded.won;
    END IF;
    IF changes ? 'deals' THEN
        INSERT INTO projections.deals (session_id, deal, status, dealer, seats, played_for,
                                       declarers, outcome, winner, la_vola)
        SELECT stream_id, t.* FROM jsonb_to_recordset(changes -> 'deals') AS t(
            deal integer, status text, dealer text, seats text[], played_for bigint,
            declarers text[], outcome text, winner text, la_vola text)
        ON CONFLICT (session_id, deal) DO UPDATE
           SET status = excluded.status, dealer = excluded.dealer, seats = excluded.seats,
               played_for = excluded.played_for, declarers = excluded.declarers,
               outcome = excluded.outcome, winner = excluded.winner, la_vola = excluded.la_vola;
    END IF;
    IF changes ? 'journal' THEN
        INSERT INTO projections.journal
               (session_id, version, line, deal, kind, source, target, amount, undone_by)
        SELECT stream_id, t.* FROM jsonb_to_recordset(changes -> 'journal') AS t(
            version integer, line integer, deal integer, kind text, source text, target text,
            amount bigint, undone_by integer)
        ON CONFLICT (session_id, version, line) DO UPDATE SET undone_by = excluded.undone_by;
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
