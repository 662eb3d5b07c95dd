-- @both
-- The country whose national phone numbers an account reads. NULL follows the time zone; an empty text is none.
ALTER TABLE accounts ADD COLUMN country TEXT;
