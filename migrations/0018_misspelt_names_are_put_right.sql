-- A misspelt name is put right. History has committed to the first spelling, so the earlier ones stay
-- beside the name, with who replaced them and when; they are erased together with it.

CREATE TABLE vola.spellings (
    session_id uuid    NOT NULL,
    player_id  text    NOT NULL,
    number     integer NOT NULL CHECK (number >= 1),   -- 1 is the one that was committed to
    name       text    NOT NULL,
    sounds     text    NOT NULL,                       -- the name as people tell it apart
    until      bigint  NOT NULL,                       -- microseconds since 1970, UTC
    "by"       text    NOT NULL CHECK ("by" ~ '^(host\.(0|[1-9][0-9]*)|phone[1-9][0-9]*)$'),
    PRIMARY KEY (session_id, player_id, number)
);
