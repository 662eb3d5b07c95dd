-- Copies of whole databases, by `frontdesk copy`.

-- One row on each side: in the source from the beginning of a copy on, and in the target until the copy is complete. Nobody
-- opens a database that has one. side is 'source' or 'target', and other is where the other side is.
CREATE TABLE copies (
    one bigint NOT NULL PRIMARY KEY,
    copy_id uuid NOT NULL,
    side text NOT NULL,
    other text NOT NULL,
    completed_at timestamptz
);

-- How far the tables of a target are. last_key is the key of the last row that was copied (JSON).
CREATE TABLE copied_tables (
    name text NOT NULL PRIMARY KEY,
    last_key text,
    row_count bigint NOT NULL,
    is_complete boolean NOT NULL
);

-- The indexes of a target that are made when its rows are there.
CREATE TABLE copy_indexes (
    name text NOT NULL PRIMARY KEY,
    definition text NOT NULL
);

-- @sqlite
-- Servers that share a PostgreSQL database may give contacts of two accounts the same place, and such rows may come here.
DROP INDEX contacts_seq_key;
CREATE INDEX contacts_seq ON contacts (seq);
-- @both
