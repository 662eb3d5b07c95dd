-- Which row of ours a row of another system has become. source names the system and its account there, kind is the kind of
-- row, and source_id its number there, or a number made from its content. A row of ours may be deleted since: what was
-- deleted here is not brought again.
CREATE TABLE imported_rows (
    account_id uuid NOT NULL,
    source text NOT NULL,
    kind text NOT NULL,
    source_id bigint NOT NULL,
    id uuid NOT NULL,
    PRIMARY KEY (account_id, source, kind, source_id)
);
