-- What a form asks for, as JSON, and its texts. Null for the usual ones.
ALTER TABLE forms ADD COLUMN fields text;
ALTER TABLE forms ADD COLUMN button_text text;
ALTER TABLE forms ADD COLUMN thanks_text text;
