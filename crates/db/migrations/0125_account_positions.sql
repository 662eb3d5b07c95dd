-- @postgres
-- How far a read replica must have come to have the last change of an account, in bytes of the write-ahead log. The row of
-- account 0 holds for all accounts. A crash or a promotion of the database empties the table; without that row nothing is
-- known, and a server begins a new epoch.
CREATE UNLOGGED TABLE account_positions (
    account_id uuid NOT NULL PRIMARY KEY,
    position bigint NOT NULL
) WITH (fillfactor = 50);
-- @both
