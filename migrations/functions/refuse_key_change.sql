-- Trigger: a signing key is neither changed nor deleted; a rotation adds another.

CREATE OR REPLACE FUNCTION vola.refuse_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a key is neither changed nor deleted: % refused', TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;
