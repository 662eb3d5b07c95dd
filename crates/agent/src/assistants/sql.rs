//! The statements of assistants.

macro_rules! columns {
    () => {
        "SELECT id, name, color, enabled, system_prompt, model, temperature, tool_access, gated_tools, delegation, schedule,
         default_handoff_user_id, history_limit, transcribe_media, handle_voice, handle_images, voice_replies, voice_provider,
         voice_id, targets, instruction_count, updated_at FROM assistants WHERE account_id = "
    };
}
pub(super) use columns;

/// The beginning of a list of versions, to which the account is bound next.
pub(super) const VERSIONS: &str =
    "SELECT id, number, author_user_id, restored_from, changed FROM assistant_versions WHERE account_id = ";

frontdesk_db::statements! {
    FIND = concat!(columns!(), "$1 AND id = $2");
    LIST_ALL = concat!(columns!(), "$1 ORDER BY id DESC");
    INSERT = "INSERT INTO assistants (account_id, id, name, color, enabled, system_prompt, model, temperature, tool_access, gated_tools,
        delegation, schedule, default_handoff_user_id, history_limit, transcribe_media, handle_voice, handle_images, voice_replies,
        voice_provider, voice_id, targets, instruction_count, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)";
    UPDATE = "UPDATE assistants SET name = $3, color = $4, enabled = $5, system_prompt = $6, model = $7, temperature = $8, tool_access = $9,
        gated_tools = $10, delegation = $11, schedule = $12, default_handoff_user_id = $13, history_limit = $14, transcribe_media = $15,
        handle_voice = $16, handle_images = $17, voice_replies = $18, voice_provider = $19, voice_id = $20, targets = $21,
        instruction_count = $22, updated_at = $23 WHERE account_id = $1 AND id = $2";
    UNCONFINED_TOOLS = "SELECT unconfined_tools FROM assistants WHERE account_id = $1 AND id = $2";
    SET_UNCONFINED_TOOLS = "UPDATE assistants SET unconfined_tools = $3 WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM assistants WHERE account_id = $1 AND id = $2";

    COUNT = "SELECT count(*) FROM assistants WHERE account_id = $1";

    BOUND = "SELECT i.id, i.title, i.body, i.updated_at FROM assistant_instructions b
        JOIN instructions i ON i.account_id = b.account_id AND i.id = b.instruction_id
        WHERE b.account_id = $1 AND b.assistant_id = $2 ORDER BY b.position";
    BOUND_IDS = "SELECT instruction_id FROM assistant_instructions WHERE account_id = $1 AND assistant_id = $2 ORDER BY position";
    UNBIND = "DELETE FROM assistant_instructions WHERE account_id = $1 AND assistant_id = $2";
    BIND = "INSERT INTO assistant_instructions (account_id, assistant_id, instruction_id, position) VALUES ($1, $2, $3, $4)";
    LAST_VERSION = "SELECT max(number) FROM assistant_versions WHERE account_id = $1 AND assistant_id = $2";
    INSERT_VERSION = "INSERT INTO assistant_versions (account_id, assistant_id, id, number, snapshot, changed, author_user_id, restored_from)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    FORGET_VERSIONS = "DELETE FROM assistant_versions WHERE account_id = $1 AND assistant_id = $2 AND number <= $3";
    FIND_VERSION = "SELECT id, number, author_user_id, restored_from, changed, snapshot FROM assistant_versions
        WHERE account_id = $1 AND assistant_id = $2 AND id = $3";

    SET_COUNT = "UPDATE assistants SET instruction_count = $3, updated_at = $4 WHERE account_id = $1 AND id = $2";
}
