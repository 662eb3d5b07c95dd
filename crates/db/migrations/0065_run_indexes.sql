-- Only sub-runs have a parent, and their parent is all that they are looked for by. Other runs no longer have an entry.
-- @postgres
-- @index
CREATE INDEX CONCURRENTLY runs_parent ON runs (account_id, parent_run_id, id) WHERE parent_run_id IS NOT NULL;
-- @sqlite
CREATE INDEX runs_parent ON runs (account_id, parent_run_id, id) WHERE parent_run_id IS NOT NULL;
-- @both
-- @step
DROP INDEX runs_root;
-- @postgres
-- A step of a run updates no indexed column. With free space on the row's page, PostgreSQL then adds no index entries.
ALTER TABLE runs SET (fillfactor = 50);
