-- When the vendor first asked for the webhook's address with the right verify token; null if it has not.
ALTER TABLE connections ADD COLUMN webhook_verified_at timestamptz;
