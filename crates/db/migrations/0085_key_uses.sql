-- When a key was last used, to the minute; null if never.
ALTER TABLE api_keys ADD COLUMN last_used_at timestamptz;
