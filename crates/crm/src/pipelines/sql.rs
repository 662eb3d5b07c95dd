//! Statements of pipelines and their stages.

frontdesk_db::statements! {
    LIST = "SELECT id, name, updated_at FROM pipelines WHERE account_id = $1 ORDER BY id DESC";
    FIND = "SELECT id, name, updated_at FROM pipelines WHERE account_id = $1 AND id = $2";
    OLDEST = "SELECT id FROM pipelines WHERE account_id = $1 ORDER BY id LIMIT 1";
    COUNT = "SELECT count(*) FROM pipelines WHERE account_id = $1";
    LOCK_ALL = "SELECT id FROM pipelines WHERE account_id = $1 ORDER BY id";
    WITHOUT = "SELECT a.id FROM accounts a WHERE NOT EXISTS (SELECT 1 FROM pipelines p WHERE p.account_id = a.id)";
    INSERT = "INSERT INTO pipelines (account_id, id, name, updated_at) VALUES ($1, $2, $3, $4)";
    RENAME = "UPDATE pipelines SET name = $3, updated_at = $4 WHERE account_id = $1 AND id = $2";
    TOUCH = "UPDATE pipelines SET updated_at = $3 WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM pipelines WHERE account_id = $1 AND id = $2";
    HAS_DEALS = "SELECT id FROM deals WHERE account_id = $1 AND pipeline_id = $2 LIMIT 1";
    STAGES_OF_PIPELINE = "SELECT id, name, position, probability FROM stages WHERE account_id = $1 AND pipeline_id = $2 ORDER BY position, id";
    STAGES_OF_ACCOUNT = "SELECT pipeline_id, id, name, position, probability FROM stages WHERE account_id = $1 ORDER BY pipeline_id, position, id";
    FIRST_STAGE = "SELECT id FROM stages WHERE account_id = $1 AND pipeline_id = $2 ORDER BY position, id LIMIT 1";
    LOCATE_STAGE = "SELECT pipeline_id FROM stages WHERE account_id = $1 AND id = $2";
    INSERT_STAGE = "INSERT INTO stages (account_id, id, pipeline_id, name, position, probability) VALUES ($1, $2, $3, $4, $5, $6)";
    UPDATE_STAGE = "UPDATE stages SET name = $3, probability = $4 WHERE account_id = $1 AND id = $2";
    PLACE_STAGE = "UPDATE stages SET position = $3 WHERE account_id = $1 AND id = $2";
    DELETE_STAGE = "DELETE FROM stages WHERE account_id = $1 AND id = $2";
    STAGE_HAS_DEALS = "SELECT id FROM deals WHERE account_id = $1 AND stage_id = $2 LIMIT 1";
}
