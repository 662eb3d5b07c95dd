-- Searching.

-- @sqlite
-- Merges of the full-text index wait for sixteen parts of a size instead of four: a contact costs half as much to
-- write, and the janitor merges further. A size with far more parts than that is merged in one go, which holds up
-- everything, so that must not come up.
INSERT INTO contact_search (contact_search, rank) VALUES ('automerge', 16);
INSERT INTO contact_search (contact_search, rank) VALUES ('crisismerge', 256);
-- @both
