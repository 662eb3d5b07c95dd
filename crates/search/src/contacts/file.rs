//! The file of SQLite's full-text index of contacts, next to the database.
//!
//! Indexing is a large part of the cost of a new contact and may lag behind, so the index has its own file
//! and writer. It can be rebuilt from the database: a file that is missing, broken or of another database is
//! created again.

use frontdesk_db::SideFile;

/// `contact_texts` has the text of every entry, because the index can remove only words that it is told. With
/// `secure-delete` it removes them from its pages at once.
///
/// Automatic merges wait for eight segments of a size. Far more segments of one size would be merged in one
/// go, which takes long, so that must not occur.
pub const FILE: SideFile = SideFile {
    name: "search",
    version: 2,
    create: "DROP TABLE IF EXISTS contact_search;
    DROP TABLE IF EXISTS contact_index;
    DROP TABLE IF EXISTS contact_texts;
    CREATE VIRTUAL TABLE contact_search
        USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
    INSERT INTO contact_search (contact_search, rank) VALUES ('automerge', 8);
    INSERT INTO contact_search (contact_search, rank) VALUES ('crisismerge', 256);
    INSERT INTO contact_search (contact_search, rank) VALUES ('secure-delete', 1);
    CREATE TABLE contact_texts (entry INTEGER NOT NULL, account INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (entry, account)) STRICT, WITHOUT ROWID;
    CREATE TABLE contact_index (only INTEGER PRIMARY KEY CHECK (only = 1), through INTEGER NOT NULL, of TEXT NOT NULL) STRICT;",
    database_id: "SELECT known_by FROM contact_search_file",
    set_owner: "INSERT INTO contact_index VALUES (1, 0, $1)",
    owner: "SELECT of FROM contact_index",
};
