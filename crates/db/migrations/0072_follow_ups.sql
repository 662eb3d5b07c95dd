-- The follow-ups that wait, which are counted before another one is scheduled.
-- @postgres
-- @index
CREATE INDEX CONCURRENTLY runs_follow_ups ON runs (account_id, contact_id, assistant_id) WHERE origin = 'follow_up' AND status = 'queued';
-- @sqlite
CREATE INDEX runs_follow_ups ON runs (account_id, contact_id, assistant_id) WHERE origin = 'follow_up' AND status = 'queued';
