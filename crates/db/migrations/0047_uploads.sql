-- Files that callers upload.

-- When an upload is deleted unless a message is sent with it; null for everything else.
ALTER TABLE media ADD COLUMN expires_at timestamptz;
-- How many messages have the file. It is erased with the last of them.
ALTER TABLE media ADD COLUMN uses bigint NOT NULL DEFAULT 1;

-- @sqlite
CREATE INDEX media_expires ON media (expires_at) WHERE expires_at IS NOT NULL;
-- @postgres
-- @index
CREATE INDEX CONCURRENTLY media_expires ON media (expires_at) WHERE expires_at IS NOT NULL;
-- @both
