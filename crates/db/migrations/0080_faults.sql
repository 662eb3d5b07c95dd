-- How often work has failed in a row for a reason of its own. Work that keeps failing is set aside.
ALTER TABLE runs ADD COLUMN faults bigint NOT NULL DEFAULT 0;
ALTER TABLE broadcasts ADD COLUMN faults bigint NOT NULL DEFAULT 0;
ALTER TABLE triggers ADD COLUMN faults bigint NOT NULL DEFAULT 0;
ALTER TABLE trigger_events ADD COLUMN faults bigint NOT NULL DEFAULT 0;
ALTER TABLE bulk_jobs ADD COLUMN faults bigint NOT NULL DEFAULT 0;
ALTER TABLE erasures ADD COLUMN faults bigint NOT NULL DEFAULT 0;
