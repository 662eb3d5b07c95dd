-- How a web chat's widget looks and behaves, as JSON. Null for the defaults.
ALTER TABLE connections ADD COLUMN widget text;
