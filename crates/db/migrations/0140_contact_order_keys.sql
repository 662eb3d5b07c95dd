-- The keys by which contacts are sorted, written with each contact: computing them in an index cost a third of a new
-- contact's insert on SQLite. The expressions compute for the contacts that exist what `sort_key` of the kernel does.

-- @sqlite
DROP INDEX contacts_by_name;
DROP INDEX contacts_by_company;
ALTER TABLE contacts ADD COLUMN name_order TEXT NOT NULL DEFAULT '';
ALTER TABLE contacts ADD COLUMN company_order TEXT NOT NULL DEFAULT '';
UPDATE contacts SET
    name_order = coalesce(substr(lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(name, 'Ä', 'a'), 'ä', 'a'), 'Ö', 'o'), 'ö', 'o'), 'Ü', 'u'), 'ü', 'u'), 'ß', 'ss'), 'É', 'e'), 'é', 'e'), 'È', 'e'), 'è', 'e'), 'Á', 'a'), 'á', 'a'), 'Ó', 'o'), 'ó', 'o'), 'Å', 'a'), 'å', 'a'), 'Ø', 'o'), 'ø', 'o'), 'ç', 'c')), 1, 60), ''),
    company_order = coalesce(substr(lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(company, 'Ä', 'a'), 'ä', 'a'), 'Ö', 'o'), 'ö', 'o'), 'Ü', 'u'), 'ü', 'u'), 'ß', 'ss'), 'É', 'e'), 'é', 'e'), 'È', 'e'), 'è', 'e'), 'Á', 'a'), 'á', 'a'), 'Ó', 'o'), 'ó', 'o'), 'Å', 'a'), 'å', 'a'), 'Ø', 'o'), 'ø', 'o'), 'ç', 'c')), 1, 60), '');
CREATE INDEX contacts_name_order ON contacts (account_id, name_order, id);
CREATE INDEX contacts_company_order ON contacts (account_id, company_order, id);
-- @postgres
DROP INDEX contacts_by_name;
DROP INDEX contacts_by_company;
ALTER TABLE contacts ADD COLUMN name_order text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE contacts ADD COLUMN company_order text COLLATE "C" NOT NULL DEFAULT '';
-- @batch
SELECT max(account_id::text || ' ' || id::text), count(*) FROM (
    SELECT account_id, id FROM contacts
    WHERE (account_id, id) > (
        coalesce(split_part($1, ' ', 1)::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce(split_part($1, ' ', 2)::uuid, '00000000-0000-0000-0000-000000000000')
    )
    ORDER BY account_id, id LIMIT 1000
) AS batch;
UPDATE contacts SET
    name_order = coalesce(substr(lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(name, 'Ä', 'a'), 'ä', 'a'), 'Ö', 'o'), 'ö', 'o'), 'Ü', 'u'), 'ü', 'u'), 'ß', 'ss'), 'É', 'e'), 'é', 'e'), 'È', 'e'), 'è', 'e'), 'Á', 'a'), 'á', 'a'), 'Ó', 'o'), 'ó', 'o'), 'Å', 'a'), 'å', 'a'), 'Ø', 'o'), 'ø', 'o'), 'ç', 'c') COLLATE "C"), 1, 60), ''),
    company_order = coalesce(substr(lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(company, 'Ä', 'a'), 'ä', 'a'), 'Ö', 'o'), 'ö', 'o'), 'Ü', 'u'), 'ü', 'u'), 'ß', 'ss'), 'É', 'e'), 'é', 'e'), 'È', 'e'), 'è', 'e'), 'Á', 'a'), 'á', 'a'), 'Ó', 'o'), 'ó', 'o'), 'Å', 'a'), 'å', 'a'), 'Ø', 'o'), 'ø', 'o'), 'ç', 'c') COLLATE "C"), 1, 60), '')
WHERE name_order = '' AND company_order = ''
    AND (account_id, id) > (
        coalesce(split_part($1, ' ', 1)::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce(split_part($1, ' ', 2)::uuid, '00000000-0000-0000-0000-000000000000')
    )
    AND (account_id, id) <= (split_part($2, ' ', 1)::uuid, split_part($2, ' ', 2)::uuid);
-- @index
CREATE INDEX CONCURRENTLY contacts_name_order ON contacts (account_id, name_order, id);
-- @index
CREATE INDEX CONCURRENTLY contacts_company_order ON contacts (account_id, company_order, id);
-- @both
