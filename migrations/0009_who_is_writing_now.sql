-- Who is writing a deal down just now, so that nobody at the table does it a second time. Said again
-- every few seconds and worth nothing half a minute later: no event, in no export, and gone after a
-- crash; so it costs no write-ahead log and waits for no disk and no standby.

CREATE UNLOGGED TABLE vola.recording (
    session_id uuid        NOT NULL,
    by         text        NOT NULL,                   -- a link or a phone, as in an event's `by`
    page       text        NOT NULL,                   -- several may have come by one link
    deal       integer     NOT NULL CHECK (deal >= 1),
    since      bigint      NOT NULL,                   -- microseconds since 1970, UTC
    heard      timestamptz NOT NULL,                   -- of it last
    PRIMARY KEY (session_id, by, page)
);
