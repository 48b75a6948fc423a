-- A person who has asked for access may withdraw the request, which then waits no longer. A server
-- that does not know this column yet sees a refused request, so that no host approves it meanwhile.

ALTER TABLE vola.knocks
    ADD COLUMN withdrawn boolean NOT NULL DEFAULT false CHECK (NOT withdrawn OR refused);
