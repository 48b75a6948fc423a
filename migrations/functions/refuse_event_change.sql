-- Trigger: events are only ever added.

CREATE OR REPLACE FUNCTION vola.refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are only ever added: % refused', TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;
