-- Who is entering a deal at the moment, so that nobody else at the table enters it as well. It is
-- announced every few seconds and expires after half a minute: it is no event, is in no export and
-- is lost in a crash, so it costs no write-ahead log and waits for no disk and no standby.

CREATE UNLOGGED TABLE vola.recording (
    session_id uuid        NOT NULL,
    by         text        NOT NULL,                   -- a link or a phone, as in an event's `by`
    page       text        NOT NULL,                   -- several pages may use one link
    deal       integer     NOT NULL CHECK (deal >= 1),
    since      bigint      NOT NULL,                   -- microseconds since 1970, UTC
    heard      timestamptz NOT NULL,                   -- time of the last announcement
    PRIMARY KEY (session_id, by, page)
);
