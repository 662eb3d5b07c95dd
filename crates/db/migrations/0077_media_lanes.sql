-- Each account has a lane of its own for media that is fetched, and for media that is transcribed or described.
-- @sqlite
CREATE INDEX media_pending ON media (account_id, due_at) WHERE state = 'pending';
CREATE INDEX transcriptions_pending ON transcriptions (account_id, due_at);
-- @postgres
-- @index
CREATE INDEX CONCURRENTLY media_pending ON media (account_id, due_at) WHERE state = 'pending';
-- @index
CREATE INDEX CONCURRENTLY transcriptions_pending ON transcriptions (account_id, due_at);
-- @both
