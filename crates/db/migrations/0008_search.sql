-- The full-text index in a file of its own.

-- @sqlite
-- The index has moved into the file beside the database, whose tables are made with it. Contacts that the index has to
-- look at once more wait here; times tells one change from the next. known_by is what the file knows the database by.
DROP TABLE contact_search;
DROP TABLE contact_index;
CREATE TABLE contact_changes (seq INTEGER PRIMARY KEY, times INTEGER NOT NULL) STRICT;
CREATE TABLE contact_search_file (known_by TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO contact_search_file VALUES (lower(hex(randomblob(16))));
-- @both
