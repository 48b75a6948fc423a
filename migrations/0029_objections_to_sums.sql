-- Players who have objected that the sums of a version are not right. Confirming sums withdraws it.

CREATE TABLE vola.objections (
    session_id uuid    NOT NULL,
    player_id  text    NOT NULL,
    version    integer NOT NULL CHECK (version >= 1),
    made_at    bigint  NOT NULL, -- microseconds since 1970, UTC
    PRIMARY KEY (session_id, player_id)
);
