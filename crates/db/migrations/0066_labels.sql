-- A copy of a contact's tags and values, in the row that a page reads. A row without one is looked up in contact_tags and
-- contact_values, and the next change of the contact writes it. PostgreSQL's rows are left to that: updating all of them
-- would write every index entry anew.
ALTER TABLE contacts ADD COLUMN labels bytea;
-- @sqlite
UPDATE contacts SET labels = unhex(
    printf('%016x', updated_at)
    || printf('%08x', (SELECT count(*) FROM contact_tags t WHERE t.account_id = contacts.account_id AND t.contact_id = contacts.id))
    || coalesce((
        SELECT group_concat(hex(t.tag_id), '') FROM contact_tags t
        WHERE t.account_id = contacts.account_id AND t.contact_id = contacts.id
    ), '')
    || coalesce((
        SELECT group_concat(hex(v.field_id) || printf('%08x', octet_length(v.value)) || hex(v.value), '') FROM contact_values v
        WHERE v.account_id = contacts.account_id AND v.contact_id = contacts.id
    ), '')
) WHERE labels IS NULL;
