-- The member who made a one-time link, for the page that it opens. Null for links of the operator.
ALTER TABLE member_links ADD COLUMN created_by uuid;
