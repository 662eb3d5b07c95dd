-- @sqlite
-- Texts of erased messages, until the full-text index has forgotten them.
CREATE TABLE message_forgets (num INTEGER PRIMARY KEY AUTOINCREMENT, message_id BLOB NOT NULL, account_num INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
-- @both
