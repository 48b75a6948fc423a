-- What workers could not settle, so that a person sees it and can have it retried; and counts of
-- what they have done. Neither table is history: both may be emptied.

CREATE TABLE vola.stuck (
    session_id uuid        PRIMARY KEY,
    tries      integer     NOT NULL CHECK (tries >= 1),
    reason     text        NOT NULL,
    since      timestamptz NOT NULL DEFAULT clock_timestamp(),
    again      timestamptz NOT NULL                    -- time of the next attempt
);

CREATE TABLE vola.tallies (
    name  text   PRIMARY KEY,
    count bigint NOT NULL CHECK (count >= 0)
);
