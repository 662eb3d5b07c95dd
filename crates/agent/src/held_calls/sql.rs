//! The statements of held calls.

/// The columns that `read` maps, up to the account.
macro_rules! columns {
    () => {
        "SELECT ask_id, key_id, operation, params, body, fingerprint, outcome FROM held_calls WHERE account_id = "
    };
}

frontdesk_db::statements! {
    FIND = concat!(columns!(), "$1 AND ask_id = $2");
    NAMED = concat!(columns!(), "$1 AND key_id = $2 AND call_key = $3");
    /// The newest one that is alike and still waits.
    ALIKE = "SELECT h.ask_id FROM held_calls h JOIN asks a ON a.account_id = h.account_id AND a.id = h.ask_id
        WHERE h.account_id = $1 AND h.key_id = $2 AND h.fingerprint = $3 AND a.status = 'pending' ORDER BY h.ask_id DESC LIMIT 1";
    WAITING = "SELECT COUNT(*) FROM (SELECT 1 FROM asks a JOIN held_calls h ON h.account_id = a.account_id AND h.ask_id = a.id
        WHERE a.account_id = $1 AND a.status = 'pending' AND h.key_id = $2 LIMIT $3) waiting";
    INSERT = "INSERT INTO held_calls (account_id, ask_id, key_id, operation, params, body, call_key, fingerprint, contact_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    FINISH = "UPDATE held_calls SET outcome = $3 WHERE account_id = $1 AND ask_id = $2";
    OF_CONTACT = "SELECT ask_id FROM held_calls WHERE account_id = $1 AND contact_id = $2";
    DELETE = "DELETE FROM held_calls WHERE account_id = $1 AND ask_id = $2";
    BLANK_ASK = "UPDATE asks SET prompt = '', arguments = NULL, answer = NULL WHERE account_id = $1 AND id = $2";
    DELETE_ASK = "DELETE FROM asks WHERE account_id = $1 AND id = $2";
    REPOINT = "UPDATE held_calls SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2";
    OLD = "SELECT h.ask_id FROM held_calls h JOIN asks a ON a.account_id = h.account_id AND a.id = h.ask_id
        WHERE h.account_id = $1 AND h.ask_id < $2 AND a.status <> 'pending' ORDER BY h.ask_id LIMIT $3";
}
