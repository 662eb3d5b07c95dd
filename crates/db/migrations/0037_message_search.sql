-- Searching messages by any part of their text.

-- The text that is searched, if it differs from the message's text: lower case, without line breaks. SQLite leaves it
-- empty: it has a full-text index in a file of its own.
ALTER TABLE messages ADD COLUMN search text;

-- @sqlite
-- Messages that wait to be written into the full-text index, in the order of their commits. Rows are added at one end and
-- leave at the other, many at a time, which costs a message least.
CREATE TABLE message_queue (num INTEGER PRIMARY KEY, account_id BLOB NOT NULL, message_id BLOB NOT NULL) STRICT;
-- @postgres
-- @batch
SELECT max(account_id::text || ' ' || id::text), count(*) FROM (
    SELECT account_id, id FROM messages
    WHERE (account_id, id) > (
        coalesce(split_part($1, ' ', 1)::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce(split_part($1, ' ', 2)::uuid, '00000000-0000-0000-0000-000000000000')
    )
    ORDER BY account_id, id LIMIT 1000
) AS batch;
UPDATE messages SET search = regexp_replace(lower(text), '[[:cntrl:]]', ' ', 'g')
WHERE search IS NULL AND text <> regexp_replace(lower(text), '[[:cntrl:]]', ' ', 'g')
    AND (account_id, id) > (
        coalesce(split_part($1, ' ', 1)::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce(split_part($1, ' ', 2)::uuid, '00000000-0000-0000-0000-000000000000')
    )
    AND (account_id, id) <= (split_part($2, ' ', 1)::uuid, split_part($2, ' ', 2)::uuid);
-- @index
CREATE INDEX CONCURRENTLY messages_search ON messages USING gin (account_id, (coalesce(search, text)) gin_trgm_ops);
-- @both
