-- Searching.

-- @sqlite
-- Merges of the full-text index wait for eight parts of a size instead of four: a contact costs half as much to write,
-- and a search looks into a few parts more.
INSERT INTO contact_search (contact_search, rank) VALUES ('automerge', 8);
-- @both
