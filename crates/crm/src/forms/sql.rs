//! Statements of forms.

frontdesk_db::statements! {
    INSERT = "INSERT INTO forms (account_id, id, name, token, redirect_url, origins, fields, button_text, thanks_text) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    LIST = "SELECT account_id, id, name, token, redirect_url, origins, fields, button_text, thanks_text FROM forms \
        WHERE account_id = $1 ORDER BY id DESC";
    FIND = "SELECT account_id, id, name, token, redirect_url, origins, fields, button_text, thanks_text FROM forms \
        WHERE account_id = $1 AND id = $2";
    BY_TOKEN = "SELECT account_id, id, name, token, redirect_url, origins, fields, button_text, thanks_text FROM forms \
        WHERE token = $1";
    UPDATE = "UPDATE forms SET name = $3, redirect_url = $4, origins = $5, fields = $6, button_text = $7, thanks_text = $8 \
        WHERE account_id = $1 AND id = $2";
    LOCATE = "SELECT account_id FROM forms WHERE id = $1";
    DELETE = "DELETE FROM forms WHERE account_id = $1 AND id = $2";
}
