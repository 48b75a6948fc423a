-- Events of a group: payments over several evenings, balances handed over or written off, members who
-- left, results from before, and lines of a bank. Each has the hash of its bytes and of the event before.

CREATE TABLE vola.group_events (
    group_id uuid     NOT NULL,
    number   integer  NOT NULL CHECK (number >= 1),
    type     text     NOT NULL CHECK (type <> ''),
    schema   smallint NOT NULL CHECK (schema >= 1),
    at       bigint   NOT NULL, -- microseconds since 1970, UTC
    "by"     text     NOT NULL CHECK ("by" <> ''),
    data     text     NOT NULL, -- the canonical bytes that are hashed
    hash     bytea    NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (group_id, number)
);

CREATE TRIGGER group_events_are_append_only BEFORE UPDATE OR DELETE ON vola.group_events
    FOR EACH ROW EXECUTE FUNCTION vola.refuse_event_change();
CREATE TRIGGER group_events_are_never_truncated BEFORE UPDATE OR DELETE OR TRUNCATE
    ON vola.group_events FOR EACH STATEMENT EXECUTE FUNCTION vola.refuse_event_change();
