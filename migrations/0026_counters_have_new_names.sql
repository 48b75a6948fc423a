-- The relay's counters are named by what it does: it enqueues jobs and retries sessions.
UPDATE vola.counters AS t SET name = renamed.name
  FROM (VALUES ('rung', 'enqueued'), ('not_rung', 'not_enqueued'), ('tried_again', 'retried'))
       AS renamed (old_name, name)
 WHERE t.name = renamed.old_name;
