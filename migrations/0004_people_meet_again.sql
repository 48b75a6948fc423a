-- People who meet again: a circle has members and evenings. It has no money and no history of its
-- own: the evenings have both, and their events mention no circle. Names of members are stored here
-- and in the evenings, and are erased from both together.

CREATE TABLE vola.circles (
    circle_id uuid       PRIMARY KEY,
    name      text       NOT NULL,
    tokens    smallint[] NOT NULL DEFAULT '{0,0,0}'    -- generation of host, scorer, viewer
);

CREATE TABLE vola.members (
    circle_id uuid NOT NULL,
    member_id text NOT NULL,
    name      text,
    sounds    text,                                    -- equal for names that people confuse
    PRIMARY KEY (circle_id, member_id),
    CONSTRAINT members_differ UNIQUE (circle_id, sounds),
    CHECK ((name IS NULL) = (sounds IS NULL))
);

-- An evening belongs to one circle at most.
CREATE TABLE vola.evenings (
    session_id uuid    PRIMARY KEY,
    circle_id  uuid    NOT NULL,
    number     integer NOT NULL CHECK (number >= 1),
    UNIQUE (circle_id, number)
);

-- Which member was which player.
CREATE TABLE vola.attendance (
    session_id uuid NOT NULL,
    player_id  text NOT NULL,
    member_id  text NOT NULL,
    PRIMARY KEY (session_id, player_id),
    UNIQUE (session_id, member_id)
);

-- As for evenings: the reply to each idempotency key, and the circle that each key has created.
CREATE TABLE vola.circle_replies (
    circle_id uuid     NOT NULL,
    key       text     NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 255),
    request   bytea    NOT NULL,
    status    smallint NOT NULL,
    body      bytea    NOT NULL,
    PRIMARY KEY (circle_id, key)
);
CREATE TABLE vola.circle_creations (
    key       text PRIMARY KEY CHECK (octet_length(key) BETWEEN 1 AND 255),
    circle_id uuid NOT NULL
);
