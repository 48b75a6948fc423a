-- The phones that have access: each has a token of its own and a label, so that everybody sees who
-- recorded what, and so that the access of one phone can be ended while the others go on. Labels
-- are for people and can be erased; no token is stored, only that it was given.

CREATE TABLE vola.phones (
    session_id uuid    NOT NULL,
    phone      integer NOT NULL CHECK (phone >= 1),
    role       text    NOT NULL CHECK (role IN ('host', 'scorer', 'viewer')),
    label      text,
    player_id  text,                                   -- whose phone it is, if that is known
    made_at    bigint  NOT NULL,                       -- microseconds since 1970, UTC
    ended_at   bigint,
    PRIMARY KEY (session_id, phone)
);

-- A person who knows a player's PIN may register a phone as that player's.
CREATE TABLE vola.pins (
    session_id uuid        NOT NULL,
    player_id  text        NOT NULL,
    salt       bytea       NOT NULL,
    digest     bytea       NOT NULL,                   -- scrypt
    misses     smallint    NOT NULL DEFAULT 0,
    again      timestamptz NOT NULL DEFAULT '-infinity',  -- time from which it may be tried
    PRIMARY KEY (session_id, player_id)
);

-- A short code finds an evening while the host lets people ask for access.
CREATE TABLE vola.codes (
    code       text        PRIMARY KEY,
    session_id uuid        NOT NULL UNIQUE,
    until      timestamptz NOT NULL
);

-- A person who has found it asks for access; the host answers.
CREATE TABLE vola.knocks (
    session_id uuid    NOT NULL,
    knock      integer NOT NULL CHECK (knock >= 1),
    label      text,
    role       text    NOT NULL CHECK (role IN ('scorer', 'viewer')),
    made_at    bigint  NOT NULL,
    phone      integer,                                -- given access as this phone
    refused    boolean NOT NULL DEFAULT false CHECK (NOT (refused AND phone IS NOT NULL)),
    PRIMARY KEY (session_id, knock)
);
