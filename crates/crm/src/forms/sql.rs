//! Statements of forms.

frontdesk_db::statements! {
    INSERT = "INSERT INTO forms (account_id, id, name, token, redirect_url, origins) VALUES ($1, $2, $3, $4, $5, $6)";
    LIST = "SELECT account_id, id, name, token, redirect_url, origins FROM forms WHERE account_id = $1 ORDER BY id DESC";
    BY_TOKEN = "SELECT account_id, id, name, token, redirect_url, origins FROM forms WHERE token = $1";
    LOCATE = "SELECT account_id FROM forms WHERE id = $1";
    DELETE = "DELETE FROM forms WHERE account_id = $1 AND id = $2";
}
