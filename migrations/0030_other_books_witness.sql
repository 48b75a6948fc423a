-- The newest version that a witness, such as another book, has cosigned. It grows with the session.

CREATE TABLE vola.witnesses (
    session_id uuid    NOT NULL,
    key        bytea   NOT NULL CHECK (octet_length(key) = 32),
    name       text    NOT NULL,
    version    integer NOT NULL CHECK (version >= 1),
    signature  bytea   NOT NULL CHECK (octet_length(signature) = 76),
    PRIMARY KEY (session_id, key)
);
