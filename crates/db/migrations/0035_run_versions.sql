-- A version counts how often a run's state was stored. A worker that computed a step stores it only if the version is still
-- the one that it started from, so it need not read the run again.
ALTER TABLE runs ADD COLUMN version bigint NOT NULL DEFAULT 0;

-- Runs that a customer's message started have a queue of their own. The other index of due runs serves the rest.
CREATE INDEX runs_answers_due ON runs (due_at, account_id) WHERE due_at IS NOT NULL AND confined;
