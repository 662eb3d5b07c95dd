-- What each server says about itself: its version, role, load and leases, as JSON. Servers of earlier versions say nothing.
ALTER TABLE servers ADD COLUMN report text;
