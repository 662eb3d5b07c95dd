//! The file of SQLite's full-text index of messages, beside the database.
//!
//! A message costs less when the index has its own file and writer. The file can be rebuilt from the database: one that
//! is missing, broken or of another database is created anew.

use frontdesk_db::SideFile;

/// `message_entries` has the id of every message in the index, because the index can remove only what it has. With
/// `secure-delete` it removes words from its pages at once.
///
/// `account` and `message` are the key of the last message that was indexed when the file was built; `is_whole` says
/// that this is complete, and that every other message is indexed or waits in `message_queue`.
pub const FILE: SideFile = SideFile {
    name: "message_search",
    version: 2,
    create: "DROP TABLE IF EXISTS message_search;
    DROP TABLE IF EXISTS message_index;
    DROP TABLE IF EXISTS message_entries;
    CREATE VIRTUAL TABLE message_search
        USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
    INSERT INTO message_search (message_search, rank) VALUES ('automerge', 8);
    INSERT INTO message_search (message_search, rank) VALUES ('crisismerge', 256);
    INSERT INTO message_search (message_search, rank) VALUES ('secure-delete', 1);
    CREATE TABLE message_entries (message BLOB NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE TABLE message_index (only INTEGER PRIMARY KEY CHECK (only = 1), account BLOB NOT NULL, message BLOB NOT NULL,
        is_whole INTEGER NOT NULL, of TEXT NOT NULL) STRICT;",
    database_id: "SELECT known_by FROM contact_search_file",
    set_owner: "INSERT INTO message_index VALUES (1, zeroblob(16), zeroblob(16), 0, $1)",
    owner: "SELECT of FROM message_index",
};
