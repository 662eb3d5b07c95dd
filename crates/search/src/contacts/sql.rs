//! Statements of SQLite's index of contacts.

frontdesk_db::statements! {
    /// Adds a contact's words.
    ADD = "INSERT INTO contact_search (rowid, words) VALUES ($1, $2)";
    /// Removes words, which must be those that were added.
    REMOVE = "INSERT INTO contact_search (contact_search, rowid, words) VALUES ('delete', $1, $2)";
    TEXTS = "SELECT account, text FROM contact_texts WHERE entry = $1";
    ADD_TEXT = "INSERT INTO contact_texts (entry, account, text) VALUES ($1, $2, $3)";
    REMOVE_TEXTS = "DELETE FROM contact_texts WHERE entry = $1";
    THROUGH = "SELECT through FROM contact_index";
    /// Reads the database first and the index after it, so that a contact that no longer waits is in the index.
    STATE = "SELECT EXISTS (SELECT 1 FROM contact_changes), through FROM contact_index";
    MOVE = "UPDATE contact_index SET through = $1";
    FRESH = "SELECT c.seq, a.num, c.name, c.phone, c.email, c.company
        FROM contacts c JOIN accounts a ON a.id = c.account_id WHERE c.seq > $1 ORDER BY c.seq LIMIT $2";
    CHANGED = "SELECT n.seq, n.times, a.num, c.name, c.phone, c.email, c.company
        FROM contact_changes n LEFT JOIN contacts c ON c.seq = n.seq LEFT JOIN accounts a ON a.id = c.account_id
        ORDER BY n.seq LIMIT $1";
    IS_NEWEST = "SELECT NOT EXISTS (SELECT 1 FROM contacts WHERE seq > $1)";
    NOTE = "INSERT INTO contact_changes (seq, times) VALUES ($1, 1) ON CONFLICT (seq) DO UPDATE SET times = times + 1";
    NOTE_MANY = "INSERT INTO contact_changes (seq, times)
        SELECT c.seq, 1 FROM (SELECT seq FROM contacts WHERE account_id = $1 ORDER BY id LIMIT $2) c WHERE true
        ON CONFLICT (seq) DO UPDATE SET times = times + 1";
    INDEXED_OF_ACCOUNT = "SELECT count(*) FROM contact_texts WHERE account = $1";
    FORGET = "DELETE FROM contact_changes WHERE seq = $1 AND times = $2";
    MERGE = "INSERT INTO contact_search (contact_search, rank) VALUES ('merge', $1)";
}
