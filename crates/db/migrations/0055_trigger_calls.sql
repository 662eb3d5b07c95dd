-- Calls of a webhook trigger's address in its last minute, so that all servers count them together. calls_minute is in minutes
-- since 1970.
ALTER TABLE triggers ADD COLUMN calls_minute bigint NOT NULL DEFAULT 0;
ALTER TABLE triggers ADD COLUMN calls bigint NOT NULL DEFAULT 0;
