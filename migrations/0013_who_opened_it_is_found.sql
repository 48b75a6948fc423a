-- The auditor asks of each evening with which key it was opened: by an index, not by reading them all.

CREATE INDEX creations_of_evenings ON vola.creations (session_id);
