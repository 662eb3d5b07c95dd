-- A copy of the contact's tags and values, in the row that a page reads. Rows without one are looked up in contact_tags
-- and contact_values; the next change of the contact writes it.
ALTER TABLE contacts ADD COLUMN labels bytea;
