-- Servers read often which accounts are suspended.
CREATE INDEX accounts_suspended ON accounts (suspended_at) WHERE suspended_at IS NOT NULL;
