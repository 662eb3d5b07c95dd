-- Accounts that are being deleted, by `frontdesk account delete`. The row is there until every other row of the account is gone.
CREATE TABLE account_deletions (
    account_id uuid NOT NULL PRIMARY KEY,
    name text NOT NULL,
    started_at timestamptz NOT NULL,
    row_count bigint NOT NULL
);
