//! Statements and row mapping of assistants.

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_platform::listing::newest_first;
use frontdesk_web::Page;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::assistant::{Assistant, UnconfinedTools};

macro_rules! columns {
    () => {
        "SELECT id, name, color, enabled, system_prompt, model, temperature, tool_access, gated_tools, delegation, schedule,
         default_handoff_user_id, history_limit, transcribe_media, handle_voice, handle_images, voice_replies, voice_provider,
         voice_id, targets, instruction_count, updated_at FROM assistants WHERE account_id = "
    };
}

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
}

pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: AssistantId) -> db::Result<Option<Assistant>> {
    tx.find(FIND, &[&account, &id], read)
}

/// Prefetches an assistant. PostgreSQL returns it with the next statement.
pub(crate) fn expect(tx: &mut ReadTx<'_>, account: AccountId, id: AssistantId) -> db::Result<()> {
    tx.prefetch(Query::whole(FIND, vec![Box::new(account), Box::new(id)]))
}

/// The tools of an assistant that reach the whole account in a confined run. None for an assistant that is gone.
pub fn unconfined_tools(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: AssistantId,
) -> db::Result<UnconfinedTools> {
    let found = tx.find(UNCONFINED_TOOLS, &[&account, &id], json)?;
    Ok(UnconfinedTools(found.unwrap_or_default()))
}

/// Prefetches them. PostgreSQL returns them with the next statement.
pub(crate) fn expect_unconfined_tools(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: AssistantId,
) -> db::Result<()> {
    tx.prefetch(Query::whole(UNCONFINED_TOOLS, vec![Box::new(account), Box::new(id)]))
}

pub(super) fn set_unconfined_tools(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: AssistantId,
    tools: &UnconfinedTools,
) -> db::Result<()> {
    tx.execute(SET_UNCONFINED_TOOLS, &[&account, &id, &written(&tools.0)?])?.exactly(1)
}

pub(crate) fn find_to_change(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: AssistantId,
) -> db::Result<Option<Assistant>> {
    tx.find_to_change(FIND, &[&account, &id], read)
}

pub fn list(tx: &mut ReadTx<'_>, account: AccountId, page: &Page) -> db::Result<Vec<Assistant>> {
    let mut query = Query::new(columns!());
    query.bind(account);
    newest_first(&mut query, page);
    tx.run(&query, read)
}

/// Every assistant of the account, the newest first. Their number is limited.
pub fn list_all(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Vec<Assistant>> {
    tx.query(LIST_ALL, &[&account], read)
}

pub(super) fn insert(tx: &mut Tx<'_>, account: AccountId, assistant: &Assistant) -> db::Result<()> {
    write(tx, INSERT, account, assistant)
}

pub(super) fn update(tx: &mut Tx<'_>, account: AccountId, assistant: &Assistant) -> db::Result<()> {
    write(tx, UPDATE, account, assistant)
}

fn write(tx: &mut Tx<'_>, statement: &str, account: AccountId, assistant: &Assistant) -> db::Result<()> {
    let params: &[&dyn db::Param] = &[
        &account,
        &assistant.id,
        &assistant.name,
        &assistant.color,
        &assistant.enabled,
        &assistant.system_prompt,
        &assistant.model,
        &assistant.temperature,
        &written(&assistant.tool_access)?,
        &written(&assistant.gated_tools)?,
        &written(&assistant.delegation)?,
        &written(&assistant.schedule)?,
        &assistant.default_handoff_user_id,
        &assistant.history_limit,
        &assistant.transcribe_media,
        &assistant.handle_voice,
        &assistant.handle_images,
        &assistant.voice_replies,
        &assistant.voice_provider,
        &assistant.voice_id,
        &written(&assistant.targets)?,
        &assistant.instruction_count,
        &assistant.updated_at,
    ];
    tx.execute(statement, params)?.exactly(1)
}

fn written(value: &impl Serialize) -> db::Result<String> {
    serde_json::to_string(value).map_err(|_| db::Error::Decode("assistant"))
}

fn json<T: DeserializeOwned>(row: &mut Row<'_>) -> db::Result<T> {
    let text: String = row.next()?;
    serde_json::from_str(&text).map_err(|_| db::Error::Decode("assistant"))
}

pub(super) fn read(row: &mut Row<'_>) -> db::Result<Assistant> {
    let id: AssistantId = row.next()?;
    Ok(Assistant {
        id,
        name: row.next()?,
        color: row.next()?,
        enabled: row.next()?,
        system_prompt: row.next()?,
        model: row.next()?,
        temperature: row.next()?,
        tool_access: json(row)?,
        gated_tools: json(row)?,
        delegation: json(row)?,
        schedule: json(row)?,
        default_handoff_user_id: row.next()?,
        history_limit: row.next()?,
        transcribe_media: row.next()?,
        handle_voice: row.next()?,
        handle_images: row.next()?,
        voice_replies: row.next()?,
        voice_provider: row.next()?,
        voice_id: row.next()?,
        targets: json(row)?,
        instruction_count: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}
