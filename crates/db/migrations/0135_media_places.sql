-- Files outside the database.

-- Where a stored file is: null in the database, or the name of a place, whose address is a setting. file_id is its name
-- there. sha256 is null for files that were stored before there were checksums.
ALTER TABLE media ADD COLUMN place text;
ALTER TABLE media ADD COLUMN file_id uuid;
ALTER TABLE media ADD COLUMN sha256 bytea;
-- Whether a worker is to move the file from the database to where new files go. due_at and tries are this job's then.
ALTER TABLE media ADD COLUMN moves boolean NOT NULL DEFAULT false;

-- Files outside the database that no row of media refers to, or none will. One that is being written has a row here before
-- its first byte, so that whatever a crash leaves is deleted when the row is due. A row ends when the file is gone.
-- reason is unfinished, deleted or moved.
CREATE TABLE file_removals (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    place text NOT NULL,
    reason text NOT NULL,
    tries bigint NOT NULL,
    due_at timestamptz NOT NULL,
    error text,
    lease uuid,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX file_removals_due ON file_removals (account_id, due_at);

-- @sqlite
CREATE INDEX media_moves ON media (account_id, due_at) WHERE moves;
-- @postgres
-- @index
CREATE INDEX CONCURRENTLY media_moves ON media (account_id, due_at) WHERE moves;
