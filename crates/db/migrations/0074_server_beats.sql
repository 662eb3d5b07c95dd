-- Servers that run, by the leases that each of them takes: from id to last_lease. On PostgreSQL a server renews beat_at by
-- the database's clock. A dead server's row stays until its leases are released.
CREATE TABLE server_beats (
    id uuid NOT NULL PRIMARY KEY,
    last_lease uuid NOT NULL,
    beat_at timestamptz NOT NULL,
    is_dead boolean NOT NULL
);
-- @postgres
-- A heartbeat need not survive a crash of the database: servers that run then begin anew, under other leases.
ALTER TABLE server_beats SET UNLOGGED;
-- Calls to channels that have begun. A server overwrites its slots as its calls end. The server's row in server_beats shows
-- that none of its marks is lost: a crash of the database empties both tables.
CREATE UNLOGGED TABLE call_marks (
    server uuid NOT NULL,
    slot bigint NOT NULL,
    lease uuid NOT NULL,
    row_id uuid NOT NULL,
    part bigint NOT NULL,
    PRIMARY KEY (server, slot)
);
-- @both
