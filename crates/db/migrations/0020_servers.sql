-- The servers that are running, and which secret key each of them seals under.
CREATE TABLE servers (
    id uuid NOT NULL PRIMARY KEY,
    key_id text NOT NULL,
    seen_at timestamptz NOT NULL
);
