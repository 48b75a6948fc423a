-- A session keeps its earlier join codes: by them a join request that is sent again finds its answer.

ALTER TABLE vola.join_codes DROP CONSTRAINT join_codes_session_id_key;
CREATE UNIQUE INDEX join_codes_of_sessions ON vola.join_codes (session_id)
    WHERE expires_at > '-infinity';
