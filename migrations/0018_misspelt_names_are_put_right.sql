-- A misspelt name can be corrected. The events have a commitment to the first spelling, so earlier
-- spellings stay beside the name, with the author and time of each correction; they are erased
-- together with it.

CREATE TABLE vola.spellings (
    session_id uuid    NOT NULL,
    player_id  text    NOT NULL,
    number     integer NOT NULL CHECK (number >= 1),   -- 1 is the one with the commitment
    name       text    NOT NULL,
    sounds     text    NOT NULL,                       -- equal for names that people confuse
    until      bigint  NOT NULL,                       -- microseconds since 1970, UTC
    "by"       text    NOT NULL CHECK ("by" ~ '^(host\.(0|[1-9][0-9]*)|phone[1-9][0-9]*)$'),
    PRIMARY KEY (session_id, player_id, number)
);
