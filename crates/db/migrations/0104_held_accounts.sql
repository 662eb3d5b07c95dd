-- Since when the work of an account waits, because its database was restored from a backup: what was queued at the time of
-- the backup may have been done since, and nobody but the operator knows. A restore may have added the column before.
-- @sqlite
ALTER TABLE accounts ADD COLUMN held_at INTEGER;
-- @postgres
ALTER TABLE accounts ADD COLUMN IF NOT EXISTS held_at timestamptz;
-- @both
-- Servers read often which accounts are held.
CREATE INDEX accounts_held ON accounts (held_at) WHERE held_at IS NOT NULL;
