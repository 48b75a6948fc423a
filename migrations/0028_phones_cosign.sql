-- What a phone has signed when its holder confirmed the sums of a version. It is stored unchanged.

CREATE TABLE vola.cosignatures (
    session_id uuid    NOT NULL,
    version    integer NOT NULL CHECK (version >= 1),
    key        bytea   NOT NULL CHECK (octet_length(key) = 32),
    player_id  text    NOT NULL,
    signature  bytea   NOT NULL CHECK (octet_length(signature) = 76),
    PRIMARY KEY (session_id, version, key)
);
