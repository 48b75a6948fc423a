-- Who writes: a phone that has been let in has a right of its own, with a label, so that everybody
-- sees who said what, and so that one phone can be shut out and the others go on. Labels are for
-- people and can be erased; no right is stored, only that it was given.

CREATE TABLE vola.phones (
    session_id uuid    NOT NULL,
    phone      integer NOT NULL CHECK (phone >= 1),
    role       text    NOT NULL CHECK (role IN ('host', 'scorer', 'viewer')),
    label      text,
    player_id  text,                                   -- whose it is, if that was said
    made_at    bigint  NOT NULL,                       -- microseconds since 1970, UTC
    ended_at   bigint,
    PRIMARY KEY (session_id, phone)
);

-- Who knows a player's PIN may say that a phone is his.
CREATE TABLE vola.pins (
    session_id uuid        NOT NULL,
    player_id  text        NOT NULL,
    salt       bytea       NOT NULL,
    digest     bytea       NOT NULL,                   -- scrypt
    misses     smallint    NOT NULL DEFAULT 0,
    again      timestamptz NOT NULL DEFAULT '-infinity',  -- not tried before
    PRIMARY KEY (session_id, player_id)
);

-- A short code finds an evening, as long as its host keeps the door open.
CREATE TABLE vola.codes (
    code       text        PRIMARY KEY,
    session_id uuid        NOT NULL UNIQUE,
    until      timestamptz NOT NULL
);

-- Somebody who has found it asks to be let in; the host answers.
CREATE TABLE vola.knocks (
    session_id uuid    NOT NULL,
    knock      integer NOT NULL CHECK (knock >= 1),
    label      text,
    role       text    NOT NULL CHECK (role IN ('scorer', 'viewer')),
    made_at    bigint  NOT NULL,
    phone      integer,                                -- let in as this phone
    refused    boolean NOT NULL DEFAULT false CHECK (NOT (refused AND phone IS NOT NULL)),
    PRIMARY KEY (session_id, knock)
);
