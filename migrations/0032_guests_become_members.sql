-- A guest of one session becomes a member when a later session carries the guest's balance forward.
-- A statement from before that later session still has the guest.
ALTER TABLE vola.attendance
    ADD COLUMN enrolling_session integer CHECK (enrolling_session > 1);
COMMENT ON COLUMN vola.attendance.enrolling_session IS
    'number of the later session; null for a member from the start';

-- What was inserted with the later session has its transaction, unless the book was restored since.
UPDATE vola.attendance a SET enrolling_session = later.number
  FROM vola.group_sessions s
  JOIN vola.group_sessions later ON later.group_id = s.group_id AND later.number > s.number
 WHERE s.session_id = a.session_id AND later.xmin = a.xmin AND s.xmin <> a.xmin;
