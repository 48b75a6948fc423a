-- Trigger: the signing key is made once, and neither changed nor deleted.

CREATE OR REPLACE FUNCTION vola.refuse_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the key is made once: % refused', TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;
