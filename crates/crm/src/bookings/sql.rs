//! Statements of bookings and their sources.

macro_rules! columns {
    () => {
        "SELECT id, uid, contact_id, title, start_at, end_at, status, updated_at FROM bookings "
    };
}

/// The beginning of a list.
pub(super) const COLUMNS: &str = columns!();

frontdesk_db::statements! {
    REPOINT = "UPDATE bookings SET contact_id = $3, updated_at = $4 WHERE account_id = $1 AND contact_id = $2";
    FIND = concat!(columns!(), "WHERE account_id = $1 AND id = $2");
    BY_UID = "SELECT booking_id FROM booking_uids WHERE account_id = $1 AND source_id = $2 AND uid = $3";
    ADD_UID = "INSERT INTO booking_uids (account_id, source_id, uid, booking_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    INSERT = "INSERT INTO bookings (account_id, id, uid, contact_id, title, start_at, end_at, status, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    UPDATE = "UPDATE bookings SET uid = $3, contact_id = $4, title = $5, start_at = $6, end_at = $7, status = $8, updated_at = $9
        WHERE account_id = $1 AND id = $2";
    DUE = "SELECT account_id, id FROM bookings WHERE status = 'scheduled' AND end_at <= $1 ORDER BY end_at, account_id, id LIMIT $2";
    ANY_DUE = "SELECT id FROM bookings WHERE status = 'scheduled' AND end_at <= $1 LIMIT 1";
    INSERT_SOURCE = "INSERT INTO booking_sources (account_id, id, name, token, secret) VALUES ($1, $2, $3, $4, $5)";
    LIST_SOURCES = "SELECT account_id, id, name, token FROM booking_sources WHERE account_id = $1 ORDER BY id DESC";
    SOURCE_BY_TOKEN = "SELECT account_id, id, name, token, secret FROM booking_sources WHERE token = $1";
    LOCATE_SOURCE = "SELECT account_id FROM booking_sources WHERE id = $1";
    DELETE_SOURCE = "DELETE FROM booking_sources WHERE account_id = $1 AND id = $2";
}
