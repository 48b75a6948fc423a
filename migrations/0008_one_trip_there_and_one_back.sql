-- An append is two questions to the server, each with all that it needs: `vola.take` locks an evening
-- and tells how it stands, `vola.put` writes everything that has happened since. What is written
-- comes as one document, since reading that costs a sixth of binding it piece by piece. Both do
-- what the role that calls them may do, and no more.

CREATE FUNCTION vola.take(
    evening uuid, asked_by text, a_key text, with_names boolean,
    OUT version integer, OUT hash bytea,               -- none: there is no such evening
    OUT now bigint,                                    -- microseconds, once the lock is held
    OUT let_in boolean,                                -- false: this phone was shut out
    OUT request bytea, OUT status smallint, OUT answered integer, OUT body bytea,  -- to this key
    OUT names jsonb
) LANGUAGE plpgsql AS $$
BEGIN
    SELECT h.version, h.hash INTO version, hash FROM vola.heads h
     WHERE h.session_id = evening FOR UPDATE;
    now := extract(epoch FROM clock_timestamp()) * 1000000;
    let_in := asked_by NOT LIKE 'phone%' OR EXISTS (
        SELECT FROM vola.phones p
         WHERE p.session_id = evening AND 'phone' || p.phone = asked_by AND p.ended_at IS NULL);
    IF a_key IS NOT NULL THEN
        SELECT r.request, r.status, r.version, r.body INTO request, status, answered, body
          FROM vola.replies r WHERE r.session_id = evening AND r.key = a_key;
    END IF;
    IF with_names THEN
        SELECT jsonb_object_agg(p.player_id, p.name) INTO names
          FROM vola.players p WHERE p.session_id = evening;
    END IF;
END $$;

CREATE FUNCTION vola.put(evening uuid, told jsonb, answer bytea) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    head jsonb := told -> 'head';
    kept jsonb := told -> 'kept';
BEGIN
    INSERT INTO vola.events (session_id, version, type, schema, at, "by", data, hash)
    SELECT evening, e.* FROM jsonb_to_recordset(told -> 'events') AS e(
        version integer, type text, schema smallint, at bigint, "by" text, data text, hash bytea);

    IF told ? 'begun' THEN
        INSERT INTO vola.heads (session_id, version, acted, at, hash)
        VALUES (evening, (head ->> 'version')::integer, (head ->> 'acted')::integer,
                (head ->> 'at')::bigint, (head ->> 'hash')::bytea);
    ELSE
        UPDATE vola.heads
           SET version = (head ->> 'version')::integer, acted = (head ->> 'acted')::integer,
               at = (head ->> 'at')::bigint, hash = (head ->> 'hash')::bytea
         WHERE session_id = evening;
    END IF;

    IF kept IS NOT NULL THEN
        INSERT INTO vola.replies (session_id, key, request, status, version, body)
        VALUES (evening, kept ->> 'key', (kept ->> 'request')::bytea,
                (kept ->> 'status')::smallint, (head ->> 'version')::integer, answer);
    END IF;

    IF told ? 'pot' THEN
        INSERT INTO projections.pot (session_id, amount)
        SELECT evening, t.* FROM jsonb_to_recordset(told -> 'pot') AS t(amount bigint)
        ON CONFLICT (session_id) DO UPDATE SET amount = excluded.amount;
    END IF;
    IF told ? 'bets gone' THEN
        DELETE FROM projections.bets
         WHERE session_id = evening
           AND bet IN (SELECT gone::integer FROM jsonb_array_elements_text(told -> 'bets gone') AS gone);
    END IF;
    IF told ? 'bets' THEN
        INSERT INTO projections.bets (session_id, bet, deal, "by", amount, paid)
        SELECT evening, t.* FROM jsonb_to_recordset(told -> 'bets') AS t(
            bet integer, deal integer, "by" text[], amount bigint, paid boolean)
        ON CONFLICT (session_id, bet) DO UPDATE
           SET deal = excluded.deal, "by" = excluded."by", amount = excluded.amount,
               paid = excluded.paid;
    END IF;
    IF told ? 'balances' THEN
        INSERT INTO projections.balances (session_id, player_id, amount)
        SELECT evening, t.* FROM jsonb_to_recordset(told -> 'balances') AS t(
            player_id text, amount bigint)
        ON CONFLICT (session_id, player_id) DO UPDATE SET amount = excluded.amount;
    END IF;
    IF told ? 'payments' THEN
        INSERT INTO projections.payments
               (session_id, payment_id, deal, payer, payee, amount, status, due_at, reverses)
        SELECT evening, t.* FROM jsonb_to_recordset(told -> 'payments') AS t(
            payment_id text, deal integer, payer text, payee text, amount bigint, status text,
            due_at bigint, reverses text)
        ON CONFLICT (session_id, payment_id) DO UPDATE SET status = excluded.status;
    END IF;
    IF told ? 'scores' THEN
        INSERT INTO projections.scores (session_id, keeper, points, overtricks, won)
        SELECT evening, t.* FROM jsonb_to_recordset(told -> 'scores') AS t(
            keeper text, points bigint, overtricks integer, won boolean)
        ON CONFLICT (session_id, keeper) DO UPDATE
           SET points = excluded.points, overtricks = excluded.overtricks, won = excluded.won;
    END IF;
    IF told ? 'deals gone' THEN
        DELETE FROM projections.deals
         WHERE session_id = evening
           AND deal IN (SELECT gone::integer FROM jsonb_array_elements_text(told -> 'deals gone') AS gone);
    END IF;
    IF told ? 'deals' THEN
        INSERT INTO projections.deals (session_id, deal, status, dealer, seats, played_for,
                                       declarers, outcome, winner, la_vola)
        SELECT evening, t.* FROM jsonb_to_recordset(told -> 'deals') AS t(
            deal integer, status text, dealer text, seats text[], played_for bigint,
            declarers text[], outcome text, winner text, la_vola text)
        ON CONFLICT (session_id, deal) DO UPDATE
           SET status = excluded.status, dealer = excluded.dealer, seats = excluded.seats,
               played_for = excluded.played_for, declarers = excluded.declarers,
               outcome = excluded.outcome, winner = excluded.winner, la_vola = excluded.la_vola;
    END IF;
    IF told ? 'journal' THEN
        INSERT INTO projections.journal
               (session_id, version, line, deal, kind, source, target, amount, undone_by)
        SELECT evening, t.* FROM jsonb_to_recordset(told -> 'journal') AS t(
            version integer, line integer, deal integer, kind text, source text, target text,
            amount bigint, undone_by integer)
        ON CONFLICT (session_id, version, line) DO UPDATE SET undone_by = excluded.undone_by;
    END IF;

    IF told ? 'names' THEN
        INSERT INTO vola.players (session_id, player_id, name, sounds, salt)
        SELECT evening, t.* FROM jsonb_to_recordset(told -> 'names') AS t(
            player_id text, name text, sounds text, salt bytea);
    END IF;
    IF told ? 'remarks' THEN
        INSERT INTO vola.remarks (session_id, version, remark)
        SELECT evening, t.* FROM jsonb_to_recordset(told -> 'remarks') AS t(
            version integer, remark text);
    END IF;
    IF told ? 'due' THEN
        NOTIFY vola_due;  -- wakes the relay when this transaction commits, and only then
    END IF;
END $$;
