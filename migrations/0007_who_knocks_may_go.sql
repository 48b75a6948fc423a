-- Who has knocked may take it back, and is no longer at the door. To a server that does not know of
-- this yet he has been refused, so that nobody lets him in meanwhile.

ALTER TABLE vola.knocks
    ADD COLUMN withdrawn boolean NOT NULL DEFAULT false CHECK (NOT withdrawn OR refused);
