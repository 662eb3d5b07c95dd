-- The bytes of an account's uploads are added up from this index alone.
-- @postgres
-- @index
CREATE INDEX CONCURRENTLY media_connection_bytes ON media (account_id, connection_id, bytes);
-- @sqlite
CREATE INDEX media_connection_bytes ON media (account_id, connection_id, bytes);
-- @both
