-- The audit looks up the key with which each evening was opened: by an index, not by a full scan.

CREATE INDEX creations_of_evenings ON vola.creations (session_id);
