//! The file of SQLite's full-text index of contacts, beside the database.
//!
//! The index is a large part of what a new contact costs and follows behind anyway, so it has a file with a writer of
//! its own. It can be rebuilt from the database: a file that is missing, broken or of another database is created anew.

use frontdesk_db::SideFile;

/// Merges wait for eight parts of a size. A size with far more parts than that would be merged in one go, which takes
/// long, so that must not come up.
pub const FILE: SideFile = SideFile {
    name: "search",
    version: 1,
    create: "DROP TABLE IF EXISTS contact_search;
    DROP TABLE IF EXISTS contact_index;
    CREATE VIRTUAL TABLE contact_search
        USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
    INSERT INTO contact_search (contact_search, rank) VALUES ('automerge', 8);
    INSERT INTO contact_search (contact_search, rank) VALUES ('crisismerge', 256);
    CREATE TABLE contact_index (only INTEGER PRIMARY KEY CHECK (only = 1), through INTEGER NOT NULL, of TEXT NOT NULL) STRICT;",
    database_id: "SELECT known_by FROM contact_search_file",
    set_owner: "INSERT INTO contact_index VALUES (1, 0, $1)",
    owner: "SELECT of FROM contact_index",
};
