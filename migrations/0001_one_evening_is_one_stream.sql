-- One evening is one stream of events. Grants and triggers only let events be added; everything in
-- the schema `projections` can be deleted and folded again; names are stored beside the events, so
-- that they can be erased. Every key begins with the session, so that tables can be distributed
-- by it; only the creation key does not, because it finds the session.

CREATE SCHEMA IF NOT EXISTS vola;
CREATE SCHEMA projections;

-- The secret that tokens are derived from: made once, shared by every process of this book.
CREATE TABLE vola.secret (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    secret   bytea   NOT NULL
);
INSERT INTO vola.secret (secret)
VALUES (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

CREATE TABLE vola.sessions (
    session_id uuid     PRIMARY KEY,
    title      text,
    tokens     smallint[] NOT NULL DEFAULT '{0,0,0}'   -- generation of host, scorer, viewer
);

-- The row that a writer locks: the newest version of the stream, and the hash of its last event.
CREATE TABLE vola.heads (
    session_id uuid    PRIMARY KEY,
    version    integer NOT NULL CHECK (version >= 1),
    acted      integer NOT NULL CHECK (acted BETWEEN 1 AND version),
    at         bigint  NOT NULL,
    hash       bytea   NOT NULL CHECK (octet_length(hash) = 32)
) WITH (fillfactor = 50);                              -- room for an update in place

CREATE TABLE vola.events (
    session_id uuid     NOT NULL,
    version    integer  NOT NULL CHECK (version >= 1),
    type       text     NOT NULL CHECK (type <> ''),
    schema     smallint NOT NULL CHECK (schema >= 1),
    at         bigint   NOT NULL,                      -- microseconds since 1970, UTC
    "by"       text     NOT NULL CHECK ("by" <> ''),
    data       text     NOT NULL,                      -- the canonical bytes that are hashed
    hash       bytea    NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (session_id, version)
);

CREATE FUNCTION vola.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are only ever added: % refused', TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER events_are_for_ever BEFORE UPDATE OR DELETE ON vola.events
    FOR EACH ROW EXECUTE FUNCTION vola.refuse_change();
CREATE TRIGGER events_are_never_emptied BEFORE UPDATE OR DELETE OR TRUNCATE ON vola.events
    FOR EACH STATEMENT EXECUTE FUNCTION vola.refuse_change();

-- A name and the salt of its commitment are erased together.
CREATE TABLE vola.players (
    session_id uuid  NOT NULL,
    player_id  text  NOT NULL,
    name       text,
    sounds     text,                                   -- equal for names that people confuse
    salt       bytea,
    PRIMARY KEY (session_id, player_id),
    CONSTRAINT names_differ UNIQUE (session_id, sounds),
    CHECK ((name IS NULL) = (salt IS NULL) AND (name IS NULL) = (sounds IS NULL))
);

-- Why a deal was voided, in a person's own words: beside the event, for the same reason as names.
CREATE TABLE vola.remarks (
    session_id uuid    NOT NULL,
    version    integer NOT NULL,
    remark     text    NOT NULL,
    PRIMARY KEY (session_id, version)
);

-- The reply to each idempotency key, so that the same key gets the same bytes; without tokens.
CREATE TABLE vola.replies (
    session_id uuid     NOT NULL,
    key        text     NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 255),
    request    bytea    NOT NULL,                      -- digest of the request
    status     smallint NOT NULL,
    version    integer  NOT NULL,
    body       bytea    NOT NULL,
    PRIMARY KEY (session_id, key)
);
CREATE TABLE vola.creations (
    key        text PRIMARY KEY CHECK (octet_length(key) BETWEEN 1 AND 255),
    session_id uuid NOT NULL
);

CREATE TABLE projections.pot (
    session_id uuid    PRIMARY KEY,
    amount     bigint  NOT NULL CHECK (amount >= 0)
) WITH (fillfactor = 50);

CREATE TABLE projections.bets (
    session_id uuid    NOT NULL,
    bet        integer NOT NULL,
    deal       integer NOT NULL,
    "by"       text[]  NOT NULL,
    amount     bigint  NOT NULL CHECK (amount > 0),
    paid       boolean NOT NULL,
    PRIMARY KEY (session_id, bet)
);

CREATE TABLE projections.balances (
    session_id uuid   NOT NULL,
    player_id  text   NOT NULL,
    amount     bigint NOT NULL,
    PRIMARY KEY (session_id, player_id)
) WITH (fillfactor = 50);

CREATE TABLE projections.payments (
    session_id uuid    NOT NULL,
    payment_id text    NOT NULL,
    deal       integer NOT NULL,
    payer      text    NOT NULL,
    payee      text    NOT NULL CHECK (payee <> payer),
    amount     bigint  NOT NULL CHECK (amount > 0),
    status     text    NOT NULL CHECK (status IN ('due', 'settled', 'cancelled')),
    due_at     bigint  NOT NULL,
    reverses   text,
    PRIMARY KEY (session_id, payment_id)
);
CREATE INDEX payments_due ON projections.payments (due_at) WHERE status = 'due';

CREATE TABLE projections.deals (
    session_id uuid    NOT NULL,
    deal       integer NOT NULL,
    status     text    NOT NULL CHECK (status IN ('open', 'closed', 'voided')),
    dealer     text    NOT NULL,
    seats      text[]  NOT NULL,
    played_for bigint  NOT NULL,
    declarers  text[]  NOT NULL,
    outcome    text,
    winner     text,
    la_vola    text,
    PRIMARY KEY (session_id, deal)
);

-- Every line takes from one account what it gives to another, so that the journal is zero-sum.
CREATE TABLE projections.journal (
    session_id uuid    NOT NULL,
    version    integer NOT NULL,
    line       integer NOT NULL,
    deal       integer,
    kind       text    NOT NULL,
    source     text    NOT NULL,
    target     text    NOT NULL CHECK (target <> source),
    amount     bigint  NOT NULL CHECK (amount > 0),
    undone_by  integer,
    PRIMARY KEY (session_id, version, line)
);

-- The stored amounts of a session add up to zero: checked when the transaction ends.
CREATE FUNCTION vola.conserve() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    total bigint;
BEGIN
    SELECT coalesce((SELECT sum(amount) FROM projections.balances WHERE session_id = NEW.session_id), 0)
         + coalesce((SELECT sum(amount) FROM projections.pot WHERE session_id = NEW.session_id), 0)
         + coalesce((SELECT sum(amount) FROM projections.bets WHERE session_id = NEW.session_id AND paid), 0)
      INTO total;
    IF total <> 0 THEN
        RAISE EXCEPTION 'session % does not add up: %', NEW.session_id, total
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER money_is_conserved AFTER UPDATE OR INSERT ON vola.heads
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION vola.conserve();
