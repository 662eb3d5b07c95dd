-- Searching by what is rare.

-- @sqlite
-- The index of contacts keeps no places of words any more, and follows behind: contacts up to a place in the order of
-- creation are in it. Its row numbers are those places below zero, so that it is read newest first. The server makes it
-- anew, from the beginning.
ALTER TABLE contacts ADD COLUMN search_keys TEXT;
DROP TABLE contact_search;
CREATE VIRTUAL TABLE contact_search USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
INSERT INTO contact_search (contact_search, rank) VALUES ('automerge', 8);
INSERT INTO contact_search (contact_search, rank) VALUES ('crisismerge', 256);
CREATE TABLE contact_index (only INTEGER PRIMARY KEY CHECK (only = 1), through INTEGER NOT NULL) STRICT;
INSERT INTO contact_index VALUES (1, 0);
-- @postgres
-- The keys of a contact's text, a line each: four digits in a row, and the blank between two words with three
-- characters on either side, each with the account's number before it.
ALTER TABLE contacts ADD COLUMN search_keys text COLLATE "C";
-- @batch
SELECT max(account_id::text || ' ' || id::text), count(*) FROM (
    SELECT account_id, id FROM contacts
    WHERE (account_id, id) > (
        coalesce(split_part($1, ' ', 1)::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce(split_part($1, ' ', 2)::uuid, '00000000-0000-0000-0000-000000000000')
    )
    ORDER BY account_id, id LIMIT 1000
) AS batch;
UPDATE contacts c SET search_keys = coalesce((
    SELECT string_agg(DISTINCT to_hex(a.num) || 'z' || k.key, E'\n')
    FROM accounts a,
        regexp_split_to_table(c.search, E'\n') AS field,
        LATERAL (
            SELECT substr(p.plain, i, 4) AS key
            FROM (SELECT replace(field, E'\x01', '') AS plain) p, generate_series(1, length(p.plain) - 3) AS i
            WHERE substr(p.plain, i, 4) ~ '^[0-9]{4}$'
            UNION
            SELECT right(j.before, 4) || left(j.after, 3)
            FROM generate_series(1, length(field)) AS i,
                LATERAL (
                    SELECT replace(substr(field, 1, i - 1), E'\x01', '') AS before,
                        replace(substr(field, i + 1), E'\x01', '') AS after
                ) j
            WHERE substr(field, i, 1) = E'\x01' AND j.before LIKE '%___ ' AND length(j.after) >= 3
        ) k
    WHERE a.id = c.account_id
), '')
WHERE c.search IS NOT NULL AND c.search_keys IS NULL
    AND (c.account_id, c.id) > (
        coalesce(split_part($1, ' ', 1)::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce(split_part($1, ' ', 2)::uuid, '00000000-0000-0000-0000-000000000000')
    )
    AND (c.account_id, c.id) <= (split_part($2, ' ', 1)::uuid, split_part($2, ' ', 2)::uuid);
-- @index
CREATE INDEX CONCURRENTLY contacts_search_keys ON contacts USING gin (string_to_array(search_keys, E'\n'));
-- @both
