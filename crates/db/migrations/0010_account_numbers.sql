-- The last number given to an account. Raising it locks the row, so concurrent creations get different numbers.
CREATE TABLE account_numbers (
    one bigint NOT NULL PRIMARY KEY,
    last bigint NOT NULL
);
INSERT INTO account_numbers (one, last) SELECT 1, coalesce(max(num), 0) FROM accounts;
