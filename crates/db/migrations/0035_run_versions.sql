-- A version counts how often a run's state was stored. A worker that computed a step stores it only if the version is still
-- the one that it started from, so it need not read the run again.
ALTER TABLE runs ADD COLUMN version bigint NOT NULL DEFAULT 0;
