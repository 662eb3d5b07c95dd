-- The tools that reach beyond the contact of a confined run, as a JSON list of tool ids. Existing assistants have none.
ALTER TABLE assistants ADD COLUMN unconfined_tools text NOT NULL DEFAULT '[]';
