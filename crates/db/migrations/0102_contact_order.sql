-- Contacts by name and by company, for the table of the dashboard. The expressions are those of `alphabetic` (db's dialect.rs).

-- @sqlite
CREATE INDEX contacts_by_name ON contacts (account_id, coalesce(substr(lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(name, 'Ä', 'a'), 'ä', 'a'), 'Ö', 'o'), 'ö', 'o'), 'Ü', 'u'), 'ü', 'u'), 'ß', 'ss'), 'É', 'e'), 'é', 'e'), 'È', 'e'), 'è', 'e'), 'Á', 'a'), 'á', 'a'), 'Ó', 'o'), 'ó', 'o'), 'Å', 'a'), 'å', 'a'), 'Ø', 'o'), 'ø', 'o'), 'ç', 'c')), 1, 60), ''), id);
CREATE INDEX contacts_by_company ON contacts (account_id, coalesce(substr(lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(company, 'Ä', 'a'), 'ä', 'a'), 'Ö', 'o'), 'ö', 'o'), 'Ü', 'u'), 'ü', 'u'), 'ß', 'ss'), 'É', 'e'), 'é', 'e'), 'È', 'e'), 'è', 'e'), 'Á', 'a'), 'á', 'a'), 'Ó', 'o'), 'ó', 'o'), 'Å', 'a'), 'å', 'a'), 'Ø', 'o'), 'ø', 'o'), 'ç', 'c')), 1, 60), ''), id);
-- @postgres
-- @index
CREATE INDEX CONCURRENTLY contacts_by_name ON contacts (account_id, coalesce(substr(lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(name, 'Ä', 'a'), 'ä', 'a'), 'Ö', 'o'), 'ö', 'o'), 'Ü', 'u'), 'ü', 'u'), 'ß', 'ss'), 'É', 'e'), 'é', 'e'), 'È', 'e'), 'è', 'e'), 'Á', 'a'), 'á', 'a'), 'Ó', 'o'), 'ó', 'o'), 'Å', 'a'), 'å', 'a'), 'Ø', 'o'), 'ø', 'o'), 'ç', 'c') COLLATE "C"), 1, 60), ''), id);
-- @index
CREATE INDEX CONCURRENTLY contacts_by_company ON contacts (account_id, coalesce(substr(lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(company, 'Ä', 'a'), 'ä', 'a'), 'Ö', 'o'), 'ö', 'o'), 'Ü', 'u'), 'ü', 'u'), 'ß', 'ss'), 'É', 'e'), 'é', 'e'), 'È', 'e'), 'è', 'e'), 'Á', 'a'), 'á', 'a'), 'Ó', 'o'), 'ó', 'o'), 'Å', 'a'), 'å', 'a'), 'Ø', 'o'), 'ø', 'o'), 'ç', 'c') COLLATE "C"), 1, 60), ''), id);
-- @both
