//! Statements of inquiries.

macro_rules! columns {
    () => {
        "SELECT id, form, name, email, phone, message, fields, source_url, contact_id, status, updated_at \
         FROM inquiries WHERE account_id = "
    };
}

/// The beginning of a list.
pub(super) const SELECT: &str = columns!();

frontdesk_db::statements! {
    REPOINT = "UPDATE inquiries SET contact_id = $3, updated_at = $4 WHERE account_id = $1 AND contact_id = $2";
    FIND = concat!(columns!(), "$1 AND id = $2");
    INSERT = "INSERT INTO inquiries (account_id, id, form, name, email, phone, message, fields, source_url, contact_id, status, search, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    SET_STATUS = "UPDATE inquiries SET status = $3, updated_at = $4 WHERE account_id = $1 AND id = $2";
}
