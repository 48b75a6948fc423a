-- The key that receipts are signed with. The app creates it, once, because SQL cannot; after that
-- it is neither changed nor deleted, or old receipts could not be told from forged ones. Every role
-- that may read the book may read its public half.

CREATE TABLE vola.keys (
    only_one boolean     PRIMARY KEY DEFAULT true CHECK (only_one),
    public   bytea       NOT NULL CHECK (octet_length(public) = 32),
    secret   bytea       NOT NULL CHECK (octet_length(secret) = 32),
    made_at  timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION vola.refuse_another_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the key is made once: % refused', TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER key_is_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON vola.keys
    FOR EACH STATEMENT EXECUTE FUNCTION vola.refuse_another_key();
