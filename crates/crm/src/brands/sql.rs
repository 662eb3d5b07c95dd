//! Statements of brands.

frontdesk_db::statements! {
    FIND = "SELECT name, color, logo_hash FROM brands WHERE account_id = $1";
    LOGO = "SELECT logo_type, logo FROM brands WHERE logo_hash = $1";
    CREATE = "INSERT INTO brands (account_id, updated_at) VALUES ($1, $2) ON CONFLICT (account_id) DO NOTHING";
    UPDATE = "UPDATE brands SET name = $2, color = $3, updated_at = $4 WHERE account_id = $1";
    SET_LOGO = "UPDATE brands SET logo = $2, logo_type = $3, logo_hash = $4, updated_at = $5 WHERE account_id = $1";
    REMOVE_LOGO = "UPDATE brands SET logo = NULL, logo_type = NULL, logo_hash = NULL, updated_at = $2 WHERE account_id = $1";
}
