-- The signing key can be rotated. Every key stays, numbered from 1; each but the first has an
-- endorsement: a note about it that the key before it has signed. Only the owner adds a second key.

ALTER TABLE vola.signing_key
    DROP COLUMN only_one,
    ADD COLUMN number      integer PRIMARY KEY DEFAULT 1 CHECK (number >= 1),
    ADD COLUMN endorsement text,
    ADD CHECK ((number = 1) = (endorsement IS NULL)),
    ADD UNIQUE (public);
